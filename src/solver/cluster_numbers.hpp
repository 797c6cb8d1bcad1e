// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

/// Clusters in the order every clustering here is reported in: the largest first, then by first
/// member; empty ones last.
struct ClusterNumbers {
  std::vector<std::size_t> old_number = {};  ///< by new number
  std::vector<std::size_t> sizes = {};       ///< by new number
  std::vector<std::int32_t> labels = {};     ///< the new number of every point's cluster
};

/// Requires labels from 0 to k-1.
[[nodiscard]] ClusterNumbers number_by_size(std::span<const std::int32_t> labels, std::size_t k);

}  // namespace maxmargin
