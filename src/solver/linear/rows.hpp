// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "core/always_inline.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Rows as the linear solvers walk them: raw pointers, several sums at a time. w has one component
/// a column and one more for the bias feature, whose value is 0 when there is no bias.
namespace maxmargin::linear {

/// Rows of a sparse matrix. With `ones` every stored value is 1, as in one-hot and bag-of-words
/// data, and the values, two thirds of the memory traffic of a pass, are not read.
template <bool ones>
class BasicSparseRows {
 public:
  explicit BasicSparseRows(const SparseView& matrix, double bias)
      : offsets_(matrix.offsets.data()),
        columns_(matrix.columns.data()),
        values_(matrix.values.data()),
        cols_(matrix.cols),
        bias_(bias) {}

  /// w.x_i. Four sums, as one alone would wait for each addition.
  [[nodiscard]] MAXMARGIN_INLINE double dot(std::size_t i, const double* w) const {
    std::int64_t k = offsets_[i];
    const std::int64_t end = offsets_[i + 1];
    std::array<double, 4> sums = {bias_ * w[cols_], 0, 0, 0};
    for (; end - k >= 4; k += 4) {
      sums[0] += times_value(w[columns_[k]], k);
      sums[1] += times_value(w[columns_[k + 1]], k + 1);
      sums[2] += times_value(w[columns_[k + 2]], k + 2);
      sums[3] += times_value(w[columns_[k + 3]], k + 3);
    }
    for (; k != end; ++k) sums[0] += times_value(w[columns_[k]], k);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }

  /// w += t x_i.
  MAXMARGIN_INLINE void add(std::size_t i, double t, double* w) const {
    const std::int64_t end = offsets_[i + 1];
    for (std::int64_t k = offsets_[i]; k != end; ++k) w[columns_[k]] += times_value(t, k);
    w[cols_] += t * bias_;
  }

  /// sums += t x_i^2, component by component.
  void add_squares(std::size_t i, double t, double* sums) const {
    for (std::int64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      sums[columns_[k]] += times_value(times_value(t, k), k);
    }
    sums[cols_] += t * bias_ * bias_;
  }

  /// The upper triangle of matrix (cols + 1 wide) += t x_i x_i'.
  void add_outer(std::size_t i, double t, double* matrix) const {
    const std::int64_t end = offsets_[i + 1];
    for (std::int64_t k = offsets_[i]; k != end; ++k) {
      double* const row = matrix + static_cast<std::size_t>(columns_[k]) * (cols_ + 1);
      const double scaled = times_value(t, k);
      for (std::int64_t m = k; m != end; ++m) row[columns_[m]] += times_value(scaled, m);
      row[cols_] += scaled * bias_;
    }
    matrix[cols_ * (cols_ + 1) + cols_] += t * bias_ * bias_;
  }

  /// Brings the row into cache; longer rows than this the processor fetches by itself.
  MAXMARGIN_INLINE void prefetch(std::size_t i) const {
    constexpr std::int64_t longest = 128;
    const std::int64_t begin = offsets_[i];
    const std::int64_t end = std::min(offsets_[i + 1], begin + longest);
    for (std::int64_t k = begin; k < end; k += 16) __builtin_prefetch(columns_ + k);
    if constexpr (!ones) {
      for (std::int64_t k = begin; k < end; k += 8) __builtin_prefetch(values_ + k);
    }
  }

  [[nodiscard]] double squared_norm(std::size_t i) const {
    double sum = bias_ * bias_;
    for (std::int64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      sum += times_value(times_value(1.0, k), k);
    }
    return sum;
  }
  /// Stored entries.
  [[nodiscard]] std::size_t length(std::size_t i) const {
    return static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]);
  }
  /// Work of one product, for deciding when to ask the callback.
  [[nodiscard]] std::size_t entries(std::size_t i) const { return length(i) + 8; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }

 private:
  [[nodiscard]] MAXMARGIN_INLINE double times_value(double t, std::int64_t k) const {
    return ones ? t : values_[k] * t;
  }

  const std::int64_t* offsets_;
  const std::int32_t* columns_;
  const double* values_;
  std::size_t cols_;
  double bias_;
};

