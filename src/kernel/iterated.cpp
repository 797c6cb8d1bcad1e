// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/iterated.hpp"

#include "kernel/copy_of.hpp"
#include "linalg/blas.hpp"

namespace maxmargin {

namespace {

/// (1/n) a b, n the number of training examples. The mean of nothing is 0.
DenseMatrix averaged_product(DenseView a, DenseView b) {
  DenseMatrix product(a.rows, b.cols);
  if (b.rows == 0) return product;
  gemm(Transpose::no, Transpose::no, 1.0 / static_cast<double>(b.rows), a, b, 0.0, product.view());
  return product;
}

}  // namespace

IteratedKernel IteratedKernel::fit(DenseView gram, int order) {
  require(gram.rows == gram.cols, "IteratedKernel: the training Gram matrix must be square");
  require_field(order >= 1, "IteratedKernel: order", order, ">= 1");
  IteratedKernel result;
  result.order_ = order;
  result.powers_.push_back(copy_of(gram));
  for (int p = 2; p <= order; ++p) {
    DenseMatrix next = averaged_product(result.powers_.back().view(), gram);
    mirror_lower(next.view());
    result.powers_.push_back(std::move(next));
    if (result.powers_.size() > 3) result.powers_.erase(result.powers_.begin());
  }
  return result;
}

DenseView IteratedKernel::power(int order) const {
  return powers_[powers_.size() - 1 - static_cast<std::size_t>(order_ - order)].view();
}

DenseMatrix IteratedKernel::cross(DenseView k_new) const {
  require(k_new.cols == training_gram().rows(),
          "IteratedKernel: a column for every training example is needed");
  if (order_ == 1) return copy_of(k_new);
  return averaged_product(k_new, power(order_ - 1));
}

std::vector<double> IteratedKernel::diagonal(DenseView k_new) const {
  require_field(order_ >= 2, "IteratedKernel::diagonal: order", order_, ">= 2");
  require(k_new.cols == training_gram().rows(),
          "IteratedKernel: a column for every training example is needed");
  // k^(p)(x, x) = (1/n) sum_z k^(p-1)(x, z) k(z, x), where k^(p-1)(x, .) is a row of cross().
  const DenseMatrix previous =
      order_ == 2 ? copy_of(k_new) : averaged_product(k_new, power(order_ - 2));
  std::vector<double> values(k_new.rows, 0.0);
  if (k_new.cols == 0) return values;
  for (std::size_t i = 0; i < k_new.rows; ++i) {
    values[i] = dot(previous.row(i), k_new.row(i)) / static_cast<double>(k_new.cols);
  }
  return values;
}

}  // namespace maxmargin
