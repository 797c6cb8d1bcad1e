// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {

/// D^(1/2) x for D = diag(weights), without the features beyond the weights. Shorter dense rows
/// stay short.
class ScaledRow {
 public:
  ScaledRow(const Row& x, std::span<const double> weights);
  /// Valid while this object is.
  [[nodiscard]] Row row() const {
    return dense_ ? Row(values_) : Row(SparseRow{columns_, values_});
  }

 private:
  bool dense_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
};

/// All rows scaled.
[[nodiscard]] Examples scale_inputs(const Examples& examples, std::span<const double> weights);

}  // namespace maxmargin
