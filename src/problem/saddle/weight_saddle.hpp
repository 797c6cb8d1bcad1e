// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Two-class machines that may give up examples, relaxed: docs/algorithms/saddle.md.
namespace maxmargin {

/// Minimise over weights eta and symmetric matrices M with M_ii = eta_i and M - eta eta' positive
/// semidefinite (which implies 0 <= eta <= 1)
///
///   omega(eta, M) = max over 0 <= l <= 1 of  eta'l - 1/2 l'(c Q o M) l,
///
/// o the product entry by entry, Q = K o y y' for given labels y, with either of
///
///   robust hinge (kept unset, Xu's REH):  + n - e'eta
///   outliers     (kept = rho, Xu's ROD):  subject to e'eta >= rho n.
///
/// For eta of zeros and ones and M = eta eta' omega is the least of 1/(2 c) |w|^2 + sum_i eta_i
/// hinge_i of a machine without bias. So the minimum is a bound from below on 1/(2 c) |w|^2 + sum_i
/// min(1, hinge_i) for every w, or on the hinge machine of every choice of rho n examples; in units
/// C times smaller than 1/2 |w|^2 + C sum.
///
/// The pair (eta, M) is one positive semidefinite matrix G with unit diagonal and n + 1 rows: with
/// unit vectors s_0, s_1, ..., s_n, G_ij = s_i.s_j and u_i = (s_0 + s_i) / 2 it is eta_i = u_i.s_0
/// = (1 + G_0i) / 2 and M_ij = u_i.u_j. Immutable; the matrix must outlive it.
struct WeightSaddle {
  /// Q: symmetric and positive semidefinite; both triangles are read.
  DenseView matrix = {};
  /// C; finite and > 0.
  double c = 1;
  /// rho, the share of the examples that is kept; in (0, 1]. Unset: the robust hinge.
  std::optional<double> kept = std::nullopt;

  [[nodiscard]] std::size_t size() const noexcept { return matrix.rows; }
  /// The matrix must be square, not empty, symmetric and finite with a diagonal >= 0. Whether Q is
  /// positive semidefinite is for the caller to know: without that there is no duality, but every
  /// bound remains one.
  void describe(OptionVisitor& visit);
};

/// What proves a bound from below: any numbers will do, good ones give a good bound.
struct WeightCertificate {
  /// In [0, 1], one a point.
  std::vector<double> lambda = {};
  /// y: n + 1 numbers, that of s_0 first.
  std::vector<double> diagonal = {};
  /// Multiplier of e'eta >= rho n, >= 0. For the robust hinge it is 1 in any case.
  double kept = 1;
};

/// With s the multiplier, r = rho (robust hinge: s = r = 1) and A = 1/2 c Q o l l':
///
///   S = Diag(y) + 1/4 [ -e'A e, (l - s e - A e)'; l - s e - A e, -A ]
///   bound = s r n + 1/2 e'(l - s e) - e'y - (n + 1) max(0, -lambda_min(S)),
///
/// as <S, G> >= (n + 1) min(0, lambda_min(S)). By plain loops and LAPACK's eigenvalues, with what
/// rounding may have added taken off; shares no code with any solver. O(n^3) time, 2 n^2 numbers.
/// Throws InvalidArgument when sizes or ranges do not fit.
[[nodiscard]] double weight_saddle_bound(const WeightSaddle& problem,
                                         const WeightCertificate& certificate);

/// Does the certificate prove this bound? By one plain Cholesky factorisation: see
/// proves_label_bound. True for bounds <= 0. Throws as above.
[[nodiscard]] bool proves_weight_bound(const WeightSaddle& problem,
                                       const WeightCertificate& certificate,
                                       double bound);

}  // namespace maxmargin
