// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/eval/grid_search.hpp"

/// Trainings side by side: those behind a cross-validation, a search or a calibration.
namespace maxmargin::learning {

/// How many may run at once, each with its share of the memory.
[[nodiscard]] std::size_t threads_for_parts(const Context& context);
/// The context of one of so many: its share of the memory; it asks `progress`, with nothing to show
/// of its own.
[[nodiscard]] Context context_of_part(Context context,
                                      std::size_t parts,
                                      const ProgressCallback& progress);

/// The options with the values of a point behind them.
[[nodiscard]] OptionTexts at_point(OptionTexts options, const GridPoint& point);

}  // namespace maxmargin::learning
