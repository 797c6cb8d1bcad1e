// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/io/run_report.hpp"
#include "maxmargin/learner/data.hpp"

namespace maxmargin::learning {

/// Adds the measures that compare clusters with the labels the data carries (none without labels):
/// misassignment, majority_error, purity, ari, nmi; where labels were hidden also
/// transductive_error.
void add_label_measures(const TableData& data,
                        std::span<const std::int32_t> clusters,
                        RunReport& report);

/// Number of clusters that have a point, and of points that have no cluster.
struct ClusterCounts {
  std::size_t clusters = 0;
  std::size_t outliers = 0;
};
[[nodiscard]] ClusterCounts count_clusters(std::span<const std::int32_t> labels);

}  // namespace maxmargin::learning
