// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "maxmargin/core/require.hpp"

namespace maxmargin::spectral {

/// Throws InvalidArgument ("the similarity of points 3 and 5 = -1, ...") when a kernel value is no
/// similarity; `points` says which they are. Called for every pair: words are made only for one
/// that fails.
inline void require_similarity(double value,
                               std::string_view points,
                               std::size_t u,
                               std::size_t v) {
  if (value >= 0 && std::isfinite(value)) return;
  require_field(false,
                "the similarity of " + std::string(points) + " " + std::to_string(u) + " and " +
                    std::to_string(v),
                value,
                "finite and >= 0 (a graph cut)");
}

}  // namespace maxmargin::spectral
