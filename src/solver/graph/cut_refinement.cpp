// SPDX-License-Identifier: Apache-2.0
#include "solver/graph/cut_refinement.hpp"

#include <string>
#include <utility>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// A partition and all that a move changes.
class MovablePartition {
 public:
  MovablePartition(const SimilarityGraph& graph,
                   std::vector<std::int32_t> clusters,
                   std::size_t k,
                   std::size_t threads)
      : graph_(graph), clusters_(std::move(clusters)), k_(k), threads_(threads) {}

  /// Sums everything anew, so that the rounding of many moves does not add up.
  void measure() {
    const std::size_t n = graph_.size();
    DenseMatrix indicators(k_, n);
    sizes_.assign(k_, 0);
    for (std::size_t u = 0; u < n; ++u) {
      indicators(cluster(u), u) = 1;
      ++sizes_[cluster(u)];
    }
    similarity_ = DenseMatrix(k_, n);
    graph_.multiply(indicators.view(), similarity_.view(), threads_);
    cut_.assign(k_, 0.0);
    assoc_.assign(k_, 0.0);
    for (std::size_t u = 0; u < n; ++u) {
      assoc_[cluster(u)] += graph_.degrees()[u];
      for (std::size_t c = 0; c < k_; ++c) {
        if (c != cluster(u)) cut_[cluster(u)] += similarity_(c, u);
      }
    }
  }

  /// One pass; the number of moves.
  std::size_t pass() {
    // Smaller gains may be rounding.
    constexpr double least_gain = 1e-12;
    std::size_t moves = 0;
    for (std::size_t u = 0; u < graph_.size(); ++u) {
      if (sizes_[cluster(u)] < 2) continue;
      const Side rest = rest_without(u);
      const double leaving = rest.cost() - own_cost(cluster(u));
      std::size_t best = cluster(u);
      double lowest = -least_gain;
      for (std::size_t c = 0; c < k_; ++c) {
        if (c == cluster(u)) continue;
        const double change = leaving + cost_with(u, c);
        if (change < lowest) {
          lowest = change;
          best = c;
        }
      }
      if (best == cluster(u)) continue;
      move(u, best, rest);
      ++moves;
    }
    return moves;
  }

  [[nodiscard]] std::vector<std::int32_t> take_clusters() { return std::move(clusters_); }

 private:
  [[nodiscard]] std::size_t cluster(std::size_t u) const {
    return static_cast<std::size_t>(clusters_[u]);
  }
  /// The cut and the association of a cluster as a move would leave it.
  struct Side {
    double cut = 0;
    double assoc = 0;

    [[nodiscard]] double cost() const { return assoc > 0 ? cut / assoc : 0.0; }
  };

  [[nodiscard]] double own_cost(std::size_t c) const {
    return Side{.cut = cut_[c], .assoc = assoc_[c]}.cost();
  }
  /// u's cluster after u has left: its edges inside become cut, those outside are not any more.
  [[nodiscard]] Side rest_without(std::size_t u) const {
    const std::size_t own = cluster(u);
    const double inside = similarity_(own, u);
    const double degree = graph_.degrees()[u];
    // A rest that u outweighs would be the rounding of a difference: it is summed anew.
    constexpr double heavy = 1e-3;
    if (assoc_[own] - degree < heavy * assoc_[own]) return summed_without(u);
    return {.cut = cut_[own] + inside - (degree - inside), .assoc = assoc_[own] - degree};
  }
  [[nodiscard]] Side summed_without(std::size_t u) const {
    Side rest;
    for (std::size_t v = 0; v < graph_.size(); ++v) {
      if (v == u || clusters_[v] != clusters_[u]) continue;
      graph_.for_each_neighbour(v, [&](std::size_t w, double s) {
        rest.assoc += s;
        if (w == u || clusters_[w] != clusters_[u]) rest.cut += s;
      });
    }
    return rest;
  }
  /// Cluster c after u has joined: no difference here is small beside the sum it is divided by.
  [[nodiscard]] Side with(std::size_t u, std::size_t c) const {
    const double inside = similarity_(c, u);
    const double degree = graph_.degrees()[u];
    return {.cut = cut_[c] - inside + (degree - inside), .assoc = assoc_[c] + degree};
  }
  [[nodiscard]] double cost_with(std::size_t u, std::size_t c) const {
    return with(u, c).cost() - own_cost(c);
  }
  void move(std::size_t u, std::size_t to, const Side& rest) {
    const std::size_t from = cluster(u);
    const Side grown = with(u, to);
    cut_[to] = grown.cut;
    assoc_[to] = grown.assoc;
    cut_[from] = rest.cut;
    assoc_[from] = rest.assoc;
    --sizes_[from];
    ++sizes_[to];
    graph_.for_each_neighbour(u, [&](std::size_t v, double s) {
      similarity_(from, v) -= s;
      similarity_(to, v) += s;
    });
    clusters_[u] = static_cast<std::int32_t>(to);
  }

  const SimilarityGraph& graph_;
  std::vector<std::int32_t> clusters_;
  std::size_t k_;
  std::size_t threads_;
  DenseMatrix similarity_;  ///< of every point (column) to every cluster (row)
  std::vector<double> cut_;
  std::vector<double> assoc_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

CutRefinement refine_normalized_cut(const SimilarityGraph& graph,
                                    std::vector<std::int32_t> clusters,
                                    std::size_t k,
                                    std::size_t max_passes,
                                    std::optional<std::size_t> threads,
                                    const ProgressCallback& on_progress) {
  const double before = graph_cuts(graph, clusters, k, threads).normalized_cut;
  CutRefinement result{.clusters = clusters};
  MovablePartition partition(graph, std::move(clusters), k, thread_count(threads));
  for (std::size_t moves = 1; moves > 0 && result.passes < max_passes; ++result.passes) {
    const Continue answer =
        ask(on_progress,
            {.phase = "refinement", .iteration = result.passes, .max_iterations = max_passes});
    if (answer != Continue::yes) {
      result.status = status_of(answer);
      break;
    }
    partition.measure();
    moves = partition.pass();
    result.moves += moves;
  }
  if (result.moves == 0) return result;
  std::vector<std::int32_t> refined = partition.take_clusters();
  // Where all was rounding, the partition stays as it was.
  if (graph_cuts(graph, refined, k, threads).normalized_cut < before) {
    result.clusters = std::move(refined);
  } else {
    result.moves = 0;
  }
  return result;
}

}  // namespace maxmargin
