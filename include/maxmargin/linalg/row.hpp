// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// One example, dense or sparse. The dispatch is once per operation, so inner loops stay plain.
/// Dense and sparse rows mix; a sparse row's missing entries are 0. Two dense rows must have equal
/// length; a sparse row may reach beyond a dense one only where the operation says so.
class MAXMARGIN_EXPORT Row {
 public:
  explicit Row(std::span<const double> dense) : dense_(dense), is_dense_(true) {}
  explicit Row(SparseRow sparse) : sparse_(sparse), is_dense_(false) {}

  [[nodiscard]] bool is_dense() const noexcept { return is_dense_; }
  /// Requires is_dense().
  [[nodiscard]] std::span<const double> dense() const noexcept { return dense_; }
  /// Requires !is_dense().
  [[nodiscard]] SparseRow sparse() const noexcept { return sparse_; }
  /// Entry of column j; 0 outside.
  [[nodiscard]] double at(std::size_t j) const;

  [[nodiscard]] double dot(const Row& other) const;
  /// Sum over columns j < w.size(); entries beyond w are ignored (a model knows fewer features).
  [[nodiscard]] double dot(std::span<const double> w) const;
  /// y += alpha * row. Entries beyond y are ignored.
  void axpy_into(double alpha, std::span<double> y) const;
  [[nodiscard]] double squared_norm() const;
  [[nodiscard]] double squared_distance(const Row& other) const;
  [[nodiscard]] double l1_distance(const Row& other) const;

  /// Calls visit(column, value) for every stored entry (all entries of a dense row).
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (is_dense_) {
      for (std::size_t j = 0; j < dense_.size(); ++j) visit(j, dense_[j]);
    } else {
      for (std::size_t k = 0; k < sparse_.columns.size(); ++k) {
        visit(static_cast<std::size_t>(sparse_.columns[k]), sparse_.values[k]);
      }
    }
  }

 private:
  std::span<const double> dense_ = {};
  SparseRow sparse_ = {};
  bool is_dense_;
};

/// Calls visit(a_j, b_j) for every column where a or b has a stored entry, columns ascending. Two
/// dense rows must have equal length (InvalidArgument); a sparse row may reach beyond a dense one.
template <class Visit>
void for_each_pair(const Row& a, const Row& b, Visit&& visit) {
  if (a.is_dense() && b.is_dense()) {
    const auto x = a.dense();
    const auto z = b.dense();
    require(x.size() == z.size(), "Row: dense rows must have equal length");
    for (std::size_t j = 0; j < x.size(); ++j) visit(x[j], z[j]);
  } else if (a.is_dense() || b.is_dense()) {
    const Row& full = a.is_dense() ? a : b;
    const SparseRow some = a.is_dense() ? b.sparse() : a.sparse();
    const auto x = full.dense();
    std::size_t k = 0;
    const auto pair = [&](double dense_value, double sparse_value) {
      if (a.is_dense()) {
        visit(dense_value, sparse_value);
      } else {
        visit(sparse_value, dense_value);
      }
    };
    for (std::size_t j = 0; j < x.size(); ++j) {
      double other = 0;
      if (k < some.columns.size() && static_cast<std::size_t>(some.columns[k]) == j) {
        other = some.values[k++];
      }
      pair(x[j], other);
    }
    for (; k < some.columns.size(); ++k) pair(0.0, some.values[k]);
  } else {
    const SparseRow x = a.sparse();
    const SparseRow z = b.sparse();
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < x.columns.size() && k < z.columns.size()) {
      if (x.columns[i] == z.columns[k]) {
        visit(x.values[i++], z.values[k++]);
      } else if (x.columns[i] < z.columns[k]) {
        visit(x.values[i++], 0.0);
      } else {
        visit(0.0, z.values[k++]);
      }
    }
    for (; i < x.columns.size(); ++i) visit(x.values[i], 0.0);
    for (; k < z.columns.size(); ++k) visit(0.0, z.values[k]);
  }
}

}  // namespace maxmargin
