// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

/// Relabelling into several classes: docs/algorithms/mmc-alternating.md.
namespace maxmargin {

/// The labelling of least total cost of which every class has `least` to `most` points: cost(i, r)
/// is that of giving point i the label r. Starts from the cheapest label of every point (the lowest
/// of equals), which is the answer when its sizes fit; then moves points along cheapest paths of
/// classes, one path for every point a class has too many or too few (a flow of least cost, so the
/// total is exact up to rounding). O(n k + p (k^3 + k log n)) for p paths.
/// Throws InvalidArgument without classes, when a cost is not finite, when least > most, or when no
/// labelling has such sizes.
[[nodiscard]] std::vector<std::int32_t> balanced_classes(DenseView costs,
                                                         std::size_t least,
                                                         std::size_t most);

}  // namespace maxmargin
