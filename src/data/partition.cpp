// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// Pairs and the indices of a pair increase, indices are below `features` and values finite.
void require_sound(const PartitionInput& x, std::size_t features) {
  require(x.begins.size() == x.pairs.size() + 1 && x.begins.front() == 0 &&
              x.begins.back() == x.indices.size(),
          "begins must go from 0 to the number of entries, one more than pairs");
  require(x.values.empty() || x.values.size() == x.indices.size(),
          "there must be one value for every entry, or none");
  for (std::size_t p = 0; p < x.pairs.size(); ++p) {
    require(x.pairs[p].first < x.pairs[p].second && x.pairs[p].second < x.items,
            "a pair must have first < second < items");
    require(p == 0 || x.pairs[p - 1] < x.pairs[p], "pairs must increase");
    require(x.begins[p] <= x.begins[p + 1], "begins must not decrease");
    for (std::size_t e = x.begins[p]; e < x.begins[p + 1]; ++e) {
      require(x.indices[e] < features, "an index is beyond the features");
      require(e == x.begins[p] || x.indices[e - 1] < x.indices[e],
              "the indices of a pair must increase");
      require(std::isfinite(x.value(e)), "a value is not finite");
    }
  }
}

}  // namespace

Partition canonical_partition(std::span<const std::uint32_t> clusters) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  Partition result;
  result.reserve(clusters.size());
  for (const std::uint32_t cluster : clusters) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    result.push_back(numbers.emplace(cluster, next).first->second);
  }
  return result;
}

bool is_canonical(std::span<const std::uint32_t> clusters) {
  std::uint32_t next = 0;
  for (const std::uint32_t cluster : clusters) {
    if (cluster > next) return false;
    if (cluster == next) ++next;
  }
  return true;
}

void PartitionData::validate() const {
  require(partitions.empty() || partitions.size() == inputs.size(),
          "there must be one partition for every input, or none");
  require(names.size() == inputs.size() && item_names.size() == inputs.size(),
          "there must be a name and names of items for every input");
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    require_sound(inputs[d], features);
    require(item_names[d].size() == inputs[d].items, "there must be one name for every item");
    if (partitions.empty()) continue;
    require(partitions[d].size() == inputs[d].items,
            "a partition must have the length of its input");
    require(is_canonical(partitions[d]), "clusters must be numbered by their first items");
  }
}

}  // namespace maxmargin
