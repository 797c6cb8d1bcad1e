// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linalg/blas.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// Lower Cholesky factor A = L L' of a positive definite matrix that can grow by one row and
/// column at a time in O(n^2). Not for matrices that are only semidefinite: those are refused, and
/// the caller adds a ridge or leaves the row out.
///
/// Every function throws InvalidArgument for sizes that do not fit, for numbers that are not
/// finite, and for a pivot tolerance outside [0, 1).
class Cholesky {
 public:
  /// The factor of the 0 x 0 matrix.
  Cholesky() = default;
  /// Factors a square matrix (its lower triangle is read), in O(n^3) by blocked LAPACK. Empty when
  /// a pivot (the square of a diagonal entry of L) is not above `pivot_tolerance` times the
  /// largest diagonal entry of the matrix.
  [[nodiscard]] static std::optional<Cholesky> factor(DenseView matrix,
                                                      double pivot_tolerance = 1e-14);

  /// The same of a large matrix on several threads, with the same bits for any number of them; asks
  /// before every panel of columns. Empty also where the answer is not yes.
  [[nodiscard]] static std::optional<Cholesky> factor(DenseView matrix,
                                                      double pivot_tolerance,
                                                      std::size_t threads,
                                                      const ProgressCallback& on_progress);

  /// Appends the row [row', diagonal] to the matrix, in O(n^2). False, and no change, when the new
  /// pivot is not above `pivot_tolerance` times `diagonal`: then the new row depends on the others.
  /// Requires row.size() == size().
  [[nodiscard]] bool append(std::span<const double> row,
                            double diagonal,
                            double pivot_tolerance = 1e-14);

  /// Number of rows of the matrix.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// x with A x = b, in place, in O(n^2). Requires b.size() == size(), as do the next two.
  void solve(std::span<double> b) const;
  /// x with L x = b, in place: |x|^2 = b' A^-1 b.
  void solve_lower(std::span<double> b) const;
  /// x with L' x = b, in place.
  void solve_lower_transposed(std::span<double> b) const;
  /// Log of the determinant of A; 0 for the 0 x 0 matrix.
  [[nodiscard]] double log_determinant() const;
  /// L as a square matrix with a zero upper triangle.
  [[nodiscard]] DenseMatrix lower() const;

 private:
  /// The lower triangle of the matrix in place of its factor, and its largest diagonal entry.
  [[nodiscard]] double take(DenseView matrix);
  [[nodiscard]] bool has_pivots_above(double least) const;
  void grow(std::size_t capacity);
  void solve_triangle(Transpose op, std::span<double> b) const;

  std::size_t size_ = 0;
  /// Row-major with stride `capacity_`, so that appending seldom copies; zeros above the diagonal.
  std::size_t capacity_ = 0;
  std::vector<double> factor_;
};

}  // namespace maxmargin
