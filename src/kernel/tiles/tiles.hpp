// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernel/tiles/rows.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

/// Values of one kernel between two fixed sets of examples, prepared once and then handed out a
/// tile at a time. Const and callable from several threads at once.
template <class T>
class Tiles {
 public:
  virtual ~Tiles() = default;
  /// out(i, j) = K(rows[i], col_begin + j) for all columns of `out`. Requires col_begin to be a
  /// multiple of tile_alignment.
  virtual void fill(std::span<const std::size_t> rows,
                    std::size_t col_begin,
                    TileRows<T> out) const = 0;
};

/// Where tiles may begin.
inline constexpr std::size_t tile_alignment = 32;

/// What the tiles are for.
enum class TileUse {
  blocks,  ///< large blocks: dot products by gemm, whose rounding may depend on a tile's shape
  rows     ///< single rows in any company: an entry's value depends on nothing but its examples
};

/// How float tiles sum over the columns.
enum class FloatSums {
  in_double,  ///< in double; the value is rounded at the end
  sparse,     ///< in float over common entries
  dense       ///< in float over all columns, after subtracting tile_centre where differences count
};
/// Requires a kernel that pairing_of accepts.
[[nodiscard]] FloatSums float_sums(const Kernel& kernel,
                                   const Examples& rows,
                                   const Examples& cols);

/// What dense tiles subtract from every example where only differences count: the means of the
/// first `dimension` columns of the column side.
[[nodiscard]] std::vector<double> tile_centre(const Examples& cols, std::size_t dimension);

/// Validates kernel and domain, then prepares. Both sets must outlive the tiles.
template <class T>
[[nodiscard]] std::unique_ptr<Tiles<T>> make_checked_tiles(const Kernel& kernel,
                                                           const Examples& rows,
                                                           const Examples& cols,
                                                           TileUse use);

/// Prepares without checks.
template <class T>
[[nodiscard]] std::unique_ptr<Tiles<T>> make_tiles(const Kernel& kernel,
                                                   const Examples& rows,
                                                   const Examples& cols,
                                                   TileUse use);

extern template std::unique_ptr<Tiles<float>> make_checked_tiles(const Kernel&,
                                                                 const Examples&,
                                                                 const Examples&,
                                                                 TileUse);
extern template std::unique_ptr<Tiles<double>> make_checked_tiles(const Kernel&,
                                                                  const Examples&,
                                                                  const Examples&,
                                                                  TileUse);
extern template std::unique_ptr<Tiles<float>> make_tiles(const Kernel&,
                                                         const Examples&,
                                                         const Examples&,
                                                         TileUse);
extern template std::unique_ptr<Tiles<double>> make_tiles(const Kernel&,
                                                          const Examples&,
                                                          const Examples&,
                                                          TileUse);

}  // namespace maxmargin
