// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

/// 1 / sqrt(K(x, x)), or 0 for 0. Throws InvalidArgument for a negative or infinite value or NaN.
[[nodiscard]] inline double normalising_factor(double self_value) {
  require_field(self_value >= 0 && std::isfinite(self_value),
                "normalised kernel: K(x, x)",
                self_value,
                "finite and >= 0");
  return self_value == 0 ? 0.0 : 1.0 / std::sqrt(self_value);
}

}  // namespace maxmargin
