// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {

/// The feature vectors of a data set: a dense or a sparse matrix, one example a row. They own the
/// matrix or borrow it from somebody who made it. Copies share it and cost nothing; who writes into
/// shared or borrowed examples gets a copy first, so that a lender's memory is never written to.
/// Moved from, they are empty.
class MAXMARGIN_EXPORT Examples {
 public:
  Examples() = default;
  Examples(DenseMatrix dense);    // NOLINT(google-explicit-constructor): implicit on purpose
  Examples(SparseMatrix sparse);  // NOLINT(google-explicit-constructor): implicit on purpose
  Examples(const Examples&) = default;
  Examples(Examples&& other) noexcept;
  Examples& operator=(const Examples&) = default;
  Examples& operator=(Examples&& other) noexcept;
  ~Examples() = default;

  /// Rows in memory of somebody else, which nobody copies; the stride may be larger than the rows.
  /// The memory must stay as it is while these examples or copies of them are in use. `owner` is
  /// kept so long, and let go with the last of them: a handle of what holds the memory (empty: the
  /// caller sees to it). Trained models keep nothing that is borrowed.
  /// Throws InvalidArgument for a stride below the number of columns.
  [[nodiscard]] static Examples borrow(DenseView rows, std::shared_ptr<const void> owner = {});
  /// The same of a compressed-sparse-row matrix, whose offsets and columns must stay too. Throws
  /// InvalidArgument, naming the row, when it breaks a rule of SparseView.
  [[nodiscard]] static Examples borrow(const SparseView& rows,
                                       std::shared_ptr<const void> owner = {});
  /// Does somebody else own the rows?
  [[nodiscard]] bool borrows() const { return own_ == nullptr && rows() > 0; }
  /// The same rows, copied when they are borrowed: for what outlives the lender.
  [[nodiscard]] Examples owned() const;

  [[nodiscard]] std::size_t rows() const { return is_dense() ? dense().rows : sparse().rows(); }
  [[nodiscard]] std::size_t cols() const { return is_dense() ? dense().cols : sparse().cols; }
  [[nodiscard]] bool is_dense() const noexcept {
    return std::holds_alternative<DenseView>(matrix_);
  }
  /// Stored entries (rows x cols when dense).
  [[nodiscard]] std::size_t entries() const {
    return is_dense() ? rows() * cols() : sparse().values.size();
  }
  /// Requires is_dense(). Valid until these examples go, are assigned to or are written to.
  [[nodiscard]] const DenseView& dense() const { return std::get<DenseView>(matrix_); }
  /// Requires !is_dense(). Valid as long as dense() is.
  [[nodiscard]] const SparseView& sparse() const { return std::get<SparseView>(matrix_); }
  [[nodiscard]] Row row(std::size_t i) const {
    return is_dense() ? Row(dense().row(i)) : Row(sparse().row(i));
  }
  /// The stored entries of a row (all of a dense one).
  [[nodiscard]] std::span<const double> values(std::size_t i) const {
    return is_dense() ? dense().row(i) : sparse().row(i).values;
  }
  /// The same for writing. The first call copies the matrix if it is borrowed or shared. No other
  /// thread may let go of a copy of these examples meanwhile.
  [[nodiscard]] std::span<double> writable_values(std::size_t i);
  /// All rows, for what works on either kind of matrix. Valid as long as dense() is.
  [[nodiscard]] PointRows points() const {
    return is_dense() ? PointRows(dense()) : PointRows(sparse());
  }
  /// The given rows, in that order; repetitions allowed.
  [[nodiscard]] Examples select(std::span<const std::size_t> rows) const;
  /// A dense copy.
  [[nodiscard]] DenseMatrix to_dense() const;
  /// The matrix; a copy of it if it is borrowed or shared. Leaves no examples behind. Requires
  /// is_dense().
  [[nodiscard]] DenseMatrix take_dense();
  /// The same. Requires !is_dense().
  [[nodiscard]] SparseMatrix take_sparse();

 private:
  using Matrix = std::variant<DenseMatrix, SparseMatrix>;
  [[nodiscard]] bool is_sole_owner() const noexcept {
    return own_ != nullptr && own_.use_count() == 1;
  }

  /// Looks at *own_, or at what the lender owns.
  std::variant<DenseView, SparseView> matrix_;
  std::shared_ptr<Matrix> own_;
  std::shared_ptr<const void> lender_;
};

}  // namespace maxmargin
