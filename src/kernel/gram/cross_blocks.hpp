// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The m x n matrix K(rows_i, cols_j) seen once and never held: what cross_gram would return, a
/// block at a time (docs/algorithms/kernel-rows.md). Sums over it need memory for a few blocks,
/// whatever m and n are.
namespace maxmargin {

/// A block of the matrix: rows [row_begin, row_begin + values.rows) and likewise columns. Valid
/// during the call alone.
template <class T>
struct CrossBlock {
  std::size_t row_begin = 0;
  std::size_t col_begin = 0;
  BasicDenseView<const T> values = {};
};

/// The shape of blocks: those on the lower and right border may be smaller.
inline constexpr std::size_t cross_block_rows = 128;
inline constexpr std::size_t cross_block_cols = 1024;

/// Calls `visit` once for every block. Blocks with the same rows come one after the other from left
/// to right on one thread; different rows may be visited from several threads at once, so what a
/// visitor does for its rows is the same for any number of threads. Requires what cross_gram does,
/// but checks neither parameters nor domain: callers who cut their examples into parts check the
/// whole first.
void visit_cross_blocks(const Kernel& kernel,
                        const Examples& rows,
                        const Examples& cols,
                        std::size_t threads,
                        const std::function<void(const CrossBlock<double>&)>& visit);
/// The same with values in float, at about twice the speed.
void visit_cross_blocks_float(const Kernel& kernel,
                              const Examples& rows,
                              const Examples& cols,
                              std::size_t threads,
                              const std::function<void(const CrossBlock<float>&)>& visit);

/// |float value - value in double| <= relative x float value + absolute; relative is 0 for kernels
/// that have negative values.
struct FloatError {
  double relative = 0;
  double absolute = 0;
};

/// For every row i a bound on the rounding of K(rows_i, cols_j) in visit_cross_blocks_float that
/// holds for all columns j; derived in docs/algorithms/prediction.md. Empty for kernels without a
/// derived bound: all but rbf and poly.
[[nodiscard]] std::optional<std::vector<FloatError>> float_errors(const Kernel& kernel,
                                                                  const Examples& rows,
                                                                  const Examples& cols,
                                                                  std::size_t threads);

}  // namespace maxmargin
