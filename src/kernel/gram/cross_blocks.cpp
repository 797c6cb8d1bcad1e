// SPDX-License-Identifier: Apache-2.0
#include "kernel/gram/cross_blocks.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "kernel/tiles/tiles.hpp"

namespace maxmargin {

static_assert(cross_block_cols % tile_alignment == 0);

namespace {

template <class T>
void visit_blocks(const Kernel& kernel,
                  const Examples& rows,
                  const Examples& cols,
                  std::size_t threads,
                  const std::function<void(const CrossBlock<T>&)>& visit) {
  const auto tiles = make_tiles<T>(kernel, rows, cols, TileUse::blocks);
  const std::size_t n = cols.rows();
  parallel_chunks(
      threads, rows.rows(), cross_block_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<std::size_t> indices(end - begin);
        std::iota(indices.begin(), indices.end(), begin);
        Buffer<T> values(indices.size() * std::min(n, cross_block_cols));
        for (std::size_t col = 0; col < n; col += cross_block_cols) {
          const std::size_t width = std::min(cross_block_cols, n - col);
          const BasicDenseView<T> block{values.data(), indices.size(), width, width};
          tiles->fill(indices, col, block);
          visit({begin, col, block});
        }
      });
}

}  // namespace

void visit_cross_blocks(const Kernel& kernel,
                        const Examples& rows,
                        const Examples& cols,
                        std::size_t threads,
                        const std::function<void(const CrossBlock<double>&)>& visit) {
  visit_blocks<double>(kernel, rows, cols, threads, visit);
}

void visit_cross_blocks_float(const Kernel& kernel,
                              const Examples& rows,
                              const Examples& cols,
                              std::size_t threads,
                              const std::function<void(const CrossBlock<float>&)>& visit) {
  visit_blocks<float>(kernel, rows, cols, threads, visit);
}

}  // namespace maxmargin
