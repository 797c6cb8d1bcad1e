// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Eigenvalues in ascending order and unit eigenvectors: row k of `vectors` belongs to values[k].
/// In each vector the entry of largest magnitude (the first of them) is positive.
struct EigenPairs {
  std::vector<double> values = {};
  DenseMatrix vectors = {};
};

/// All eigenpairs of a symmetric matrix (its lower triangle is read), by LAPACK. O(n^3) time and
/// 3 n^2 numbers of memory beside the matrix. Each value is exact for a matrix within about
/// n * epsilon * |A| of the given one.
/// Throws InvalidArgument when the matrix is not square, its lower triangle holds a NaN or
/// infinity, or n is above 32766 (LAPACK's 32-bit integers).
[[nodiscard]] EigenPairs eigen_symmetric(DenseView matrix);

/// Eigenvalues alone, ascending; twice as fast, and O(n) memory beside a copy.
[[nodiscard]] std::vector<double> eigenvalues_symmetric(DenseView matrix);

/// The nearest positive semidefinite matrix in Frobenius norm: negative eigenvalues become 0 (up
/// to rounding, about n * epsilon * |A|). Exactly symmetric; the lower triangle itself where there
/// is no negative eigenvalue. Throws like eigen_symmetric.
[[nodiscard]] DenseMatrix project_psd(DenseView matrix);

/// Turns a vector so that its entry of largest magnitude (the first of them) is positive: the
/// sign rule of EigenPairs.
void fix_sign(std::span<double> vector);

/// y = A x for a symmetric n x n operator known only by its action.
using SymmetricOperator = std::function<void(std::span<const double> x, std::span<double> y)>;

/// Which end of the spectrum.
enum class SpectrumEnd { smallest, largest };

struct ExtremeEigenOptions {
  /// How many pairs; at most n.
  std::size_t count = 1;
  SpectrumEnd end = SpectrumEnd::largest;
  /// A pair (lambda, v) is good when |A v - lambda v|_2 <= tolerance * |A|_2. The error of lambda
  /// is at most that, and usually nearer its square. From 1e-13 (rounding) to below 1.
  double tolerance = 1e-10;
  /// Restarts of the Lanczos method, for each width of its basis.
  std::size_t max_iterations = 1000;
  /// Seed: of the start vectors.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// What extreme_eigenpairs found. `converged` is false when max_iterations ran out; then `pairs`
/// holds those that did converge, perhaps none. `residual` is the largest |A v - lambda v|_2 over
/// the pairs, recomputed from the operator: [lambda - residual, lambda + residual] holds an
/// eigenvalue.
struct ExtremeEigen {
  EigenPairs pairs = {};
  double residual = 0;
  bool converged = false;
};

/// A few eigenpairs at one end of the spectrum, by an implicitly restarted Lanczos method
/// (Spectra); small matrices (n <= 32, or a count above about a quarter of n) are formed and
/// solved densely. Values ascend for both ends. A value of multiplicity m counts m times: copies
/// that Lanczos misses are looked for in the complement of what it found.
///
/// Cost: a few dozen to a few hundred applications of the operator, more when the wanted values
/// lie close to the unwanted ones (relative to |A|); memory of n * max(20, 2 count + 1) numbers,
/// up to four times that if convergence is hard. Deterministic: the same seed gives the same bits.
///
/// For operators that come cheap one vector at a time, and where memory is short or many equal
/// values are likely. A large matrix is better read once for many vectors: largest_eigenpairs
/// (block_eigenpairs.hpp), which also takes a preconditioner and can be stopped.
///
/// Throws InvalidArgument for wrong options, and when the operator gives a NaN or infinity.
/// Exceptions of the operator pass through.
[[nodiscard]] ExtremeEigen extreme_eigenpairs(std::size_t n,
                                              const SymmetricOperator& apply,
                                              const ExtremeEigenOptions& options = {});

}  // namespace maxmargin
