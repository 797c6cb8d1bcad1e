// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/queries.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/problem/structural/risk.hpp"

namespace maxmargin {

/// What a query weighs: docs/algorithms/ranking.md.
enum class QueryWeight {
  one,  ///< each query the same, whatever its length
  size  ///< by its number of pairs (RankingRisk) or rows (ContingencyRisk)
};
template <>
inline constexpr auto names_of<QueryWeight> =
    name_table<QueryWeight>({{"one", QueryWeight::one}, {"size", QueryWeight::size}});

struct RankingOptions {
  QueryWeight weight = QueryWeight::one;
  /// Times this for every query, finite and >= 0; empty: 1 each.
  std::span<const double> query_weights = {};
};

/// The pairwise ranking machine: an example is a query, and its loss
///
///   loss_q(w) = sum over rows i, j of q with grade_i > grade_j of max(0, 1 - w.(x_i - x_j)),
///
/// in O(n log n) for n rows of any grades. With two grades and all rows one query it is the direct
/// learner of the ROC area. The weight of a query is 1 over its number of pairs (QueryWeight::one)
/// or 1; a query without pairs has weight 0. The rows must outlive it.
class MAXMARGIN_EXPORT RankingRisk final : public StructuralRisk {
 public:
  /// Throws InvalidArgument for queries that do not fit the rows, a grade that is not finite and
  /// wrong options.
  RankingRisk(PointRows rows, const Queries& queries, const RankingOptions& options = {});
  ~RankingRisk() override;

  [[nodiscard]] std::size_t dimension() const override { return rows_.cols(); }
  [[nodiscard]] std::size_t examples() const override { return begins_.size() - 1; }
  [[nodiscard]] double weight(std::size_t query) const override { return weights_[query]; }
  [[nodiscard]] bool is_exact() const override { return true; }
  void largest_plane(std::size_t query,
                     std::span<const double> w,
                     StructuralPlane& plane) const override;

  /// Pairs of different grade in a query; exact below 2^53.
  [[nodiscard]] double pairs(std::size_t query) const { return pairs_[query]; }

 private:
  PointRows rows_;
  std::vector<std::size_t> begins_;
  /// Grades of each row, numbered from 0 within its query.
  std::vector<std::uint32_t> levels_;
  std::vector<std::size_t> level_counts_;
  std::vector<double> pairs_;
  std::vector<double> weights_;
};

}  // namespace maxmargin
