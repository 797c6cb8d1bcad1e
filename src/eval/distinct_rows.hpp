// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"

namespace maxmargin {

/// Tells how many different points a sample of rows holds: clustering into more is impossible.
class DistinctRows {
 public:
  /// Rows of weight 0 are no points. O(entries) on average.
  explicit DistinctRows(const Dataset& data);

  /// Different points of all rows.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Different points among the given rows.
  [[nodiscard]] std::size_t count_among(std::span<const std::size_t> rows) const;

 private:
  /// Equal for equal rows, below count_; count_ itself for a row of weight 0.
  std::vector<std::size_t> point_of_row_;
  std::size_t count_ = 0;
};

}  // namespace maxmargin
