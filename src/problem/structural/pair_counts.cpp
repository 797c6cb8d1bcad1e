// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/ranking.md
#include "problem/structural/pair_counts.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Counts of rows by level, with sums over all levels below one in O(log levels): a Fenwick tree.
class LevelCounts {
 public:
  LevelCounts(std::size_t levels, std::uint64_t& steps) : nodes_(levels + 1, 0), steps_(steps) {}

  void add(std::size_t level) {
    for (std::size_t node = level + 1; node < nodes_.size(); node += node & (~node + 1)) {
      ++nodes_[node];
      ++steps_;
    }
    ++all_;
  }
  [[nodiscard]] std::uint64_t below(std::size_t level) const {
    std::uint64_t sum = 0;
    for (std::size_t node = level; node > 0; node -= node & (~node + 1)) {
      sum += nodes_[node];
      ++steps_;
    }
    return sum;
  }
  [[nodiscard]] std::uint64_t above(std::size_t level) const { return all_ - below(level + 1); }

 private:
  std::vector<std::uint64_t> nodes_;
  std::uint64_t& steps_;
  std::uint64_t all_ = 0;
};

/// Scores travel with what the sweeps look up, so that these run through memory in order.
struct RankedRow {
  double score = 0;
  std::uint32_t level = 0;
  std::size_t row = 0;
  /// What a rival must stay at or below.
  [[nodiscard]] double bar() const { return score - 1; }
};

}  // namespace

void count_violated_pairs(std::span<const double> scores,
                          std::span<const std::uint32_t> levels,
                          std::size_t level_count,
                          PairCounts& counts) {
  const std::size_t n = scores.size();
  require(levels.size() == n, "count_violated_pairs: there must be one level for every score");
  counts.above.assign(n, 0);
  counts.below.assign(n, 0);
  counts.violated = 0;
  counts.steps = 0;
  std::vector<RankedRow> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    require(levels[i] < level_count, "count_violated_pairs: a level is out of range");
    require(!std::isnan(scores[i]), "count_violated_pairs: a score is not a number");
    order[i] = {.score = scores[i], .level = levels[i], .row = i};
  }
  // Step 1. Equal scores may come in any order: the counts do not depend on it.
  std::sort(order.begin(), order.end(), [](const RankedRow& a, const RankedRow& b) {
    return a.score < b.score;
  });
  // Step 2: from high to low scores.
  LevelCounts rivals_above(level_count, counts.steps);
  for (std::size_t i = n, j = n; i-- > 0;) {
    const double bar = order[i].bar();
    for (; j > 0 && order[j - 1].score > bar; --j) {
      rivals_above.add(order[j - 1].level);
      ++counts.steps;
    }
    const std::uint64_t found = rivals_above.below(order[i].level);
    counts.above[order[i].row] = found;
    counts.violated += found;
  }
  // Step 3: from low to high scores.
  LevelCounts rivals_below(level_count, counts.steps);
  for (std::size_t j = 0, i = 0; j < n; ++j) {
    for (; i < n && order[i].bar() < order[j].score; ++i) {
      rivals_below.add(order[i].level);
      ++counts.steps;
    }
    counts.below[order[j].row] = rivals_below.above(order[j].level);
  }
}

}  // namespace maxmargin
