// SPDX-License-Identifier: Apache-2.0
#include "problem/borrowed_matrix.hpp"

#include <utility>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

BorrowedMatrix::BorrowedMatrix(DenseView matrix) : matrix_(matrix), diagonal_(matrix.rows) {
  require(matrix.rows == matrix.cols, "BorrowedMatrix: the matrix must be square");
  for (std::size_t i = 0; i < matrix.rows; ++i) diagonal_[i] = matrix(i, i);
}

RowBlock BorrowedMatrix::rows(std::span<const std::size_t> indices) const {
  RowBlock::Double rows;
  rows.reserve(indices.size());
  for (const std::size_t i : indices) rows.push_back(matrix_.row(i));
  return {.rows = std::move(rows)};
}

}  // namespace maxmargin
