// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// The best clustering of a few points into exactly k groups, with its sum of squares. Clusters
/// are numbered by first member.
struct ExhaustiveKmeans {
  std::vector<std::int32_t> labels = {};
  double inertia = 0;
};

/// Tries every partition (restricted growth strings), cutting off those whose finished part costs
/// more than the best so far: the twin that solve_kmeans is tested against. The first of equal
/// partitions wins. Throws InvalidArgument unless 1 <= k <= rows <= 12, all values are finite and
/// their squared distances do not overflow.
[[nodiscard]] ExhaustiveKmeans solve_kmeans_exhaustive(DenseView points, std::size_t k);

}  // namespace maxmargin
