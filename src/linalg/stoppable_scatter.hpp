// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin {

/// scatter_matrix() that asks between its parts, which take a fraction of a second however many
/// columns there are. Throws Stopped (core/stoppable.hpp).
[[nodiscard]] DenseMatrix scatter_matrix(const PointRows& points,
                                         std::span<const double> weights,
                                         const ColumnMeans& mean,
                                         std::size_t threads,
                                         SharedProgress& progress);

}  // namespace maxmargin
