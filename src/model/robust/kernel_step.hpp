// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "maxmargin/problem/svm_dual.hpp"
#include "model/robust/descent.hpp"
#include "model/robust/ramp_bound.hpp"
#include "solver/interior/kernel_machine.hpp"
#include "solver/smo/smo.hpp"

namespace maxmargin {

/// The convex problems of a robust kernel machine on one set of rows: C-SVCs whose boxes follow
/// eta.
class KernelStep {
 public:
  /// With `pushes_back` an example of eta < 1 has the tangent of the concave part in place of
  /// nothing. The matrix, signs and costs must outlive it.
  KernelStep(const SymmetricMatrix& matrix,
             std::span<const std::int8_t> signs,
             std::span<const double> costs,
             bool bias,
             bool pushes_back,
             SmoOptions options);

  /// SolveStep of descend().
  [[nodiscard]] RobustPoint solve(std::span<const double> eta, const RobustPoint* start);
  /// The plain machine of other costs, begun from the last one: SolveHinge of bound_ramp().
  [[nodiscard]] HingeMachine solve_hinge(std::span<const double> costs);

 private:
  void set_boxes(std::span<const double> eta);
  /// The point nearest to `b` in spirit that the boxes allow: cut to them, and with a bias balanced
  /// by moving the variables that want to move most in that direction.
  [[nodiscard]] std::vector<double> fitted(std::vector<double> b,
                                           std::span<const double> values) const;
  /// Takes `excess` out of the sum of `b`, within the boxes.
  void balance(double excess, std::span<const double> values, std::vector<double>& b) const;

  std::span<const std::int8_t> signs_;
  std::span<const double> costs_;
  bool pushes_back_;
  SvmDual problem_;
  SmoOptions options_;
  std::vector<double> last_hinge_;
  std::vector<double> last_hinge_values_;
};

}  // namespace maxmargin
