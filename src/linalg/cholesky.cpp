// SPDX-License-Identifier: Apache-2.0
#include "linalg/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "linalg/block_cholesky.hpp"
#include "linalg/lapack.hpp"
#include "linalg/single_threaded_blas.hpp"

namespace maxmargin {

namespace {

void require_tolerance(double pivot_tolerance) {
  require_field(pivot_tolerance >= 0 && pivot_tolerance < 1,
                "Cholesky: pivot_tolerance",
                pivot_tolerance,
                "in [0, 1)");
}

void require_finite(std::span<const double> values, std::size_t row) {
  const auto bad = std::find_if_not(
      values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return;
  throw InvalidArgument("Cholesky: entry (" + std::to_string(row) + ", " +
                        std::to_string(bad - values.begin()) + ") = " + format_number(*bad) +
                        ", must be finite");
}

}  // namespace

double Cholesky::take(DenseView matrix) {
  require(matrix.rows == matrix.cols, "Cholesky::factor: the matrix must be square");
  grow(matrix.rows);
  double largest_diagonal = 0;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const std::span<const double> lower = matrix.row(i).first(i + 1);
    require_finite(lower, i);
    std::copy(lower.begin(), lower.end(), factor_.data() + i * capacity_);
    largest_diagonal = std::max(largest_diagonal, lower[i]);
  }
  size_ = matrix.rows;
  return largest_diagonal;
}

bool Cholesky::has_pivots_above(double least) const {
  for (std::size_t i = 0; i < size_; ++i) {
    const double root = factor_[i * capacity_ + i];
    if (!(root * root > least)) return false;
  }
  return true;
}

std::optional<Cholesky> Cholesky::factor(DenseView matrix, double pivot_tolerance) {
  require_tolerance(pivot_tolerance);
  Cholesky result;
  const double largest_diagonal = result.take(matrix);
  if (result.size_ == 0) return result;

  use_single_threaded_blas();
  const auto n = narrow<blasint>(result.size_);
  const auto stride = narrow<blasint>(result.capacity_);
  blasint info = 0;
  dpotrf_(&lapack_our_lower, &n, result.factor_.data(), &stride, &info, 1);
  if (info < 0) throw InternalError("dpotrf refuses argument " + std::to_string(-info));
  if (info > 0) return std::nullopt;
  if (!result.has_pivots_above(pivot_tolerance * largest_diagonal)) return std::nullopt;
  return result;
}

std::optional<Cholesky> Cholesky::factor(DenseView matrix,
                                         double pivot_tolerance,
                                         std::size_t threads,
                                         const ProgressCallback& on_progress) {
  require_tolerance(pivot_tolerance);
  Cholesky result;
  const double largest_diagonal = result.take(matrix);
  const std::size_t n = result.size_;
  if (!factor_lower({result.factor_.data(), n, n, result.capacity_}, threads, on_progress)) {
    return std::nullopt;
  }
  if (!result.has_pivots_above(pivot_tolerance * largest_diagonal)) return std::nullopt;
  // The blocks on the diagonal were squares on the way.
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t end = std::min(n, (i / cholesky_block + 1) * cholesky_block);
    double* const row = result.factor_.data() + i * result.capacity_;
    std::fill(row + i + 1, row + end, 0.0);
  }
  return result;
}

bool Cholesky::append(std::span<const double> row, double diagonal, double pivot_tolerance) {
  require_field(row.size() == size_,
                "Cholesky::append: row.size()",
                static_cast<double>(row.size()),
                "size() = " + std::to_string(size_));
  require_tolerance(pivot_tolerance);
  require_finite(row, size_);
  require_field(std::isfinite(diagonal), "Cholesky::append: diagonal", diagonal, "finite");

  std::vector<double> last_row(row.begin(), row.end());
  solve_lower(last_row);
  const double pivot = diagonal - dot(last_row, last_row);
  // Written so that a pivot that overflowed into NaN is refused too.
  if (!(pivot > std::max(pivot_tolerance * diagonal, 0.0))) return false;

  if (size_ == capacity_) grow(std::max<std::size_t>(8, capacity_ + capacity_ / 2));
  const auto target = factor_.begin() + static_cast<std::ptrdiff_t>(size_ * capacity_);
  std::copy(last_row.begin(), last_row.end(), target);
  target[static_cast<std::ptrdiff_t>(size_)] = std::sqrt(pivot);
  ++size_;
  return true;
}

void Cholesky::solve(std::span<double> b) const {
  solve_lower(b);
  solve_lower_transposed(b);
}

void Cholesky::solve_lower(std::span<double> b) const { solve_triangle(Transpose::no, b); }

void Cholesky::solve_lower_transposed(std::span<double> b) const {
  solve_triangle(Transpose::yes, b);
}

double Cholesky::log_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) sum += std::log(factor_[i * capacity_ + i]);
  return 2 * sum;
}

DenseMatrix Cholesky::lower() const {
  DenseMatrix result(size_, size_);
  for (std::size_t i = 0; i < size_; ++i) {
    std::copy_n(factor_.data() + i * capacity_, i + 1, result.row(i).data());
  }
  return result;
}

void Cholesky::grow(std::size_t capacity) {
  std::vector<double> grown(checked_multiply(capacity, capacity));
  for (std::size_t i = 0; i < size_; ++i) {
    std::copy_n(factor_.data() + i * capacity_, i + 1, grown.data() + i * capacity);
  }
  factor_ = std::move(grown);
  capacity_ = capacity;
}

void Cholesky::solve_triangle(Transpose op, std::span<double> b) const {
  require_field(b.size() == size_,
                "Cholesky: the right-hand side's size",
                static_cast<double>(b.size()),
                "size() = " + std::to_string(size_));
  if (size_ == 0) return;
  use_single_threaded_blas();
  cblas_dtrsv(CblasRowMajor,
              CblasLower,
              op == Transpose::yes ? CblasTrans : CblasNoTrans,
              CblasNonUnit,
              narrow<blasint>(size_),
              factor_.data(),
              narrow<blasint>(capacity_),
              b.data(),
              1);
}

}  // namespace maxmargin
