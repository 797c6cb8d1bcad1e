// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "maxmargin/core/always_inline.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Rows as the linear solvers walk them: raw pointers, several sums at a time. w has one component
/// a column and one more for the bias feature, whose value is 0 when there is no bias.
namespace maxmargin::linear {

/// Rows of a sparse matrix.
class SparseRows {
 public:
  explicit SparseRows(const SparseView& matrix, double bias)
      : offsets_(matrix.offsets.data()),
        columns_(matrix.columns.data()),
        values_(matrix.values.data()),
        cols_(matrix.cols),
        bias_(bias) {}

  /// w.x_i. Four sums, as one alone would wait for each addition.
  [[nodiscard]] MAXMARGIN_INLINE double dot(std::size_t i, const double* w) const {
    const std::int32_t* column = columns_ + offsets_[i];
    const std::int32_t* const end = columns_ + offsets_[i + 1];
    const double* value = values_ + offsets_[i];
    std::array<double, 4> sums = {bias_ * w[cols_], 0, 0, 0};
    for (; end - column >= 4; column += 4, value += 4) {
      sums[0] += value[0] * w[column[0]];
      sums[1] += value[1] * w[column[1]];
      sums[2] += value[2] * w[column[2]];
      sums[3] += value[3] * w[column[3]];
    }
    for (; column != end; ++column, ++value) sums[0] += *value * w[*column];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
  }

  /// w += t x_i.
  MAXMARGIN_INLINE void add(std::size_t i, double t, double* w) const {
    const std::int32_t* column = columns_ + offsets_[i];
    const std::int32_t* const end = columns_ + offsets_[i + 1];
    const double* value = values_ + offsets_[i];
    for (; column != end; ++column, ++value) w[*column] += t * *value;
    w[cols_] += t * bias_;
  }

  /// sums += t x_i^2, component by component.
  void add_squares(std::size_t i, double t, double* sums) const {
    for (std::int64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
      sums[columns_[k]] += t * values_[k] * values_[k];
    }
    sums[cols_] += t * bias_ * bias_;
  }

  /// Brings the row into cache; longer rows than this the processor fetches by itself.
  MAXMARGIN_INLINE void prefetch(std::size_t i) const {
    constexpr std::int64_t longest = 128;
    const std::int64_t begin = offsets_[i];
    const std::int64_t end = std::min(offsets_[i + 1], begin + longest);
    for (std::int64_t k = begin; k < end; k += 16) __builtin_prefetch(columns_ + k);
    for (std::int64_t k = begin; k < end; k += 8) __builtin_prefetch(values_ + k);
  }

  [[nodiscard]] double squared_norm(std::size_t i) const {
    double sum = bias_ * bias_;
    for (std::int64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) sum += values_[k] * values_[k];
    return sum;
  }
  /// Work of one product, for deciding when to ask the callback.
  [[nodiscard]] std::size_t entries(std::size_t i) const {
    return static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]) + 8;
  }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }

 private:
  const std::int64_t* offsets_;
  const std::int32_t* columns_;
  const double* values_;
  std::size_t cols_;
  double bias_;
};

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
  [[nodiscard]] std::size_t entries(std::size_t) const { return matrix_.cols + 8; }
  [[nodiscard]] std::size_t cols() const noexcept { return matrix_.cols; }

 private:
  DenseView matrix_;
  double bias_;
};

/// Calls use(rows) with the rows of the problem's matrix.
template <class Problem, class Use>
decltype(auto) with_rows(const Problem& problem, const Use& use) {
  if (const auto* sparse = std::get_if<SparseView>(&problem.examples)) {
    return use(SparseRows(*sparse, problem.bias));
  }
  return use(DenseRows(std::get<DenseView>(problem.examples), problem.bias));
}

}  // namespace maxmargin::linear
