// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Small matrices and point sets for tests.
namespace maxmargin {

/// The values row by row.
inline DenseMatrix matrix(std::size_t cols, const std::vector<double>& values) {
  return DenseMatrix(values.size() / cols, cols, Buffer<double>(std::span<const double>(values)));
}

/// Standard normal coordinates.
inline DenseMatrix gaussian_points(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, d);
  for (double& x : points.values()) x = rng.normal();
  return points;
}

inline double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace maxmargin
