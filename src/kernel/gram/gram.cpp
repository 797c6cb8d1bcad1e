// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/kernel/gram/gram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/stoppable.hpp"
#include "kernel/gram/stoppable.hpp"
#include "kernel/parts.hpp"
#include "kernel/rows/large_pages.hpp"
#include "kernel/tiles/row_means.hpp"
#include "kernel/tiles/tiles.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/kernel/combine.hpp"

namespace maxmargin {

namespace {

/// Rows and columns of a tile: its entries stay in the second-level cache from their dot products
/// to their exponentials, and it is large enough for gemm to run at full speed.
constexpr std::size_t tile = 256;
static_assert(tile % tile_alignment == 0);

/// Checks the symmetry of the matrices in a kernel: gram() reads one triangle.
void check_symmetry(const Kernel& kernel);

void check_symmetry(const DenseMatrix& matrix) {
  if (matrix.rows() != matrix.cols()) {
    throw InvalidArgument("gram: the precomputed matrix has " + std::to_string(matrix.rows()) +
                          " rows and " + std::to_string(matrix.cols()) +
                          " columns, must be square");
  }
  double largest = 0;
  for (const double value : matrix.values()) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(matrix(i, j) - matrix(j, i)) <= 1e-6 * largest) continue;
      throw InvalidArgument("gram: the precomputed matrix is not symmetric: row " +
                            std::to_string(i) + ", column " + std::to_string(j) +
                            " (from 0) holds " + format_number(matrix(i, j)) +
                            ", its mirror image " + format_number(matrix(j, i)));
    }
  }
}

void check_symmetry(const Kernel& kernel) {
  if (const auto* precomputed = std::get_if<Precomputed>(&kernel)) {
    check_symmetry(*precomputed->matrix);
    return;
  }
  if (const auto* combined = std::get_if<Combined>(&kernel)) {
    for_each_part(combined->node(), [](const Kernel& part) { check_symmetry(part); });
  }
}

/// Tile t of the lower triangle, counted row by row of tiles.
std::pair<std::size_t, std::size_t> tile_position(std::size_t t) {
  auto i = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(t) + 1) - 1) / 2);
  while (i * (i + 1) / 2 > t) --i;
  while ((i + 1) * (i + 2) / 2 <= t) ++i;
  return {i, t - i * (i + 1) / 2};
}

/// target = source', in squares that fit the innermost cache.
template <class T>
void copy_transposed(BasicDenseView<const T> source, BasicDenseView<T> target) {
  constexpr std::size_t square = 16;
  for (std::size_t j0 = 0; j0 < source.cols; j0 += square) {
    for (std::size_t i0 = 0; i0 < source.rows; i0 += square) {
      for (std::size_t j = j0; j < std::min(j0 + square, source.cols); ++j) {
        for (std::size_t i = i0; i < std::min(i0 + square, source.rows); ++i) {
          target(j, i) = source(i, j);
        }
      }
    }
  }
}

