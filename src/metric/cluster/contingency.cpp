// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "maxmargin/metric/cluster/clustering.hpp"
#include "metric/check.hpp"

namespace maxmargin {

namespace {

/// The distinct numbers >= 0, sorted.
std::vector<std::int32_t> distinct(std::vector<std::int32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  numbers.erase(numbers.begin(), std::lower_bound(numbers.begin(), numbers.end(), 0));
  return numbers;
}

std::size_t rank_of(std::span<const std::int32_t> sorted, std::int32_t number) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), number) -
                                  sorted.begin());
}

}  // namespace

Contingency::Contingency(std::span<const std::int32_t> classes,
                         std::span<const std::int32_t> clusters) {
  check_same_length("Contingency", "cluster numbers", clusters.size(), classes.size());
  for (const std::int32_t number : classes) check_class("Contingency: class", number);
  for (const std::int32_t number : clusters) check_class("Contingency: cluster", number);

  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;  // class, cluster of labelled rows
  pairs.reserve(classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= 0) pairs.emplace_back(classes[i], clusters[i]);
  }
  std::sort(pairs.begin(), pairs.end());

  std::vector<std::int32_t> seen;
  seen.reserve(pairs.size());
  for (const auto& pair : pairs) seen.push_back(pair.first);
  class_numbers_ = distinct(std::exchange(seen, {}));
  for (const auto& pair : pairs) seen.push_back(pair.second);
  cluster_numbers_ = distinct(std::move(seen));
  class_sizes_.assign(class_numbers_.size(), 0.0);
  class_outliers_.assign(class_numbers_.size(), 0.0);
  cluster_sizes_.assign(cluster_numbers_.size(), 0.0);
  total_ = static_cast<double>(pairs.size());

  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::size_t class_rank = rank_of(class_numbers_, pairs[i].first);
    ++class_sizes_[class_rank];
    if (pairs[i].second < 0) {
      ++class_outliers_[class_rank];
      ++outliers_;
      continue;
    }
    const std::size_t cluster_rank = rank_of(cluster_numbers_, pairs[i].second);
    ++cluster_sizes_[cluster_rank];
    if (i == 0 || pairs[i] != pairs[i - 1]) cells_.push_back({class_rank, cluster_rank, 0});
    ++cells_.back().count;
  }
}

}  // namespace maxmargin
