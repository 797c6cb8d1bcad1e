// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, steps 3 and 4
#include "cluster/sv/labelling.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cluster/union_find.hpp"
#include "core/parallel.hpp"

namespace maxmargin::sv_clustering {

namespace {

/// Segments looked at together: enough to keep all cores busy, few enough that what one batch joins
/// saves work in the next.
constexpr std::size_t most_segments = 2048;
/// A round of fewer promising segments is filled up with others.
constexpr std::size_t least_segments = 256;
/// Queries placed together.
constexpr std::size_t query_batch = 2048;

/// < 0, 0 or > 0: the first column where the rows, of the same form, differ decides.
int compare_rows(const Row& x, const Row& z) {
  if (x.is_dense()) {
    const auto [a, b] = std::ranges::mismatch(x.dense(), z.dense());
    return a == x.dense().end() ? 0 : (*a < *b ? -1 : 1);
  }
  const SparseRow p = x.sparse();
  const SparseRow q = z.sparse();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < p.columns.size() || j < q.columns.size()) {
    const bool takes_p =
        j == q.columns.size() || (i < p.columns.size() && p.columns[i] <= q.columns[j]);
    const bool takes_q =
        i == p.columns.size() || (j < q.columns.size() && q.columns[j] <= p.columns[i]);
    const double a = takes_p ? p.values[i++] : 0.0;
    const double b = takes_q ? q.values[j++] : 0.0;
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}

/// Joins what segments inside the contour connect.
class Joiner {
 public:
  Joiner(const Contour& contour, const Examples& points, Watch& watch)
      : contour_(contour), points_(points), watch_(watch), joined_(points.rows()) {}

  /// Along the edges, the shortest first. A round takes a forest of the edges between what is still
  /// apart: if all of them hold, none was looked at in vain. What closed a circle waits for the
  /// next round, where most of it has become idle.
  void along(std::vector<Edge> edges) {
    while (!edges.empty() && !watch_.stopped()) {
      UnionFind hoped = joined_;
      std::vector<Edge> batch;
      std::vector<Edge> rest;
      for (const Edge& edge : edges) {
        if (joined_.same(edge.a, edge.b)) continue;
        const bool takes = batch.size() < most_segments && hoped.unite(edge.a, edge.b);
        (takes ? batch : rest).push_back(edge);
      }
      if (batch.size() < least_segments) {
        const std::size_t more = std::min(rest.size(), least_segments - batch.size());
        const auto end = rest.begin() + static_cast<std::ptrdiff_t>(more);
        batch.insert(batch.end(), rest.begin(), end);
        rest.erase(rest.begin(), end);
      }
      look_at(batch);
      edges = std::move(rest);
    }
  }

  /// Along all pairs of `nodes` that are still apart.
  void among(std::span<const std::size_t> nodes) {
    std::vector<Edge> batch;
    for (std::size_t i = 0; i < nodes.size() && !watch_.stopped(); ++i) {
      for (std::size_t j = i + 1; j < nodes.size(); ++j) {
        if (joined_.same(nodes[i], nodes[j])) continue;
        batch.push_back(
            {static_cast<std::uint32_t>(nodes[i]), static_cast<std::uint32_t>(nodes[j]), 0.0});
        if (batch.size() < most_segments) continue;
        look_at(batch);
        batch.clear();
      }
    }
    look_at(batch);
  }

  [[nodiscard]] Labelling finish() { return {joined_.numbers(), segments_, segments_inside_}; }

 private:
  void look_at(const std::vector<Edge>& batch) {
    if (batch.empty() || watch_.stopped()) return;
    const std::vector<char> connected = contour_.connects(points_, points_, batch);
    segments_ += batch.size();
    for (std::size_t e = 0; e < batch.size(); ++e) {
      if (connected[e] == 0) continue;
      ++segments_inside_;
      joined_.unite(batch[e].a, batch[e].b);
    }
    watch_.goes_on("labelling", segments_);
  }

  const Contour& contour_;
  const Examples& points_;
  Watch& watch_;
  UnionFind joined_;
  std::size_t segments_ = 0;
  std::size_t segments_inside_ = 0;
};

/// Pieces of the support vectors alone; every other point joins one of them that it sees.
std::optional<Labelling> label_by_support_vectors(const Contour& contour,
                                                  const Examples& points,
                                                  const std::vector<std::size_t>& nodes,
                                                  const SvClusteringOptions& options,
                                                  Watch& watch) {
  const Examples vectors = points.select(nodes);
  std::vector<std::size_t> all(nodes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Joiner joiner(contour, vectors, watch);
  joiner.among(all);
  if (watch.stopped()) return std::nullopt;
  Labelling labelling = joiner.finish();
  const Sight sight = nearest_in_sight(
      contour, points, vectors, options.neighbours, thread_count(options.context.threads), watch);
  if (watch.stopped()) return std::nullopt;
  labelling.segments += sight.segments;
  labelling.segments_inside += sight.segments_inside;
  std::vector<std::int32_t> piece(points.rows());
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = labelling.piece[sight.point[i]];
  labelling.piece = std::move(piece);
  return labelling;
}

}  // namespace

DistinctRows distinct_rows(const Examples& examples, std::span<const std::size_t> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) {
    const int compared = compare_rows(examples.row(rows[i]), examples.row(rows[j]));
    return compared != 0 ? compared < 0 : rows[i] < rows[j];
  });
  // The first of its equals stands for each row.
  std::vector<std::size_t> stands_for(rows.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool repeats =
        k > 0 && compare_rows(examples.row(rows[order[k]]), examples.row(rows[order[k - 1]])) == 0;
    stands_for[order[k]] = repeats ? stands_for[order[k - 1]] : order[k];
  }
  DistinctRows distinct;
  distinct.place.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (stands_for[i] == i) {
      distinct.place[i] = distinct.first.size();
      distinct.first.push_back(rows[i]);
    } else {
      distinct.place[i] = distinct.place[stands_for[i]];
    }
  }
  return distinct;
}

