// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Similarity graphs for tests, and the plain definitions of what is cut.
namespace maxmargin {

/// Exponential weights, a share of them 0.
inline DenseMatrix random_similarities(std::size_t n, std::uint64_t seed, double missing = 0) {
  Rng rng(seed, "similarities");
  DenseMatrix s(n, n);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < u; ++v) {
      s(u, v) = s(v, u) = rng.uniform() < missing ? 0.0 : rng.exponential();
    }
  }
  return s;
}

/// Every partition into exactly k clusters once: restricted growth strings.
inline void for_each_partition(std::size_t n,
                               std::size_t k,
                               const std::function<void(const std::vector<std::int32_t>&)>& visit) {
  std::vector<std::int32_t> labels(n, 0);
  const std::function<void(std::size_t, std::int32_t)> extend = [&](std::size_t at,
                                                                    std::int32_t used) {
    if (at == n) {
      if (static_cast<std::size_t>(used) == k) visit(labels);
      return;
    }
    for (std::int32_t c = 0; c <= std::min(used, static_cast<std::int32_t>(k) - 1); ++c) {
      labels[at] = c;
      extend(at + 1, std::max(used, c + 1));
    }
  };
  extend(0, 0);
}

}  // namespace maxmargin