template <class T>
BasicDenseView<T> block(BasicDenseMatrix<T>& matrix,
                        std::size_t row,
                        std::size_t col,
                        std::size_t rows,
                        std::size_t cols) {
  return {matrix.data() + row * matrix.cols() + col, rows, cols, matrix.cols()};
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// A matrix for a large result: a tile and its mirror image touch a page per row.
template <class T>
BasicDenseMatrix<T> large_matrix(std::size_t rows, std::size_t cols) {
  auto matrix = BasicDenseMatrix<T>::uninitialized(rows, cols);
  advise_large_pages(matrix.data(), rows * cols * sizeof(T));
  return matrix;
}

/// Asks `progress` before every tile; what it returns is of use when the answer is still yes.
template <class T>
BasicDenseMatrix<T> symmetric_gram(const Kernel& kernel,
                                   const Examples& examples,
                                   const GramOptions& options,
                                   SharedProgress& progress) {
  const std::size_t threads = thread_count(options.context.threads);
  const auto tiles = make_checked_tiles<T>(kernel, examples, examples, TileUse::blocks);
  check_symmetry(kernel);
  const std::size_t n = examples.rows();
  auto result = large_matrix<T>(n, n);
  const std::vector<std::size_t> rows = all_rows(n);
  const std::size_t side = chunk_count(n, tile);
  const ChunkBody one_tile = [&](std::size_t t, std::size_t, std::size_t) {
    if (progress({.phase = "kernel"}) != Continue::yes) return;
    const auto [tile_row, tile_col] = tile_position(t);
    const std::size_t row = tile_row * tile;
    const std::size_t col = tile_col * tile;
    const std::size_t row_count = std::min(tile, n - row);
    const std::size_t col_count = std::min(tile, n - col);
    auto values = BasicDenseMatrix<T>::uninitialized(row_count, col_count);
    tiles->fill(std::span<const std::size_t>(rows).subspan(row, row_count), col, values.view());
    if (tile_row == tile_col) {
      mirror_lower(values.view());
    } else {
      copy_transposed<T>(values.view(), block(result, col, row, col_count, row_count));
    }
    for (std::size_t i = 0; i < row_count; ++i) {
      std::ranges::copy(values.row(i), result.data() + (row + i) * n + col);
    }
  };
  parallel_chunks(threads, side * (side + 1) / 2, 1, one_tile);
  // The system gives memory when it is written to: after a stop, no more of it.
  if (progress.answer() != Continue::yes) return result;
  const std::vector<double> diagonal = kernel_diagonal(kernel, examples, options);
  for (std::size_t i = 0; i < n; ++i) result(i, i) = static_cast<T>(diagonal[i]);
  return result;
}

template <class T>
BasicDenseMatrix<T> whole_gram(const Kernel& kernel,
                               const Examples& examples,
                               const GramOptions& options) {
  const ProgressCallback nobody;
  SharedProgress progress(nobody);
  return symmetric_gram<T>(kernel, examples, options, progress);
}

template <class T>
BasicDenseMatrix<T> rectangular_gram(const Kernel& kernel,
                                     const Examples& rows,
                                     const Examples& cols,
                                     const GramOptions& options) {
  const std::size_t threads = thread_count(options.context.threads);
  const auto tiles = make_checked_tiles<T>(kernel, rows, cols, TileUse::blocks);
  auto result = large_matrix<T>(rows.rows(), cols.rows());
  const std::vector<std::size_t> indices = all_rows(rows.rows());
  const std::size_t tiles_across = chunk_count(cols.rows(), tile);
  const ChunkBody one_tile = [&](std::size_t t, std::size_t, std::size_t) {
    const std::size_t row = t / tiles_across * tile;
    const std::size_t col = t % tiles_across * tile;
    const std::size_t row_count = std::min(tile, rows.rows() - row);
    const std::size_t col_count = std::min(tile, cols.rows() - col);
    tiles->fill(std::span<const std::size_t>(indices).subspan(row, row_count),
                col,
                block(result, row, col, row_count, col_count));
  };
  parallel_chunks(threads, chunk_count(rows.rows(), tile) * tiles_across, 1, one_tile);
  return result;
}

}  // namespace

DenseMatrix gram(const Kernel& kernel, const Examples& examples, const GramOptions& options) {
  return whole_gram<double>(kernel, examples, options);
}

FloatMatrix gram_float(const Kernel& kernel, const Examples& examples, const GramOptions& options) {
  return whole_gram<float>(kernel, examples, options);
}

StoppableGram gram_unless_stopped(const Kernel& kernel,
                                  const Examples& examples,
                                  const Context& context) {
  StoppableGram found;
  if (examples.rows() <= rows_finished_anyway) {
    found.matrix = gram(kernel, examples, {.context = context});
    return found;
  }
  SharedProgress progress(context.on_progress);
  DenseMatrix matrix = symmetric_gram<double>(kernel, examples, {.context = context}, progress);
  found.answer = progress.answer();
  if (found.answer == Continue::yes) found.matrix = std::move(matrix);
  return found;
}

DenseMatrix cross_gram(const Kernel& kernel,
                       const Examples& rows,
                       const Examples& cols,
                       const GramOptions& options) {
  return rectangular_gram<double>(kernel, rows, cols, options);
}

FloatMatrix cross_gram_float(const Kernel& kernel,
                             const Examples& rows,
                             const Examples& cols,
                             const GramOptions& options) {
  return rectangular_gram<float>(kernel, rows, cols, options);
}

std::vector<double> kernel_diagonal(const Kernel& kernel,
                                    const Examples& examples,
                                    const GramOptions& options) {
  validate(kernel);
  check_domain(kernel, examples);
  std::vector<double> diagonal(examples.rows());
  constexpr std::size_t chunk = 1024;
  parallel_chunks(thread_count(options.context.threads),
                  examples.rows(),
                  chunk,
                  [&](std::size_t, std::size_t begin, std::size_t end) {
                    if (!std::holds_alternative<Combined>(kernel)) {
                      for (std::size_t i = begin; i < end; ++i) {
                        diagonal[i] = self_value(kernel, examples.row(i));
                      }
                      return;
                    }
                    // Together, as the training examples of a part are looked at once.
                    std::vector<std::size_t> rows(end - begin);
                    std::iota(rows.begin(), rows.end(), begin);
                    std::ranges::copy(self_values(kernel, examples.select(rows)),
                                      diagonal.begin() + static_cast<std::ptrdiff_t>(begin));
                  });
  return diagonal;
}

}  // namespace maxmargin
