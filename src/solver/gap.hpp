// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "maxmargin/core/report.hpp"

/// How far the two objectives of a point are apart, as stopping rules ask it.
namespace maxmargin {

/// |relative gap|. No dual is above its primal but by rounding, and a point whose rounding is that
/// large is no better than one as far below: candidates are ordered by this.
[[nodiscard]] inline double gap_size(double primal, double dual) noexcept {
  return std::abs(relative_gap(primal, dual));
}

/// Whether the objectives agree as far as asked for; never when one is not a number.
[[nodiscard]] inline bool is_within(double primal, double dual, double tolerance) noexcept {
  return gap_size(primal, dual) <= tolerance;
}

}  // namespace maxmargin
