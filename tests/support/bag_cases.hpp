// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bag_task.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::testing {

/// Random bags, every other one positive: one of its rows lies on a side of its own.
struct BagCase {
  std::size_t features = 0;
  DenseMatrix rows = {};
  std::vector<std::vector<Row>> bags = {};
  std::vector<BagAnswer> truths = {};
};

inline BagCase random_bags(std::size_t count,
                           std::size_t largest,
                           std::size_t features,
                           std::uint64_t seed,
                           double distance = 2) {
  Rng rng(seed, "bags");
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  for (std::size_t b = 0; b < count; ++b) {
    sizes.push_back(1 + rng.index(largest));
    total += sizes.back();
  }
  BagCase made{.features = features, .rows = DenseMatrix(total, features)};
  std::size_t row = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const bool is_positive = b % 2 == 0;
    const std::size_t witness = rng.index(sizes[b]);
    made.bags.emplace_back();
    for (std::size_t h = 0; h < sizes[b]; ++h, ++row) {
      for (std::size_t j = 0; j < features; ++j) made.rows(row, j) = rng.normal();
      if (is_positive && h == witness) made.rows(row, 0) += distance;
    }
    // The first row, which seldom is the witness.
    made.truths.push_back({.is_positive = is_positive, .witness = 0});
  }
  row = 0;
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t h = 0; h < sizes[b]; ++h, ++row) {
      made.bags[b].emplace_back(std::as_const(made.rows).row(row));
    }
  }
  return made;
}

}  // namespace maxmargin::testing
