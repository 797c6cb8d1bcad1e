// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace maxmargin {

/// Disjoint sets of 0, ..., n-1 that are united pair by pair. The root of a set is its least
/// element, so that what is read off does not depend on the order of unions.
class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n), sets_(n) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }

  [[nodiscard]] std::size_t size() const noexcept { return parent_.size(); }
  [[nodiscard]] std::size_t sets() const noexcept { return sets_; }

  [[nodiscard]] std::size_t root(std::size_t i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];  // halves the path
      i = parent_[i];
    }
    return i;
  }
  [[nodiscard]] bool same(std::size_t a, std::size_t b) { return root(a) == root(b); }

  /// True when the two were apart before.
  bool unite(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    if (b < a) std::swap(a, b);
    parent_[b] = static_cast<std::uint32_t>(a);
    --sets_;
    return true;
  }

  /// The set of every element, numbered from 0 in the order of their first elements.
  [[nodiscard]] std::vector<std::int32_t> numbers() {
    std::vector<std::int32_t> result(size());
    std::int32_t next = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t first = root(i);
      result[i] = first == i ? next++ : result[first];
    }
    return result;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::size_t sets_;
};

}  // namespace maxmargin
