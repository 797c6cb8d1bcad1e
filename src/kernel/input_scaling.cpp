// SPDX-License-Identifier: Apache-2.0
#include "kernel/input_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

ScaledRow::ScaledRow(const Row& x, std::span<const double> weights) : dense_(x.is_dense()) {
  x.for_each([&](std::size_t j, double value) {
    if (j >= weights.size()) return;
    if (!dense_) columns_.push_back(static_cast<std::int32_t>(j));
    values_.push_back(std::sqrt(weights[j]) * value);
  });
}

Examples scale_inputs(const Examples& examples, std::span<const double> weights) {
  const std::size_t cols = std::min(examples.cols(), weights.size());
  if (examples.is_dense()) {
    DenseMatrix result = DenseMatrix::uninitialized(examples.rows(), cols);
    for (std::size_t i = 0; i < examples.rows(); ++i) {
      const ScaledRow scaled(examples.row(i), weights);
      std::ranges::copy(scaled.row().dense(), result.row(i).begin());
    }
    return result;
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const ScaledRow scaled(examples.row(i), weights);
    columns.append(scaled.row().sparse().columns);
    values.append(scaled.row().sparse().values);
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return SparseMatrix(cols, std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace maxmargin
