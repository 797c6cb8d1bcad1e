// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/structured/latent_task.hpp"

/// Precision of the first k rows, with a hidden order: docs/algorithms/ranking.md.
namespace maxmargin {

/// The rows put first, and for a truth which rows are relevant.
struct TopRows {
  /// Row numbers within the query, ascending.
  std::vector<std::size_t> top = {};
  /// One a row, 1 for relevant; empty in predictions.
  std::vector<std::uint8_t> relevant = {};

  /// Whether the same rows are first.
  [[nodiscard]] bool operator==(const TopRows& other) const { return top == other.top; }
};

/// Phi is the mean of the k rows put first, the loss what they lack of the best precision. A truth
/// is a list of loss 0, made by complete().
class PrecisionAtKTask {
 public:
  /// The rows of a query.
  using Input = std::vector<Row>;
  using Output = TopRows;

  /// Throws InvalidArgument for k = 0.
  PrecisionAtKTask(std::size_t features, std::size_t k) : features_(features), k_(k) {
    require_field(k >= 1, "PrecisionAtKTask: k", 0.0, ">= 1");
  }

  [[nodiscard]] std::size_t dimension() const { return features_; }

  void joint_features(const Input& x, const TopRows& y, FeatureVector& psi) const {
    const double share = 1 / static_cast<double>(y.top.size());
    for (const std::size_t row : y.top) {
      require(row < x.size(), "PrecisionAtKTask: an output names a row that is not there");
      x[row].for_each([&](std::size_t column, double value) {
        if (column < features_ && value != 0) psi.add(column, share * value);
      });
    }
  }

  /// Requires a truth that knows which rows are relevant.
  [[nodiscard]] double loss(const TopRows& truth, const TopRows& other) const {
    const std::size_t k = other.top.size();
    if (k == 0) return 0;
    for (const std::size_t row : other.top) {
      require(row < truth.relevant.size(),
              "PrecisionAtKTask: an output names a row that the truth has not");
    }
    const auto relevant = static_cast<std::size_t>(
        std::ranges::count_if(truth.relevant, [](std::uint8_t flag) { return flag != 0; }));
    std::size_t found = 0;
    for (const std::size_t row : other.top) found += truth.relevant[row] != 0 ? 1U : 0U;
    return static_cast<double>(std::min(relevant, k) - found) / static_cast<double>(k);
  }

  [[nodiscard]] TopRows predict(const Input& x, std::span<const double> w) const {
    return {.top = first_of(x, scores_of(x, w))};
  }

  [[nodiscard]] TopRows loss_augmented_argmax(const Input& x,
                                              const TopRows& truth,
                                              std::span<const double> w) const {
    require(truth.relevant.size() == x.size(),
            "PrecisionAtKTask: a truth must have a flag for every row");
    std::vector<double> values = scores_of(x, w);
    // The shares 1/k of score and loss are the same, so that they cancel.
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (truth.relevant[row] != 0) values[row] -= 1;
    }
    return {.top = first_of(x, values)};
  }

  /// The list of loss 0 and highest score: relevant rows first, then by score.
  [[nodiscard]] TopRows complete(const Input& x,
                                 std::span<const std::uint8_t> relevant,
                                 std::span<const double> w) const {
    require(relevant.size() == x.size(), "PrecisionAtKTask: there must be a flag for every row");
    const std::vector<double> scores = scores_of(x, w);
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      if ((relevant[a] != 0) != (relevant[b] != 0)) return relevant[a] != 0;
      return scores[a] > scores[b];
    });
    order.resize(std::min(k_, order.size()));
    std::ranges::sort(order);
    return {.top = std::move(order), .relevant = {relevant.begin(), relevant.end()}};
  }

  /// The same of a truth, whose rows put first do not matter.
  [[nodiscard]] TopRows complete(const Input& x,
                                 const TopRows& truth,
                                 std::span<const double> w) const {
    return complete(x, std::span<const std::uint8_t>(truth.relevant), w);
  }

  /// All lists of k rows.
  void for_each_output(const Input& x, const std::function<void(const TopRows&)>& visit) const {
    const std::size_t k = std::min(k_, x.size());
    std::vector<std::uint8_t> chosen(x.size(), 0);
    std::fill_n(chosen.begin(), k, std::uint8_t{1});
    do {
      TopRows y;
      for (std::size_t row = 0; row < x.size(); ++row) {
        if (chosen[row] != 0) y.top.push_back(row);
      }
      visit(y);
    } while (std::ranges::prev_permutation(chosen).found);
  }

 private:
  /// Numbers that can be ordered.
  [[nodiscard]] std::vector<double> scores_of(const Input& x, std::span<const double> w) const {
    require(w.size() >= features_, "PrecisionAtKTask: there must be a weight for every feature");
    std::vector<double> scores;
    scores.reserve(x.size());
    for (const Row& row : x) {
      scores.push_back(row.dot(w.first(features_)));
      require(!std::isnan(scores.back()),
              "PrecisionAtKTask: the score of a row is not a number, as weights or rows are not "
              "finite");
    }
    return scores;
  }

  /// The k rows of largest value, the first among equals.
  [[nodiscard]] std::vector<std::size_t> first_of(const Input& x,
                                                  std::span<const double> values) const {
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, std::ranges::greater{}, [&](std::size_t row) { return values[row]; });
    order.resize(std::min(k_, order.size()));
    std::ranges::sort(order);
    return order;
  }

  std::size_t features_;
  std::size_t k_;
};

static_assert(LatentTask<PrecisionAtKTask> && EnumerableTask<PrecisionAtKTask>);

}  // namespace maxmargin
