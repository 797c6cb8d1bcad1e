// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::kernel_kmeans {

/// As kernel_kmeans_lower_bound(); empty when the callback says stop.
[[nodiscard]] std::optional<double> bound_unless_stopped(DenseView gram,
                                                         std::size_t k,
                                                         std::span<const double> weights,
                                                         const ProgressCallback& on_progress);

}  // namespace maxmargin::kernel_kmeans
