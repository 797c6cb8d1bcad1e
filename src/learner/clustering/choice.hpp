// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "learner/clustering/clustering.hpp"

/// k = auto: docs/algorithms/choosing-k.md.
namespace maxmargin::learning {

struct ChosenClusters {
  /// Of the chosen k; its report has the warnings, the status and the seconds of the choosing too.
  Clustering found = {};
  /// The method's options with that k.
  OptionTexts own = {};
  /// What was tried, one row a k: k, stability with its error and median, silhouette, gap,
  /// gap_error, what the method reports of its own (bic, eigengap), chosen.
  std::vector<ReportFields> table = {};
};

/// Tries k = 2, ..., 10; a k that the method refuses is left out, with a warning. `own` has no k.
/// Throws InvalidArgument when the data has fewer than two different points, and what the method
/// throws when it refuses every k.
[[nodiscard]] ChosenClusters choose_and_run(const ClusterLearner& method,
                                            const Dataset& rows,
                                            const OptionTexts& own,
                                            const Context& context);

}  // namespace maxmargin::learning
