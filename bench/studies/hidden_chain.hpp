// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/structured/latent_task.hpp"
#include "maxmargin/structured/tasks/chain.hpp"

namespace maxmargin {

/// Labels of a sequence; of a truth, those of hidden positions are a completion.
struct PartlySeenLabels {
  LabelSequence labels = {};
  /// One a position, 1 where the label is hidden; empty in predictions.
  std::vector<std::uint8_t> hidden = {};

  [[nodiscard]] bool operator==(const PartlySeenLabels& other) const {
    return labels == other.labels;
  }
};

/// A chain of order 1 whose truths lack labels: hidden positions cost nothing, and are completed by
/// Viterbi with the seen labels held.
class HiddenChain {
 public:
  using Input = Sequence;
  using Output = PartlySeenLabels;

  /// `chain` of order 1, without rules and features of steps, and must outlive it.
  explicit HiddenChain(const ChainTask& chain) : chain_(chain) {}

  [[nodiscard]] std::size_t dimension() const { return chain_.dimension(); }
  void joint_features(const Sequence& x, const Output& y, FeatureVector& psi) const {
    chain_.joint_features(x, y.labels, psi);
  }
  void feature_difference(const Sequence& x,
                          const Output& y,
                          const Output& rival,
                          FeatureVector& psi) const {
    chain_.feature_difference(x, y.labels, rival.labels, psi);
  }
  [[nodiscard]] double loss(const Output& truth, const Output& other) const {
    double wrong = 0;
    for (std::size_t t = 0; t < other.labels.size(); ++t) {
      if (truth.hidden[t] == 0 && truth.labels[t] != other.labels[t]) ++wrong;
    }
    return wrong;
  }
  [[nodiscard]] Output predict(const Sequence& x, std::span<const double> w) const {
    return {.labels = chain_.predict(x, w)};
  }
  [[nodiscard]] Output loss_augmented_argmax(const Sequence& x,
                                             const Output& truth,
                                             std::span<const double> w) const {
    std::vector<double> scores = emissions(x, w);
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t q = 0; q < labels(); ++q) {
        if (truth.hidden[t] == 0 && q != truth.labels[t]) scores[t * labels() + q] += 1;
      }
    }
    return {.labels = best_path(x.size(), std::move(scores), w)};
  }
  [[nodiscard]] Output complete(const Sequence& x,
                                const Output& truth,
                                std::span<const double> w) const {
    if (has_one_completion(x, truth)) return truth;
    std::vector<double> scores = emissions(x, w);
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t q = 0; q < labels(); ++q) {
        if (truth.hidden[t] == 0 && q != truth.labels[t]) {
          scores[t * labels() + q] = -std::numeric_limits<double>::infinity();
        }
      }
    }
    return {.labels = best_path(x.size(), std::move(scores), w), .hidden = truth.hidden};
  }
  [[nodiscard]] bool has_one_completion(const Sequence& /*x*/, const Output& truth) const {
    return std::ranges::none_of(truth.hidden, [](std::uint8_t flag) { return flag != 0; });
  }
  void for_each_output(const Sequence& x, const std::function<void(const Output&)>& visit) const {
    chain_.for_each_output(x, [&](const LabelSequence& y) { visit({.labels = y}); });
  }

 private:
  [[nodiscard]] std::size_t labels() const { return chain_.labels(); }

  [[nodiscard]] std::vector<double> emissions(const Sequence& x, std::span<const double> w) const {
    std::vector<double> scores(x.size() * labels(), 0.0);
    for (std::size_t t = 0; t < x.size(); ++t) {
      double* const own = scores.data() + t * labels();
      for (std::size_t entry = x.begins[t]; entry < x.begins[t + 1]; ++entry) {
        const double* const weights = w.data() + chain_.emission_index(x.indices[entry], 0);
        const double value = x.value(entry);
        for (std::size_t q = 0; q < labels(); ++q) own[q] += value * weights[q];
      }
    }
    for (std::size_t q = 0; q < labels() && x.size() > 0; ++q) {
      if (chain_.options().begin) scores[q] += w[chain_.begin_index(q)];
      if (chain_.options().end) {
        scores[(x.size() - 1) * labels() + q] += w[chain_.end_index(q)];
      }
    }
    return scores;
  }

  /// Viterbi; `scores` of positions become those of the best paths that end there.
  [[nodiscard]] LabelSequence best_path(std::size_t length,
                                        std::vector<double> scores,
                                        std::span<const double> w) const {
    const std::size_t count = labels();
    const double* const pairs = w.data() + chain_.pair_index(0, 0);
    std::vector<std::uint32_t> from(length * count, 0);
    std::vector<double> reached(count);
    for (std::size_t t = 1; t < length; ++t) {
      const double* const before = scores.data() + (t - 1) * count;
      std::uint32_t* const origin = from.data() + t * count;
      std::ranges::fill(reached, -std::numeric_limits<double>::infinity());
      for (std::size_t p = 0; p < count; ++p) {
        for (std::size_t q = 0; q < count; ++q) {
          const double here = before[p] + pairs[p * count + q];
          if (here > reached[q]) {
            reached[q] = here;
            origin[q] = static_cast<std::uint32_t>(p);
          }
        }
      }
      for (std::size_t q = 0; q < count; ++q) scores[t * count + q] += reached[q];
    }
    LabelSequence path(length);
    if (length == 0) return path;
    const auto last = std::span(scores).last(count);
    path.back() = static_cast<std::uint32_t>(std::ranges::max_element(last) - last.begin());
    for (std::size_t t = length - 1; t > 0; --t) path[t - 1] = from[t * count + path[t]];
    return path;
  }

  const ChainTask& chain_;
};

static_assert(PartlySeenTask<HiddenChain> && FeatureDifferenceTask<HiddenChain> &&
              EnumerableTask<HiddenChain>);

}  // namespace maxmargin
