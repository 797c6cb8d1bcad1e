// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Lower Cholesky factor A = L L' of a positive definite matrix that can grow by one row and
/// column at a time in O(n^2).
class MAXMARGIN_EXPORT Cholesky {
 public:
  /// The factor of the 0 x 0 matrix.
  Cholesky() = default;
  /// Factors a square matrix (its lower triangle is read). Empty when a pivot is not above
  /// `pivot_tolerance` times the largest diagonal entry.
  [[nodiscard]] static std::optional<Cholesky> factor(DenseView matrix,
                                                      double pivot_tolerance = 1e-14);

  /// Appends the row [row', diagonal] to the matrix. False, and no change, when the new pivot is
  /// not above `pivot_tolerance` times `diagonal`. Requires row.size() == size().
  [[nodiscard]] bool append(std::span<const double> row,
                            double diagonal,
                            double pivot_tolerance = 1e-14);

  /// Number of rows of the matrix.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// x with A x = b, in place.
  void solve(std::span<double> b) const;
  /// x with L x = b, in place.
  void solve_lower(std::span<double> b) const;
  /// Log of the determinant of A.
  [[nodiscard]] double log_determinant() const;
  /// L as a square matrix with a zero upper triangle.
  [[nodiscard]] DenseMatrix lower() const;

 private:
  std::size_t size_ = 0;
  /// Row-major with stride `capacity_`, so that appending seldom copies.
  std::size_t capacity_ = 0;
  std::vector<double> factor_;
};

}  // namespace maxmargin
