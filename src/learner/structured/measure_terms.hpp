// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace maxmargin::learning {

/// Options of a learner that say what one of its measures on folds measures: its K, which rows are
/// relevant. At two values of them it is two measures. Empty: there are none.
[[nodiscard]] std::span<const std::string_view> measure_terms(std::string_view learner,
                                                              std::string_view measure);

}  // namespace maxmargin::learning
