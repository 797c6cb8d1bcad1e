// SPDX-License-Identifier: Apache-2.0
#include "solver/cluster_numbers.hpp"

#include <algorithm>
#include <numeric>

namespace maxmargin {

ClusterNumbers number_by_size(std::span<const std::int32_t> labels, std::size_t k) {
  std::vector<std::size_t> sizes(k, 0);
  std::vector<std::size_t> first(k, labels.size());
  for (std::size_t i = labels.size(); i-- > 0;) {
    const auto cluster = static_cast<std::size_t>(labels[i]);
    ++sizes[cluster];
    first[cluster] = i;
  }
  ClusterNumbers numbers;
  numbers.old_number.resize(k);
  std::iota(numbers.old_number.begin(), numbers.old_number.end(), std::size_t{0});
  std::ranges::stable_sort(numbers.old_number, [&](std::size_t a, std::size_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : first[a] < first[b];
  });
  std::vector<std::int32_t> new_number(k);
  for (std::size_t c = 0; c < k; ++c) {
    new_number[numbers.old_number[c]] = static_cast<std::int32_t>(c);
    numbers.sizes.push_back(sizes[numbers.old_number[c]]);
  }
  numbers.labels.reserve(labels.size());
  for (const std::int32_t label : labels) {
    numbers.labels.push_back(new_number[static_cast<std::size_t>(label)]);
  }
  return numbers;
}

}  // namespace maxmargin
