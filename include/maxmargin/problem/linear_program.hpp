// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Linear programs as data, and the checks of their answers: docs/algorithms/lp-svm.md.
namespace maxmargin {

/// Minimise cost'x subject to row_lower <= Ax <= row_upper and column_lower <= x <= column_upper.
/// Bounds may be infinite on either side.
struct MAXMARGIN_EXPORT LinearProgram {
  SparseMatrix matrix = {};
  std::vector<double> cost = {};
  std::vector<double> column_lower = {};
  std::vector<double> column_upper = {};
  std::vector<double> row_lower = {};
  std::vector<double> row_upper = {};

  [[nodiscard]] std::size_t rows() const noexcept { return row_lower.size(); }
  [[nodiscard]] std::size_t columns() const noexcept { return cost.size(); }
  /// What validate() checks: that sizes fit together, costs and entries are finite, bounds are
  /// numbers, no lower bound is +inf and no upper one -inf. Crossed bounds are allowed: such a
  /// program is infeasible.
  void describe(OptionVisitor& visit);
};

/// A point and prices of the rows, measured from scratch.
///
/// Weak duality: for any prices y with reduced costs d = cost - A'y,
///
///   bound(y) = sum_i (y_i > 0 ? y_i row_lower_i : y_i row_upper_i)
///            + sum_j (d_j > 0 ? d_j column_lower_j : d_j column_upper_j)
///
/// is no more than the objective of any feasible x, where a product with an infinite bound makes it
/// -inf. Such products are left out here and their largest |y_i| or |d_j| is `dual_violation`: the
/// bound is proven when that is 0, and up to rounding when it is at rounding level.
struct MAXMARGIN_EXPORT LinearProgramResiduals {
  double primal = 0;
  double dual = 0;
  /// Largest distance of a row or a column from its bounds.
  double primal_violation = 0;
  double dual_violation = 0;
};
[[nodiscard]] MAXMARGIN_EXPORT LinearProgramResiduals residuals(const LinearProgram& problem,
                                                                std::span<const double> x,
                                                                std::span<const double> prices);

/// How well a ray proves that there is no feasible point, or no least one. The ray is scaled to a
/// largest entry of 1 first. It proves its claim when `value` has the stated sign and `violation`
/// is 0 (at rounding level: up to rounding).
struct RayProof {
  double value = 0;
  double violation = 0;
};
/// Prices y of the rows: bound(y) with cost 0 is `value`. Above 0: no point is feasible.
[[nodiscard]] MAXMARGIN_EXPORT RayProof infeasibility_proof(const LinearProgram& problem,
                                                            std::span<const double> prices);
/// A direction r: cost'r is `value`, and `violation` how fast a step along r leaves a finite bound.
/// Below 0: from any feasible point the objective falls without end.
[[nodiscard]] MAXMARGIN_EXPORT RayProof unboundedness_proof(const LinearProgram& problem,
                                                            std::span<const double> direction);

}  // namespace maxmargin
