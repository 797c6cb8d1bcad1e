// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// Fisher's ratio (m1 - m0)^2 / (v1 + v0) of real projections of two classes, with m the mean and v
/// the variance (divisor: the number of points) of each. Invariant under scaling and shifting of
/// the projections; larger is better separated; +inf when both classes are single, different
/// values. `truth` holds 0, 1 or -1 (left out). NaN unless both classes occur, or when all
/// projections are equal.
[[nodiscard]] MAXMARGIN_EXPORT double fisher_ratio(std::span<const double> projections,
                                                   std::span<const std::int32_t> truth);

}  // namespace maxmargin
