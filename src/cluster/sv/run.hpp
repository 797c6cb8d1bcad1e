// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/sv/labelling.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"

namespace maxmargin::sv_clustering {

/// Throws InvalidArgument unless these options can be used on this data.
void require_fit(const Dataset& data, const SvClusteringOptions& options);

/// A clustering whose model has no members yet.
struct Run {
  SvClustering clustering = {};
  /// The distinct rows inside, ascending: what becomes the members.
  std::vector<std::size_t> members = {};
};

/// What a run does with its time when the caller has stopped it.
enum class WhenStopped {
  answer,  ///< finds the clusters of a sample, see label_by_sample
  give_up  ///< all labels stay -1: somebody has a better answer
};

/// One width: sphere, contour and labels. Requires require_fit.
[[nodiscard]] Run run_without_members(const Dataset& data,
                                      const SvClusteringOptions& options,
                                      WhenStopped when_stopped,
                                      GraphCache& graphs);

/// Puts the members into the model.
[[nodiscard]] SvClustering with_members(const Dataset& data, Run run);

}  // namespace maxmargin::sv_clustering
