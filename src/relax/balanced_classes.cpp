// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-alternating.md, "Relabelling"
#include "relax/balanced_classes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

/// The point of class `from` that moves most cheaply to `to`, for all pairs of classes. Points that
/// have left a class are dropped from its queues when they come up.
class CheapestMoves {
 public:
  CheapestMoves(DenseView costs, const std::vector<std::int32_t>& labels)
      : costs_(costs), labels_(labels), queues_(costs.cols * costs.cols) {
    for (std::size_t i = 0; i < labels.size(); ++i) enter(i);
  }

  /// Point i has come to the class its label says.
  void enter(std::size_t i) {
    const auto from = static_cast<std::size_t>(labels_[i]);
    for (std::size_t to = 0; to < costs_.cols; ++to) {
      if (to != from) queue(from, to).push({costs_(i, to) - costs_(i, from), i});
    }
  }
  /// Cost of the cheapest move, or unreachable.
  [[nodiscard]] double cost(std::size_t from, std::size_t to) {
    Queue& moves = queue(from, to);
    while (!moves.empty() && static_cast<std::size_t>(labels_[moves.top().second]) != from) {
      moves.pop();
    }
    return moves.empty() ? unreachable : moves.top().first;
  }
  /// Its point. Requires a finite cost.
  [[nodiscard]] std::size_t point(std::size_t from, std::size_t to) {
    return queue(from, to).top().second;
  }

 private:
  using Move = std::pair<double, std::size_t>;
  using Queue = std::priority_queue<Move, std::vector<Move>, std::greater<>>;
  [[nodiscard]] Queue& queue(std::size_t from, std::size_t to) {
    return queues_[from * costs_.cols + to];
  }

  DenseView costs_;
  const std::vector<std::int32_t>& labels_;
  std::vector<Queue> queues_;
};

/// One labelling on its way to sizes that fit.
class Balancing {
 public:
  Balancing(DenseView costs, std::size_t least, std::size_t most)
      : least_(least), most_(most), labels_(costs.rows), sizes_(costs.cols, 0) {
    for (std::size_t i = 0; i < costs.rows; ++i) {
      const auto row = costs.row(i);
      labels_[i] = static_cast<std::int32_t>(std::ranges::min_element(row) - row.begin());
      ++sizes_[static_cast<std::size_t>(labels_[i])];
    }
    const bool fits =
        std::ranges::all_of(sizes_, [&](std::size_t s) { return s >= least && s <= most; });
    if (!fits) repair(costs);
  }
  [[nodiscard]] std::vector<std::int32_t> take() { return std::move(labels_); }

 private:
  void repair(DenseView costs) {
    CheapestMoves moves(costs, labels_);
    for (std::size_t r = 0; r < sizes_.size(); ++r) {
      while (sizes_[r] > most_) {
        send(
            moves,
            [&](std::size_t s) { return s == r; },
            [&](std::size_t s) { return sizes_[s] < most_; });
      }
    }
    for (std::size_t r = 0; r < sizes_.size(); ++r) {
      while (sizes_[r] < least_) {
        send(
            moves,
            [&](std::size_t s) { return sizes_[s] > least_; },
            [&](std::size_t s) { return s == r; });
      }
    }
  }

  /// One point fewer in a class that may give, one more in a class that may take, at least cost:
  /// Bellman and Ford's shortest paths (a move may lower the cost, but no cycle of moves does).
  template <class Gives, class Takes>
  void send(CheapestMoves& moves, const Gives& gives, const Takes& takes) {
    const std::size_t k = sizes_.size();
    std::vector<double> distance(k, unreachable);
    std::vector<std::size_t> before(k, k);
    for (std::size_t r = 0; r < k; ++r) {
      if (gives(r)) distance[r] = 0;
    }
    for (std::size_t round = 1; round < k; ++round) {
      bool changed = false;
      for (std::size_t r = 0; r < k; ++r) {
        if (distance[r] == unreachable) continue;
        for (std::size_t s = 0; s < k; ++s) {
          if (s == r) continue;
          const double through = distance[r] + moves.cost(r, s);
          // Differences within rounding would make cycles of cost 0 out of paths.
          if (distance[s] != unreachable &&
              !(through < distance[s] - 1e-13 * std::abs(distance[s]))) {
            continue;
          }
          if (through == unreachable) continue;
          if (leads_through(before, r, s)) continue;
          distance[s] = through;
          before[s] = r;
          changed = true;
        }
      }
      if (!changed) break;
    }
    std::size_t end = k;
    for (std::size_t s = 0; s < k; ++s) {
      if (!takes(s) || before[s] == k || distance[s] == unreachable) continue;
      if (end == k || distance[s] < distance[end]) end = s;
    }
    if (end == k) throw InternalError("balanced_classes: no class can take a point");
    shift(moves, before, end);
  }

  /// Does the path to r come through s?
  [[nodiscard]] static bool leads_through(const std::vector<std::size_t>& before,
                                          std::size_t r,
                                          std::size_t s) {
    for (std::size_t step = r; step != before.size(); step = before[step]) {
      if (step == s) return true;
    }
    return false;
  }

  void shift(CheapestMoves& moves, const std::vector<std::size_t>& before, std::size_t end) {
    // All points first: a move may change what comes up next.
    std::vector<std::pair<std::size_t, std::size_t>> path;
    for (std::size_t s = end; before[s] != before.size(); s = before[s]) {
      (void)moves.cost(before[s], s);
      path.emplace_back(moves.point(before[s], s), s);
      ++sizes_[s];
      --sizes_[before[s]];
    }
    for (const auto& [point, to] : path) labels_[point] = static_cast<std::int32_t>(to);
    for (const auto& [point, to] : path) moves.enter(point);
  }

  std::size_t least_;
  std::size_t most_;
  std::vector<std::int32_t> labels_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

std::vector<std::int32_t> balanced_classes(DenseView costs, std::size_t least, std::size_t most) {
  require(costs.cols >= 1, "balanced_classes: there must be a class");
  require(least <= most,
          "balanced_classes: least = " + std::to_string(least) +
              ", must be <= most = " + std::to_string(most));
  require(least <= costs.rows / costs.cols &&
              (most >= costs.rows || checked_multiply(most, costs.cols) >= costs.rows),
          "balanced_classes: " + std::to_string(costs.rows) + " points cannot form " +
              std::to_string(costs.cols) + " classes of " + std::to_string(least) + " to " +
              std::to_string(most) + " points");
  for (std::size_t i = 0; i < costs.rows; ++i) {
    require(std::ranges::all_of(costs.row(i), [](double x) { return std::isfinite(x); }),
            "balanced_classes: a cost of point " + std::to_string(i) + " is not finite");
  }
  return Balancing(costs, least, most).take();
}

}  // namespace maxmargin
