// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"

/// The one dual behind all kernel machines: docs/algorithms/smo.md.
namespace maxmargin {

/// Maximise, over signed coefficients b,
///
///   D(b) = - 1/2 sum_vw b_v b_w K(row_v, row_w) - 1/2 sum_v ridge_v b_v^2 - sum_v linear_v b_v
///   subject to  lower_v <= b_v <= upper_v  and, for each group g,  sum_{v in g} b_v = group_sum_g.
///
/// Two variables may share a row (regression: one for each side of the tube). Its primal, in the
/// function f = sum_v b_v K(row_v, .) and one offset t_g a group, is
///
///   P(f, t) = 1/2 |f|^2 + sum_g t_g group_sum_g + sum_v h_v(- f(row_v) - t_g(v) - linear_v),
///   h_v(z) = max over b in [lower_v, upper_v] of b z - 1/2 ridge_v b^2.
///
/// Immutable data; the matrix must outlive it.
struct MAXMARGIN_EXPORT SvmDual {
  const SymmetricMatrix* matrix = nullptr;
  /// One entry a variable, here and below.
  std::vector<double> linear = {};
  /// lower <= 0 <= upper is not required, but lower <= upper is; infinite bounds are allowed.
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  /// Added to the diagonal (squared slacks: 1/(2C)); empty: none.
  std::vector<double> ridge = {};
  /// Row of the matrix on which the variable sits; empty: variable v on row v.
  std::vector<std::uint32_t> row = {};
  /// Group of the variable; empty: no equality constraint at all (a machine without bias).
  std::vector<std::uint32_t> group = {};
  std::vector<double> group_sum = {};

  [[nodiscard]] std::size_t variables() const noexcept { return linear.size(); }
  [[nodiscard]] std::size_t row_of(std::size_t v) const noexcept {
    return row.empty() ? v : row[v];
  }
  /// What validate() checks: that sizes, bounds and groups fit together, values are numbers, and
  /// the sums of the groups can be reached within the bounds.
  void describe(OptionVisitor& visit);
};

/// A point of the dual and of its primal, measured from scratch in double.
struct MAXMARGIN_EXPORT SvmDualResiduals {
  double primal = 0;
  double dual = 0;
  /// Offsets of the groups at which `primal` was taken: the minimisers.
  std::vector<double> offsets = {};
  /// Largest violation of a bound, and of a group's sum.
  double bound_violation = 0;
  double sum_violation = 0;
};

/// Evaluates primal and dual at `b` by plain double loops over all rows of the matrix with a
/// non-zero coefficient; shares no code with any solver. O(n x non-zeros).
[[nodiscard]] MAXMARGIN_EXPORT SvmDualResiduals residuals(const SvmDual& problem,
                                                          std::span<const double> b);

}  // namespace maxmargin
