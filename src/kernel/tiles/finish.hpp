// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

/// Turns sums over columns (see pairing_of) into kernel values, in place. Distances may be slightly
/// negative by rounding; they count as 0. Requires a kernel that pairing_of accepts.
void finish(const Kernel& kernel, std::span<float> sums);
void finish(const Kernel& kernel, std::span<double> sums);

/// values = values^exponent. Requires exponent >= 1.
void raise_to_power(int exponent, std::span<float> values);
void raise_to_power(int exponent, std::span<double> values);

}  // namespace maxmargin
