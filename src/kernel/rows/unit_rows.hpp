// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {

/// |x|_2, safe against overflow and underflow of the squares.
[[nodiscard]] inline double euclidean_norm(const Row& x) {
  double largest = 0;
  x.for_each([&](std::size_t, double value) { largest = std::max(largest, std::abs(value)); });
  if (largest == 0) return 0;
  double sum = 0;
  x.for_each([&](std::size_t, double value) { sum += (value / largest) * (value / largest); });
  return largest * std::sqrt(sum);
}

/// Every row divided by its norm; zero rows stay.
[[nodiscard]] inline Examples unit_rows(const Examples& examples) {
  Examples result = examples;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    const double norm = euclidean_norm(examples.row(i));
    if (norm == 0) continue;
    for (double& value : result.writable_values(i)) value /= norm;
  }
  return result;
}

}  // namespace maxmargin
