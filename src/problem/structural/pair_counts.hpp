// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace maxmargin {

/// How many violated pairs every row of a query is in. A pair of rows i, j with level_i > level_j
/// is violated when score_i - 1 < score_j.
struct PairCounts {
  /// Pairs in which the row is the one that should be above, and the one that should be below.
  std::vector<std::uint64_t> above = {};
  std::vector<std::uint64_t> below = {};
  /// All violated pairs: the sum of `above`, and of `below`.
  std::uint64_t violated = 0;
  /// Nodes of the counting tree visited and moves of the sweeps: at most 4 n (1 + log2 n) + 2 n.
  std::uint64_t steps = 0;
};

/// Fills `counts` in O(n log n) without forming pairs: docs/algorithms/ranking.md. `levels` are
/// grades numbered from 0, below `level_count`. Throws InvalidArgument for sizes that differ, a
/// level out of range and a score that is not a number.
void count_violated_pairs(std::span<const double> scores,
                          std::span<const std::uint32_t> levels,
                          std::size_t level_count,
                          PairCounts& counts);

}  // namespace maxmargin