const std::vector<Edge>& GraphCache::edges(const std::vector<std::size_t>& rows,
                                           const Examples& points,
                                           const SvClusteringOptions& options,
                                           Watch& watch) {
  if (filled_ && rows_ == rows) return edges_;
  const std::size_t threads = thread_count(options.context.threads);
  switch (options.graph) {
    case ProximityGraph::mst:
      edges_ = tree_edges(points, threads, watch);
      break;
    case ProximityGraph::delaunay:
      edges_ = delaunay_graph(points);
      break;
    case ProximityGraph::complete:
    case ProximityGraph::knn:
    case ProximityGraph::support_vectors:
      edges_ = neighbour_edges(points, options.neighbours, threads, watch);
      break;
  }
  rows_ = rows;
  filled_ = !watch.stopped();
  return edges_;
}

std::optional<Labelling> label_points(const Contour& contour,
                                      const Examples& points,
                                      const std::vector<std::size_t>& rows,
                                      const std::vector<char>& on_sphere,
                                      const SvClusteringOptions& options,
                                      GraphCache& graphs,
                                      Watch& watch) {
  bool all_pairs = options.graph == ProximityGraph::complete;
  if (options.graph == ProximityGraph::support_vectors) {
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      if (on_sphere[i] != 0) nodes.push_back(i);
    }
    if (!nodes.empty()) return label_by_support_vectors(contour, points, nodes, options, watch);
    all_pairs = true;  // all weight is at its bounds: nothing but the points themselves is left
  }
  Joiner joiner(contour, points, watch);
  const std::vector<Edge>& edges = graphs.edges(rows, points, options, watch);
  const std::size_t n = points.rows();
  joiner.along(edges);
  if (watch.stopped()) return std::nullopt;
  if (all_pairs && edges.size() < n * (n - 1) / 2) {
    std::vector<std::size_t> nodes(n);
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    joiner.among(nodes);
  }
  return joiner.finish();
}

Labelling label_by_sample(const Contour& contour,
                          const Examples& points,
                          const SvClusteringOptions& options) {
  const std::size_t n = points.rows();
  const std::size_t threads = thread_count(options.context.threads);
  std::vector<std::size_t> rows(std::min(n, sample_points));
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = k * n / rows.size();
  const Examples sample = points.select(rows);
  Watch unwatched;
  Joiner joiner(contour, sample, unwatched);
  joiner.along(neighbour_edges(sample, options.neighbours, threads, unwatched));
  Labelling labelling = joiner.finish();
  if (rows.size() == n) return labelling;
  const NeighbourLists nearest = nearest_points(points, sample, 1, threads, unwatched);
  std::vector<std::int32_t> piece(n);
  for (std::size_t i = 0; i < n; ++i) piece[i] = labelling.piece[nearest.of(i).front().row];
  labelling.piece = std::move(piece);
  return labelling;
}

Sight nearest_in_sight(const Contour& contour,
                       const Examples& queries,
                       const Examples& points,
                       std::size_t k,
                       std::size_t threads,
                       Watch& watch) {
  Sight sight{.point = std::vector<std::size_t>(queries.rows(), 0)};
  for (std::size_t begin = 0; begin < queries.rows(); begin += query_batch) {
    std::vector<std::size_t> waiting(std::min(query_batch, queries.rows() - begin));
    std::iota(waiting.begin(), waiting.end(), begin);
    const Examples batch = queries.select(waiting);
    const NeighbourLists lists = nearest_points(batch, points, k, threads, watch);
    if (watch.stopped()) return sight;
    for (const std::size_t q : waiting) sight.point[q] = lists.of(q - begin).front().row;
    // A query sees the point that it is equal to, whatever rounding says of the level there.
    std::erase_if(waiting,
                  [&](std::size_t q) { return lists.of(q - begin).front().squared_distance == 0; });
    for (std::size_t rank = 0; rank < lists.k && !waiting.empty(); ++rank) {
      std::vector<Edge> edges;
      edges.reserve(waiting.size());
      for (const std::size_t q : waiting) {
        const Neighbour& next = lists.of(q - begin)[rank];
        edges.push_back({static_cast<std::uint32_t>(q - begin), next.row, next.squared_distance});
      }
      const std::vector<char> connected = contour.connects(batch, points, edges);
      std::vector<std::size_t> still;
      for (std::size_t e = 0; e < waiting.size(); ++e) {
        if (connected[e] != 0) {
          sight.point[waiting[e]] = edges[e].b;
        } else {
          still.push_back(waiting[e]);
        }
      }
      sight.segments += waiting.size();
      sight.segments_inside += waiting.size() - still.size();
      waiting = std::move(still);
      if (!watch.goes_on("labelling", sight.segments)) return sight;
    }
  }
  return sight;
}

}  // namespace maxmargin::sv_clustering
