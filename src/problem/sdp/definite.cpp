// SPDX-License-Identifier: Apache-2.0
#include "problem/sdp/definite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/cholesky.hpp"
#include "linalg/eigen_symmetric.hpp"

namespace maxmargin {

/// The Cholesky factorisation in floating point of B - c I succeeds only for a positive
/// semidefinite B when c is at least (n+1) u / (1 - (n+1) u) tr B, u the unit roundoff (S. M. Rump,
/// 2006). epsilon = 2u pays for the rounding of the diagonal as well.
bool is_proven_above(const DenseMatrix& matrix, double shift) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const std::size_t n = matrix.rows();
  DenseMatrix shifted = matrix;
  double trace = 0;
  double largest = std::abs(shift);
  for (std::size_t i = 0; i < n; ++i) {
    trace += std::abs(matrix(i, i) - shift);
    largest = std::max(largest, std::abs(matrix(i, i)));
  }
  const double c = static_cast<double>(n + 3) * epsilon * trace + 2 * epsilon * largest;
  if (!std::isfinite(c)) return false;
  for (std::size_t i = 0; i < n; ++i) shifted(i, i) = (matrix(i, i) - shift) - c;
  return Cholesky::factor(shifted.view(), 0.0).has_value();
}

double proven_least_eigenvalue(const DenseMatrix& matrix) {
  if (matrix.rows() == 1) return matrix(0, 0);
  if (std::ranges::all_of(matrix.values(), [](double v) { return v == 0; })) return 0;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const std::vector<double> values = eigenvalues_symmetric(matrix.view());
  const double size = std::max(std::abs(values.front()), std::abs(values.back()));
  double spread = 0;
  for (const double value : values) spread += value - values.front();
  double margin = 2 * static_cast<double>(matrix.rows() + 3) * epsilon * (spread + size);
  // The first try holds unless the eigenvalues are worse than LAPACK promises.
  for (int attempt = 0; attempt < 20; ++attempt, margin *= 4) {
    const double claim = values.front() - margin;
    if (is_proven_above(matrix, claim)) return claim;
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace maxmargin
