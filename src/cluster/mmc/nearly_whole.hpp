// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

namespace maxmargin::detail {

/// A number of points that is whole but for rounding, as the whole number.
inline double nearly_whole(double x) {
  const double rounded = std::round(x);
  return std::abs(x - rounded) <= 1e-9 * std::max(1.0, std::abs(x)) ? rounded : x;
}

}  // namespace maxmargin::detail
