// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin {

/// A number that no clustering of the points into k groups can fall below in (weighted) sum of
/// squares: the trace of the centred scatter matrix less its k-1 largest eigenvalues, and less an
/// allowance for rounding (docs/algorithms/kmeans.md derives it). Never negative. It is close when
/// the centres are spread widely along k-1 directions and weak when all directions vary alike.
/// O(n m^2 + m^3) with m = min(rows, columns). Throws InvalidArgument as solve_kmeans does, except
/// that k may be any number >= 1.
[[nodiscard]] double kmeans_lower_bound(DenseView points,
                                        std::size_t k,
                                        std::span<const double> weights = {},
                                        std::optional<std::size_t> threads = std::nullopt);
[[nodiscard]] double kmeans_lower_bound(const SparseView& points,
                                        std::size_t k,
                                        std::span<const double> weights = {},
                                        std::optional<std::size_t> threads = std::nullopt);

namespace kmeans {

/// kmeans_lower_bound for points that have been checked; 0 when the callback says stop.
[[nodiscard]] double spectral_bound(const PointRows& points,
                                    std::size_t k,
                                    std::span<const double> weights,
                                    std::size_t threads,
                                    const ProgressCallback& on_progress);

}  // namespace kmeans

}  // namespace maxmargin
