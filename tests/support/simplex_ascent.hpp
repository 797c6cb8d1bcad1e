// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

/// A plain solver for Xu's form of the direct multi-class dual, to test others against.
namespace maxmargin {

/// Q = n - <D, L> - 1/(2 beta) <K, M> + 1/beta <K D, L> - 1/(2 beta) <L L', K>, entry by entry.
/// D and L are examples x classes, K and M examples x examples.
inline double xu_dual(const DenseMatrix& lambda,
                      const DenseMatrix& m,
                      const DenseMatrix& d,
                      const DenseMatrix& kernel,
                      double beta) {
  const std::size_t n = d.rows();
  double sum = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < d.cols(); ++r) sum -= d(i, r) * lambda(i, r);
    for (std::size_t j = 0; j < n; ++j) {
      double products = -m(i, j) / 2;
      for (std::size_t r = 0; r < d.cols(); ++r) {
        products += d(j, r) * lambda(i, r) - lambda(i, r) * lambda(j, r) / 2;
      }
      sum += kernel(i, j) * products / beta;
    }
  }
  return sum;
}

/// The nearest point of the probability simplex.
inline void project_on_simplex(std::span<double> row) {
  std::vector<double> sorted(row.begin(), row.end());
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t m = 0; m < sorted.size(); ++m) {
    sum += sorted[m];
    const double candidate = (sum - 1) / static_cast<double>(m + 1);
    if (sorted[m] > candidate) shift = candidate;
  }
  for (double& value : row) value = std::max(0.0, value - shift);
}

/// max over L >= 0, L e = e of xu_dual, by accelerated projected gradient: a value that the true
/// maximum exceeds by next to nothing after enough steps.
inline double xu_omega(const DenseMatrix& m,
                       const DenseMatrix& d,
                       const DenseMatrix& kernel,
                       double beta,
                       int steps = 3000) {
  const std::size_t n = d.rows();
  const std::size_t k = d.cols();
  double largest_row = 0;  // bounds the largest eigenvalue
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (const double value : kernel.row(i)) sum += std::abs(value);
    largest_row = std::max(largest_row, sum);
  }
  const double rate = beta / std::max(largest_row, 1e-12);
  DenseMatrix lambda(n, k, 1.0 / static_cast<double>(k));
  DenseMatrix point = lambda;
  double momentum = 1;
  double best = xu_dual(lambda, m, d, kernel, beta);
  for (int step = 0; step < steps; ++step) {
    DenseMatrix next = point;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = 0; r < k; ++r) {
        double slope = -d(i, r);
        for (std::size_t j = 0; j < n; ++j) slope += kernel(i, j) * (d(j, r) - point(j, r)) / beta;
        next(i, r) += rate * slope;
      }
      project_on_simplex(next.row(i));
    }
    const double following = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    for (std::size_t v = 0; v < next.values().size(); ++v) {
      point.values()[v] =
          next.values()[v] + (momentum - 1) / following * (next.values()[v] - lambda.values()[v]);
    }
    lambda = next;
    momentum = following;
  }
  return std::max(best, xu_dual(lambda, m, d, kernel, beta));
}

/// One row an example, 1 at its class.
inline DenseMatrix indicator(const std::vector<std::int32_t>& classes, std::size_t k) {
  DenseMatrix d(classes.size(), k, 0.0);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    d(i, static_cast<std::size_t>(classes[i])) = 1;
  }
  return d;
}

/// D D'.
inline DenseMatrix equivalence(const DenseMatrix& d) {
  DenseMatrix m(d.rows(), d.rows(), 0.0);
  for (std::size_t i = 0; i < d.rows(); ++i) {
    for (std::size_t j = 0; j < d.rows(); ++j) {
      for (std::size_t r = 0; r < d.cols(); ++r) m(i, j) += d(i, r) * d(j, r);
    }
  }
  return m;
}

}  // namespace maxmargin
