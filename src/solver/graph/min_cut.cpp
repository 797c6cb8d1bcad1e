// SPDX-License-Identifier: Apache-2.0
#include "solver/graph/min_cut.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// The graph while points are merged: vertices [0, count) are alive.
class Contraction {
 public:
  explicit Contraction(const SimilarityGraph& graph)
      : weights_(graph.size(), graph.size()), members_(graph.size()), count_(graph.size()) {
    for (std::size_t u = 0; u < count_; ++u) {
      members_[u] = {u};
      graph.for_each_neighbour(u, [&](std::size_t v, double s) { weights_(u, v) = s; });
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::vector<std::size_t>& members(std::size_t v) const { return members_[v]; }

  struct Phase {
    std::size_t before_last = 0;
    std::size_t last = 0;
    double cut = 0;  ///< of `last` from all others
  };

  /// Orders the vertices: next is always the one most tightly connected to those before.
  [[nodiscard]] Phase maximum_adjacency_order() {
    constexpr double taken = -1;
    tightness_.assign(weights_.row(0).begin(), weights_.row(0).begin() + offset(count_));
    tightness_[0] = taken;
    Phase phase;
    for (std::size_t step = 1; step < count_; ++step) {
      const auto next = static_cast<std::size_t>(
          std::max_element(tightness_.begin(), tightness_.end()) - tightness_.begin());
      phase = {.before_last = phase.last, .last = next, .cut = tightness_[next]};
      const std::span<const double> row = weights_.row(next);
      for (std::size_t v = 0; v < count_; ++v) {
        tightness_[v] = tightness_[v] < 0 ? taken : tightness_[v] + row[v];
      }
      tightness_[next] = taken;
    }
    return phase;
  }

  /// Makes one vertex of a and b; the last one moves to the free place.
  void merge(std::size_t a, std::size_t b) {
    members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
    for (std::size_t v = 0; v < count_; ++v) {
      if (v == a || v == b) continue;
      weights_(a, v) += weights_(b, v);
      weights_(v, a) = weights_(a, v);
    }
    const std::size_t end = --count_;
    if (b == end) return;
    members_[b] = std::move(members_[end]);
    for (std::size_t v = 0; v < count_; ++v) {
      weights_(b, v) = weights_(end, v);
      weights_(v, b) = weights_(end, v);
    }
    weights_(b, b) = 0;
  }

 private:
  static std::ptrdiff_t offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  DenseMatrix weights_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<double> tightness_;
  std::size_t count_;
};

}  // namespace

MinCut min_cut(const SimilarityGraph& graph, const ProgressCallback& on_progress) {
  const std::size_t n = graph.size();
  require(n >= 2, "min_cut: there must be at least two points");
  require_memory_for_numbers(n, n, "min_cut: the similarities");
  Contraction contraction(graph);
  MinCut best{.cut = std::numeric_limits<double>::infinity()};
  std::vector<std::size_t> side;
  while (contraction.count() > 1) {
    const Contraction::Phase phase = contraction.maximum_adjacency_order();
    if (phase.cut < best.cut) {
      best.cut = phase.cut;
      side = contraction.members(phase.last);
    }
    contraction.merge(std::min(phase.before_last, phase.last),
                      std::max(phase.before_last, phase.last));
    const Continue answer = ask(on_progress,
                                {.phase = "minimum cut",
                                 .iteration = n - contraction.count(),
                                 .max_iterations = n - 1,
                                 .primal_objective = best.cut});
    if (answer != Continue::yes && contraction.count() > 1) {
      best.status = status_of(answer);
      break;
    }
  }
  best.sides.assign(n, 0);
  for (const std::size_t u : side) best.sides[u] = 1;
  best.cut = graph_cuts(graph, best.sides, 2).cut;
  return best;
}

}  // namespace maxmargin
