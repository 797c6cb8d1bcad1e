// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/structural/compact_plane.hpp"

namespace maxmargin {

/// The last few planes that the oracle gave for every example.
class PlaneCache {
 public:
  /// Up to `most` planes an example and `limit` bytes in all.
  PlaneCache(std::size_t examples, std::size_t most, std::size_t limit)
      : most_(most), limit_(limit), planes_(examples) {}

  [[nodiscard]] bool is_used() const { return most_ > 0; }

  /// The newest plane of an example; the oldest goes when there are too many.
  void keep(std::size_t example, CompactPlane plane) {
    if (most_ == 0 || plane.is_zero()) return;
    std::vector<CompactPlane>& own = planes_[example];
    const auto known = std::ranges::find(own, plane);
    if (known != own.end()) {
      std::rotate(known, known + 1, own.end());
      return;
    }
    bytes_ += plane.bytes();
    own.push_back(std::move(plane));
    // Some have more than their share when half of the memory is gone. What the others may then
    // have is the other half.
    const std::size_t share = limit_ / 2 / std::max<std::size_t>(1, planes_.size());
    while (own.size() > most_ || (bytes_ > limit_ / 2 && !own.empty() && bytes_of(own) > share)) {
      bytes_ -= own.front().bytes();
      own.erase(own.begin());
    }
  }

  /// The one that is largest at w; none when that is the plane 0.
  [[nodiscard]] const CompactPlane* largest(std::size_t example, std::span<const double> w) const {
    const CompactPlane* best = nullptr;
    double value = 0;
    for (const CompactPlane& plane : planes_[example]) {
      const double here = plane.value(w);
      if (here > value) {
        value = here;
        best = &plane;
      }
    }
    return best;
  }

  /// Puts back a plane of a state: newest last.
  void restore(std::size_t example, CompactPlane plane) {
    bytes_ += plane.bytes();
    planes_[example].push_back(std::move(plane));
  }
  void save(PlaneTable& table) const {
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      for (const CompactPlane& plane : planes_[i]) append(table, i, plane, 0, 0);
    }
  }

 private:
  [[nodiscard]] static std::size_t bytes_of(const std::vector<CompactPlane>& planes) {
    std::size_t sum = 0;
    for (const CompactPlane& plane : planes) sum += plane.bytes();
    return sum;
  }

  std::size_t most_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::vector<std::vector<CompactPlane>> planes_;
};

}  // namespace maxmargin
