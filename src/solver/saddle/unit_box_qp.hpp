// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The inner problem of every label relaxation: docs/algorithms/mmc.md, step 2.
namespace maxmargin {

struct UnitBoxQpOptions {
  /// Stop when a Newton step promises less than this share of the value; > 0.
  double tolerance = 1e-15;
  /// Newton steps of one solve; at least 1.
  std::size_t max_iterations = 100;
  /// Callback: asked before every Newton step, within factorisations and every 10th step of
  /// conjugate gradients. When it ends a solve, the point so far is kept and `gap` says how good it
  /// is.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// How a solve ended.
struct UnitBoxQpReport {
  /// a'x - 1/2 x'Hx at the point found.
  double value = 0;
  /// The same with the barrier.
  double smooth_value = 0;
  /// No point of the box has a value above value + gap; about mu n.
  double gap = 0;
  std::uint64_t iterations = 0;
  std::uint64_t factorisations = 0;
  Status status = Status::solved;
};

/// Maximises
///
///   a'x - 1/2 x'Hx + mu sum_i (log x_i + log(1 - x_i))
///
/// over 0 < x < 1 for a sequence of positive semidefinite n x n matrices H and vectors a, seldom
/// far from each other. The barrier, mu > 0, makes the maximiser unique and a smooth function of H:
/// that is what a minimiser over H needs, as the maximiser of a'x - 1/2 x'Hx alone bends whenever a
/// row reaches a bound. Without it the answer would be at most 2 n mu better.
///
/// Newton's method; its systems by conjugate gradients, with the last Cholesky factor of those rows
/// that the barrier does not rule as preconditioner until it is too old.
class UnitBoxQp {
 public:
  /// Throws InvalidArgument for n = 0 and wrong options.
  explicit UnitBoxQp(std::size_t n, const UnitBoxQpOptions& options = {});
  ~UnitBoxQp();
  UnitBoxQp(const UnitBoxQp&) = delete;
  UnitBoxQp& operator=(const UnitBoxQp&) = delete;

  /// Solves for the symmetric matrix `h`, of which both triangles are read, mu > 0, and a =
  /// `linear`, one a row; e if that is empty. Starts at the last answer. Throws InvalidArgument for
  /// other sizes and a mu out of range.
  UnitBoxQpReport solve(DenseView h, double mu, std::span<const double> linear = {});

  /// The point found last.
  [[nodiscard]] std::span<const double> x() const noexcept;
  /// z becomes the solution of (H + D) z' = z, D the curvature of the barrier at x, with the matrix
  /// and mu of the last solve: how x moves when the gradient at x moves by z.
  void solve_hessian(DenseView h, std::span<double> z);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace maxmargin
