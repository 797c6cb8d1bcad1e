// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace maxmargin {

inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// numerator / denominator, NaN for a zero denominator: the module's rule for "undefined".
inline double ratio(double numerator, double denominator) noexcept {
  return denominator == 0 ? undefined : numerator / denominator;
}

}  // namespace maxmargin
