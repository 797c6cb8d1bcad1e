// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "maxmargin/core/buffer.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/require.hpp"

/// Matrices. Row-major everywhere, one example a row: component j of row i is data[i*stride + j].
/// Views do not own; they are valid while what they look at is.
namespace maxmargin {

/// A dense row-major matrix somebody else owns. `T` may be const.
template <class T>
struct BasicDenseView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  ///< distance between rows, >= cols

  [[nodiscard]] std::span<T> row(std::size_t i) const {
    debug_require_index("row", i, rows);
    return {data + i * stride, cols};
  }
  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) const {
    debug_require_index("row", i, rows);
    debug_require_index("column", j, cols);
    return data[i * stride + j];
  }
  /// Rows [begin, end).
  [[nodiscard]] BasicDenseView middle_rows(std::size_t begin, std::size_t end) const {
    debug_require_index("last row", end, rows + 1);
    debug_require_index("first row", begin, end + 1);
    return {data + begin * stride, end - begin, cols, stride};
  }
  // NOLINTNEXTLINE(google-explicit-constructor): a view of T is a view of const T
  operator BasicDenseView<const T>() const requires(!std::is_const_v<T>) {
    return {data, rows, cols, stride};
  }
};

using DenseView = BasicDenseView<const double>;
using MutableDenseView = BasicDenseView<double>;
using FloatView = BasicDenseView<const float>;
using MutableFloatView = BasicDenseView<float>;

/// A dense row-major matrix that owns its entries (stride == cols). Moved from, it is empty.
template <class T>
class BasicDenseMatrix {
 public:
  BasicDenseMatrix() = default;
  /// All entries `value`.
  BasicDenseMatrix(std::size_t rows, std::size_t cols, T value = T{})
      : rows_(rows), cols_(cols), values_(checked_multiply(rows, cols), value) {}
  /// Takes over `values`. Requires values.size() == rows * cols.
  BasicDenseMatrix(std::size_t rows, std::size_t cols, Buffer<T> values)
      : rows_(rows), cols_(cols), values_(std::move(values)) {
    require(values_.size() == checked_multiply(rows, cols),
            "DenseMatrix: the number of values must be rows x cols");
  }
  BasicDenseMatrix(const BasicDenseMatrix&) = default;
  BasicDenseMatrix(BasicDenseMatrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)),
        values_(std::move(other.values_)) {}
  BasicDenseMatrix& operator=(BasicDenseMatrix other) noexcept {
    rows_ = other.rows_;
    cols_ = other.cols_;
    values_.swap(other.values_);
    return *this;
  }
  ~BasicDenseMatrix() = default;
  /// Entries are uninitialised: for results that are written in full.
  [[nodiscard]] static BasicDenseMatrix uninitialized(std::size_t rows, std::size_t cols) {
    return BasicDenseMatrix(rows, cols, Buffer<T>(checked_multiply(rows, cols)));
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] T* data() noexcept { return values_.data(); }
  [[nodiscard]] const T* data() const noexcept { return values_.data(); }
  [[nodiscard]] std::span<T> values() noexcept { return values_.span(); }
  [[nodiscard]] std::span<const T> values() const noexcept { return values_.span(); }
  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) { return values_[place(i, j)]; }
  [[nodiscard]] const T& operator()(std::size_t i, std::size_t j) const {
    return values_[place(i, j)];
  }
  [[nodiscard]] std::span<T> row(std::size_t i) { return view().row(i); }
  [[nodiscard]] std::span<const T> row(std::size_t i) const { return view().row(i); }
  [[nodiscard]] BasicDenseView<const T> view() const noexcept {
    return {values_.data(), rows_, cols_, cols_};
  }
  [[nodiscard]] BasicDenseView<T> view() noexcept { return {values_.data(), rows_, cols_, cols_}; }

 private:
  [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const {
    debug_require_index("row", i, rows_);
    debug_require_index("column", j, cols_);
    return i * cols_ + j;
  }

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  Buffer<T> values_;
};

