// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metric/check.hpp"

namespace maxmargin {

/// Checks the rules of geometry.hpp and returns one more than the largest cluster number.
inline std::size_t checked_cluster_count(std::string_view function,
                                         std::span<const std::int32_t> clusters,
                                         std::size_t rows) {
  check_same_length(function, "cluster numbers", clusters.size(), rows);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const bool valid = clusters[i] >= -1 && clusters[i] < static_cast<std::int64_t>(rows);
    check_row(valid, function, "clusters", i, clusters[i], "-1 or from 0 below the number of rows");
    count = std::max(count, static_cast<std::size_t>(clusters[i] + 1));
  }
  return count;
}

/// The rows of each cluster, ascending.
inline std::vector<std::vector<std::size_t>> members_of(std::span<const std::int32_t> clusters,
                                                        std::size_t count) {
  std::vector<std::vector<std::size_t>> members(count);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i] >= 0) members[static_cast<std::size_t>(clusters[i])].push_back(i);
  }
  return members;
}

}  // namespace maxmargin
