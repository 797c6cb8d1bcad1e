// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "maxmargin/linalg/matrix.hpp"
#include "solver/kmeans/points.hpp"

/// The inner loops of k-means, but for large matrix products. They exist for the processor's widest
/// vectors as well as for the plain one; both give the same bits, since no sum is reordered.
namespace maxmargin::kmeans {

/// The least and the second least score of each row of a block, and where the least is (the lowest
/// index of equals). Indices are kept as double so that all three move in one vector register.
struct NearestTwo {
  alignas(64) std::array<double, block_rows> best;
  alignas(64) std::array<double, block_rows> second;
  alignas(64) std::array<double, block_rows> index;
};

/// For rows r < count: over centres c, the two least of scores[c * stride + r] + offsets[c].
/// With one centre `second` is infinite. Requires count <= block_rows.
void find_nearest_two(const double* scores,
                      std::size_t stride,
                      std::size_t count,
                      std::span<const double> offsets,
                      NearestTwo& result);

/// Centres that multiply_few takes at most.
inline constexpr std::size_t few_centres = 32;

/// scores[c * block_rows + r] = -2 rows(r) . centre c, for at most few_centres centres: a matrix
/// product without the copies that BLAS makes of both matrices, which cost more than the product
/// when there are few centres. `centres` holds feature after feature, few_lanes(k) values each;
/// those behind the k-th are zero. Requires at most block_rows rows.
void multiply_few(DenseView rows, std::size_t k, const double* centres, double* scores);
/// k rounded up to whole registers.
[[nodiscard]] constexpr std::size_t few_lanes(std::size_t k) { return (k + 7) / 8 * 8; }

/// sums[labels[r]] += weights[r] * rows(r); empty weights are all 1. `sums` is row-major with as
/// many columns as `rows`.
void add_dense_rows(DenseView rows,
                    std::span<const std::int32_t> labels,
                    std::span<const double> weights,
                    double* sums);

}  // namespace maxmargin::kmeans
