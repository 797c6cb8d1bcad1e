// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/pairing.hpp"
#include "kernel/tile_rows.hpp"

/// The inner loops of Gram tiles. No entry depends on which others are computed with it: each is
/// a sum over the features in their order.
namespace maxmargin {

/// Examples of the column side interleaved: panel p holds columns [p W, (p+1) W), feature by
/// feature, so that W sums advance together in vector registers.
template <class T>
inline constexpr std::size_t panel_width = 128 / sizeof(T);

/// out.row(i)[j] = sum over features k of term(rows[i * features + k], column j) for the columns j
/// of `panel_count` panels. For sentropic the features alternate between a value and its
/// logarithm. squared_distance is not among the pairings: it goes through dot.
template <class T>
struct PanelWork {
  Pairing pairing;
  const T* rows;
  std::size_t features;
  const T* panels;
  std::size_t panel_count;
  TileRows<T> out;
};
void panel_sums(const PanelWork<float>& work);
void panel_sums(const PanelWork<double>& work);

/// A dense block of up to `block_width` sparse examples, slot by slot: entry c of slot s belongs
/// to example c.
inline constexpr std::size_t block_width = 32;

/// For one sparse row: sums[c] = sum over its entries k with slots[columns[k]] >= 0 of
/// term(v, b) - term(v, 0) - term(0, b), v the value and b the block's entry c in that slot.
/// Zeros stored in both make chi_square's sum NaN.
struct BlockWork {
  Pairing pairing;
  const std::int32_t* columns;
  const double* values;
  std::size_t count;
  const std::int32_t* slots;
  std::size_t slot_columns;  ///< entries of `slots`; columns beyond are left out
  const double* block;
  double* sums;
};
void block_sums(const BlockWork& work);

/// Turns dot products into squared distances, values[j] = norm + norms[j] - 2 values[j], and tells
/// whether one of them is below `closeness` (norm + norms[j]) or not a number.
[[nodiscard]] bool squared_distances(
    float norm, const float* norms, float closeness, float* values, std::size_t count);
[[nodiscard]] bool squared_distances(
    double norm, const double* norms, double closeness, double* values, std::size_t count);

}  // namespace maxmargin
