// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/cluster/hierarchical/hierarchical.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Private parts of hierarchical clustering (docs/algorithms/hierarchical.md).
namespace maxmargin::hierarchical {

/// Asked with the number of merges known; anything but `yes` ends the work.
using AskMerges = std::function<Continue(std::size_t)>;

inline constexpr std::size_t merges_between_questions = 256;

/// Two clusters, each named by one of its points.
struct Link {
  std::size_t a = 0;
  std::size_t b = 0;
  double height = 0;
};

/// hierarchical.md step 3: the links in order of height, with clusters named by the merge that made
/// them.
[[nodiscard]] Dendrogram tree_of(std::size_t n, std::vector<Link> links);

/// hierarchical.md, "When the work is stopped": a tree of the links found so far and of guesses in
/// place of the others, meant for a cut at k clusters. `between` is the distance of two points.
[[nodiscard]] Dendrogram tree_of_some(
    std::size_t n,
    std::vector<Link> links,
    std::size_t k,
    const std::function<double(std::size_t, std::size_t)>& between);

/// All n - 1 links of a tree in any order, or some of them and the answer that ended the work.
struct FoundLinks {
  std::vector<Link> links = {};
  Continue answer = Continue::yes;
};

/// Distances of point i to all points, written to the span.
using DistanceRow = std::function<void(std::size_t, std::span<double>)>;

/// Single linkage by a minimum spanning tree (Prim), one row of distances at a time.
[[nodiscard]] FoundLinks spanning_tree(std::size_t n, const DistanceRow& row, const AskMerges& ask);

/// The other linkages by chains of nearest neighbours. Uses up the distances. Requires one weight
/// > 0 a point.
[[nodiscard]] FoundLinks neighbour_chain(DenseMatrix distances,
                                         Linkage linkage,
                                         std::vector<double> weights,
                                         const AskMerges& ask);

/// Ward's linkage on points, one a row, by chains that look at the means themselves: O(n d) memory.
/// Requires one weight > 0 a point.
[[nodiscard]] FoundLinks ward_chain(const DenseMatrix& points,
                                    std::vector<double> weights,
                                    const AskMerges& ask);

}  // namespace maxmargin::hierarchical
