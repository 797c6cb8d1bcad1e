// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/weights.hpp"
#include "maxmargin/model/calibration/calibration.hpp"
#include "model/calibration/input.hpp"

namespace maxmargin {

namespace {

/// Neighbouring scores that share one probability.
struct Block {
  double first = 0;
  double last = 0;
  double positive = 0;  ///< weight of the positive examples
  double weight = 0;

  [[nodiscard]] double mean() const { return positive / weight; }
};

/// One block for every distinct score of positive weight, scores ascending.
std::vector<Block> blocks_of_equal_scores(std::span<const double> scores,
                                          std::span<const std::int8_t> signs,
                                          std::span<const double> weights) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  std::vector<Block> blocks;
  for (const std::size_t i : order) {
    const double weight = weight_of(weights, i);
    if (!(weight > 0)) continue;
    if (blocks.empty() || blocks.back().last != scores[i]) {
      blocks.push_back({.first = scores[i], .last = scores[i]});
    }
    blocks.back().weight += weight;
    if (signs[i] > 0) blocks.back().positive += weight;
  }
  return blocks;
}

}  // namespace

IsotonicCurve fit_isotonic(std::span<const double> scores,
                           std::span<const std::int8_t> signs,
                           std::span<const double> weights) {
  (void)check_scores(scores, signs, weights);
  const std::vector<Block> blocks = blocks_of_equal_scores(scores, signs, weights);
  if (blocks.empty()) return {.scores = {0}, .probabilities = {0.5}};

  // calibration.md, "Isotonic": merge the last two blocks while their means fall.
  std::vector<Block> pooled;
  for (const Block& block : blocks) {
    pooled.push_back(block);
    while (pooled.size() > 1 && pooled[pooled.size() - 2].mean() >= pooled.back().mean()) {
      const Block last = pooled.back();
      pooled.pop_back();
      pooled.back().last = last.last;
      pooled.back().positive += last.positive;
      pooled.back().weight += last.weight;
    }
  }
  IsotonicCurve curve;
  for (const Block& block : pooled) {
    curve.scores.push_back(block.first);
    curve.probabilities.push_back(block.mean());
    if (block.last == block.first) continue;
    curve.scores.push_back(block.last);
    curve.probabilities.push_back(block.mean());
  }
  return curve;
}

}  // namespace maxmargin
