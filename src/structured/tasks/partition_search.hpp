// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/data/partition.hpp"

/// The argmax of partitions: docs/algorithms/partition.md, "Argmax".
namespace maxmargin {

/// F(y) = sum over pairs together of s_ij + sum over clusters S of
/// (c_part parts(S) + c_cluster), parts(S) the number of classes that S meets.
struct PartitionObjective {
  std::size_t items = 0;
  /// items x items, symmetric, 0 on the diagonal.
  std::vector<double> scores = {};
  /// The class of every item, below items; read where c_part is not 0.
  std::vector<std::uint32_t> classes = {};
  double c_part = 0;
  double c_cluster = 0;

  [[nodiscard]] double score(std::size_t i, std::size_t j) const { return scores[i * items + j]; }
  /// F of clusters with any numbers below items.
  [[nodiscard]] double value(std::span<const std::uint32_t> clusters) const;
};

/// Step 2: the best of all partitions; for few items.
[[nodiscard]] Partition best_partition(const PartitionObjective& objective);

/// Step 3: merges, moves and splits, from `start` as long as F rises.
[[nodiscard]] Partition improved_partition(const PartitionObjective& objective, Partition start);

}  // namespace maxmargin
