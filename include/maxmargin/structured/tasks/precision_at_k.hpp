// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/row.hpp"
#include "maxmargin/problem/structural/feature_vector.hpp"

/// Precision of the first k rows of a query, with a hidden order: docs/algorithms/ranking.md,
/// "Latent order".
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

/// Phi is the mean of the k rows put first, the loss what they lack of the best precision. Which
/// relevant rows are first is the hidden part of a truth. With fewer rows than k, all are first.
/// Every argmax is exact and O(n d) for n rows of d features: no order is needed beyond the first k
/// rows. Equal rows come in the order of the query.
class MAXMARGIN_EXPORT PrecisionAtKTask {
 public:
  /// The rows of a query.
  using Input = std::vector<Row>;
  using Output = TopRows;

  /// Throws InvalidArgument for k = 0.
  PrecisionAtKTask(std::size_t features, std::size_t k);

  [[nodiscard]] std::size_t dimension() const { return features_; }

  void joint_features(const Input& x, const TopRows& y, FeatureVector& psi) const;
  /// Phi(x, y) - Phi(x, rival), from the rows that one of them alone has.
  void feature_difference(const Input& x,
                          const TopRows& y,
                          const TopRows& rival,
                          FeatureVector& psi) const;
  /// Requires a truth that knows which rows are relevant.
  [[nodiscard]] double loss(const TopRows& truth, const TopRows& other) const;

  [[nodiscard]] TopRows predict(const Input& x, std::span<const double> w) const;
  [[nodiscard]] TopRows loss_augmented_argmax(const Input& x,
                                              const TopRows& truth,
                                              std::span<const double> w) const;
  /// The list of loss 0 and highest score: relevant rows first, then by score. The rows that the
  /// truth puts first do not matter.
  [[nodiscard]] TopRows complete(const Input& x,
                                 const TopRows& truth,
                                 std::span<const double> w) const;
  /// Of all lists of loss 0, one as likely as the other.
  [[nodiscard]] TopRows random_completion(const Input& x, const TopRows& truth, Rng& rng) const;
  /// As many relevant rows as are put first, or no more rows at all.
  [[nodiscard]] bool has_one_completion(const Input& x, const TopRows& truth) const;
  /// The truth of rows of which the flagged ones are relevant: relevant rows first, each kind in
  /// the order of the query.
  [[nodiscard]] TopRows truth_of(std::span<const std::uint8_t> relevant) const;
  /// Rows put first of a query of n rows.
  [[nodiscard]] std::size_t first_rows(std::size_t n) const { return n < k_ ? n : k_; }

  /// All lists of k rows.
  void for_each_output(const Input& x, const std::function<void(const TopRows&)>& visit) const;

 private:
  /// Numbers that can be ordered.
  [[nodiscard]] std::vector<double> scores_of(const Input& x, std::span<const double> w) const;

  std::size_t features_;
  std::size_t k_;
};

}  // namespace maxmargin
