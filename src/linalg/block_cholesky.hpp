// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Replaces the lower triangle of a large square matrix A by its Cholesky factor L, square block by
/// square block on several threads. What lies above the diagonal stays as it is, but for the blocks
/// of cholesky_block columns on the diagonal. False when the matrix is not positive definite, or
/// when `on_progress`, asked before every panel of columns, says to stop; the triangle is lost
/// then. n^3/3 multiplications and additions; the same bits for any number of threads.
[[nodiscard]] bool factor_lower(MutableDenseView matrix,
                                std::size_t threads,
                                const ProgressCallback& on_progress = {});
inline constexpr std::size_t cholesky_block = 256;

/// Every row b becomes the x with L L' x = b. Requires rows of as many numbers as L has rows.
void solve_rows(DenseView factor, MutableDenseView rows, std::size_t threads);

/// Cholesky factor A = L L' of a large positive definite matrix, square block by square block on
/// several threads, in place. (linalg/cholesky.hpp has the one that grows a row at a time.)
class BlockCholesky {
 public:
  /// Takes over a square matrix, whose lower triangle is read. Empty when factor_lower() fails.
  [[nodiscard]] static std::optional<BlockCholesky> factor(
      DenseMatrix matrix, std::size_t threads, const ProgressCallback& on_progress = {});

  [[nodiscard]] std::size_t size() const noexcept { return factor_.rows(); }
  /// Every row b becomes the x with A x = b. Requires rows of size() numbers.
  void solve_rows(MutableDenseView rows, std::size_t threads) const {
    maxmargin::solve_rows(factor_.view(), rows, threads);
  }

 private:
  explicit BlockCholesky(DenseMatrix factor) : factor_(std::move(factor)) {}

  DenseMatrix factor_;
};

}  // namespace maxmargin
