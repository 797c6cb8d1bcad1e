// SPDX-License-Identifier: Apache-2.0
#include "kernel/input_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

ScaledRow::ScaledRow(const Row& x, const InputScalingRule& rule) : dense_(x.is_dense()) {
  if (!dense_ && !rule.origin.empty()) {
    add_moved(x.sparse(), rule);
    return;
  }
  x.for_each([&](std::size_t j, double value) {
    if (j >= rule.weights.size()) return;
    if (!dense_) columns_.push_back(static_cast<std::int32_t>(j));
    const double moved = rule.origin.empty() ? value : value - rule.origin[j];
    values_.push_back(std::sqrt(rule.weights[j]) * moved);
  });
}

void ScaledRow::add_moved(const SparseRow& x, const InputScalingRule& rule) {
  std::size_t next = 0;
  for (std::size_t j = 0; j < rule.weights.size(); ++j) {
    const bool stored = next < x.columns.size() && static_cast<std::size_t>(x.columns[next]) == j;
    const double value = stored ? x.values[next++] : 0.0;
    if (!stored && rule.origin[j] == 0) continue;
    columns_.push_back(static_cast<std::int32_t>(j));
    values_.push_back(std::sqrt(rule.weights[j]) * (value - rule.origin[j]));
  }
}

Examples scale_inputs(const Examples& examples, const InputScalingRule& rule) {
  const std::size_t cols = std::min(examples.cols(), rule.weights.size());
  if (examples.is_dense()) {
    DenseMatrix result = DenseMatrix::uninitialized(examples.rows(), cols);
    for (std::size_t i = 0; i < examples.rows(); ++i) {
      const ScaledRow scaled(examples.row(i), rule);
      std::ranges::copy(scaled.row().dense(), result.row(i).begin());
    }
    return result;
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const ScaledRow scaled(examples.row(i), rule);
    columns.append(scaled.row().sparse().columns);
    values.append(scaled.row().sparse().values);
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  // A moved row has entries up to the origin's end.
  return SparseMatrix(rule.origin.empty() ? cols : rule.weights.size(),
                      std::move(offsets),
                      std::move(columns),
                      std::move(values));
}

}  // namespace maxmargin
