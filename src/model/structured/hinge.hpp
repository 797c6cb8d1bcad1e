// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace maxmargin {

[[nodiscard]] inline double hinge_loss(double margin) { return std::max(0.0, 1 - margin); }

}  // namespace maxmargin
