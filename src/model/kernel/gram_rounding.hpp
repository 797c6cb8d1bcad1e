// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/model/kernel/bias.hpp"

namespace maxmargin {

/// What the rounding of a Gram matrix does to bounds that rest on it: docs/algorithms/mmc.md,
/// "Numerical notes".
class GramRounding {
 public:
  /// `gram` is the matrix before apply_bias: differences of its entries keep their rounding.
  GramRounding(const DenseMatrix& gram, KernelBias bias);

  /// Whether omega of a relaxation with this C, of which value and bound are known, may be wrong by
  /// more than the tolerance.
  [[nodiscard]] bool spoils(double c, double tolerance, double value, double bound) const;

 private:
  double error_;
};

/// What a report says of a relaxation whose matrix has lost its digits.
inline constexpr const char* lost_digits =
    "the kernel values have lost the digits that tell the points apart, so nothing is proved: move "
    "the data to the origin, scale the features, or take a smaller C";

}  // namespace maxmargin