using SparseRows = BasicSparseRows<false>;
using BinaryRows = BasicSparseRows<true>;

/// Rows of a dense matrix.
class DenseRows {
 public:
  explicit DenseRows(const DenseView& matrix, double bias) : matrix_(matrix), bias_(bias) {}

  /// w.x_i in eight interleaved sums, an order that vector instructions can follow.
  [[nodiscard]] MAXMARGIN_INLINE double dot(std::size_t i, const double* w) const {
    constexpr std::size_t lanes = 8;
    const double* x = matrix_.data + i * matrix_.stride;
    std::array<double, lanes> sums = {bias_ * w[matrix_.cols], 0, 0, 0, 0, 0, 0, 0};
    const std::size_t whole = matrix_.cols - matrix_.cols % lanes;
    for (std::size_t j = 0; j < whole; j += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[j + lane] * w[j + lane];
    }
    for (std::size_t j = whole; j < matrix_.cols; ++j) sums[j - whole] += x[j] * w[j];
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }

  MAXMARGIN_INLINE void add(std::size_t i, double t, double* w) const {
    const double* x = matrix_.data + i * matrix_.stride;
    for (std::size_t j = 0; j < matrix_.cols; ++j) w[j] += t * x[j];
    w[matrix_.cols] += t * bias_;
  }

  void add_squares(std::size_t i, double t, double* sums) const {
    const double* x = matrix_.data + i * matrix_.stride;
    for (std::size_t j = 0; j < matrix_.cols; ++j) sums[j] += t * x[j] * x[j];
    sums[matrix_.cols] += t * bias_ * bias_;
  }

  void add_outer(std::size_t i, double t, double* matrix) const {
    const double* x = matrix_.data + i * matrix_.stride;
    for (std::size_t j = 0; j < matrix_.cols; ++j) {
      double* const row = matrix + j * (matrix_.cols + 1);
      for (std::size_t m = j; m < matrix_.cols; ++m) row[m] += t * x[j] * x[m];
      row[matrix_.cols] += t * x[j] * bias_;
    }
    matrix[matrix_.cols * (matrix_.cols + 1) + matrix_.cols] += t * bias_ * bias_;
  }

  MAXMARGIN_INLINE void prefetch(std::size_t i) const {
    constexpr std::size_t longest = 64;
    const double* x = matrix_.data + i * matrix_.stride;
    for (std::size_t j = 0; j < std::min(longest, matrix_.cols); j += 8) __builtin_prefetch(x + j);
  }

  [[nodiscard]] double squared_norm(std::size_t i) const {
    double sum = bias_ * bias_;
    for (const double value : matrix_.row(i)) sum += value * value;
    return sum;
  }
  [[nodiscard]] std::size_t length(std::size_t) const { return matrix_.cols; }
  [[nodiscard]] std::size_t entries(std::size_t i) const { return length(i) + 8; }
  [[nodiscard]] std::size_t cols() const noexcept { return matrix_.cols; }

 private:
  DenseView matrix_;
  double bias_;
};

/// Calls use(rows) with the rows of the problem's matrix.
template <class Problem, class Use>
decltype(auto) with_rows(const Problem& problem, const Use& use) {
  if (const auto* sparse = std::get_if<SparseView>(&problem.examples)) {
    const auto& values = sparse->values;
    const bool ones = std::all_of(values.begin(), values.end(), [](double v) { return v == 1; });
    return ones ? use(BinaryRows(*sparse, problem.bias)) : use(SparseRows(*sparse, problem.bias));
  }
  return use(DenseRows(std::get<DenseView>(problem.examples), problem.bias));
}

}  // namespace maxmargin::linear
