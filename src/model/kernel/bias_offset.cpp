// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/bias_offset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

bool is_offset_of_bias(KernelBias bias,
                       double offset,
                       std::span<const double> values,
                       double size) {
  if (bias == KernelBias::constant) return true;
  if (bias == KernelBias::none) return offset == 0;
  double sum = 0;
  for (const double value : values) sum += value + offset;
  // Each of the values has a rounding error of n eps times that size at most.
  const auto n = static_cast<double>(values.size());
  return std::abs(sum) <= 16 * n * n * std::numeric_limits<double>::epsilon() * size;
}

}  // namespace maxmargin
