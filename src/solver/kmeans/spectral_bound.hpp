// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin::kmeans {

/// kmeans_lower_bound for points that have been checked; 0 when the callback says stop.
[[nodiscard]] double spectral_bound(const PointRows& points,
                                    std::size_t k,
                                    std::span<const double> weights,
                                    std::size_t threads,
                                    const ProgressCallback& on_progress);

}  // namespace maxmargin::kmeans
