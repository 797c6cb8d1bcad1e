// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/gram_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/settle.hpp"

namespace maxmargin {

GramRounding::GramRounding(const DenseMatrix& gram, KernelBias bias) {
  double largest = bias == KernelBias::constant ? 1 : 0;
  for (std::size_t i = 0; i < gram.rows(); ++i) largest = std::max(largest, std::abs(gram(i, i)));
  // An eigenvalue of n x n independent errors of half a unit in the last place is about that times
  // sqrt(n); lambda'(K o M) lambda / 2 and the trace of a label matrix have n of them.
  const auto n = static_cast<double>(gram.rows());
  error_ = 0.5 * std::numeric_limits<double>::epsilon() * largest * n * std::sqrt(n);
}

void say_digits_are_lost(SolveReport& report) {
  if (!was_stopped(report.status)) report.status = Status::numerical_failure;
  report.message =
      "the kernel values have lost the digits that tell the points apart, so nothing is proved: "
      "move "
      "the data to the origin, scale the features, or take a smaller C";
  claim_nothing(report);
}

bool GramRounding::spoils(double c, double tolerance, double value, double bound) const {
  return c * error_ > tolerance * std::max(std::abs(value), std::abs(bound));
}

}  // namespace maxmargin
