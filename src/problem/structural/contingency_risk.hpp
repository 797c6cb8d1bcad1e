// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/data/queries.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "maxmargin/problem/structural/risk.hpp"

namespace maxmargin {

/// A loss of the table of true and false positives: docs/algorithms/ranking.md.
enum class TableLoss {
  error,           ///< share of wrong signs
  f1,              ///< 1 - F1
  precision_at_k,  ///< what is missing of the precision that k rows can have
  recall_at_k      ///< what is missing of the recall that k rows can have
};

struct ContingencyOptions {
  TableLoss loss = TableLoss::f1;
  /// Rows predicted positive by the last two losses, >= 1, cut to the rows of the query; unset: as
  /// many as are positive (the break-even point).
  std::optional<std::size_t> k = std::nullopt;
  /// Rows of this grade or a larger one are positive.
  double relevant_from = 1;
  /// A constant feature of this value, its weight the last one; finite, 0: none.
  double bias = 0;
  QueryWeight weight = QueryWeight::one;
  /// Times this for every query, finite and >= 0; empty: 1 each.
  std::span<const double> query_weights = {};
};

/// Losses of whole sets of rows in the manner of SVM-perf. An example is a query of n rows, an
/// output a sign for each, Phi(y) = 1/(2n) sum_i y_i x_i, and the loss of a query
///
///   loss_q(w) = max(0, max over outputs y' of Delta(a, b) - w.(Phi(y) - Phi(y')))
///
/// with a true and b false positives. The weight is 1 or n (QueryWeight::size); queries for which
/// the loss means nothing (no positives, for the last two losses no negatives either) have weight
/// 0. O(n log n). The rows must outlive it.
class ContingencyRisk final : public StructuralRisk {
 public:
  /// Throws InvalidArgument for queries that do not fit the rows and wrong options.
  ContingencyRisk(PointRows rows, const Queries& queries, const ContingencyOptions& options = {});
  ~ContingencyRisk() override;

  [[nodiscard]] std::size_t dimension() const override {
    return rows_.cols() + (bias_ != 0 ? 1 : 0);
  }
  [[nodiscard]] std::size_t examples() const override { return begins_.size() - 1; }
  [[nodiscard]] double weight(std::size_t query) const override { return weights_[query]; }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t query,
                     std::span<const double> w,
                     StructuralPlane& plane) const override;

  /// Delta for a query when `true_positives` of its positives and `false_positives` of its
  /// negatives are called positive.
  [[nodiscard]] double loss(std::size_t query,
                            std::size_t true_positives,
                            std::size_t false_positives) const;
  /// How many rows of the query the last two losses call positive.
  [[nodiscard]] std::size_t called(std::size_t query) const;

 private:
  PointRows rows_;
  std::vector<std::size_t> begins_;
  std::vector<std::uint8_t> positive_;
  std::vector<std::size_t> positives_;
  std::vector<double> weights_;
  TableLoss loss_;
  std::optional<std::size_t> k_;
  double bias_;
};

}  // namespace maxmargin
