// SPDX-License-Identifier: Apache-2.0
#include "linalg/eigen_symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "linalg/single_threaded_blas.hpp"

namespace maxmargin {

namespace {

/// The work array of dsyevd has 2 n^2 + 6 n + 1 entries, and that number must fit a blasint.
void require_lapack_size(std::size_t n) {
  const auto largest = static_cast<double>(std::numeric_limits<blasint>::max());
  const auto rows = static_cast<double>(n);
  require_field(2 * rows * rows + 6 * rows + 1 <= largest,
                "eigen_symmetric: rows",
                rows,
                "small enough for LAPACK's work size to fit its integers (32766 if they have 32 "
                "bits)");
}

/// The lower triangle, checked for finite entries; the upper one is left as it is.
DenseMatrix copy_of_finite_lower(DenseView matrix) {
  require(matrix.rows == matrix.cols, "eigen_symmetric: the matrix must be square");
  require_lapack_size(matrix.rows);
  auto copy = DenseMatrix::uninitialized(matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const std::span<const double> lower = matrix.row(i).first(i + 1);
    for (std::size_t j = 0; j < lower.size(); ++j) {
      if (!std::isfinite(lower[j])) {
        throw InvalidArgument("eigen_symmetric: entry (" + std::to_string(i) + ", " +
                              std::to_string(j) + ") = " + format_number(lower[j]) +
                              ", must be finite");
      }
    }
    std::copy(lower.begin(), lower.end(), copy.row(i).begin());
    // LAPACK does not read the upper triangle, but nobody should meet uninitialised numbers.
    std::fill(copy.row(i).begin() + static_cast<std::ptrdiff_t>(i) + 1, copy.row(i).end(), 0.0);
  }
  return copy;
}

enum class Job : char { values = 'N', values_and_vectors = 'V' };

/// Runs dsyevd on `matrix`, whose rows become the eigenvectors if they are asked for.
std::vector<double> run_dsyevd(Job job, DenseMatrix& matrix) {
  std::vector<double> values(matrix.rows());
  if (values.empty()) return values;
  use_single_threaded_blas();
  const char jobz = static_cast<char>(job);
  const auto n = narrow<blasint>(matrix.rows());
  blasint info = 0;
  const auto call = [&](double* work, blasint work_size, blasint* iwork, blasint iwork_size) {
    dsyevd_(&jobz,
            &lapack_our_lower,
            &n,
            matrix.data(),
            &n,
            values.data(),
            work,
            &work_size,
            iwork,
            &iwork_size,
            &info,
            1,
            1);
  };

  double work_wanted = 0;
  blasint iwork_wanted = 0;
  call(&work_wanted, -1, &iwork_wanted, -1);
  Buffer<double> work(static_cast<std::size_t>(work_wanted));
  Buffer<blasint> iwork(static_cast<std::size_t>(iwork_wanted));
  call(work.data(), narrow<blasint>(work.size()), iwork.data(), iwork_wanted);
  if (info < 0) throw InternalError("dsyevd refuses argument " + std::to_string(-info));
  if (info > 0) throw Error("eigen_symmetric: LAPACK's dsyevd did not converge");
  return values;
}

/// Rows of `vectors` [begin, end), row k times sqrt |values[k]|: S with S' S = sum of |value| v v'.
DenseMatrix scaled_rows(const EigenPairs& pairs, std::size_t begin, std::size_t end) {
  auto scaled = DenseMatrix::uninitialized(end - begin, pairs.vectors.cols());
  for (std::size_t k = begin; k < end; ++k) {
    const double factor = std::sqrt(std::abs(pairs.values[k]));
    std::transform(pairs.vectors.row(k).begin(),
                   pairs.vectors.row(k).end(),
                   scaled.row(k - begin).begin(),
                   [factor](double entry) { return factor * entry; });
  }
  return scaled;
}

}  // namespace

EigenPairs eigen_symmetric(DenseView matrix) {
  EigenPairs pairs;
  pairs.vectors = copy_of_finite_lower(matrix);
  pairs.values = run_dsyevd(Job::values_and_vectors, pairs.vectors);
  for (std::size_t k = 0; k < pairs.vectors.rows(); ++k) fix_sign(pairs.vectors.row(k));
  return pairs;
}

std::vector<double> eigenvalues_symmetric(DenseView matrix) {
  DenseMatrix copy = copy_of_finite_lower(matrix);
  return run_dsyevd(Job::values, copy);
}

DenseMatrix project_psd(DenseView matrix) {
  DenseMatrix result = copy_of_finite_lower(matrix);
  const std::size_t n = result.rows();
  const EigenPairs pairs = eigen_symmetric(result.view());
  const auto first_positive = static_cast<std::size_t>(
      std::upper_bound(pairs.values.begin(), pairs.values.end(), 0.0) - pairs.values.begin());
  const auto first_nonnegative = static_cast<std::size_t>(
      std::lower_bound(pairs.values.begin(), pairs.values.end(), 0.0) - pairs.values.begin());
  // Of the two ways to write the projection, the one with fewer vectors: a matrix that is
  // positive semidefinite already comes back unchanged.
  if (first_nonnegative <= n - first_positive) {
    const DenseMatrix negative = scaled_rows(pairs, 0, first_nonnegative);
    syrk_lower(Transpose::yes, 1.0, negative.view(), 1.0, result.view());
  } else {
    const DenseMatrix positive = scaled_rows(pairs, first_positive, n);
    syrk_lower(Transpose::yes, 1.0, positive.view(), 0.0, result.view());
  }
  mirror_lower(result.view());
  return result;
}

void fix_sign(std::span<double> vector) {
  double largest = 0;
  for (const double entry : vector) {
    if (std::abs(entry) > std::abs(largest)) largest = entry;
  }
  if (largest >= 0) return;
  for (double& entry : vector) entry = -entry;
}

}  // namespace maxmargin
