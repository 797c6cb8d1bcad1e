// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/row.hpp"

/// What k-means, its lower bound and PCA share: rows of a matrix of either kind, their means and
/// their scatter.
namespace maxmargin {

/// The rows of a dense or a sparse matrix somebody else owns.
class MAXMARGIN_EXPORT PointRows {
 public:
  explicit PointRows(DenseView dense) : matrix_(dense) {}
  explicit PointRows(const SparseView& sparse) : matrix_(sparse) {}

  [[nodiscard]] bool is_dense() const { return std::holds_alternative<DenseView>(matrix_); }
  /// Requires is_dense().
  [[nodiscard]] DenseView dense() const { return std::get<DenseView>(matrix_); }
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t cols() const;
  [[nodiscard]] Row row(std::size_t i) const;
  /// A copy of the matrix. Requires !is_dense().
  [[nodiscard]] SparseMatrix sparse_copy() const;
  /// Writes rows [begin, end) less `shift` (empty: nothing) to `out`, zeros filled in.
  void copy_shifted(std::size_t begin,
                    std::size_t end,
                    std::span<const double> shift,
                    MutableDenseView out) const;

 private:
  std::variant<DenseView, SparseView> matrix_;
};

/// Throws InvalidArgument, its message beginning with `who`, unless `weights` is empty or has one
/// finite weight >= 0 a row, not all of them 0 and with a finite sum.
MAXMARGIN_EXPORT void require_weights(const char* who,
                                      const PointRows& points,
                                      std::span<const double> weights);

/// Throws InvalidArgument naming the first entry that is not finite.
MAXMARGIN_EXPORT void require_finite(const char* who, const PointRows& points, std::size_t threads);

/// Sum of the weights; the number of rows without weights.
[[nodiscard]] MAXMARGIN_EXPORT double total_weight(const PointRows& points,
                                                   std::span<const double> weights);

/// The weighted mean of every column in two parts: `value` is the mean rounded to doubles and
/// `remainder` what that rounding left, so that their exact sum is the mean to nearly twice the
/// digits. Empty remainder: zeros.
struct ColumnMeans {
  std::vector<double> value = {};
  std::vector<double> remainder = {};
};

/// Weighted mean of every column; an entry that is not finite makes its mean not finite. Dense rows
/// are averaged as differences to the first row of positive weight, and once more as differences
/// to that average: the error of value + remainder is at most (n + 40) epsilon times the column's
/// mean distance from `value`, whatever the offset. Sparse rows are averaged as they are, without a
/// remainder: an error of (n + 40) epsilon times the mean magnitude.
[[nodiscard]] MAXMARGIN_EXPORT ColumnMeans column_means(const PointRows& points,
                                                        std::span<const double> weights,
                                                        std::size_t threads);

/// Sum over rows of w (x - mean)(x - mean)', full and symmetric; columns x columns.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix scatter_matrix(const PointRows& points,
                                                          std::span<const double> weights,
                                                          const ColumnMeans& mean,
                                                          std::size_t threads);

/// Entry (i, j) is sqrt(w_i w_j) (x_i - mean).(x_j - mean); rows x rows. It has the same nonzero
/// eigenvalues as the scatter matrix.
[[nodiscard]] MAXMARGIN_EXPORT DenseMatrix centred_gram(const PointRows& points,
                                                        std::span<const double> weights,
                                                        const ColumnMeans& mean,
                                                        std::size_t threads);

}  // namespace maxmargin
