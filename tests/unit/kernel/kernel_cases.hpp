// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/kernel/kernel.hpp"

/// Data and kernels the tests of this folder share.
namespace maxmargin::testing {

/// Entries uniform in [low, high), a share of them set to 0.
inline DenseMatrix random_matrix(
    std::uint64_t seed, std::size_t n, std::size_t d, double low, double high, double zeros = 0) {
  Rng rng(seed);
  DenseMatrix matrix(n, d);
  for (double& value : matrix.values()) {
    value = rng.uniform(low, high);
    if (rng.bernoulli(zeros)) value = 0;
  }
  return matrix;
}

inline Examples as_sparse(const DenseMatrix& matrix) { return to_sparse(matrix.view()); }

/// A kernel, and whether it takes zeros or negative entries.
struct KernelCase {
  Kernel kernel;
  bool zeros = true;
  bool negatives = true;
};

/// Every kernel but the precomputed one, and combinations of each kind.
inline std::vector<KernelCase> kernel_cases() {
  const auto weight = [](const Row& x) { return 1 + 0.1 * x.squared_norm(); };
  return {
      {Linear{}},
      {Polynomial{}},
      {Polynomial{.gamma = 0.5, .coef0 = 1, .degree = 2}},
      {Polynomial{.gamma = 0.05, .coef0 = 0.3, .degree = 19}},
      {Rbf{.gamma = 0.3}},
      {Laplace{.gamma = 0.2}},
      {Absdiff{.gamma = 0.7}},
      {Sentropic{.gamma = 0.1}, false, false},
      {Sigmoid{.gamma = 0.1, .coef0 = -0.2}},
      {Cosine{}},
      {HistogramIntersection{}, true, false},
      {ChiSquare{.gamma = 0.4}, true, false},
      {sum_of(Rbf{.gamma = 0.5}, Linear{})},
      {product_of(Laplace{.gamma = 0.1}, Polynomial{.coef0 = 1, .degree = 2})},
      {scaled(Rbf{.gamma = 0.5}, 2.5)},
      {power_of(Linear{}, 3)},
      {polynomial_of(Linear{}, {1, 0.5, 0, 0.25})},
      {exp_of(scaled(Linear{}, 0.1))},
      {rank_one("one plus a tenth of |x|^2", weight)},
      {with_scaled_inputs(Rbf{.gamma = 0.5}, {1, 0, 2, 0.5, 3})},
      {normalised(Polynomial{.coef0 = 1, .degree = 2})},
      {normalised(sum_of(Linear{}, Rbf{.gamma = 1}))},
  };
}

/// Data in the domain of a case.
inline DenseMatrix data_for(
    const KernelCase& c, std::uint64_t seed, std::size_t n, std::size_t d, double zeros = 0) {
  return random_matrix(seed, n, d, c.negatives ? -1.0 : 0.05, 1.0, c.zeros ? zeros : 0);
}

/// The Gram matrix from evaluate() alone.
inline DenseMatrix plain_gram(const Kernel& kernel, const Examples& rows, const Examples& cols) {
  DenseMatrix result(rows.rows(), cols.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < cols.rows(); ++j) {
      result(i, j) = evaluate(kernel, rows.row(i), cols.row(j));
    }
  }
  return result;
}

/// Largest |a - b| / (1 + |b|) over the entries.
template <class T>
double largest_error(const BasicDenseMatrix<T>& a, const DenseMatrix& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      const double error =
          std::abs(static_cast<double>(a(i, j)) - b(i, j)) / (1 + std::abs(b(i, j)));
      // Not a number counts as wrong.
      if (!(error <= worst)) worst = std::isnan(error) ? 1e300 : error;
    }
  }
  return worst;
}

}  // namespace maxmargin::testing
