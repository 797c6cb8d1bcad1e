// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::linear {

/// The least point p of  g.p + p'Hp/2 + |w + p|_1 - |w|_1  by coordinate descent, to a hundredth of
/// the violation at p = 0. H is symmetric and positive semidefinite. O(k^2) a pass, no data
/// touched: where features depend on each other that is what makes hundreds of passes affordable.
[[nodiscard]] std::vector<double> minimise_l1_quadratic(DenseView h,
                                                        std::span<const double> g,
                                                        std::span<const double> w);

}  // namespace maxmargin::linear
