// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "learner/clustering/clustering.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/eval/stability.hpp"

/// Runs of a method on parts of the data, side by side.
namespace maxmargin::learning {

/// The method as a function of the data, with everything else fixed. A width that was found by a
/// rule on all data is `kernel`'s from here on. A run that was stopped has no labels. The callback
/// of `context` (shared_by_threads of core/parts_of_run.hpp) is asked whether to continue, with an
/// empty phase: such runs have no progress of their own to show.
[[nodiscard]] ClusterFunction cluster_function(const ClusterLearner& method,
                                               const OptionTexts& own,
                                               const std::optional<Kernel>& kernel,
                                               const Context& context);

}  // namespace maxmargin::learning
