// SPDX-License-Identifier: Apache-2.0
#include "kernel/rows/unit_rows.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

double euclidean_norm(const Row& x) {
  double largest = 0;
  x.for_each([&](std::size_t, double value) { largest = std::max(largest, std::abs(value)); });
  if (largest == 0) return 0;
  double sum = 0;
  x.for_each([&](std::size_t, double value) { sum += (value / largest) * (value / largest); });
  return largest * std::sqrt(sum);
}

Examples unit_rows(const Examples& examples) {
  Examples result = examples;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const double norm = euclidean_norm(examples.row(i));
    if (norm == 0) continue;
    std::span<double> values;
    if (result.is_dense()) {
      values = result.dense().row(i);
    } else {
      const SparseView view = result.sparse().view();
      const auto begin = static_cast<std::size_t>(view.offsets[i]);
      const auto end = static_cast<std::size_t>(view.offsets[i + 1]);
      values = result.sparse().values().subspan(begin, end - begin);
    }
    for (double& value : values) value /= norm;
  }
  return result;
}

}  // namespace maxmargin
