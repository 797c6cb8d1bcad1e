// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/partition.md, step 2: dynamic programming over sets of items
#include <bit>

#include "maxmargin/core/error.hpp"
#include "structured/tasks/partition_search.hpp"

namespace maxmargin {

namespace {

using Set = std::uint32_t;

std::size_t first_of(Set set) { return static_cast<std::size_t>(std::countr_zero(set)); }

/// What every set of items is worth as a cluster.
std::vector<double> cluster_values(const PartitionObjective& objective) {
  const std::size_t sets = std::size_t{1} << objective.items;
  std::vector<double> pair_sums(sets, 0.0);
  std::vector<Set> classes(sets, 0);
  std::vector<double> values(sets, 0.0);
  for (std::size_t number = 1; number < sets; ++number) {
    const Set set = static_cast<Set>(number);
    const std::size_t first = first_of(set);
    const Set others = set & (set - 1);
    double sum = pair_sums[others];
    for (Set left = others; left != 0; left &= left - 1) {
      sum += objective.score(first, first_of(left));
    }
    pair_sums[set] = sum;
    if (objective.c_part != 0) classes[set] = classes[others] | Set{1} << objective.classes[first];
    values[set] = sum + objective.c_part * std::popcount(classes[set]) + objective.c_cluster;
  }
  return values;
}

}  // namespace

Partition best_partition(const PartitionObjective& objective) {
  constexpr std::size_t most_items = 20;
  if (objective.items > most_items) throw InternalError("too many items");
  const std::vector<double> values = cluster_values(objective);
  std::vector<double> best(values.size(), 0.0);
  std::vector<Set> cluster(values.size(), 0);
  for (std::size_t number = 1; number < values.size(); ++number) {
    const Set set = static_cast<Set>(number);
    const Set first = set & (~set + 1);
    const Set others = set ^ first;
    // All subsets of the others, as increasing numbers from the empty one.
    Set with = 0;
    do {
      const Set candidate = first | with;
      const double value = values[candidate] + best[set ^ candidate];
      if (with == 0 || value > best[set]) {
        best[set] = value;
        cluster[set] = candidate;
      }
      with = (with - others) & others;
    } while (with != 0);
  }
  Partition partition(objective.items, 0);
  std::uint32_t next = 0;
  for (Set left = static_cast<Set>(values.size() - 1); left != 0; left ^= cluster[left]) {
    for (Set members = cluster[left]; members != 0; members &= members - 1) {
      partition[first_of(members)] = next;
    }
    ++next;
  }
  return partition;
}

}  // namespace maxmargin
