// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// Fewest and most points that each of some clusters may have.
struct ClusterSizes {
  std::size_t least = 1;
  std::size_t most = 1;
};

/// The sizes that n points in k clusters may have: from (1 - F) n/k to (1 + F) n/k, rounded
/// outwards, at least 1, and no more than the others leave. Without a balance F any sizes but 0.
/// Throws InvalidArgument unless n >= k >= 1.
[[nodiscard]] MAXMARGIN_EXPORT ClusterSizes balanced_sizes(std::size_t n,
                                                           std::size_t k,
                                                           std::optional<double> balance);

}  // namespace maxmargin
