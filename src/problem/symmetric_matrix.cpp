// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/symmetric_matrix.hpp"

#include "maxmargin/core/require.hpp"

namespace maxmargin {

SymmetricMatrix::~SymmetricMatrix() = default;

// Here, so that programs need no table of virtual functions of their own.
HeldMatrix::~HeldMatrix() = default;

HeldMatrix::HeldMatrix(DenseMatrix matrix) : matrix_(std::move(matrix)) {
  const auto& held = std::get<DenseMatrix>(matrix_);
  require(held.rows() == held.cols(), "HeldMatrix: the matrix must be square");
  diagonal_.reserve(held.rows());
  for (std::size_t i = 0; i < held.rows(); ++i) diagonal_.push_back(held(i, i));
}

HeldMatrix::HeldMatrix(FloatMatrix matrix, std::vector<double> diagonal)
    : matrix_(std::move(matrix)), diagonal_(std::move(diagonal)) {
  const auto& held = std::get<FloatMatrix>(matrix_);
  require(held.rows() == held.cols() && held.rows() == diagonal_.size(),
          "HeldMatrix: the matrix must be square and as long as its diagonal");
}

bool holds_float(const SymmetricMatrix& matrix) {
  const std::size_t first = 0;
  return matrix.size() > 0 && matrix.rows({&first, 1}).holds_float();
}

RowBlock HeldMatrix::rows(std::span<const std::size_t> indices) const {
  return std::visit(
      [&](const auto& held) {
        using T = std::remove_cvref_t<decltype(held(0, 0))>;
        std::vector<std::span<const T>> rows;
        rows.reserve(indices.size());
        for (const std::size_t i : indices) rows.push_back(held.row(i));
        return RowBlock{.rows = std::move(rows), .owner = nullptr};
      },
      matrix_);
}

template <class T>
BasicCachedKernelMatrix<T>::BasicCachedKernelMatrix(Kernel kernel,
                                                    const Examples& examples,
                                                    const KernelRowsOptions& options)
    : rows_(std::make_unique<BasicKernelRows<T>>(std::move(kernel), examples, options)),
      rows_held_(rows_->size() == 0
                     ? 0
                     : std::min(rows_->size(), options.cache_bytes / (rows_->size() * sizeof(T)))) {
}

template <class T>
RowBlock BasicCachedKernelMatrix<T>::rows(std::span<const std::size_t> indices) const {
  auto owner = std::make_shared<const std::vector<BasicKernelRow<T>>>(rows_->rows(indices));
  std::vector<std::span<const T>> rows;
  rows.reserve(indices.size());
  for (const BasicKernelRow<T>& row : *owner) rows.push_back(row.values());
  return {.rows = std::move(rows), .owner = std::move(owner)};
}

template class BasicCachedKernelMatrix<float>;
template class BasicCachedKernelMatrix<double>;

}  // namespace maxmargin
