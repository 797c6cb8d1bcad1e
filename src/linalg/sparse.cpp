// SPDX-License-Identifier: Apache-2.0
#include "linalg/sparse.hpp"

#include <algorithm>

namespace maxmargin {

namespace {

void scale(double beta, std::span<double> values) {
  if (beta == 0) {
    std::fill(values.begin(), values.end(), 0.0);
  } else if (beta != 1) {
    for (double& value : values) value *= beta;
  }
}

/// target += factor * source. Rows of B are short, so a plain loop beats a call of BLAS.
void add_multiple(double factor, std::span<const double> source, std::span<double> target) {
  for (std::size_t j = 0; j < source.size(); ++j) target[j] += factor * source[j];
}

}  // namespace

void spmv(Transpose op_a,
          double alpha,
          const SparseView& a,
          std::span<const double> x,
          double beta,
          std::span<double> y) {
  const bool transposed = op_a == Transpose::yes;
  require(
      x.size() == (transposed ? a.rows() : a.cols) && y.size() == (transposed ? a.cols : a.rows()),
      "spmv: the sizes of matrix and vectors do not fit");
  scale(beta, y);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const SparseRow row = a.row(i);
    if (transposed) {
      const double factor = alpha * x[i];
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        y[static_cast<std::size_t>(row.columns[k])] += factor * row.values[k];
      }
    } else {
      double sum = 0;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        sum += row.values[k] * x[static_cast<std::size_t>(row.columns[k])];
      }
      y[i] += alpha * sum;
    }
  }
}

void spmm(Transpose op_a,
          double alpha,
          const SparseView& a,
          DenseView b,
          double beta,
          MutableDenseView c) {
  const bool transposed = op_a == Transpose::yes;
  require(b.rows == (transposed ? a.rows() : a.cols) &&
              c.rows == (transposed ? a.cols : a.rows()) && b.cols == c.cols,
          "spmm: the matrices' sizes do not fit");
  for (std::size_t i = 0; i < c.rows; ++i) scale(beta, c.row(i));
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const SparseRow row = a.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      const auto j = static_cast<std::size_t>(row.columns[k]);
      const double factor = alpha * row.values[k];
      if (transposed) {
        add_multiple(factor, b.row(i), c.row(j));
      } else {
        add_multiple(factor, b.row(j), c.row(i));
      }
    }
  }
}

}  // namespace maxmargin
