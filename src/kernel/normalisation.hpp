// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace maxmargin {

/// 1 / sqrt(K(x, x)), or 0 for 0. Throws InvalidArgument for a negative or infinite value or NaN.
[[nodiscard]] double normalising_factor(double self_value);

}  // namespace maxmargin
