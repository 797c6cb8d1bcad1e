// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/kmeans_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/eigen_symmetric.hpp"
#include "solver/kmeans_bound.hpp"

namespace maxmargin {

namespace kmeans {

double spectral_bound(const PointRows& points,
                      std::size_t k,
                      std::span<const double> weights,
                      std::size_t threads) {
  const std::size_t m = std::min(points.rows(), points.cols());
  if (m + 1 <= k) return 0;  // k-1 eigenvalues are all there are
  const std::vector<double> mean = column_means(points, weights, threads);
  const DenseMatrix matrix = points.cols() <= points.rows()
                                 ? scatter_matrix(points, weights, mean, threads)
                                 : centred_gram(points, weights, mean, threads);
  for (const double value : matrix.values()) {
    if (!std::isfinite(value)) return 0;  // squares overflow; 0 is a bound of every sum of squares
  }
  const std::vector<double> values = eigenvalues_symmetric(matrix.view());
  double smallest = 0;
  double trace = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    trace += std::max(0.0, values[j]);
    if (j + k <= m) smallest += std::max(0.0, values[j]);
  }
  // Forming the matrix and its eigenvalues errs by a small multiple of epsilon x trace in each of
  // the summed values; sparse rows err relative to their uncentred norms.
  double scale = trace;
  if (!points.is_dense()) {
    double squared_mean = 0;
    for (const double value : mean) squared_mean += value * value;
    scale += total_weight(points, weights) * squared_mean;
  }
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double allowance = 8 * epsilon * static_cast<double>(m + 8) * scale;
  return std::max(0.0, smallest - allowance);
}

}  // namespace kmeans

namespace {

double bound(const PointRows& points,
             std::size_t k,
             std::span<const double> weights,
             std::optional<std::size_t> threads) {
  require_field(k >= 1, "kmeans_lower_bound: k", static_cast<double>(k), ">= 1");
  const std::size_t count = thread_count(threads);
  require(points.rows() > 0, "kmeans_lower_bound: there must be at least one point");
  require_weights("kmeans_lower_bound", points, weights);
  require_finite("kmeans_lower_bound", points, count);
  return kmeans::spectral_bound(points, k, weights, count);
}

}  // namespace

double kmeans_lower_bound(DenseView points,
                          std::size_t k,
                          std::span<const double> weights,
                          std::optional<std::size_t> threads) {
  return bound(PointRows(points), k, weights, threads);
}

double kmeans_lower_bound(const SparseView& points,
                          std::size_t k,
                          std::span<const double> weights,
                          std::optional<std::size_t> threads) {
  return bound(PointRows(points), k, weights, threads);
}

}  // namespace maxmargin
