// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/solver/graph/similarity_graph.hpp"

namespace maxmargin {

/// What refine_normalized_cut made of a partition. Clusters keep their numbers.
struct CutRefinement {
  std::vector<std::int32_t> clusters = {};
  std::size_t moves = 0;
  /// Passes over the points, the last of them without a move unless the limit was reached.
  std::size_t passes = 0;
  /// `solved`, or how `on_progress` ended it; the partition holds the moves so far.
  Status status = Status::solved;
};

/// Moves single points between clusters, in the order of the points, each to where the normalised
/// cut falls most (by at least 1e-12), until no such move is left or `max_passes` are done. No
/// cluster loses its last point, and the normalised cut never rises. One pass costs one product of
/// the graph with k vectors and O(n) for each move; `on_progress` is asked before it. `clusters`
/// are 0, ..., k-1, none empty; throws InvalidArgument otherwise.
[[nodiscard]] CutRefinement refine_normalized_cut(const SimilarityGraph& graph,
                                                  std::vector<std::int32_t> clusters,
                                                  std::size_t k,
                                                  std::size_t max_passes,
                                                  std::optional<std::size_t> threads = std::nullopt,
                                                  const ProgressCallback& on_progress = {});

}  // namespace maxmargin
