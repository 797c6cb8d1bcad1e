// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/linear_program.hpp"

/// The two-class machines of linear programming: docs/algorithms/lp-svm.md.
namespace maxmargin {

enum class LpSvmForm {
  slides,  ///< u_j = a_j z_j with a_j >= 0
  l1_norm  ///< the L1-norm kernel machine: u_j of any sign
};
template <>
inline constexpr auto names_of<LpSvmForm> =
    name_table<LpSvmForm>({{"slides", LpSvmForm::slides}, {"l1-norm", LpSvmForm::l1_norm}});

/// For f(x_i) = sum_j u_j K_ij + offset and signs z,
///
///   minimise    sum_j |u_j| + sum_i cost_i max(0, 1 - z_i f(x_i)),
///
/// with u_j z_j >= 0 in the first form. An infinite cost asks for z_i f(x_i) >= 1. Its dual is
///
///   maximise    sum_i l_i
///   subject to  0 <= l_i <= cost_i,  sum_i l_i z_i = 0 (with bias),
///               z_j h_j <= 1 (first form) or |h_j| <= 1 (second),  h_j = sum_i l_i z_i K_ij.
///
/// K may be any square matrix, symmetric or not, definite or not. The view must outlive the
/// problem.
struct MAXMARGIN_EXPORT LpSvm {
  /// Row i: the values of all expansion functions on example i.
  DenseView gram = {};
  std::vector<std::int8_t> signs = {};
  /// C times the weight of each example; > 0, +inf allowed.
  std::vector<double> costs = {};
  LpSvmForm form = LpSvmForm::slides;
  bool bias = true;

  [[nodiscard]] std::size_t size() const noexcept { return signs.size(); }
};

/// The dual as a linear program: minimise -sum l; row j is the constraint on h_j, and the last row
/// (with bias) the balance. At its optimum u_j is minus z_j (first form) or minus 1 (second) times
/// the price of row j, the offset minus the last price. Throws InvalidArgument when sizes do not
/// fit, a sign is not +1 or -1, a cost is not > 0, or an entry of the matrix is not finite.
[[nodiscard]] MAXMARGIN_EXPORT LinearProgram dual_program(const LpSvm& problem);

/// A function of the machine.
struct LpSvmFunction {
  /// u, one a column of the matrix.
  std::vector<double> coefficients = {};
  double offset = 0;
};

/// Reads the function from the prices of dual_program. Coefficients of the wrong sign become 0.
/// With infinite costs alone a function that falls short of a margin of 1 by rounding is scaled up
/// to it.
[[nodiscard]] MAXMARGIN_EXPORT LpSvmFunction function_of_prices(const LpSvm& problem,
                                                                std::span<const double> prices);

/// The multipliers made feasible: clipped to their bounds, the heavier side scaled down to the
/// balance, all scaled down to the constraints on h.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<double> feasible_multipliers(
    const LpSvm& problem, std::span<const double> multipliers);

/// A function and multipliers, measured from scratch in double.
struct MAXMARGIN_EXPORT LpSvmResiduals {
  /// The primal objective; +inf when a margin of infinite cost is missed by more than 1e-9.
  double primal = 0;
  /// The dual objective at feasible_multipliers: a lower bound on the primal objective of every
  /// function.
  double dual = 0;
  /// Largest -u_j z_j in the first form.
  double sign_violation = 0;
  /// Largest slack whose cost is infinite.
  double slack_violation = 0;
  /// 1 - the last scaling: how far the multipliers were from feasible.
  double dual_shrinkage = 0;
};
[[nodiscard]] MAXMARGIN_EXPORT LpSvmResiduals residuals(const LpSvm& problem,
                                                        const LpSvmFunction& function,
                                                        std::span<const double> multipliers);

/// Proof that no function has all margins of 1 (infinite costs): multipliers l >= 0 with sum 1,
/// balanced, and `violation` the largest z_j h_j (first form) or |h_j| (second). At rounding level:
/// the dual grows without end along l. Requires some multiplier > 0.
[[nodiscard]] MAXMARGIN_EXPORT double inseparability_violation(const LpSvm& problem,
                                                               std::span<const double> multipliers);

}  // namespace maxmargin
