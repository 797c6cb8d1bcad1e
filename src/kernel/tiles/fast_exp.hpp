// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace maxmargin {

/// Replaces every value by its exponential. Written so that the compiler works on whole vector
/// registers, with the same operations in the same order at every register width: the result does
/// not depend on the processor, nor on the place of a value in the span. Error below 2 units in the
/// last place over the whole range, subnormal results included; exp(0) = 1 exactly, exp(-inf) = 0,
/// overflow gives infinity, NaN stays NaN.
void exp_in_place(std::span<float> values);
void exp_in_place(std::span<double> values);

}  // namespace maxmargin
