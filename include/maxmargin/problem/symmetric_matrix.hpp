// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/kernel/rows/rows.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// The quadratic term of a problem: a symmetric matrix that may be too large to hold, seen through
/// blocks of rows. What is behind it (a kernel, a cache, a matrix) is not the solver's affair.
namespace maxmargin {

/// Some rows of a symmetric matrix, in the order asked for. The handle keeps them alive.
struct RowBlock {
  using Single = std::vector<std::span<const float>>;
  using Double = std::vector<std::span<const double>>;
  /// Rows in float where the matrix is computed in float, in double otherwise.
  std::variant<Single, Double> rows = {};
  std::shared_ptr<const void> owner = nullptr;

  [[nodiscard]] bool holds_float() const noexcept { return std::holds_alternative<Single>(rows); }
};

class MAXMARGIN_EXPORT SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  SymmetricMatrix(const SymmetricMatrix&) = delete;
  SymmetricMatrix& operator=(const SymmetricMatrix&) = delete;
  virtual ~SymmetricMatrix();

  /// Number of rows and of entries in each.
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// The diagonal in double.
  [[nodiscard]] virtual std::span<const double> diagonal() const noexcept = 0;
  /// The given rows; repetitions allowed. The values of a row do not depend on what else is asked
  /// for. May be called from several threads at once.
  [[nodiscard]] virtual RowBlock rows(std::span<const std::size_t> indices) const = 0;
  /// Number of rows that can be held at once without recomputing any.
  [[nodiscard]] virtual std::size_t rows_held() const noexcept = 0;
};

/// Whether the rows of the matrix are in float: entries have the digits of one then. A matrix
/// without rows has none in float.
[[nodiscard]] MAXMARGIN_EXPORT bool holds_float(const SymmetricMatrix& matrix);

/// A matrix held in memory, in double or in float.
class MAXMARGIN_EXPORT HeldMatrix final : public SymmetricMatrix {
 public:
  /// The matrix must be square; its lower and upper halves are taken to agree.
  explicit HeldMatrix(DenseMatrix matrix);
  HeldMatrix(FloatMatrix matrix, std::vector<double> diagonal);
  ~HeldMatrix() override;
  [[nodiscard]] std::size_t size() const noexcept override { return diagonal_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
  [[nodiscard]] RowBlock rows(std::span<const std::size_t> indices) const override;
  [[nodiscard]] std::size_t rows_held() const noexcept override { return size(); }

 private:
  std::variant<DenseMatrix, FloatMatrix> matrix_;
  std::vector<double> diagonal_;
};

/// Rows of a kernel on a training set in T, float or double, computed when asked for and kept in a
/// bounded cache.
template <class T>
class MAXMARGIN_EXPORT BasicCachedKernelMatrix final : public SymmetricMatrix {
 public:
  /// As BasicKernelRows: `examples` must outlive the object.
  BasicCachedKernelMatrix(Kernel kernel,
                          const Examples& examples,
                          const KernelRowsOptions& options = {});
  [[nodiscard]] std::size_t size() const noexcept override { return rows_->size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override {
    return rows_->diagonal();
  }
  [[nodiscard]] RowBlock rows(std::span<const std::size_t> indices) const override;
  [[nodiscard]] std::size_t rows_held() const noexcept override { return rows_held_; }

 private:
  std::unique_ptr<BasicKernelRows<T>> rows_;
  std::size_t rows_held_;
};

using CachedKernelMatrix = BasicCachedKernelMatrix<float>;
using DoubleCachedKernelMatrix = BasicCachedKernelMatrix<double>;

extern template class BasicCachedKernelMatrix<float>;
extern template class BasicCachedKernelMatrix<double>;

}  // namespace maxmargin
