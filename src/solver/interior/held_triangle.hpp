// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "solver/interior/interior.hpp"

namespace maxmargin::interior {

/// A matrix held in memory once: above the diagonal of one square array, whose other half takes the
/// factors of K + diag(theta). Rows with a coefficient that cannot move are left out of them.
/// Memory: n^2 doubles, and 256 n for the blocks on the diagonal, which both halves want.
class HeldTriangle final : public InteriorMatrix {
 public:
  /// fill(begin, rows) writes rows [begin, begin + rows.rows) in full.
  using Fill = std::function<void(std::size_t begin, MutableDenseView rows)>;
  /// `from_float`: the entries are floats, rounded as such. Throws Stopped when the callback, asked
  /// between fills, says to stop.
  HeldTriangle(std::size_t count,
               const Fill& fill,
               std::size_t threads,
               bool from_float = false,
               const ProgressCallback& on_progress = {});

  [[nodiscard]] std::size_t size() const noexcept override { return diagonal_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
  void multiply(std::span<const double> b, std::span<double> values) const override;
  /// What the rounding of the entries may do to K b, as one expects of independent errors of half a
  /// unit in the last place. Entries are taken as exact below 2^53 units of the lowest digit that
  /// any of them has: in kernels of whole numbers most of them are. Floats all end early, rounded
  /// or not: none of them is taken as exact.
  void multiply_errors(std::span<const double> b, std::span<double> errors) const;
  [[nodiscard]] bool factor(std::span<const double> theta,
                            const ProgressCallback& on_progress) override;
  void solve(std::span<double> right) const override;

  /// Bytes that `count` rows need.
  [[nodiscard]] static double bytes(std::size_t count) noexcept;

 private:
  /// Rows [begin, begin + height) and columns [from, from + width) of the array.
  [[nodiscard]] MutableDenseView part(std::size_t begin,
                                      std::size_t height,
                                      std::size_t from,
                                      std::size_t width);
  [[nodiscard]] DenseView above(std::size_t tile, std::size_t other) const;
  [[nodiscard]] DenseView on_diagonal(std::size_t tile) const;
  [[nodiscard]] std::size_t length(std::size_t tile) const;
  [[nodiscard]] double entry(std::size_t i, std::size_t j) const;
  /// Columns [0, begin) of rows [begin, end) from above the diagonal.
  void transpose_into(std::size_t begin, std::size_t end);
  void copy_active(std::span<const double> theta);

  std::size_t threads_;
  DenseMatrix array_;
  std::vector<DenseMatrix> blocks_ = {};  ///< those on the diagonal
  std::vector<double> diagonal_ = {};
  std::vector<std::size_t> active_ = {};  ///< rows that the factors are of
  double largest_exact_ = 0;              ///< size of entries without rounding
  double unit_;                           ///< in the last place of an entry, as a share of it
  double relax_ = 0;                      ///< share by which the diagonal had to grow
};

/// The rows of a problem's matrix, for HeldTriangle.
[[nodiscard]] HeldTriangle::Fill rows_of(const SymmetricMatrix& matrix);

}  // namespace maxmargin::interior
