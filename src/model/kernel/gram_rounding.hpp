// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/report.hpp"
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
  /// What is left of a bound of the relaxation: rounding may have put it that much too high.
  [[nodiscard]] double without_rounding(double c, double bound) const { return bound - c * error_; }

 private:
  double error_;
};

/// Makes a report claim nothing, as the digits are lost. A stop stays one.
void say_digits_are_lost(SolveReport& report);

}  // namespace maxmargin
