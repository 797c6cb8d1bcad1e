// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

/// The rows that differ from all before them, up to `enough` of them.
[[nodiscard]] inline std::vector<std::size_t> first_distinct_rows(const Examples& examples,
                                                                  std::size_t enough) {
  std::vector<std::size_t> distinct;
  for (std::size_t i = 0; i < examples.rows() && distinct.size() < enough; ++i) {
    const Row x = examples.row(i);
    const bool seen = std::ranges::any_of(
        distinct, [&](std::size_t j) { return rows_are_equal(x, examples.row(j)); });
    if (!seen) distinct.push_back(i);
  }
  return distinct;
}

/// How many they are.
[[nodiscard]] inline std::size_t distinct_rows(const Examples& examples, std::size_t enough) {
  return first_distinct_rows(examples, enough).size();
}

/// For every row the place among `seeds` of the one it is nearest to, the first of equals.
[[nodiscard]] inline std::vector<std::int32_t> nearest_seeds(const Examples& examples,
                                                             std::span<const std::size_t> seeds) {
  std::vector<std::int32_t> labels(examples.rows(), 0);
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const double distance = examples.row(i).squared_distance(examples.row(seeds[s]));
      if (!(distance < least)) continue;
      least = distance;
      labels[i] = static_cast<std::int32_t>(s);
    }
  }
  return labels;
}

}  // namespace maxmargin
