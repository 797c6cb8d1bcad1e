// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "maxmargin/linalg/matrix.hpp"

/// The manifold of matrices with unit rows: private to solver. A tangent vector at v has rows
/// orthogonal to those of v. All functions give the same for any number of threads.
namespace maxmargin::unit_rows {

/// Scales every row to length 1; a row of zeros becomes the first unit vector.
void normalize(MutableDenseView v, std::size_t threads);

/// moved = v + step * direction with its rows scaled to length 1.
void retract(
    DenseView v, double step, DenseView direction, MutableDenseView moved, std::size_t threads);

/// x_i -= (x_i . v_i) v_i for every row.
void project(DenseView v, MutableDenseView x, std::size_t threads);

/// Sum of products of entries.
[[nodiscard]] double inner(DenseView x, DenseView y, std::size_t threads);
[[nodiscard]] double norm(DenseView x, std::size_t threads);

/// y += alpha x.
void add(double alpha, DenseView x, MutableDenseView y, std::size_t threads);
/// x *= alpha.
void scale(double alpha, MutableDenseView x, std::size_t threads);

}  // namespace maxmargin::unit_rows
