// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Smooth functions of matrices whose rows have length 1: the low-rank method to every relaxation
/// here, as M = V V' with unit rows is a positive semidefinite matrix with unit diagonal
/// (docs/algorithms/mmc.md).
namespace maxmargin {

/// A function f of an n x r matrix, defined near the matrices with unit rows.
class UnitRowsFunction {
 public:
  UnitRowsFunction() = default;
  UnitRowsFunction(const UnitRowsFunction&) = delete;
  UnitRowsFunction& operator=(const UnitRowsFunction&) = delete;
  virtual ~UnitRowsFunction();

  /// f(v); `gradient` becomes the matrix of partial derivatives, not projected.
  virtual double evaluate(DenseView v, MutableDenseView gradient) = 0;
  /// The derivative of the gradient in `direction` at the point of the last evaluate(). The
  /// minimiser asks for it between evaluations alone.
  virtual void hessian_product(DenseView direction, MutableDenseView product) = 0;
};

struct UnitRowsOptions {
  /// Stop when the Frobenius norm of the gradient, projected on the rows' tangent spaces, is at
  /// most this; >= 0.
  double gradient_tolerance = 1e-6;
  /// Stop too when this share of |f| is all that Newton's model promises; >= 0. What is below the
  /// rounding of f cannot be seen in it.
  double value_tolerance = 1e-15;
  /// Steps; at least 1.
  std::size_t max_iterations = 1000;
  /// Conjugate gradient steps for one Newton step; at least 1.
  std::size_t max_inner_iterations = 200;
  /// First radius of the trust region; unset: sqrt(n) / 8. Finite and > 0.
  std::optional<double> radius = std::nullopt;
  /// Callback: asked after every step, and after every 10th conjugate gradient step.
  Context context = {};

  void describe(OptionVisitor& visit);
};

struct UnitRowsSolution {
  /// Rows of length 1.
  DenseMatrix v = {};
  double value = 0;
  /// Frobenius norm of the projected gradient at v.
  double gradient_norm = 0;
  /// Where the trust region ended: a good first radius for a function that differs little.
  double radius = 0;
  std::uint64_t iterations = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t hessian_products = 0;
  /// `solved`: the gradient is small enough; `no_progress`: steps no longer lower f by more than
  /// its rounding.
  Status status = Status::solved;
};

/// Looks for a local minimum of f over n x r matrices with unit rows, by a trust region of Newton
/// steps, each by truncated conjugate gradients, from `start` (whose rows are
/// scaled to length 1; a row of zeros becomes the first unit vector). f never rises, up to
/// rounding. The last evaluate() of f was at the point returned. Deterministic, and the same for
/// any number of threads if f is. Throws InvalidArgument for wrong options, a start without
/// columns, and a start or a first value or gradient that is not finite.
[[nodiscard]] UnitRowsSolution minimize_over_unit_rows(UnitRowsFunction& f,
                                                       DenseMatrix start,
                                                       const UnitRowsOptions& options = {});

}  // namespace maxmargin
