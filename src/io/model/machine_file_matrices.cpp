// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "io/model/machine_file_parts.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

/// A stored zero is one whose every bit is: -0 differs from it by its sign.
bool is_plain_zero(double value) { return std::bit_cast<std::uint64_t>(value) == 0; }

SparseMatrix without_plain_zeros(const DenseMatrix& matrix, std::size_t entries) {
  Buffer<std::int64_t> offsets(1, 0);
  offsets.reserve(matrix.rows() + 1);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  columns.reserve(entries);
  values.reserve(entries);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const std::span<const double> row = matrix.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (is_plain_zero(row[j])) continue;
      columns.push_back(narrow<std::int32_t>(j));
      values.push_back(row[j]);
    }
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return {matrix.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

bool is_sparse_section(const ModelDocument& document, std::string_view name) {
  return std::ranges::any_of(document.sections(), [&](const ModelDocument::Section& section) {
    return section.name == name && std::holds_alternative<SparseMatrix>(section.content);
  });
}

void demand_shape(const ModelDocument& document,
                  std::string_view name,
                  std::size_t rows,
                  std::size_t cols,
                  std::size_t wanted_rows,
                  std::size_t wanted_cols) {
  if (rows == wanted_rows && cols == wanted_cols) return;
  refuse(document,
         name,
         "is " + std::to_string(rows) + " x " + std::to_string(cols) + ", must be " +
             std::to_string(wanted_rows) + " x " + std::to_string(wanted_cols));
}

}  // namespace

void refuse(const ModelDocument& document, std::string_view name, const std::string& problem) {
  throw ModelFormatError(
      document.source(), {}, "the model's '" + std::string(name) + "' " + problem);
}

void demand_finite(const ModelDocument& document,
                   std::string_view name,
                   std::span<const double> values) {
  const auto finite = [](double value) { return std::isfinite(value); };
  demand(std::ranges::all_of(values, finite), document, name, "holds a value that is not finite");
}

void store_examples(ModelDocument& document, std::string name, Examples examples) {
  if (!examples.is_dense()) {
    document.set_sparse(std::move(name), examples.take_sparse());
  } else if (examples.cols() == 0) {
    // A dense matrix without columns would lose its rows.
    document.set_sparse(std::move(name), without_plain_zeros(examples.take_dense(), 0));
  } else {
    document.set_dense(std::move(name), examples.take_dense());
  }
}

Examples load_examples(ModelDocument& document, std::string_view name) {
  if (is_sparse_section(document, name)) {
    SparseMatrix matrix = std::move(document.sparse(name));
    demand_finite(document, name, matrix.view().values);
    return matrix;
  }
  DenseMatrix matrix = std::move(document.dense(name));
  demand_finite(document, name, matrix.values());
  return matrix;
}

void store_matrix(ModelDocument& document, std::string name, DenseMatrix matrix) {
  const std::span<const double> values = std::as_const(matrix).values();
  const auto zeros = static_cast<std::size_t>(std::ranges::count_if(values, is_plain_zero));
  const std::size_t entries = values.size() - zeros;
  const std::size_t sparse_bytes = 12 * entries + 8 * matrix.rows();
  if (matrix.cols() == 0 || sparse_bytes < 8 * values.size()) {
    document.set_sparse(std::move(name), without_plain_zeros(matrix, entries));
  } else {
    document.set_dense(std::move(name), std::move(matrix));
  }
}

DenseMatrix load_matrix(ModelDocument& document,
                        std::string_view name,
                        std::size_t rows,
                        std::size_t cols) {
  if (!is_sparse_section(document, name)) {
    DenseMatrix matrix = std::move(document.dense(name));
    demand_shape(document, name, matrix.rows(), matrix.cols(), rows, cols);
    demand_finite(document, name, matrix.values());
    return matrix;
  }
  const SparseMatrix& stored = document.sparse(name);
  demand_shape(document, name, stored.rows(), stored.cols(), rows, cols);
  demand_finite(document, name, stored.view().values);
  return checked_by_library(document, name, [&] {
    require_memory_for_numbers(rows, cols, "the matrix");
    return to_dense(stored.view());
  });
}

}  // namespace maxmargin
