// SPDX-License-Identifier: Apache-2.0
#include "linalg/stoppable_eigenvalues.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/lapack.hpp"
#include "linalg/single_threaded_blas.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

/// Columns that are reduced together.
constexpr std::size_t panel = 32;

/// The lower triangle divided by a power of two, so that no square overflows or vanishes.
DenseMatrix scaled_lower(DenseView matrix, int exponent) {
  DenseMatrix copy(matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) copy(i, j) = std::ldexp(matrix(i, j), -exponent);
  }
  return copy;
}

int exponent_of_largest(DenseView matrix) {
  double largest = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) largest = std::max(largest, std::abs(matrix(i, j)));
  }
  return largest > 0 ? std::ilogb(largest) : 0;
}

/// What LAPACK's dsytrd does, a panel at a time from the last columns to the first: false when the
/// callback says stop.
bool reduce(DenseMatrix& matrix,
            std::vector<double>& diagonal,
            std::vector<double>& beside,
            const ProgressCallback& on_progress) {
  const auto n = narrow<blasint>(matrix.rows());
  std::vector<double> tau(matrix.rows());
  std::vector<double> work(matrix.rows() * panel);
  double* const a = matrix.data();
  const auto entry = [&](std::size_t row, std::size_t column) {
    return a + column * matrix.rows() + row;
  };
  const auto width = static_cast<blasint>(panel);
  std::size_t left = matrix.rows();
  for (; left > 2 * panel; left -= panel) {
    if (ask(on_progress, {.phase = "eigenvalues"}) != Continue::yes) return false;
    const auto rows = static_cast<blasint>(left);
    dlatrd_(&lapack_our_lower, &rows, &width, a, &n, beside.data(), tau.data(), work.data(), &n, 1);
    const std::size_t before = left - panel;
    cblas_dsyr2k(CblasColMajor,
                 CblasUpper,
                 CblasNoTrans,
                 static_cast<blasint>(before),
                 width,
                 -1.0,
                 entry(0, before),
                 n,
                 work.data(),
                 n,
                 1.0,
                 a,
                 n);
    for (std::size_t j = before; j < left; ++j) diagonal[j] = *entry(j, j);
  }
  const auto rows = static_cast<blasint>(left);
  const auto room = static_cast<blasint>(work.size());
  blasint info = 0;
  dsytrd_(&lapack_our_lower,
          &rows,
          a,
          &n,
          diagonal.data(),
          beside.data(),
          tau.data(),
          work.data(),
          &room,
          &info,
          1);
  if (info != 0) throw InternalError("dsytrd refuses argument " + std::to_string(-info));
  return true;
}

}  // namespace

std::optional<std::vector<double>> eigenvalues_unless_stopped(DenseView matrix,
                                                              const ProgressCallback& on_progress) {
  require(matrix.rows == matrix.cols, "eigenvalues_unless_stopped: the matrix must be square");
  if (matrix.rows == 0) return std::vector<double>();
  use_single_threaded_blas();
  const int exponent = exponent_of_largest(matrix);
  DenseMatrix copy = scaled_lower(matrix, exponent);
  std::vector<double> values(matrix.rows);
  std::vector<double> beside(matrix.rows);
  if (!reduce(copy, values, beside, on_progress)) return std::nullopt;
  const auto n = narrow<blasint>(matrix.rows);
  blasint info = 0;
  dsterf_(&n, values.data(), beside.data(), &info);
  if (info > 0) throw Error("eigenvalues_unless_stopped: LAPACK's dsterf did not converge");
  for (double& value : values) value = std::ldexp(value, exponent);
  return values;
}

}  // namespace maxmargin
