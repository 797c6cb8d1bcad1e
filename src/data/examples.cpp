// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/examples.hpp"

#include <algorithm>

namespace maxmargin {

std::size_t Examples::rows() const { return is_dense() ? dense().rows() : sparse().rows(); }

std::size_t Examples::cols() const { return is_dense() ? dense().cols() : sparse().cols(); }

std::size_t Examples::entries() const {
  return is_dense() ? dense().values().size() : sparse().entries();
}

Examples Examples::select(std::span<const std::size_t> rows) const {
  for (const std::size_t row : rows) require(row < this->rows(), "Examples::select: no such row");
  if (is_dense()) {
    DenseMatrix chosen = DenseMatrix::uninitialized(rows.size(), cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::copy(dense().row(rows[i]), chosen.row(i).begin());
    }
    return chosen;
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (const std::size_t i : rows) {
    const SparseRow row = sparse().row(i);
    columns.append(row.columns);
    values.append(row.values);
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return SparseMatrix(cols(), std::move(offsets), std::move(columns), std::move(values));
}

DenseMatrix Examples::to_dense() const {
  return is_dense() ? dense() : maxmargin::to_dense(sparse().view());
}

}  // namespace maxmargin
