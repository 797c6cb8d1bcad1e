// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Is a Gram matrix positive semidefinite, and what to do when it is not. O(n^3), but for
/// negative_eigenvalue.
namespace maxmargin {

/// What check_mercer found. The witness proves a "no": anyone can recompute witness' K witness.
struct MercerReport {
  /// asymmetry <= tolerance and least_eigenvalue >= -tolerance.
  bool is_psd = true;
  /// Of the symmetric part (K + K') / 2.
  double least_eigenvalue = 0;
  double largest_eigenvalue = 0;
  /// Unit eigenvector of the least eigenvalue.
  std::vector<double> witness = {};
  /// witness' K witness, recomputed from the matrix as given.
  double witness_value = 0;
  /// Largest |K_ij - K_ji|.
  double asymmetry = 0;
  /// relative_tolerance times the largest |eigenvalue|.
  double tolerance = 0;
  /// Eigenvalues below -tolerance, and the sum of their magnitudes.
  std::size_t negative_eigenvalues = 0;
  double negative_mass = 0;
  /// The sum of the magnitudes of all eigenvalues.
  double total_mass = 0;
};

/// Throws InvalidArgument when the matrix is not square or holds a NaN or infinity, or when the
/// tolerance is negative. The default leaves room for the rounding of the matrix's entries and of
/// the eigensolver (about n eps |K|); Gram matrices computed in float need about 1e-6.
[[nodiscard]] MAXMARGIN_EXPORT MercerReport check_mercer(DenseView gram,
                                                         double relative_tolerance = 1e-10);

/// The least eigenvalue of a symmetric matrix where it is clearly negative: below -1e-6 n max
/// |K_ij|, which entries rounded to six digits do not explain. Cheap enough to be asked before a
/// training: up to 1,000 rows all eigenvalues are computed; of more rows a Lanczos method looks at
/// the lower end to 1e-3 of |K|. What it finds is there (a vector with v'Kv < 0), but eigenvalues
/// nearer to 0 than that may be missed. The same for any number of threads. Throws InvalidArgument
/// when the matrix is not square or holds a NaN or infinity.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<double> negative_eigenvalue(DenseView gram,
                                                                         std::size_t threads = 1);

/// Ways to make an indefinite Gram matrix positive semidefinite.
enum class SpectrumRepair {
  clip,  ///< negative eigenvalues become 0: the nearest PSD matrix in Frobenius norm
  flip,  ///< eigenvalues become their absolute values
  shift  ///< -least_eigenvalue is added to the diagonal, if that eigenvalue is negative
};

template <>
inline constexpr auto names_of<SpectrumRepair> =
    name_table<SpectrumRepair>({{"clip", SpectrumRepair::clip},
                                {"flip", SpectrumRepair::flip},
                                {"shift", SpectrumRepair::shift}});

/// A repaired Gram matrix and what it means for new examples.
struct MAXMARGIN_EXPORT RepairedGram {
  DenseMatrix gram = {};
  /// n x n. The repaired kernel between new examples and the training set is
  /// cross * test_transform for clip and flip; empty for shift, which leaves it as it is.
  DenseMatrix test_transform = {};

  /// The m x n cross Gram matrix consistent with `gram`: feeding the training set's own original
  /// Gram matrix gives `gram` (clip, flip).
  [[nodiscard]] DenseMatrix transform(DenseView cross) const;
};

/// Same exceptions as check_mercer, except that the lower triangle alone is read, whatever the
/// repair.
[[nodiscard]] MAXMARGIN_EXPORT RepairedGram repair_spectrum(DenseView gram, SpectrumRepair repair);

/// An explicit feature map of a finite set: row i is phi(x_i) = (sqrt(lambda_t) v_ti)_t over the
/// eigenpairs with lambda_t above the tolerance, the largest first, so that gram = Phi Phi'.
struct MAXMARGIN_EXPORT EigenMap {
  DenseMatrix features = {};             ///< n x r
  std::vector<double> eigenvalues = {};  ///< r of them, descending
  DenseMatrix vectors = {};              ///< r x n, row t is v_t
  /// The least eigenvalue. When it is below -tolerance the map reproduces the clipped matrix.
  double least_eigenvalue = 0;

  /// Features of new examples from their m x n kernel values: phi_t(x) = v_t . k(x) /
  /// sqrt(lambda_t).
  [[nodiscard]] DenseMatrix map(DenseView cross) const;
};

/// Keeps eigenvalues above relative_tolerance times the largest. Exceptions as check_mercer.
[[nodiscard]] MAXMARGIN_EXPORT EigenMap eigen_map(DenseView gram,
                                                  double relative_tolerance = 1e-12);

}  // namespace maxmargin
