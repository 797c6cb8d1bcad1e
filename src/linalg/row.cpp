// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/linalg/row.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/blas.hpp"

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

/// Sum of term(a_j, b_j) in eight interleaved partial sums: without leave to reorder a sum the
/// compiler cannot use vector instructions, so the order is spelled out here, the same everywhere.
template <class Term>
double sum_in_lanes(std::span<const double> a, std::span<const double> b, const Term& term) {
  require(a.size() == b.size(), "Row: dense rows must have equal length");
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums = {};
  const std::size_t whole = a.size() - a.size() % lanes;
  for (std::size_t j = 0; j < whole; j += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(a[j + lane], b[j + lane]);
  }
  for (std::size_t j = whole; j < a.size(); ++j) sums[j - whole] += term(a[j], b[j]);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

/// Sum of term(a_j, b_j) over the columns where one of them has an entry.
template <class Term>
double sum_of_terms(const Row& a, const Row& b, const Term& term) {
  if (a.is_dense() && b.is_dense()) return sum_in_lanes(a.dense(), b.dense(), term);
  double sum = 0;
  for_each_pair(a, b, [&](double x, double z) { sum += term(x, z); });
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
  return sum_of_terms(*this, other, [](double a, double b) { return (a - b) * (a - b); });
}

double Row::l1_distance(const Row& other) const {
  return sum_of_terms(*this, other, [](double a, double b) { return std::abs(a - b); });
}

}  // namespace maxmargin
