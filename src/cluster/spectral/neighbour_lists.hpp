// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace maxmargin::spectral {

/// The `count` most similar of the points offered; of equally similar ones those of lowest index.
class NeighbourList {
 public:
  /// (similarity, point)
  using Entry = std::pair<double, std::size_t>;

  explicit NeighbourList(std::size_t count) : count_(count) {}

  void offer(std::size_t point, double similarity) {
    if (entries_.size() < count_) {
      entries_.emplace_back(similarity, point);
      std::ranges::push_heap(entries_, nearer);
    } else if (count_ > 0 && nearer({similarity, point}, entries_.front())) {
      std::ranges::pop_heap(entries_, nearer);
      entries_.back() = {similarity, point};
      std::ranges::push_heap(entries_, nearer);
    }
  }
  /// In no particular order, but always the same one.
  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }

 private:
  /// As "less" of a heap: the farthest entry is in front.
  static bool nearer(const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  }

  std::size_t count_;
  std::vector<Entry> entries_;
};

}  // namespace maxmargin::spectral
