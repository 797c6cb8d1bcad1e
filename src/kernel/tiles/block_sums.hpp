// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/tiles/pairing.hpp"
#include "kernel/tiles/rows.hpp"

/// The inner loop of sparse tiles. No entry depends on which others are computed with it: each is a
/// sum over common columns in their order.
namespace maxmargin {

/// Sparse examples that are spread together into a dense block: a line of block_width values for
/// every column that one of them uses, value c being that of example c. Line 0 is all zeros and
/// stands for all other columns, so that nobody has to ask whether a column is in use.
inline constexpr std::size_t block_width = 32;

/// For each of `count` sparse examples s: sums[s * block_width + c] = sum over its entries k of
/// term(v, b) - term(v, 0) - term(0, b), v the entry's value and b value c of its column's line.
/// Zeros stored in both make chi_square's sum NaN. Not for sentropic.
template <class T>
struct BlockWork {
  Pairing pairing;
  const std::int64_t* offsets;  ///< example s has entries [offsets[s], offsets[s + 1])
  const std::int32_t* columns;
  const T* values;
  std::size_t count;
  const std::int32_t* lines;  ///< of each column
  const T* block;
  T* sums;
};
void block_sums(const BlockWork<float>& work);
void block_sums(const BlockWork<double>& work);

/// out.row(c)[begin + s] = sums[s * block_width + c] for all rows c of `out` and s < count.
void store_transposed(const float* sums, std::size_t begin, std::size_t count, TileRows<float> out);
void store_transposed(const double* sums,
                      std::size_t begin,
                      std::size_t count,
                      TileRows<double> out);

}  // namespace maxmargin
