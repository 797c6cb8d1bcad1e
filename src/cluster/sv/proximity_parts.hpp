// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/sv/neighbours.hpp"
#include "cluster/sv/watch.hpp"
#include "cluster/union_find.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/data/examples.hpp"

/// What the proximity graphs share.
namespace maxmargin::sv_clustering {

using Edge = ProximityEdge;

/// Puts edges into their order and drops repetitions.
void order_edges(std::vector<Edge>& edges);

/// The shortest edges that join what is apart into one piece, found as Boruvka does: in every round
/// each piece takes the shortest edge that leaves it. `lists` are the nearest others of each point;
/// the rest is looked at only where a list has no row of another piece and could matter. The caller
/// is asked in every round.
[[nodiscard]] std::vector<Edge> spanning_links(const Examples& points,
                                               const NeighbourLists& lists,
                                               UnionFind pieces,
                                               std::size_t threads,
                                               Watch& watch);

/// neighbour_graph and minimum_spanning_tree for callers that may be stopped.
[[nodiscard]] std::vector<Edge> neighbour_edges(const Examples& points,
                                                std::size_t k,
                                                std::size_t threads,
                                                Watch& watch);
[[nodiscard]] std::vector<Edge> tree_edges(const Examples& points,
                                           std::size_t threads,
                                           Watch& watch);

}  // namespace maxmargin::sv_clustering
