// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

namespace maxmargin {

/// How many calls of an oracle go between two questions to the callback: few where they are slow,
/// so that a time limit is felt, and many where they are quick, so that threads are worth it.
/// What the calls find must not depend on it.
class OraclePortion {
 public:
  /// At least one call a thread, and at most `most`.
  OraclePortion(std::size_t threads, std::size_t most)
      : least_(std::clamp<std::size_t>(threads, 1, most)),
        most_(most),
        size_(std::clamp<std::size_t>(first, least_, most)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Time that the last portion took.
  void took(double seconds) {
    if (seconds < quick) size_ = std::min(2 * size_, most_);
    if (seconds > slow) size_ = std::max(size_ / 2, least_);
  }

 private:
  static constexpr std::size_t first = 16;
  static constexpr double quick = 0.02;
  static constexpr double slow = 0.1;

  std::size_t least_;
  std::size_t most_;
  std::size_t size_;
};

}  // namespace maxmargin
