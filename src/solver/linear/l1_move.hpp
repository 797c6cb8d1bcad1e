// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

/// One weight of |w| + loss(w), given the slope and curvature of the loss.
namespace maxmargin::linear {

/// How far 0 is from the subdifferential.
[[nodiscard]] inline double l1_violation(double w, double slope) {
  if (w == 0) return std::max({-(slope + 1), slope - 1, 0.0});
  return std::abs(slope + (w > 0 ? 1 : -1));
}

/// The move to the least point of |w + move| + slope move + curvature/2 move^2. A weight without
/// curvature (no row with a slack has the feature) can only go to 0.
[[nodiscard]] inline double l1_move(double w, double slope, double curvature) {
  constexpr double least_curvature = 1e-12;
  curvature = std::max(curvature, least_curvature);
  const double up = slope + 1;
  const double down = slope - 1;
  if (up < curvature * w) return -up / curvature;
  if (down > curvature * w) return -down / curvature;
  return -w;
}

}  // namespace maxmargin::linear
