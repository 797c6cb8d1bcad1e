// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/data/dataset.hpp"

/// Two-class maximum-margin clustering of very many points by cutting planes, linear machines:
/// docs/algorithms/mmc-cutting-plane.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT MmcCuttingPlaneOptions {
  /// Number of clusters; must be 2.
  std::size_t k = 2;
  /// Finite and > 0.
  double c = 100;
  /// F in [0, 1): |mean of the scores| <= F while searching, and sizes as balanced_sizes has them
  /// in the end. Unset: any sizes but 0.
  std::optional<double> balance = 0.1;
  MmcBias bias = MmcBias::center;
  /// Relative gap of the last convex steps and of the machine on the final labels; in (0, 1).
  double tolerance = 1e-3;
  /// Directions to start from; at least 1.
  std::size_t restarts = 10;
  /// Convex steps from each; at least 1.
  std::size_t max_iterations = 50;
  /// Callback: asked within all steps but the first.
  Context context = {};

  void describe(OptionVisitor& visit);
};

struct MmcCuttingPlaneClustering {
  std::vector<std::int32_t> labels = {};
  std::vector<std::size_t> sizes = {};
  /// The machine on the labels returned.
  MmcModel model = {};
  /// 1/2 |w|^2 + C sum of hinges of the machine on these labels: the objective of cluster_mmc.
  double objective = 0;
  /// No machine on these labels has a smaller objective.
  double training_bound = 0;
  /// 1/2 |w|^2 + C sum_i max(0, 1 - |s_i|) of the search, before sizes were repaired, after every
  /// convex step of the best run: it never rises.
  std::vector<double> trace = {};
  /// The largest relative gap of the last convex step, proved by its dual.
  double step_gap = 0;
  std::uint64_t cuts = 0;
  std::size_t starts = 0;
  std::string winner = {};
  /// primal_objective is `objective`, lower_bound 0; iterations are convex steps in all. Status
  /// `solved`: signs stay, and the last convex step and the training reached their gaps.
  SolveReport report = {};
};

/// Clusters the examples, dense or sparse; labels are not looked at. Memory grows with the number
/// of entries. The same for any number of threads. Throws InvalidArgument for weights and for fewer
/// than two distinct points.
[[nodiscard]] MAXMARGIN_EXPORT MmcCuttingPlaneClustering
cluster_mmc_cutting_plane(const Dataset& data, const MmcCuttingPlaneOptions& options = {});

}  // namespace maxmargin
