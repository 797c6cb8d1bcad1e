// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {

/// D^(1/2) (x - o) for D = diag(weights), o = origin, without the features beyond the weights. A
/// sparse row has an entry wherever x or o is not 0. Shorter dense rows stay short.
class ScaledRow {
 public:
  ScaledRow(const Row& x, const InputScalingRule& rule);
  /// Valid while this object is.
  [[nodiscard]] Row row() const {
    return dense_ ? Row(values_) : Row(SparseRow{columns_, values_});
  }

 private:
  void add_moved(const SparseRow& x, const InputScalingRule& rule);

  bool dense_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
};

/// All rows scaled.
[[nodiscard]] Examples scale_inputs(const Examples& examples, const InputScalingRule& rule);

}  // namespace maxmargin
