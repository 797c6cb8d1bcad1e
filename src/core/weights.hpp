// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace maxmargin {

/// The weight of row i: 1 without weights.
[[nodiscard]] inline double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1.0 : weights[i];
}

}  // namespace maxmargin
