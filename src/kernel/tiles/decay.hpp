// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace maxmargin {

/// values = exp(-gamma max(values, 0)), with the accuracy of exp_in_place; but what would be below
/// the smallest normal number is 0. Requires gamma >= 0.
void decay_in_place(double gamma, std::span<float> values);
void decay_in_place(double gamma, std::span<double> values);

}  // namespace maxmargin
