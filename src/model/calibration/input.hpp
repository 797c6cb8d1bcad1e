// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace maxmargin {

/// Weight of the examples of each sign.
struct SideWeights {
  double positive = 0;
  double negative = 0;
};

/// Checks what a curve is fitted to; throws InvalidArgument.
[[nodiscard]] SideWeights check_scores(std::span<const double> scores,
                                       std::span<const std::int8_t> signs,
                                       std::span<const double> weights);

}  // namespace maxmargin
