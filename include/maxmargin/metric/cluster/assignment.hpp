// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// A cheapest one-to-one matching of rows and columns, and the prices that prove it.
///
/// The proof: for all i and j, row_prices[i] + column_prices[j] <= cost(i, j), with equality on
/// matched pairs; the prices of the longer side are <= 0, and 0 where unmatched. So no matching of
/// min(rows, columns) pairs costs less than the sum of all prices, which is `cost`.
struct Assignment {
  /// The column matched to each row; empty for a row left over (more rows than columns).
  std::vector<std::optional<std::size_t>> column_of_row = {};
  double cost = 0;
  std::vector<double> row_prices = {};
  std::vector<double> column_prices = {};
};

/// Matches min(rows, columns) pairs at least total cost: the Hungarian method by shortest
/// augmenting paths (Kuhn; Munkres; Jonker and Volgenant), O(s^2 l) for the shorter side s and the
/// longer side l, O(s + l) memory. Exact for whole-number costs below 2^50. Ties: the result is a
/// function of the matrix alone, the same on every run.
/// Throws InvalidArgument when an entry is not finite.
[[nodiscard]] MAXMARGIN_EXPORT Assignment solve_assignment(DenseView cost);

}  // namespace maxmargin
