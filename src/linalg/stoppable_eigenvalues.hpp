// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// As eigenvalues_symmetric() (linalg/eigen_symmetric.hpp), but `on_progress` is asked between the
/// panels of the reduction to tridiagonal form, which is nearly all of the work. Empty when the
/// answer is not yes. Requires finite entries below the diagonal.
[[nodiscard]] std::optional<std::vector<double>> eigenvalues_unless_stopped(
    DenseView matrix, const ProgressCallback& on_progress);

}  // namespace maxmargin
