// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"

/// Private parts of k-means (docs/algorithms/kmeans.md).
namespace maxmargin::kmeans {

/// Rows of one matrix product: their products with the centres stay in the nearest cache.
inline constexpr std::size_t block_rows = 256;

/// The points as Lloyd's method sees them: a dense matrix is copied with its mean taken off, so
/// that a large common offset costs no digits; a sparse one is used as it is.
class Points {
 public:
  /// Throws InvalidArgument for bad points or weights, and when squared distances overflow.
  Points(const PointRows& rows, std::span<const double> weights, std::size_t threads);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] bool is_dense() const { return source_.is_dense(); }
  [[nodiscard]] double weight(std::size_t i) const { return weights_.empty() ? 1.0 : weights_[i]; }
  /// Weights of the rows [begin, end); empty when all are 1.
  [[nodiscard]] std::span<const double> weights(std::size_t begin, std::size_t end) const {
    return weights_.empty() ? weights_ : weights_.subspan(begin, end - begin);
  }
  [[nodiscard]] double squared_norm(std::size_t i) const { return squared_norms_[i]; }
  [[nodiscard]] Row row(std::size_t i) const {
    return is_dense() ? Row(centred_.row(i)) : source_.row(i);
  }
  /// All rows. Requires is_dense().
  [[nodiscard]] DenseView dense() const { return centred_.view(); }
  /// What was taken off every row; zeros for sparse points.
  [[nodiscard]] std::span<const double> shift() const { return shift_; }
  /// Rows handled by one partial sum of centres: depends on the sizes alone, and keeps the partial
  /// sums within a quarter of the points' own size.
  [[nodiscard]] std::size_t chunk(std::size_t k) const;

  /// Squared distance of row i to a centre from plain differences. For a sparse row that holds few
  /// of the columns, the part of the centre outside them is |centre|^2 less the part inside.
  [[nodiscard]] double squared_distance(std::size_t i,
                                        std::span<const double> centre,
                                        double centre_squared_norm) const;
  /// Writes row i to `to`, zeros filled in.
  void copy_row(std::size_t i, std::span<double> to) const;
  /// <0, 0, >0 as row a comes before, equals or follows row b in lexicographic order.
  [[nodiscard]] int compare(std::size_t a, std::size_t b) const;

 private:
  PointRows source_;
  std::size_t rows_;
  std::size_t cols_;
  std::span<const double> weights_;
  std::vector<double> shift_;
  DenseMatrix centred_;
  std::vector<double> squared_norms_;
};

/// Sum of squares from left to right: a sparse row equal to a centre sums the same terms in the
/// same order, so that their distance is exactly 0.
[[nodiscard]] double plain_squared_norm(std::span<const double> x);

}  // namespace maxmargin::kmeans
