// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "maxmargin/data/examples.hpp"

namespace maxmargin {

/// Whether two rows hold the same numbers, a missing entry of a sparse row being 0. No difference
/// is squared: one of 1e-200 counts.
[[nodiscard]] inline bool rows_are_equal(const Row& x, const Row& z) {
  bool equal = true;
  for_each_pair(x, z, [&](double a, double b) { equal = equal && a == b; });
  return equal;
}

/// How many rows differ from all before them, counted up to `enough`.
[[nodiscard]] inline std::size_t distinct_rows(const Examples& examples, std::size_t enough) {
  std::vector<std::size_t> distinct;
  for (std::size_t i = 0; i < examples.rows() && distinct.size() < enough; ++i) {
    const Row x = examples.row(i);
    const bool seen = std::ranges::any_of(
        distinct, [&](std::size_t j) { return rows_are_equal(x, examples.row(j)); });
    if (!seen) distinct.push_back(i);
  }
  return distinct.size();
}

}  // namespace maxmargin
