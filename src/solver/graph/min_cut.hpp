// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/solver/graph/similarity_graph.hpp"

namespace maxmargin {

/// A cut of a graph into two sides.
struct MinCut {
  /// 0 or 1 for every point; both occur.
  std::vector<std::int32_t> sides = {};
  /// Sum of S over pairs on different sides.
  double cut = 0;
  /// `solved`: no cut is smaller, up to rounding of 4 n epsilon relative. Otherwise the callback
  /// ended the search, and this is the smallest cut seen.
  Status status = Status::solved;
};

/// The global minimum cut by Stoer and Wagner's method: n-1 phases, each orders the points by how
/// tightly they hang on those before, which makes the last point's degree a minimum cut between the
/// last two; then those two are merged. Exact, O(n^3) time (about n^3/3 additions) and 8 n^2 bytes.
/// Small minimum cuts often part one point from all others; ratio and normalised cuts do not.
/// Throws InvalidArgument for fewer than two points. Ties go to the first cut found.
[[nodiscard]] MinCut min_cut(const SimilarityGraph& graph,
                             const ProgressCallback& on_progress = {});

}  // namespace maxmargin
