// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// The iterated kernel over a training set,
///
///   k^(1) = k,   k^(p)(x, y) = (1/n) sum_z k^(p-1)(x, z) k(z, y)   over the training examples z.
///
/// On the training set its Gram matrix is K^p / n^(p-1); for even p it is positive semidefinite
/// whatever the symmetric k, so it turns an indefinite kernel into a Mercer kernel.
class MAXMARGIN_EXPORT IteratedKernel {
 public:
  /// From the symmetric n x n Gram matrix of k. Requires order >= 1. O((order - 1) n^3).
  [[nodiscard]] static IteratedKernel fit(DenseView gram, int order = 2);

  [[nodiscard]] int order() const noexcept { return order_; }
  /// K^order / n^(order-1), exactly symmetric.
  [[nodiscard]] const DenseMatrix& training_gram() const noexcept { return powers_.back(); }
  /// k^(order)(x, x_j) from the m x n matrix k(x, x_j) of new examples.
  [[nodiscard]] DenseMatrix cross(DenseView k_new) const;
  /// k^(order)(x, x) from the same matrix. Requires order >= 2: k(x, x) itself does not follow
  /// from it.
  [[nodiscard]] std::vector<double> diagonal(DenseView k_new) const;

 private:
  int order_ = 1;
  /// Gram matrices of the orders that the out-of-sample rules need: max(1, order-2), ..., order.
  std::vector<DenseMatrix> powers_ = {};
  [[nodiscard]] DenseView power(int order) const;
};

}  // namespace maxmargin
