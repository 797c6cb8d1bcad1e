// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/examples.hpp"

/// Graphs that join near points (Euclidean distance), as lists of edges: the shortest first, then
/// by their ends. They hold no n x n array. docs/algorithms/sv-clustering.md, step 3.
namespace maxmargin {

/// Two rows, a < b.
struct ProximityEdge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double squared_length = 0;
};

/// Which pairs of points a method looks at.
enum class ProximityGraph {
  complete,  ///< all pairs
  /// Each point and its nearest neighbours; pieces of that graph are linked by shortest edges.
  knn,
  mst,       ///< the minimum spanning tree
  delaunay,  ///< the edges of the Delaunay triangulation; two features only
  /// All pairs of support vectors on the sphere; other points join the nearest one they see.
  support_vectors
};

template <>
inline constexpr auto names_of<ProximityGraph> =
    name_table<ProximityGraph>({{"complete", ProximityGraph::complete},
                                {"knn", ProximityGraph::knn},
                                {"mst", ProximityGraph::mst},
                                {"delaunay", ProximityGraph::delaunay},
                                {"support-vectors", ProximityGraph::support_vectors}});

/// Each point and its min(k, n - 1) nearest others (ties to the lowest row), with the shortest
/// edges that join the pieces of that graph: it is connected. O(n^2 d) time. Requires k >= 1;
/// throws InvalidArgument for it, for entries that are not finite and for squared distances that
/// overflow, as do the others.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ProximityEdge> neighbour_graph(
    const Examples& points, std::size_t k, std::optional<std::size_t> threads = std::nullopt);

/// The minimum spanning tree: n - 1 edges. Among trees of equal length the one that prefers edges
/// with lower rows. O(n^2 d) time and a few passes more where points lie in far clusters.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ProximityEdge> minimum_spanning_tree(
    const Examples& points, std::optional<std::size_t> threads = std::nullopt);

/// The edges of a Delaunay triangulation in the plane. Which side of a line a point lies on is
/// decided exactly; a point counts as inside a circle only when rounding cannot have put it there,
/// so of four points on one circle either diagonal may be drawn. Points on one line are joined one
/// after the other, equal points to the first of them. About O(n^1.5) time for points in general
/// position. Coordinates below 2^-400 of the largest count as 0. Throws InvalidArgument for other
/// than two features.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<ProximityEdge> delaunay_graph(const Examples& points);

}  // namespace maxmargin
