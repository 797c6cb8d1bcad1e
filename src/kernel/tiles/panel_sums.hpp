// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "kernel/tiles/pairing.hpp"
#include "kernel/tiles/rows.hpp"

/// The inner loop of dense tiles. No entry depends on which others are computed with it: each is a
/// sum over the features in their order.
namespace maxmargin {

/// Examples of the column side interleaved: panel p holds columns [p W, (p+1) W), feature by
/// feature, so that W sums advance together in vector registers.
template <class T>
inline constexpr std::size_t panel_width = 128 / sizeof(T);

/// out.row(i)[j] = sum over features k of term(rows[i * features + k], column j) for the columns j
/// of `panel_count` panels. For sentropic the features alternate between a value and its logarithm.
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

}  // namespace maxmargin
