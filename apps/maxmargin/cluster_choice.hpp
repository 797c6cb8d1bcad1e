// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arguments.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/run_report.hpp"
#include "registry.hpp"

/// -k auto: docs/algorithms/choosing-k.md.
namespace maxmargin::tool {

struct ChosenClusters {
  /// Of the chosen k; its report has the warnings, the status and the seconds of the choosing too.
  ClusterAnswer answer = {};
  /// The arguments with that k in place of `auto`.
  Arguments arguments = {};
  /// What was tried, one row a k: k, stability with its error and median, silhouette, gap,
  /// gap_error, what the method reports of its own (bic, eigengap), chosen.
  std::vector<ReportFields> table = {};
};

/// Tries k = 2, ..., 10; a k that the method refuses is left out, with a warning. Throws UsageError
/// for a precomputed kernel and when the data has fewer than two different points, and the method's
/// InvalidArgument when it refuses every k.
[[nodiscard]] ChosenClusters choose_and_run(const ClusterMethod& method,
                                            const Dataset& data,
                                            const Arguments& arguments);

}  // namespace maxmargin::tool
