// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/model/kernel/bias.hpp"

namespace maxmargin {

/// Can a machine of such a bias have this offset, as far as rounding tells? w.phi (none) has none,
/// w.(phi - mean of phi) (center) has a sum of 0 over the training points. With `constant` the
/// offset is the weight of a feature and may be any. `values` are w.phi of all training points;
/// `size` is the sum of the machine's absolute coefficients times the largest K(x, x). By plain
/// loops that no training uses.
[[nodiscard]] bool is_offset_of_bias(KernelBias bias,
                                     double offset,
                                     std::span<const double> values,
                                     double size);

}  // namespace maxmargin
