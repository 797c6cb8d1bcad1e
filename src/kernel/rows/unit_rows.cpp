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
    for (double& value : result.writable_values(i)) value /= norm;
  }
  return result;
}

}  // namespace maxmargin
