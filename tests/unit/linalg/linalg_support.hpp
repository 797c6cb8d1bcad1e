// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Matrices to test with, and the plain loops to test against.
namespace maxmargin::test {

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Standard normal entries.
template <class T = double>
BasicDenseMatrix<T> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Rng rng(seed, "test matrix");
  BasicDenseMatrix<T> matrix(rows, cols);
  for (T& value : matrix.values()) value = static_cast<T>(rng.normal());
  return matrix;
}

template <class T>
BasicDenseMatrix<T> transposed(const BasicDenseMatrix<T>& a) {
  BasicDenseMatrix<T> result(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) result(j, i) = a(i, j);
  }
  return result;
}

/// A B by the textbook's three loops.
template <class T>
BasicDenseMatrix<T> plain_product(const BasicDenseMatrix<T>& a, const BasicDenseMatrix<T>& b) {
  BasicDenseMatrix<T> result(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      T sum = 0;
      for (std::size_t k = 0; k < a.cols(); ++k) sum += a(i, k) * b(k, j);
      result(i, j) = sum;
    }
  }
  return result;
}

inline DenseMatrix random_symmetric(std::size_t n, std::uint64_t seed) {
  DenseMatrix matrix = random_matrix(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) matrix(j, i) = matrix(i, j);
  }
  return matrix;
}

/// B B' + I, whose condition number is about 4 n.
inline DenseMatrix random_positive_definite(std::size_t n, std::uint64_t seed) {
  const DenseMatrix b = random_matrix(n, n, seed);
  DenseMatrix matrix = plain_product(b, transposed(b));
  for (std::size_t i = 0; i < n; ++i) matrix(i, i) += 1;
  return matrix;
}

/// Laplacian of the path on n nodes.
inline DenseMatrix path_laplacian(std::size_t n) {
  DenseMatrix matrix(n, n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    matrix(i, i) += 1;
    matrix(i + 1, i + 1) += 1;
    matrix(i, i + 1) = matrix(i + 1, i) = -1;
  }
  return matrix;
}

/// The largest absolute row sum: at least the spectral norm of a symmetric matrix.
inline double spectral_scale(const DenseMatrix& a) {
  double largest = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (const double value : a.row(i)) sum += std::abs(value);
    largest = std::max(largest, sum);
  }
  return largest;
}

template <class T>
double largest_difference(const BasicDenseMatrix<T>& a, const BasicDenseMatrix<T>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    const double difference =
        static_cast<double>(a.values()[i]) - static_cast<double>(b.values()[i]);
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(difference));
  }
  return largest;
}

}  // namespace maxmargin::test
