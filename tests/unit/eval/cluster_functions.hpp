// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/dataset.hpp"

/// Clustering methods of known behaviour, and data for them.
namespace maxmargin {

/// Groups around (0, 0), (10, 0) and (20, 12) with standard deviation 1, in turn.
inline Dataset three_groups(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) = 10 * static_cast<double>(i % 3) + rng.normal();
    points(i, 1) = (i % 3 == 2 ? 12.0 : 0.0) + rng.normal();
  }
  return {.examples = std::move(points), .source = "three groups"};
}

/// Knows the truth about three_groups, whatever k.
inline std::vector<std::int32_t> by_first_feature(const Dataset& data,
                                                  std::size_t /*k*/,
                                                  std::uint64_t /*seed*/) {
  std::vector<std::int32_t> clusters;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double place = std::round(data.examples.row(i).at(0) / 10);
    clusters.push_back(std::clamp(static_cast<std::int32_t>(place), 0, 2));
  }
  return clusters;
}

inline std::vector<std::int32_t> random_clusters(const Dataset& data,
                                                 std::size_t k,
                                                 std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::int32_t> clusters(data.size());
  for (std::int32_t& cluster : clusters) cluster = static_cast<std::int32_t>(rng.index(k));
  return clusters;
}

inline std::vector<std::int32_t> by_kmeans(const Dataset& data, std::size_t k, std::uint64_t seed) {
  return cluster_kmeans(data, {.k = k, .restarts = 3, .context = {.seed = seed}}).labels;
}

}  // namespace maxmargin
