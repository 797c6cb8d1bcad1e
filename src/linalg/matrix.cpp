// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/linalg/matrix.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "maxmargin/core/memory.hpp"

namespace maxmargin {

void require_valid(const SparseView& matrix) {
  const auto& [offsets, columns, values, cols] = matrix;
  require(!offsets.empty() && offsets.data() != nullptr && offsets[0] == 0,
          "sparse rows: the offsets must start with 0");
  require(
      columns.size() == values.size() && static_cast<std::size_t>(offsets.back()) == values.size(),
      "sparse rows: the last offset and the numbers of columns and values must agree");
  require(values.empty() || (columns.data() != nullptr && values.data() != nullptr),
          "sparse rows: the pointer to columns or values is null");
  require(cols <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
          "sparse rows: at most 2^31 - 1 columns");
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    bool good =
        offsets[i] <= offsets[i + 1] && static_cast<std::size_t>(offsets[i + 1]) <= values.size();
    if (good && offsets[i] < offsets[i + 1]) {
      const auto begin = static_cast<std::size_t>(offsets[i]);
      const auto last = static_cast<std::size_t>(offsets[i + 1]) - 1;
      // No early exit, so that the loop runs in vector registers.
      int violations = columns[begin] < 0 ? 1 : 0;
      for (std::size_t k = begin; k < last; ++k) violations |= columns[k] >= columns[k + 1];
      good = violations == 0 && static_cast<std::size_t>(columns[last]) < cols;
    }
    if (!good) {
      throw InvalidArgument("sparse rows: row " + std::to_string(i) +
                            " must have strictly increasing columns below " + std::to_string(cols));
    }
  }
}

SparseMatrix::SparseMatrix(std::size_t cols,
                           Buffer<std::int64_t> offsets,
                           Buffer<std::int32_t> columns,
                           Buffer<double> values)
    : cols_(cols),
      offsets_(std::move(offsets)),
      columns_(std::move(columns)),
      values_(std::move(values)) {
  require_valid(SparseView{std::as_const(offsets_).span(),
                           std::as_const(columns_).span(),
                           std::as_const(values_).span(),
                           cols_});
}

DenseMatrix to_dense(const SparseView& matrix) {
  require_memory_for_numbers(matrix.rows(), matrix.cols, "a dense matrix");
  DenseMatrix dense(matrix.rows(), matrix.cols);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const SparseRow row = matrix.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      dense(i, static_cast<std::size_t>(row.columns[k])) = row.values[k];
    }
  }
  return dense;
}

SparseMatrix drop_empty_columns(const SparseView& matrix) {
  std::vector<std::int32_t> used(matrix.columns.begin(), matrix.columns.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  Buffer<std::int32_t> columns(matrix.columns);
  for (std::int32_t& column : columns) {
    column = static_cast<std::int32_t>(std::ranges::lower_bound(used, column) - used.begin());
  }
  return {used.size(), Buffer(matrix.offsets), std::move(columns), Buffer(matrix.values)};
}

SparseMatrix to_sparse(const DenseView& matrix) {
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.cols; ++j) {
      if (matrix(i, j) == 0) continue;
      columns.push_back(narrow<std::int32_t>(j));
      values.push_back(matrix(i, j));
    }
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return {matrix.cols, std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace maxmargin
