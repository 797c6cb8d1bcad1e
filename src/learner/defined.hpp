// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

namespace maxmargin::learning {

/// A measure as reports show it: empty for what is not defined (NaN).
[[nodiscard]] inline std::optional<double> defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace maxmargin::learning
