// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/sv/contour.hpp"
#include "cluster/sv/proximity_parts.hpp"
#include "cluster/sv/watch.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"

namespace maxmargin::sv_clustering {

/// Rows of which no two are equal.
struct DistinctRows {
  /// The first of each set of equal rows, ascending.
  std::vector<std::size_t> first = {};
  /// For every row that was given its place in `first`.
  std::vector<std::size_t> place = {};
};
[[nodiscard]] DistinctRows distinct_rows(const Examples& examples,
                                         std::span<const std::size_t> rows);

/// The graphs of the last set of rows asked about: widths that leave the same rows inside share it.
class GraphCache {
 public:
  /// The edges of the graph (of knn for the graphs that have all pairs) on the given rows of one
  /// fixed set of examples; `points` are these rows. Unfinished edges are not kept.
  const std::vector<Edge>& edges(const std::vector<std::size_t>& rows,
                                 const Examples& points,
                                 const SvClusteringOptions& options,
                                 Watch& watch);

 private:
  bool filled_ = false;
  std::vector<std::size_t> rows_ = {};
  std::vector<Edge> edges_ = {};
};

/// Pieces of the contour as far as the graph shows them.
struct Labelling {
  /// Piece of every point, from 0; none is empty.
  std::vector<std::int32_t> piece = {};
  std::size_t segments = 0;
  std::size_t segments_inside = 0;
};

/// sv-clustering.md step 4, over distinct points inside the contour. `rows` are their numbers in
/// the data (for the cache), `on_sphere` says which of them are support vectors. Nothing when it
/// was stopped too early; the complete graph answers once its shortest edges are through.
[[nodiscard]] std::optional<Labelling> label_points(const Contour& contour,
                                                    const Examples& points,
                                                    const std::vector<std::size_t>& rows,
                                                    const std::vector<char>& on_sphere,
                                                    const SvClusteringOptions& options,
                                                    GraphCache& graphs,
                                                    Watch& watch);

/// Points that stand for all after a stop.
inline constexpr std::size_t sample_points = 512;

/// The answer of a run that was stopped: the pieces of the neighbour graph of at most sample_points
/// points, taken at equal steps; every other point goes with the nearest of them. O(n d).
[[nodiscard]] Labelling label_by_sample(const Contour& contour,
                                        const Examples& points,
                                        const SvClusteringOptions& options);

/// Points that were looked for along segments.
struct Sight {
  /// For every query the point it goes with.
  std::vector<std::size_t> point = {};
  std::size_t segments = 0;
  std::size_t segments_inside = 0;
};

/// For every query inside the contour one of the points: one that it is equal to, else the first of
/// its k nearest that it sees along a segment inside, else the nearest.
[[nodiscard]] Sight nearest_in_sight(const Contour& contour,
                                     const Examples& queries,
                                     const Examples& points,
                                     std::size_t k,
                                     std::size_t threads,
                                     Watch& watch);

}  // namespace maxmargin::sv_clustering
