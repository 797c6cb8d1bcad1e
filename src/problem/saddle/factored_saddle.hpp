// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The two-class label relaxation of a kernel that is known by features:
/// docs/algorithms/mmc-alternating.md, "A bound from features".
namespace maxmargin {

/// For K = Z Z' + E, with E positive semidefinite and of diagonal `missed`, the relaxation of
/// maximum-margin clustering without balance (in units of 1/2 |w|^2 + C sum of hinges) is at most
/// the convex problem in one m x m matrix
///
///   minimise over P >= 0:  1/2 trace P + C sum_i max(0, 1 - sqrt(z_i' P z_i)),
///
/// and equal to it when E = 0. Its dual is in one weight a_i >= 0 a point: maximise
///
///   sum_i g(a_i)  subject to  sum_i a_i z_i z_i' <= I,   g(a) = min over t >= 0 of
///   C max(0, 1 - t) + a t^2 / 2 = a / 2 (a <= C), C - C^2 / (2 a) (beyond).
///
/// Immutable; what it looks at must outlive it.
struct FactoredSaddle {
  /// Z: one row a point.
  DenseView features = {};
  double c = 1;  ///< finite and > 0
  /// Of E, one a point, finite and >= 0; empty: nothing is missed.
  std::span<const double> missed = {};

  [[nodiscard]] std::size_t size() const noexcept { return features.rows; }
  /// There must be a point and a feature, and all numbers be finite.
  void describe(OptionVisitor& visit);
};

/// Bounds the objective of every labelling of the points from below, by any weights >= 0: divided
/// by a number not below
///
///   lambda_max(sum_i a_i z_i z_i') + sum_i a_i missed_i >= lambda_max(A^1/2 K A^1/2),  A =
///   Diag(a),
///
/// they are feasible for the dual of K itself. Points at the origin cost C in any labelling. By
/// plain sums and LAPACK's eigenvalues, with what rounding may have hidden added; shares no code
/// with any solver. O(n m^2 + m^3). Throws InvalidArgument when sizes or ranges do not fit.
[[nodiscard]] double factored_saddle_bound(const FactoredSaddle& problem,
                                           std::span<const double> weights);

/// 1/2 |W|^2 + C sum_i max(0, 1 - |W' z_i|): the value of P = W W', W with one row a feature.
[[nodiscard]] double factored_saddle_value(const FactoredSaddle& problem, DenseView w);

}  // namespace maxmargin
