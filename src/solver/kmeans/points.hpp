// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/weights.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/linalg/point_rows.hpp"

/// Private parts of k-means (docs/algorithms/kmeans.md).
namespace maxmargin::kmeans {

/// Rows of one matrix product: their products with the centres stay in the nearest cache.
inline constexpr std::size_t block_rows = 256;

/// The points as Lloyd's method sees them. A dense matrix is copied, with the mean taken off those
/// columns where that is exact for every entry: a large common offset costs no digits then, and
/// different points stay different. (Elsewhere the column spreads over at least half its mean, and
/// there is little to gain.) A sparse matrix is used as it is. Points so small that squares would
/// vanish are multiplied by a power of two.
class Points {
 public:
  /// Throws InvalidArgument for bad points or weights, and when squared distances overflow.
  Points(const PointRows& rows, std::span<const double> weights, std::size_t threads);
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] bool is_dense() const { return source_.is_dense(); }
  [[nodiscard]] double weight(std::size_t i) const { return weight_of(weights_, i); }
  /// Weights of the rows [begin, end); empty when all are 1.
  [[nodiscard]] std::span<const double> weights(std::size_t begin, std::size_t end) const {
    return weights_.empty() ? weights_ : weights_.subspan(begin, end - begin);
  }
  [[nodiscard]] double squared_norm(std::size_t i) const { return squared_norms_[i]; }
  [[nodiscard]] Row row(std::size_t i) const {
    return is_dense() ? Row(dense_.row(i)) : source_.row(i);
  }
  /// All rows. Requires is_dense().
  [[nodiscard]] DenseView dense() const { return dense_; }
  /// Takes a point of the caller to where these points are, and back.
  void move_in(std::span<double> point) const;
  void move_back(std::span<double> point) const;
  /// What a squared distance here is among the caller's points.
  [[nodiscard]] double unscaled_square(double square) const {
    return std::ldexp(square, 2 * exponent_);
  }
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
  void centre_dense(std::size_t threads);
  /// Fills squared_norms_ and returns the largest magnitude.
  double measure(std::size_t threads);
  /// Multiplies all points by 2^-exponent_.
  void enlarge();

  PointRows source_;
  std::size_t rows_;
  std::size_t cols_;
  std::span<const double> weights_;
  std::vector<double> shift_;     ///< taken off every row; zeros for sparse points
  int exponent_ = 0;              ///< the caller's points are 2^exponent_ times these
  DenseMatrix copy_;              ///< of dense points that are shifted or enlarged
  DenseView dense_;               ///< of dense points: the copy, or the source as it is
  SparseMatrix enlarged_sparse_;  ///< what source_ refers to when sparse points are enlarged
  std::vector<double> squared_norms_;
};

/// Sum of squares from left to right: a sparse row equal to a centre sums the same terms in the
/// same order, so that their distance is exactly 0.
[[nodiscard]] double plain_squared_norm(std::span<const double> x);

}  // namespace maxmargin::kmeans
