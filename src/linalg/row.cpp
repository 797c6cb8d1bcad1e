// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/linalg/row.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/linalg/blas.hpp"

namespace maxmargin {

namespace {

/// Sum over the sparse row's columns that lie below dense.size().
double dot_sparse_dense(SparseRow sparse, std::span<const double> dense) {
  double sum = 0;
  for (std::size_t k = 0; k < sparse.columns.size(); ++k) {
    const auto j = static_cast<std::size_t>(sparse.columns[k]);
    if (j >= dense.size()) break;
    sum += sparse.values[k] * dense[j];
  }
  return sum;
}

double dot_sparse_sparse(SparseRow x, SparseRow z) {
  double sum = 0;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < x.columns.size() && k < z.columns.size()) {
    if (x.columns[i] == z.columns[k]) {
      sum += x.values[i++] * z.values[k++];
    } else if (x.columns[i] < z.columns[k]) {
      ++i;
    } else {
      ++k;
    }
  }
  return sum;
}

}  // namespace

double Row::at(std::size_t j) const {
  if (is_dense_) return j < dense_.size() ? dense_[j] : 0.0;
  const auto found = std::lower_bound(sparse_.columns.begin(),
                                      sparse_.columns.end(),
                                      j,
                                      [](std::int32_t column, std::size_t value) {
                                        return static_cast<std::size_t>(column) < value;
                                      });
  if (found == sparse_.columns.end() || static_cast<std::size_t>(*found) != j) return 0.0;
  return sparse_.values[static_cast<std::size_t>(found - sparse_.columns.begin())];
}

double Row::dot(const Row& other) const {
  if (is_dense_ && other.is_dense_) {
    require(dense_.size() == other.dense_.size(), "Row: dense rows must have equal length");
    return maxmargin::dot(dense_, other.dense_);
  }
  if (is_dense_) return dot_sparse_dense(other.sparse_, dense_);
  if (other.is_dense_) return dot_sparse_dense(sparse_, other.dense_);
  return dot_sparse_sparse(sparse_, other.sparse_);
}

double Row::dot(std::span<const double> w) const {
  if (!is_dense_) return dot_sparse_dense(sparse_, w);
  const std::size_t common = std::min(w.size(), dense_.size());
  return maxmargin::dot(dense_.first(common), w.first(common));
}

void Row::axpy_into(double alpha, std::span<double> y) const {
  if (is_dense_) {
    const std::size_t common = std::min(y.size(), dense_.size());
    axpy(alpha, dense_.first(common), y.first(common));
    return;
  }
  for (std::size_t k = 0; k < sparse_.columns.size(); ++k) {
    const auto j = static_cast<std::size_t>(sparse_.columns[k]);
    if (j >= y.size()) break;
    y[j] += alpha * sparse_.values[k];
  }
}

double Row::squared_norm() const {
  const std::span<const double> values = is_dense_ ? dense_ : sparse_.values;
  return maxmargin::dot(values, values);
}

double Row::squared_distance(const Row& other) const {
  double sum = 0;
  for_each_pair(*this, other, [&](double a, double b) { sum += (a - b) * (a - b); });
  return sum;
}

double Row::l1_distance(const Row& other) const {
  double sum = 0;
  for_each_pair(*this, other, [&](double a, double b) { sum += std::abs(a - b); });
  return sum;
}

}  // namespace maxmargin
