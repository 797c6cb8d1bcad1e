// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// What the linear and the kernel solver of direct multi-class machines share: one example at a
/// time (docs/algorithms/crammer-singer.md).
namespace maxmargin {

/// An example as its subproblem sees it.
struct CrammerSingerExample {
  std::size_t own = 0;   ///< its class
  double cost = 0;       ///< C_i
  double curvature = 0;  ///< A_i
};

/// g_i = C_i xi_i + sum_r t_ir G_ir, this example's share of the duality gap; never negative.
[[nodiscard]] double example_gap(const CrammerSingerExample& example,
                                 std::span<const double> gradient,
                                 std::span<const double> coefficients);

/// Where an example stands with respect to its optimality conditions.
struct ExampleState {
  /// Largest G less the least G of a class below its bound.
  double violation = 0;
  /// At a corner, so that it cannot move but by a violation, and how far it is from one.
  bool at_corner = false;
  double slack = 0;
};
[[nodiscard]] ExampleState example_state(const CrammerSingerExample& example,
                                         std::span<const double> gradient,
                                         std::span<const double> coefficients);

/// The exact maximum of the dual over one example's coefficients.
class ExampleStep {
 public:
  explicit ExampleStep(std::size_t classes) : sorted_(classes), changes_(classes) {}

  /// Replaces the coefficients by the optimal ones and returns how much the dual grew. The changes
  /// are in changes().
  double solve(const CrammerSingerExample& example,
               std::span<const double> gradient,
               std::span<double> coefficients);
  [[nodiscard]] std::span<const double> changes() const noexcept { return changes_; }

 private:
  std::vector<double> sorted_;
  std::vector<double> changes_;
};

}  // namespace maxmargin
