// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Two-class maximum-margin clustering, relaxed: docs/algorithms/mmc.md; with some labels given:
/// docs/algorithms/s3vm-sdp.md.
namespace maxmargin {

/// What keeps the two classes of about equal size, in terms of M = y y'. With a centre m other than
/// 0, which needs labels, read M e - m c for M e and e'M e - 2 m e'c + m^2 for e'M e, c_j being the
/// product of j's label with the given ones (y_j, where they call their +1 that).
enum class LabelBalance {
  none,
  rows,  ///< |(M e)_i| <= imbalance for every i, as Xu and Schuurmans have it
  total  ///< e'M e <= imbalance^2: one inequality, which implies all those rows
};
template <>
inline constexpr auto names_of<LabelBalance> = name_table<LabelBalance>(
    {{"none", LabelBalance::none}, {"rows", LabelBalance::rows}, {"total", LabelBalance::total}});

/// Minimise over matrices M with M_ii = 1, M positive semidefinite and balanced,
///
///   omega(M) = max over 0 <= l <= 1 of  e'l - 1/2 l'(c K o M) l,
///
/// o the product entry by entry. For M = y y' that is the least of 1/(2 c) |w|^2 + sum of hinges of
/// a machine without bias on the labels y, so the minimum is a bound from below on that of every
/// balanced labelling, in units of C times smaller than 1/2 |w|^2 + C sum of hinges.
///
/// With labels given, M_ij = y_i y_j among those points. Then M = P G P' with G one row for all of
/// them, row 0, and one for each free point in order; P takes point i to y_i times row 0 or to its
/// own row. Without any, G = M. Immutable; matrix and labels must outlive it.
struct MAXMARGIN_EXPORT LabelSaddle {
  /// K: symmetric and positive semidefinite; both triangles are read.
  DenseView matrix = {};
  /// C; finite and > 0.
  double c = 1;
  LabelBalance balance = LabelBalance::none;
  /// The largest | number of +1 - number of -1 - centre | that is allowed; finite and >= 0.
  double imbalance = 0;
  /// Finite; 0 unless labels are given.
  double centre = 0;
  /// +1 or -1 where the label is given, 0 where it is free, one a point; empty: all are free.
  std::span<const signed char> labels = {};

  [[nodiscard]] std::size_t size() const noexcept { return matrix.rows; }
  /// The matrix must be square, not empty, symmetric and finite with a diagonal >= 0, and some M be
  /// balanced given the labels. Whether K is positive semidefinite is for the caller to know:
  /// without that there is no duality, but every bound remains one.
  void describe(OptionVisitor& visit);
};

/// What proves a bound from below: any numbers will do, good ones give a good bound.
struct LabelCertificate {
  /// In [0, 1], one a point.
  std::vector<double> lambda = {};
  /// y: one a row of G, in its order (label_rows); without labels one a point.
  std::vector<double> diagonal = {};
  /// `rows`: b, one a point, of either sign; `total`: one number >= 0; `none`: empty.
  std::vector<double> balance = {};
};

/// Rows of G: n - t + 1 with t > 0 labels given, else n.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t label_rows(const LabelSaddle& problem) noexcept;

/// The least imbalance that some M has, given the labels and the centre: with s their sum less the
/// centre and f free points max(0, |s| - f), for one free point | |s| - 1 |, as it cannot be 0 by
/// itself.
[[nodiscard]] MAXMARGIN_EXPORT double least_imbalance(const LabelSaddle& problem) noexcept;

/// How many numbers LabelCertificate::balance has: n (rows), 1 (total) or 0.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t balance_multipliers(const LabelSaddle& problem) noexcept;

/// e'l - max over feasible M of <A, M>, bounded from below, with A = 1/2 c K o l l':
///
///   S = Diag(y) + B - P'A P,  B = (P'b t' + t b'P) / 2 (rows) or b t t' (total),  t = P'e - m e_0
///   bound = e'l - e'y - cost - N max(0, -lambda_min(S)),  cost = imbalance e'|b| or imbalance^2 b,
///
/// as <S, G> >= N min(0, lambda_min(S)) for every G of trace N = label_rows. By plain loops and
/// LAPACK's eigenvalues, with what rounding may have added taken off; shares no code with any
/// solver. O(n^3) time, 3 n^2 numbers. Throws InvalidArgument when sizes or ranges do not fit.
[[nodiscard]] MAXMARGIN_EXPORT double label_saddle_bound(const LabelSaddle& problem,
                                                         const LabelCertificate& certificate);

/// Does the certificate prove this bound? By one plain Cholesky factorisation of S + t I, t being
/// what the bound leaves: n^3 / 3 operations, a good deal less than the eigenvalues. True for
/// bounds <= 0. Rounding is accounted for, and nothing shared with any solver. Throws as above.
[[nodiscard]] MAXMARGIN_EXPORT bool proves_label_bound(const LabelSaddle& problem,
                                                       const LabelCertificate& certificate,
                                                       double bound);

}  // namespace maxmargin
