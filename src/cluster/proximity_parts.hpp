// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/sv_neighbours.hpp"
#include "cluster/union_find.hpp"
#include "maxmargin/cluster/proximity_graph.hpp"
#include "maxmargin/data/examples.hpp"

/// What the proximity graphs share.
namespace maxmargin::svc {

using Edge = ProximityEdge;

/// Puts edges into their order and drops repetitions.
void order_edges(std::vector<Edge>& edges);

/// The shortest edges that join what is apart into one piece, found as Boruvka does: in every round
/// each piece takes the shortest edge that leaves it. `lists` are the nearest others of each point;
/// the rest is looked at only where a list has no row of another piece and could matter.
[[nodiscard]] std::vector<Edge> spanning_links(const Examples& points,
                                               const NeighbourLists& lists,
                                               UnionFind pieces,
                                               std::size_t threads);

}  // namespace maxmargin::svc
