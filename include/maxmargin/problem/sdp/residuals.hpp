// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"

/// Answers of semidefinite programs measured from the data alone, in plain loops that no solver
/// shares: docs/algorithms/sdp-interior-point.md, "what the certificate proves".
namespace maxmargin {

/// A primal-dual triple, measured from scratch. The relative measures are those of the DIMACS
/// challenge.
struct MAXMARGIN_EXPORT SdpResiduals {
  /// <C, X> and b'y.
  double primal = 0;
  double dual = 0;
  /// |A(X) - b|_2 / (1 + max |b_i|).
  double primal_infeasibility = 0;
  /// |C - sum y_i A_i - Z|_F / (1 + max |C_jk|).
  double dual_infeasibility = 0;
  /// Least eigenvalue of X and of Z over all blocks; +inf without rows.
  double least_eigenvalue_x = std::numeric_limits<double>::infinity();
  double least_eigenvalue_z = std::numeric_limits<double>::infinity();
  /// (primal - dual) / (1 + |primal| + |dual|).
  double relative_gap = 0;
  /// <X, Z> / (1 + |primal| + |dual|).
  double complementarity = 0;
};
/// Throws InvalidArgument when a shape does not fit or a number is not finite.
[[nodiscard]] MAXMARGIN_EXPORT SdpResiduals residuals(const SdpProblem& problem,
                                                      const BlockMatrix& x,
                                                      std::span<const double> y,
                                                      const BlockMatrix& z);

/// Upper bounds on X that every feasible point obeys; +inf where none is known.
struct SdpBounds {
  /// Of the diagonal entries, block by block.
  std::vector<std::vector<double>> diagonal = {};
  /// Of the trace of each block.
  std::vector<double> trace = {};
};
/// Bounds that follow from single constraints, propagated for a few passes: in sum a_jk X_jk = b a
/// diagonal entry with a_jj > 0 is at most what is left when every other term is at its least,
/// where |X_jk| <= sqrt(X_jj X_kk). diag(X) = e, tr X = 1 and slacks of inequalities over such
/// blocks are all found. The bounds the builder's caller vouched for are taken in. Rounded upwards.
/// With `value_at_most` they hold for the feasible X with <C, X> <= value_at_most alone.
[[nodiscard]] MAXMARGIN_EXPORT SdpBounds
implied_bounds(const SdpProblem& problem, std::optional<double> value_at_most = std::nullopt);

/// A proven bound from below on the primal value.
struct SdpLowerBound {
  /// -inf when nothing is proven.
  double value = -std::numeric_limits<double>::infinity();
  /// Least eigenvalue of C - sum y_i A_i over all blocks, less its rounding error; +inf without
  /// rows.
  double least_eigenvalue = std::numeric_limits<double>::infinity();
  /// Whether a block was outside the cone, so that the value leans on a bound of X.
  bool uses_bounds = false;
};
/// For any y, with Z = C - sum y_i A_i: every feasible X has
///
///   <C, X> = b'y + <Z, X> >= b'y + sum over blocks of bound_k * min(0, lambda_min(Z_k)),
///
/// where bound_k bounds the trace of block k of X (for a nonnegative block: entry by entry). A
/// block without such a bound must be positive semidefinite itself, which is shown by a Cholesky
/// factorisation of Z_k less a shift above all rounding; else the value is -inf. Rounding of Z,
/// of b'y and of the eigenvalues is subtracted, so the value is a bound on the exact optimum of the
/// program with the numbers as stored (and the bounds vouched for).
[[nodiscard]] MAXMARGIN_EXPORT SdpLowerBound certified_lower_bound(const SdpProblem& problem,
                                                                   std::span<const double> y);
/// The same with bounds that are at hand already.
[[nodiscard]] MAXMARGIN_EXPORT SdpLowerBound certified_lower_bound(const SdpProblem& problem,
                                                                   std::span<const double> y,
                                                                   const SdpBounds& bounds);
/// The better of the plain bound and of one that leans on a guess of the value: points above the
/// guess are bounded by it, and those below obey <C, X> <= guess as well, which may bound what the
/// constraints alone leave free. So for any guess the smaller of the two is a bound, and with one a
/// little above the optimum it is as good as the multipliers. `near` is the value of an answer that
/// need not be feasible; the guess lies 1 percent above it.
[[nodiscard]] MAXMARGIN_EXPORT SdpLowerBound certified_lower_bound(const SdpProblem& problem,
                                                                   std::span<const double> y,
                                                                   double near);

/// |value - lower_bound| / max(|value|, |lower_bound|, floor): what the tolerance of every solver
/// of semidefinite programs is held to. The floor is for programs whose value is 0, where nothing
/// else has the scale of the program: 0.01 min(1, |C|_F |b|_2) with all A_i brought to length 1.
/// Infinite without a bound.
[[nodiscard]] MAXMARGIN_EXPORT double proven_gap(const SdpProblem& problem,
                                                 double value,
                                                 std::optional<double> lower_bound);

/// How well a ray proves that a program, or its dual, has no feasible point. `value` is 1 when the
/// ray has the right sign and was scaled to it, and 0 when it proves nothing at all.
struct SdpRayProof {
  double value = 0;
  /// How far the scaled ray misses its cone or its equations.
  double violation = std::numeric_limits<double>::infinity();
  /// Beyond rounding: no feasible point exists. Without it a small violation still excludes all
  /// feasible points of moderate size (see the functions).
  bool proven = false;
};
/// y scaled to b'y = 1. A feasible X would have 1 = b'y = <sum y_i A_i, X> <= violation * tr X,
/// with violation = max(0, lambda_max(sum y_i A_i)): none has a trace below 1 / violation.
[[nodiscard]] MAXMARGIN_EXPORT SdpRayProof infeasibility_proof(const SdpProblem& problem,
                                                               std::span<const double> y);
/// X scaled to <C, X> = -1. A dual feasible y would have -1 = <C, X> >= y'A(X) - ..., so with X in
/// the cone none has |y|_2 below 1 / violation, violation = |A(X)|_2. `proven` when X is in the
/// cone beyond rounding (definite on the rows that are not 0), <C, X> < 0 beyond rounding, and A(X)
/// is 0 exactly, for the numbers as stored, or X has a neighbour of which all that is true: one on
/// the same rows, nearer than their least eigenvalue, which is proven to be there since the
/// equations are independent on these rows. A(X) = 0 to rounding alone proves nothing: with X_11 +
/// 1e-16 X_22 = 1 the direction X_22 ends at 1e16.
[[nodiscard]] MAXMARGIN_EXPORT SdpRayProof unboundedness_proof(const SdpProblem& problem,
                                                               const BlockMatrix& ray);

}  // namespace maxmargin
