// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/core/export.hpp"

/// Metrics of real targets. A NaN target is an unlabelled row and left out; predictions must be
/// numbers. Lengths that differ, or a weight that is negative or not finite, throw InvalidArgument.
/// NaN means undefined. Means are computed first and deviations from them after, so a large common
/// offset costs no digits.
namespace maxmargin {

/// Mean of (target - prediction)^2; NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double mean_squared_error(std::span<const double> target,
                                                         std::span<const double> prediction,
                                                         std::span<const double> weights = {});
/// Mean of |target - prediction|; NaN without rows.
[[nodiscard]] MAXMARGIN_EXPORT double mean_absolute_error(std::span<const double> target,
                                                          std::span<const double> prediction,
                                                          std::span<const double> weights = {});
/// 1 - (sum of squared errors) / (sum of squares around the targets' mean): 1 is perfect, 0 is as
/// good as the constant mean, and it may be negative. NaN when all targets are equal.
[[nodiscard]] MAXMARGIN_EXPORT double r_squared(std::span<const double> target,
                                                std::span<const double> prediction,
                                                std::span<const double> weights = {});
/// Square of Pearson's correlation, in [0, 1]: blind to a shift and a scaling of the predictions,
/// even to a wrong sign. NaN when either side is constant.
[[nodiscard]] MAXMARGIN_EXPORT double squared_correlation(std::span<const double> target,
                                                          std::span<const double> prediction,
                                                          std::span<const double> weights = {});

}  // namespace maxmargin