using DenseMatrix = BasicDenseMatrix<double>;
using FloatMatrix = BasicDenseMatrix<float>;

/// One row of a sparse matrix: strictly increasing column numbers (from 0) and their values.
struct SparseRow {
  std::span<const std::int32_t> columns = {};
  std::span<const double> values = {};
};

/// A compressed-sparse-row matrix somebody else owns. Row i holds entries
/// [offsets[i], offsets[i+1]); columns are strictly increasing within a row and below `cols`.
struct SparseView {
  std::span<const std::int64_t> offsets = {};  ///< rows + 1 of them, offsets[0] == 0
  std::span<const std::int32_t> columns = {};
  std::span<const double> values = {};
  std::size_t cols = 0;

  [[nodiscard]] std::size_t rows() const noexcept {
    return offsets.empty() ? 0 : offsets.size() - 1;
  }
  [[nodiscard]] SparseRow row(std::size_t i) const {
    debug_require_index("row", i, rows());
    const auto begin = static_cast<std::size_t>(offsets[i]);
    const auto count = static_cast<std::size_t>(offsets[i + 1]) - begin;
    return {columns.subspan(begin, count), values.subspan(begin, count)};
  }
};

/// Throws InvalidArgument, naming the row, unless the parts obey the rules of SparseView.
MAXMARGIN_EXPORT void require_valid(const SparseView& matrix);

/// A compressed-sparse-row matrix that owns its entries: 12 bytes an entry and 8 a row. Moved from,
/// it is empty.
class MAXMARGIN_EXPORT SparseMatrix {
 public:
  SparseMatrix() = default;
  /// Takes over the parts and checks them (see SparseView); throws InvalidArgument naming the row.
  SparseMatrix(std::size_t cols,
               Buffer<std::int64_t> offsets,
               Buffer<std::int32_t> columns,
               Buffer<double> values);
  SparseMatrix(const SparseMatrix&) = default;
  SparseMatrix(SparseMatrix&& other) noexcept
      : cols_(std::exchange(other.cols_, 0)),
        offsets_(std::move(other.offsets_)),
        columns_(std::move(other.columns_)),
        values_(std::move(other.values_)) {}
  SparseMatrix& operator=(SparseMatrix other) noexcept {
    cols_ = other.cols_;
    offsets_.swap(other.offsets_);
    columns_.swap(other.columns_);
    values_.swap(other.values_);
    return *this;
  }
  ~SparseMatrix() = default;

  [[nodiscard]] std::size_t rows() const noexcept { return view().rows(); }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::size_t entries() const noexcept { return values_.size(); }
  [[nodiscard]] SparseRow row(std::size_t i) const { return view().row(i); }
  [[nodiscard]] std::span<double> values() noexcept { return values_.span(); }
  [[nodiscard]] SparseView view() const noexcept {
    const auto offsets =
        offsets_.empty() ? std::span<const std::int64_t>(no_rows) : offsets_.span();
    return {offsets, columns_.span(), values_.span(), cols_};
  }

 private:
  /// The offsets of no rows, for a matrix that allocates nothing.
  static constexpr std::int64_t no_rows[1] = {0};  // NOLINT: becomes a span

  std::size_t cols_ = 0;
  Buffer<std::int64_t> offsets_;
  Buffer<std::int32_t> columns_;
  Buffer<double> values_;
};

/// Zeros filled in.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix to_dense(const SparseView& matrix);
/// The columns that hold entries, renumbered from 0 in their order. Distances between rows stay the
/// same, and what is dense in the columns needs no more room than the entries.
[[nodiscard]] MAXMARGIN_EXPORT SparseMatrix drop_empty_columns(const SparseView& matrix);
/// Zeros dropped.
[[nodiscard]] MAXMARGIN_EXPORT SparseMatrix to_sparse(const DenseView& matrix);

}  // namespace maxmargin
