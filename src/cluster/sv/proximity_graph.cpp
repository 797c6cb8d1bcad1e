// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, step 3
#include "cluster/sv/proximity_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

namespace sv_clustering {

namespace {

Edge edge_between(std::size_t i, std::size_t j, double squared_length) {
  return {static_cast<std::uint32_t>(std::min(i, j)),
          static_cast<std::uint32_t>(std::max(i, j)),
          squared_length};
}

/// The order of edges is total, so that shortest edges never close a circle.
bool before(const Edge& x, const Edge& y) {
  return std::tie(x.squared_length, x.a, x.b) < std::tie(y.squared_length, y.a, y.b);
}

constexpr Edge no_edge = {0, 0, std::numeric_limits<double>::infinity()};

/// The shortest edge out of each piece that the lists know.
std::vector<Edge> shortest_listed(const NeighbourLists& lists,
                                  const std::vector<std::int32_t>& piece,
                                  std::size_t pieces,
                                  std::vector<std::size_t>& without) {
  std::vector<Edge> best(pieces, no_edge);
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const auto list = lists.of(i);
    const auto found = std::ranges::find_if(
        list, [&](const Neighbour& entry) { return piece[entry.row] != piece[i]; });
    if (found == list.end()) {
      without.push_back(i);
      continue;
    }
    Edge& own = best[static_cast<std::size_t>(piece[i])];
    own = std::min(own, edge_between(i, found->row, found->squared_distance), before);
  }
  return best;
}

/// Points whose lists end within their own piece may still have the shortest edge out of it, but
/// only when the list ends below the best one so far.
void look_beyond_lists(const Examples& points,
                       const NeighbourLists& lists,
                       const std::vector<std::int32_t>& piece,
                       const std::vector<std::size_t>& without,
                       std::size_t threads,
                       Watch& watch,
                       std::vector<Edge>& best) {
  // The largest piece takes none: all others do, and one of theirs leads to it sooner or later.
  std::vector<std::size_t> sizes(best.size(), 0);
  for (const std::int32_t p : piece) ++sizes[static_cast<std::size_t>(p)];
  const auto largest = static_cast<std::int32_t>(std::ranges::max_element(sizes) - sizes.begin());
  best[static_cast<std::size_t>(largest)] = no_edge;
  std::vector<std::size_t> rows;
  for (const std::size_t i : without) {
    if (piece[i] == largest) continue;
    const double reach = lists.k > 0 ? lists.of(i).back().squared_distance : 0.0;
    if (reach <= best[static_cast<std::size_t>(piece[i])].squared_length) rows.push_back(i);
  }
  const std::vector<Neighbour> found = nearest_foreign(points, rows, piece, threads, watch);
  if (watch.stopped()) return;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    Edge& own = best[static_cast<std::size_t>(piece[rows[q]])];
    own = std::min(own, edge_between(rows[q], found[q].row, found[q].squared_distance), before);
  }
}

}  // namespace

void order_edges(std::vector<Edge>& edges) {
  std::ranges::sort(edges, before);
  const auto equal = [](const Edge& x, const Edge& y) { return x.a == y.a && x.b == y.b; };
  edges.erase(std::unique(edges.begin(), edges.end(), equal), edges.end());
}

std::vector<Edge> spanning_links(const Examples& points,
                                 const NeighbourLists& lists,
                                 UnionFind pieces,
                                 std::size_t threads,
                                 Watch& watch) {
  std::vector<Edge> links;
  while (pieces.sets() > 1) {
    const std::vector<std::int32_t> piece = pieces.numbers();
    std::vector<std::size_t> without;
    std::vector<Edge> best = shortest_listed(lists, piece, pieces.sets(), without);
    look_beyond_lists(points, lists, piece, without, threads, watch, best);
    if (!watch.goes_on("graph", points.rows() + links.size())) return links;
    for (const Edge& edge : best) {
      if (!std::isfinite(edge.squared_length)) continue;  // the largest piece
      if (pieces.unite(edge.a, edge.b)) links.push_back(edge);
    }
  }
  return links;
}

std::vector<Edge> neighbour_edges(const Examples& points,
                                  std::size_t k,
                                  std::size_t threads,
                                  Watch& watch) {
  const NeighbourLists lists = nearest_others(points, k, threads, watch);
  if (watch.stopped()) return {};
  UnionFind pieces(points.rows());
  std::vector<Edge> edges;
  edges.reserve(lists.entries.size());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (const Neighbour& entry : lists.of(i)) {
      edges.push_back(edge_between(i, entry.row, entry.squared_distance));
      pieces.unite(i, entry.row);
    }
  }
  for (const Edge& link : spanning_links(points, lists, std::move(pieces), threads, watch)) {
    edges.push_back(link);
  }
  order_edges(edges);
  return edges;
}

std::vector<Edge> tree_edges(const Examples& points, std::size_t threads, Watch& watch) {
  // Short lists answer most of the early rounds.
  constexpr std::size_t listed = 10;
  const NeighbourLists lists = nearest_others(points, listed, threads, watch);
  if (watch.stopped()) return {};
  std::vector<Edge> edges = spanning_links(points, lists, UnionFind(points.rows()), threads, watch);
  order_edges(edges);
  return edges;
}

}  // namespace sv_clustering

std::vector<ProximityEdge> neighbour_graph(const Examples& points,
                                           std::size_t k,
                                           std::optional<std::size_t> threads) {
  require_field(k >= 1, "k", static_cast<double>(k), ">= 1");
  check_domain(Linear{}, points);
  sv_clustering::Watch unwatched;
  return sv_clustering::neighbour_edges(points, k, thread_count(threads), unwatched);
}

std::vector<ProximityEdge> minimum_spanning_tree(const Examples& points,
                                                 std::optional<std::size_t> threads) {
  check_domain(Linear{}, points);
  sv_clustering::Watch unwatched;
  return sv_clustering::tree_edges(points, thread_count(threads), unwatched);
}

}  // namespace maxmargin
