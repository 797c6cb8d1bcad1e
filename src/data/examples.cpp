// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/examples.hpp"

#include <algorithm>
#include <utility>

namespace maxmargin {

namespace {

DenseMatrix copy_of(const DenseView& rows) {
  DenseMatrix copy = DenseMatrix::uninitialized(rows.rows, rows.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) std::ranges::copy(rows.row(i), copy.row(i).begin());
  return copy;
}

SparseMatrix copy_of(const SparseView& rows) {
  return {rows.cols, Buffer(rows.offsets), Buffer(rows.columns), Buffer(rows.values)};
}

}  // namespace

Examples::Examples(DenseMatrix dense) : own_(std::make_shared<Matrix>(std::move(dense))) {
  matrix_ = std::as_const(std::get<DenseMatrix>(*own_)).view();
}

Examples::Examples(SparseMatrix sparse) : own_(std::make_shared<Matrix>(std::move(sparse))) {
  matrix_ = std::get<SparseMatrix>(*own_).view();
}

Examples::Examples(Examples&& other) noexcept
    : matrix_(std::exchange(other.matrix_, {})),
      own_(std::move(other.own_)),
      lender_(std::move(other.lender_)) {}

Examples& Examples::operator=(Examples&& other) noexcept {
  Examples taken(std::move(other));
  matrix_ = taken.matrix_;
  own_.swap(taken.own_);
  lender_.swap(taken.lender_);
  return *this;
}

Examples Examples::borrow(DenseView rows, std::shared_ptr<const void> owner) {
  require(rows.stride >= rows.cols || rows.rows <= 1,
          "dense rows: the stride must be at least the number of columns");
  require(rows.data != nullptr || rows.rows == 0 || rows.cols == 0,
          "dense rows: the pointer to them is null");
  // One row has no next one, and may say so by any stride.
  if (rows.stride < rows.cols) rows.stride = rows.cols;
  Examples borrowed;
  borrowed.matrix_ = rows;
  borrowed.lender_ = std::move(owner);
  return borrowed;
}

Examples Examples::borrow(const SparseView& rows, std::shared_ptr<const void> owner) {
  require_valid(rows);
  Examples borrowed;
  borrowed.matrix_ = rows;
  borrowed.lender_ = std::move(owner);
  return borrowed;
}

Examples Examples::owned() const {
  if (own_ != nullptr) return *this;
  return is_dense() ? Examples(copy_of(dense())) : Examples(copy_of(sparse()));
}

std::span<double> Examples::writable_values(std::size_t i) {
  if (!is_sole_owner()) {
    *this = is_dense() ? Examples(copy_of(dense())) : Examples(copy_of(sparse()));
  }
  if (is_dense()) return std::get<DenseMatrix>(*own_).row(i);
  const std::span<const double> row = sparse().row(i).values;
  const auto begin = static_cast<std::size_t>(row.data() - sparse().values.data());
  return std::get<SparseMatrix>(*own_).values().subspan(begin, row.size());
}

Examples Examples::select(std::span<const std::size_t> rows) const {
  for (const std::size_t row : rows) require(row < this->rows(), "no such row");
  if (is_dense()) {
    DenseMatrix chosen = DenseMatrix::uninitialized(rows.size(), cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::ranges::copy(dense().row(rows[i]), chosen.row(i).begin());
    }
    return chosen;
  }
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  for (const std::size_t i : rows) {
    const SparseRow row = sparse().row(i);
    columns.append(row.columns);
    values.append(row.values);
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return SparseMatrix(cols(), std::move(offsets), std::move(columns), std::move(values));
}

DenseMatrix Examples::to_dense() const {
  return is_dense() ? copy_of(dense()) : maxmargin::to_dense(sparse());
}

DenseMatrix Examples::take_dense() {
  const Examples taken = std::move(*this);
  return taken.is_sole_owner() ? std::move(std::get<DenseMatrix>(*taken.own_))
                               : copy_of(taken.dense());
}

SparseMatrix Examples::take_sparse() {
  const Examples taken = std::move(*this);
  return taken.is_sole_owner() ? std::move(std::get<SparseMatrix>(*taken.own_))
                               : copy_of(taken.sparse());
}

}  // namespace maxmargin
