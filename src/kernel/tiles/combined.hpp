// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/tiles/tiles.hpp"
#include "maxmargin/kernel/combine.hpp"

namespace maxmargin {

/// Tiles of a combined kernel: the tiles of its parts, put together entry by entry.
template <class T>
[[nodiscard]] std::unique_ptr<Tiles<T>> make_combined_tiles(const Combination& combination,
                                                            const Examples& rows,
                                                            const Examples& cols,
                                                            TileUse use);

/// Tiles of the cosine kernel: dot products of unit vectors.
template <class T>
[[nodiscard]] std::unique_ptr<Tiles<T>> make_cosine_tiles(const Examples& rows,
                                                          const Examples& cols,
                                                          TileUse use);

/// Tiles of the spectrum kernel: dot products of counts.
template <class T>
[[nodiscard]] std::unique_ptr<Tiles<T>> make_spectrum_tiles(const Spectrum& kernel,
                                                            const Examples& rows,
                                                            const Examples& cols,
                                                            TileUse use);

}  // namespace maxmargin
