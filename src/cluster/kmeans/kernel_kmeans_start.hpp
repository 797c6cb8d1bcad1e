// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/kmeans/kernel_partition.hpp"
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin::kernel_kmeans {

/// Up to `limit` points of positive weight that lie apart in feature space, each next one the
/// farthest from those before it. Fewer: there are no more.
[[nodiscard]] std::vector<std::size_t> points_apart(const Problem& problem, std::size_t limit);

/// kernel-kmeans.md step 1: labels to begin with. `apart` are k points that lie apart.
[[nodiscard]] std::vector<std::int32_t> first_labels(const Problem& problem,
                                                     KernelKmeansStart start,
                                                     std::span<const std::size_t> apart,
                                                     Rng& rng);

/// One pass of the sequential rule from means at `seeds` over the other points in `order`.
[[nodiscard]] std::vector<std::int32_t> sequential_pass(const Problem& problem,
                                                        std::span<const std::size_t> seeds,
                                                        std::span<const std::size_t> order);

}  // namespace maxmargin::kernel_kmeans
