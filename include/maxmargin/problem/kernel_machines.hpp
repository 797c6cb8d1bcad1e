// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/problem/svm_dual.hpp"

/// The kernel machines as SvmDual problems: docs/algorithms/smo.md says why each is one. Weights
/// are one a row, >= 0; they scale what a row's slack costs.
namespace maxmargin {

/// Slacks in the objective 1/2 |w|^2 + C sum_i loss_i.
enum class SlackPower {
  one,  ///< hinge
  two   ///< squared hinge
};
template <>
inline constexpr auto names_of<SlackPower> =
    name_table<SlackPower>({{"hinge", SlackPower::one}, {"squared-hinge", SlackPower::two}});

/// What C-SVC is asked for.
struct SvcProblem {
  double c = 1;  ///< > 0; infinity is the hard margin
  SlackPower slacks = SlackPower::one;
  bool bias = true;
};
/// The classifier is sign(f + offset). Signs are +1 and -1.
[[nodiscard]] MAXMARGIN_EXPORT SvmDual c_svc_dual(const SymmetricMatrix& matrix,
                                                  std::span<const std::int8_t> signs,
                                                  std::span<const double> weights,
                                                  const SvcProblem& problem);

/// 1/2 |w|^2 - nu W rho + sum_i weight_i max(0, rho - y_i (f_i + b)), W the sum of the weights. Two
/// groups with offsets b - rho and b + rho. Throws InvalidArgument, with the largest possible nu,
/// when a class is too light for nu.
[[nodiscard]] MAXMARGIN_EXPORT SvmDual nu_svc_dual(const SymmetricMatrix& matrix,
                                                   std::span<const std::int8_t> signs,
                                                   std::span<const double> weights,
                                                   double nu);

/// Variable i pulls the function up to targets_i - epsilon, variable n + i down to targets_i +
/// epsilon.
[[nodiscard]] MAXMARGIN_EXPORT SvmDual svr_dual(const SymmetricMatrix& matrix,
                                                std::span<const double> targets,
                                                std::span<const double> weights,
                                                double c,
                                                double epsilon,
                                                bool bias);

/// As svr_dual, but with the tube as a variable: groups with offsets b + epsilon and b - epsilon.
[[nodiscard]] MAXMARGIN_EXPORT SvmDual nu_svr_dual(const SymmetricMatrix& matrix,
                                                   std::span<const double> targets,
                                                   std::span<const double> weights,
                                                   double c,
                                                   double nu);

/// 1/2 |w|^2 - nu W rho + sum_i weight_i max(0, rho - f_i); the offset is -rho.
[[nodiscard]] MAXMARGIN_EXPORT SvmDual one_class_dual(const SymmetricMatrix& matrix,
                                                      std::span<const double> weights,
                                                      double nu);

/// Half of the least of R^2 + sum_i weight_i/(nu W) max(0, |phi_i - c|^2 - R^2); nu = 0: no point
/// may lie outside. With offset t the squared radius is |c|^2 + 2 t.
[[nodiscard]] MAXMARGIN_EXPORT SvmDual svdd_dual(const SymmetricMatrix& matrix,
                                                 std::span<const double> weights,
                                                 double nu);

}  // namespace maxmargin
