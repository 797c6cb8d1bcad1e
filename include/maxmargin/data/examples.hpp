// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {

/// The feature vectors of a data set: a dense or a sparse matrix, one example a row.
class MAXMARGIN_EXPORT Examples {
 public:
  Examples() = default;
  Examples(DenseMatrix dense) : matrix_(std::move(dense)) {}     // NOLINT: implicit on purpose
  Examples(SparseMatrix sparse) : matrix_(std::move(sparse)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t cols() const;
  [[nodiscard]] bool is_dense() const noexcept {
    return std::holds_alternative<DenseMatrix>(matrix_);
  }
  /// Stored entries (rows x cols when dense).
  [[nodiscard]] std::size_t entries() const;
  [[nodiscard]] const DenseMatrix& dense() const { return std::get<DenseMatrix>(matrix_); }
  [[nodiscard]] const SparseMatrix& sparse() const { return std::get<SparseMatrix>(matrix_); }
  [[nodiscard]] DenseMatrix& dense() { return std::get<DenseMatrix>(matrix_); }
  [[nodiscard]] SparseMatrix& sparse() { return std::get<SparseMatrix>(matrix_); }
  [[nodiscard]] Row row(std::size_t i) const {
    return is_dense() ? Row(dense().row(i)) : Row(sparse().row(i));
  }
  /// All rows, for what works on either kind of matrix. Valid as long as these examples are.
  [[nodiscard]] PointRows points() const {
    return is_dense() ? PointRows(dense().view()) : PointRows(sparse().view());
  }
  /// The given rows, in that order; repetitions allowed.
  [[nodiscard]] Examples select(std::span<const std::size_t> rows) const;
  /// A dense copy.
  [[nodiscard]] DenseMatrix to_dense() const;

 private:
  std::variant<DenseMatrix, SparseMatrix> matrix_;
};

}  // namespace maxmargin
