// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cluster/mixture/step.hpp"
#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin::mixture {

Points::Points(DenseView rows,
               std::span<const double> weights,
               Covariance covariance,
               std::size_t threads)
    : size_(rows.rows), threads_(threads), weights_(weights) {
  const PointRows source(rows);
  require(size_ > 0, "mixture: there must be at least one point");
  require(rows.cols > 0, "mixture: the points must have at least one feature");
  require_weights("mixture", source, weights);
  require_finite("mixture", source, threads);
  total_weight_ = maxmargin::total_weight(source, weights);
  const ColumnMeans means = column_means(source, weights, threads);
  if (!is_axis_parallel(covariance)) scatter_ = scatter_matrix(source, weights, means, threads);
  mean_ = means.value;
  values_ = Buffer<double>(checked_multiply(blocks() * block_columns, features()));
  parallel_chunks(
      threads, size_, block_columns, [&](std::size_t b, std::size_t begin, std::size_t end) {
        double* const block = values_.data() + b * block_columns * features();
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t f = 0; f < features(); ++f) {
            block[f * block_columns + (i - begin)] = rows(i, f) - mean_[f];
          }
        }
      });
  if (is_axis_parallel(covariance)) set_feature_scatter();
  require(std::isfinite(mean_variance()),
          "mixture: the points' values are so large that squares overflow");
}

void Points::set_feature_scatter() {
  scatter_ = DenseMatrix(1, features());
  const std::vector<double> ones(block_columns, 1.0);
  for (std::size_t b = 0; b < blocks(); ++b) {
    const DenseView values = block(b);
    const std::span<const double> weights =
        weights_.empty() ? std::span<const double>(ones).first(values.cols) : block_weights(b);
    for (std::size_t f = 0; f < features(); ++f) {
      scatter_(0, f) += weighted_moments(values.row(f), 0.0, weights).second;
    }
  }
}

std::size_t Points::blocks() const { return chunk_count(size_, block_columns); }

DenseView Points::block(std::size_t b) const {
  const std::size_t columns = std::min(block_columns, size_ - b * block_columns);
  return {values_.data() + b * block_columns * features(), features(), columns, block_columns};
}

std::span<const double> Points::block_weights(std::size_t b) const {
  return weights_.empty() ? weights_ : weights_.subspan(b * block_columns, block(b).cols);
}

double Points::mean_variance() const {
  double trace = 0;
  for (std::size_t f = 0; f < features(); ++f) {
    trace += scatter_(scatter_.rows() == 1 ? 0 : f, f);
  }
  return trace / total_weight_ / static_cast<double>(features());
}

}  // namespace maxmargin::mixture
