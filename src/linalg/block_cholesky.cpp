// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "linalg/single_threaded_blas.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t block = cholesky_block;

/// rows = rows L'^-1 (transposed) or rows L^-1, for a lower triangle L.
void solve_right(CBLAS_TRANSPOSE op, DenseView lower, MutableDenseView rows) {
  use_single_threaded_blas();
  cblas_dtrsm(CblasRowMajor,
              CblasRight,
              CblasLower,
              op,
              CblasNonUnit,
              narrow<blasint>(rows.rows),
              narrow<blasint>(rows.cols),
              1.0,
              lower.data,
              narrow<blasint>(lower.stride),
              rows.data,
              narrow<blasint>(rows.stride));
}

/// One row, without the copies of the triangle that dtrsm makes: they cost five times the solution.
void solve_right(CBLAS_TRANSPOSE op, DenseView lower, std::span<double> row) {
  use_single_threaded_blas();
  cblas_dtrsv(CblasRowMajor,
              CblasLower,
              op == CblasTrans ? CblasNoTrans : CblasTrans,
              CblasNonUnit,
              narrow<blasint>(row.size()),
              lower.data,
              narrow<blasint>(lower.stride),
              row.data(),
              1);
}

/// A square block on the diagonal by LAPACK; false when it is not positive definite.
bool factor_diagonal(MutableDenseView diagonal) {
  use_single_threaded_blas();
  const auto n = narrow<blasint>(diagonal.rows);
  const auto stride = narrow<blasint>(diagonal.stride);
  blasint info = 0;
  dpotrf_(&lapack_our_lower, &n, diagonal.data, &stride, &info, 1);
  if (info < 0) throw InternalError("dpotrf refuses argument " + std::to_string(-info));
  return info == 0;
}

MutableDenseView part(
    MutableDenseView matrix, std::size_t row, std::size_t col, std::size_t rows, std::size_t cols) {
  return {matrix.data + row * matrix.stride + col, rows, cols, matrix.stride};
}

}  // namespace

bool factor_lower(MutableDenseView matrix,
                  std::size_t threads,
                  const ProgressCallback& on_progress) {
  require(matrix.rows == matrix.cols, "BlockCholesky: the matrix must be square");
  const std::size_t n = matrix.rows;
  for (std::size_t begin = 0; begin < n; begin += block) {
    const Continue answer = ask(
        on_progress,
        {.phase = "factor", .iteration = begin / block, .max_iterations = chunk_count(n, block)});
    if (answer != Continue::yes) return false;
    const std::size_t width = std::min(block, n - begin);
    const std::size_t end = begin + width;
    const MutableDenseView diagonal = part(matrix, begin, begin, width, width);
    if (!factor_diagonal(diagonal)) return false;
    const std::size_t below = chunk_count(n - end, block);
    const auto rows_of = [&](std::size_t tile) { return std::min(block, n - end - tile * block); };
    // The panel below the diagonal block.
    parallel_chunks(threads, below, 1, [&](std::size_t t, std::size_t, std::size_t) {
      solve_right(CblasTrans, diagonal, part(matrix, end + t * block, begin, rows_of(t), width));
    });
    // What is left, less panel x panel'.
    std::vector<std::pair<std::size_t, std::size_t>> tiles;
    for (std::size_t i = 0; i < below; ++i) {
      for (std::size_t j = 0; j <= i; ++j) tiles.emplace_back(i, j);
    }
    parallel_chunks(threads, tiles.size(), 1, [&](std::size_t t, std::size_t, std::size_t) {
      const std::size_t i = tiles[t].first;
      const std::size_t j = tiles[t].second;
      gemm(Transpose::no,
           Transpose::yes,
           -1.0,
           part(matrix, end + i * block, begin, rows_of(i), width),
           part(matrix, end + j * block, begin, rows_of(j), width),
           1.0,
           part(matrix, end + i * block, end + j * block, rows_of(i), rows_of(j)));
    });
  }
  // LAPACK lets a NaN through as a pivot.
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(matrix.data[i * matrix.stride + i])) return false;
  }
  return true;
}

std::optional<BlockCholesky> BlockCholesky::factor(DenseMatrix matrix,
                                                   std::size_t threads,
                                                   const ProgressCallback& on_progress) {
  if (!factor_lower(matrix.view(), threads, on_progress)) return std::nullopt;
  return BlockCholesky(std::move(matrix));
}

void solve_rows(DenseView factor, MutableDenseView rows, std::size_t threads) {
  require(rows.cols == factor.rows,
          "BlockCholesky.solve_rows: the rows must have one number a row");
  constexpr std::size_t rows_at_once = 8;
  parallel_chunks(
      threads, rows.rows, rows_at_once, [&](std::size_t, std::size_t begin, std::size_t end) {
        const MutableDenseView some = rows.middle_rows(begin, end);
        for (const CBLAS_TRANSPOSE op : {CblasTrans, CblasNoTrans}) {
          if (some.rows == 1) {
            solve_right(op, factor, some.row(0));
          } else {
            solve_right(op, factor, some);
          }
        }
      });
}

}  // namespace maxmargin
