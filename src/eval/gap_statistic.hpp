// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/projection/pca.hpp"

namespace maxmargin {

/// Points without clusters that fill the same room as the data: uniform in the box around the data
/// along its principal axes (choosing-k.md step 4).
class ReferenceBox {
 public:
  /// Wider data has no reference: its principal axes cost more than the clusterings.
  static constexpr std::size_t most_features = 1000;

  /// Requires 1 row at least and no more than most_features columns.
  ReferenceBox(const Examples& examples, std::size_t threads);

  /// Reference set number `index`, as many points as the data has.
  [[nodiscard]] Dataset draw(std::uint64_t seed, std::size_t index) const;

 private:
  PcaModel pca_;
  std::size_t rows_ = 0;
  std::vector<double> low_;
  std::vector<double> high_;
};

/// log of the sum of squares around the clusters' means; NaN when it is 0.
[[nodiscard]] double log_within(const Examples& examples, std::span<const std::int32_t> clusters);

struct GapValue {
  double gap = 0;
  double error = 0;
};

/// From log W of the data and of its references; NaN unless all are defined.
[[nodiscard]] GapValue gap_value(double log_w, std::span<const double> log_w_of_references);

}  // namespace maxmargin
