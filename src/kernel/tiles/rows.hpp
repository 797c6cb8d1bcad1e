// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Where a tile of a Gram matrix goes: columns [begin, begin + cols) of rows that lie anywhere in
/// memory, or a block of a matrix.
template <class T>
class TileRows {
 public:
  /// `rows` must outlive the object.
  TileRows(std::span<T* const> rows, std::size_t begin, std::size_t cols)
      : pointers_(rows.data()), begin_(begin), rows_(rows.size()), cols_(cols) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a block of a matrix is such a place
  TileRows(BasicDenseView<T> block)
      : data_(block.data), stride_(block.stride), rows_(block.rows), cols_(block.cols) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t cols() const noexcept { return cols_; }
  [[nodiscard]] std::span<T> row(std::size_t i) const {
    return {pointers_ != nullptr ? pointers_[i] + begin_ : data_ + i * stride_, cols_};
  }
  /// Rows [begin, end).
  [[nodiscard]] TileRows middle_rows(std::size_t begin, std::size_t end) const {
    TileRows result = *this;
    result.rows_ = end - begin;
    if (pointers_ != nullptr) {
      result.pointers_ += begin;
    } else {
      result.data_ += begin * stride_;
    }
    return result;
  }
  /// Columns [begin, begin + cols).
  [[nodiscard]] TileRows middle_cols(std::size_t begin, std::size_t cols) const {
    TileRows result = *this;
    result.cols_ = cols;
    if (pointers_ != nullptr) {
      result.begin_ += begin;
    } else {
      result.data_ += begin;
    }
    return result;
  }
  /// Whether the rows are those of a matrix.
  [[nodiscard]] bool is_block() const noexcept { return pointers_ == nullptr; }
  /// Requires is_block().
  [[nodiscard]] BasicDenseView<T> block() const { return {data_, rows_, cols_, stride_}; }

 private:
  T* const* pointers_ = nullptr;
  std::size_t begin_ = 0;
  T* data_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace maxmargin
