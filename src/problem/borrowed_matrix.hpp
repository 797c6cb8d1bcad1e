// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/problem/symmetric_matrix.hpp"

namespace maxmargin {

/// A symmetric matrix in double that somebody else holds, as solvers want to see it.
class BorrowedMatrix final : public SymmetricMatrix {
 public:
  /// The matrix must outlive the object. Throws InvalidArgument when it is not square; its lower
  /// and upper halves are taken to agree.
  explicit BorrowedMatrix(DenseView matrix);
  [[nodiscard]] std::size_t size() const noexcept override { return diagonal_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
  [[nodiscard]] RowBlock rows(std::span<const std::size_t> indices) const override;
  [[nodiscard]] std::size_t rows_held() const noexcept override { return size(); }
  [[nodiscard]] DenseView view() const noexcept { return matrix_; }

 private:
  DenseView matrix_;
  std::vector<double> diagonal_;
};

}  // namespace maxmargin
