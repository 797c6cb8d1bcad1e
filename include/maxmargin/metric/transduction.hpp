// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "maxmargin/core/export.hpp"

namespace maxmargin {

/// Share of wrong predictions among the rows the learner saw without a label: `given` is -1 there,
/// and the class elsewhere. Rows without a known truth (-1) are left out; a prediction of -1 is
/// wrong. NaN when no such row exists. Throws InvalidArgument for lengths that differ or a number
/// below -1.
[[nodiscard]] MAXMARGIN_EXPORT double transductive_error(std::span<const std::int32_t> truth,
                                                         std::span<const std::int32_t> predicted,
                                                         std::span<const std::int32_t> given);

}  // namespace maxmargin
