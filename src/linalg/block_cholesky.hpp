// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Cholesky factor A = L L' of a large positive definite matrix, square block by square block on
/// several threads, in place. (linalg/cholesky.hpp has the one that grows a row at a time.)
class BlockCholesky {
 public:
  /// Takes over a square matrix, whose lower triangle is read. Empty when it is not positive
  /// definite, or when `on_progress`, asked before every panel of 256 columns, says to stop. n^3/3
  /// multiplications and additions; the same bits for any number of threads.
  [[nodiscard]] static std::optional<BlockCholesky> factor(
      DenseMatrix matrix, std::size_t threads, const ProgressCallback& on_progress = {});

  [[nodiscard]] std::size_t size() const noexcept { return factor_.rows(); }
  /// Every row b becomes the x with A x = b. Requires rows of size() numbers.
  void solve_rows(MutableDenseView rows, std::size_t threads) const;

 private:
  explicit BlockCholesky(DenseMatrix factor) : factor_(std::move(factor)) {}

  DenseMatrix factor_;
};

}  // namespace maxmargin
