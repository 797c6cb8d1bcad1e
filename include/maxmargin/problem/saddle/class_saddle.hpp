// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Maximum-margin labels of several classes, relaxed: docs/algorithms/mmc-multiclass.md.
namespace maxmargin {

/// Points, some of them perhaps of known class. A labelling is a matrix D (points x classes) of
/// zeros and ones with D e = e; it is told by M = D D' as well, M_ij = 1 where i and j share a
/// class. Minimise over the pairs (M, D) with
///
///   M_ii = 1,  M >= 0 and D >= 0 entry by entry,  D e = e,  M - D D' positive semidefinite,
///   D_i the class of i where it is known,  and the sizes of the classes within their ranges,
///
/// omega(M, D) = max over Lambda >= 0 with Lambda e = e of
///   n - <D, Lambda> - C/2 <K, M> + C <K D, Lambda> - C/2 <Lambda Lambda', K>.
///
/// For a labelling that is the least of 1/(2 C) |w|^2 + sum of losses of Crammer and Singer's
/// machine without bias, so the minimum is a bound from below on that of every labelling that
/// agrees with the known classes and has sizes in the ranges.
///
/// The sizes appear twice: sum_i D_ir is the size of class r, and (M e)_i that of the class of
/// point i, which is in the range that holds all of them. Without any known class the best D is
/// 1/kappa everywhere (the page says why) and the problem is one in M alone.
///
/// Immutable; the matrix must outlive it.
struct MAXMARGIN_EXPORT ClassSaddle {
  /// K: symmetric and positive semidefinite; both triangles are read.
  DenseView matrix = {};
  /// C; finite and > 0.
  double c = 1;
  /// kappa; at least 2.
  std::size_t classes = 2;
  /// Known class of each point, from 0, or -1. Empty: none is known.
  std::vector<std::int32_t> labels = {};
  /// Fewest and most points of each class, the known ones among them. Need not be whole.
  std::vector<double> least = {};
  std::vector<double> most = {};

  [[nodiscard]] std::size_t size() const noexcept { return matrix.rows; }
  /// Points of unknown class, ascending.
  [[nodiscard]] std::vector<std::size_t> unknown() const;
  /// Points known to be of each class.
  [[nodiscard]] std::vector<std::size_t> known_sizes() const;
  /// Whether any class is known.
  [[nodiscard]] bool is_anchored() const;
  /// The range of (M e)_i: the least of `least` and the largest of `most`.
  [[nodiscard]] double row_least() const;
  [[nodiscard]] double row_most() const;
  /// The matrix must be square, not empty, symmetric and finite with a diagonal >= 0, the other
  /// members fit it, and there be sizes in the ranges that add up to n.
  void describe(OptionVisitor& visit);
};

/// omega's inner function at one Lambda, entry by entry: plain loops. M and D are n x n and n x
/// kappa.
[[nodiscard]] MAXMARGIN_EXPORT double class_saddle_function(const ClassSaddle& problem,
                                                            DenseView m,
                                                            DenseView d,
                                                            DenseView lambda);

/// What proves a bound from below: any numbers within the signs will do, good ones give a good
/// bound. u is the number of points of unknown class; rows follow ClassSaddle::unknown().
struct ClassCertificate {
  /// n x kappa: rows >= 0 with sum 1.
  DenseMatrix lambda = {};
  /// y, of the unit diagonal: u numbers.
  std::vector<double> diagonal = {};
  /// b and a, of the row sums (u numbers) and of the class sizes (kappa numbers); of either sign.
  std::vector<double> rows = {};
  std::vector<double> sizes = {};
  /// Of M >= 0 (u x u, its lower triangle is read) and of D >= 0 (u x kappa); >= 0.
  DenseMatrix entries = {};
  DenseMatrix memberships = {};
  /// Gamma, of the unit matrix beside D: kappa x kappa, its lower triangle is read.
  DenseMatrix corner = {};
};

/// The largest bound that the certificate proves on the minimum above. With U the unknown points, L
/// the known ones, Y their labels, t the known sizes and P = I - e e'/kappa,
///
///   G_M = -C/2 K_UU,  G_D = (C K Lambda - Lambda)_U - C K_UL Y
///   S_M = G_M - entries - Diag(y) - (b e' + e b')/2,  S_D = G_D - memberships - b t' - e a'
///   S = [ P Gamma P   P S_D'/2 ]    is to be positive semidefinite,
///       [ S_D P / 2   S_M      ]
///
/// and what it lacks to that is paid with the trace of [P, ..; .., M - e e'/kappa], which is known:
///
///   bound = q(Lambda) + e'y + min b'(row sums) + min a'(sizes) + e'S_D e / kappa + e'S_M e / kappa
///           - <P, Gamma> + (kappa - 1) (1 + u / kappa) min(0, lambda_min(S))
///
/// where q collects what depends on Lambda alone. By plain loops and LAPACK's eigenvalues, with
/// what rounding may have added taken off; shares no code with any solver. O(n^3) time, 2 n^2
/// numbers. Throws InvalidArgument when the certificate's sizes or signs do not fit, and what
/// ClassSaddle::validate throws; rows of Lambda may miss their sum by 1e-9 and are divided by it.
/// That K is semidefinite, and exactly symmetric, is the caller's word.
[[nodiscard]] MAXMARGIN_EXPORT double class_saddle_bound(const ClassSaddle& problem,
                                                         const ClassCertificate& certificate);

}  // namespace maxmargin
