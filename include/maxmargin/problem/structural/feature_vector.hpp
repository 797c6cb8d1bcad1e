// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace maxmargin {

/// A sparse vector that grows by additions, as joint features do: add() in any order, settle() adds
/// up what has one index. Indices have 64 bits, as hashed feature maps are large.
class FeatureVector {
 public:
  struct Entry {
    std::uint64_t index;
    double value;
  };

  void add(std::uint64_t index, double value) { entries_.push_back({index, value}); }
  /// factor times another vector.
  void add(const FeatureVector& other, double factor) {
    for (const Entry& entry : other.entries_) add(entry.index, factor * entry.value);
  }
  void clear() noexcept { entries_.clear(); }
  void scale(double factor) {
    for (Entry& entry : entries_) entry.value *= factor;
  }

  /// Entries by index, each once, none of them 0. The sums have the order of the additions, so
  /// that equal additions give equal bits.
  void settle() {
    std::ranges::stable_sort(entries_, {}, &Entry::index);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < entries_.size();) {
      Entry sum = entries_[k++];
      while (k < entries_.size() && entries_[k].index == sum.index)
        sum.value += entries_[k++].value;
      if (sum.value != 0) entries_[kept++] = sum;
    }
    entries_.resize(kept);
  }

  /// As they were added; sorted and single after settle().
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// With a dense vector that has all indices.
  [[nodiscard]] double dot(std::span<const double> w) const {
    double sum = 0;
    for (const Entry& entry : entries_) sum += entry.value * w[entry.index];
    return sum;
  }
  void add_to(double factor, std::span<double> w) const {
    for (const Entry& entry : entries_) w[entry.index] += factor * entry.value;
  }
  [[nodiscard]] double squared_norm() const {
    double sum = 0;
    for (const Entry& entry : entries_) sum += entry.value * entry.value;
    return sum;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace maxmargin
