// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "linalg/stoppable_eigenvalues.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace kmeans {

namespace {

/// kmeans.md, "What rounding may take": how far the computed sum of small eigenvalues can lie above
/// that of the exact scatter matrix. `trace` is the computed one's.
double rounding_allowance(const PointRows& points,
                          std::span<const double> weights,
                          const ColumnMeans& mean,
                          double trace) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto n = static_cast<double>(points.rows());
  const auto d = static_cast<double>(points.cols());
  const double m = std::min(n, d);
  const double total = total_weight(points, weights);
  // Dense rows err relative to their distance from the mean, sparse ones to their own length.
  const std::span<const double> offset = points.is_dense() ? mean.remainder : mean.value;
  double scale = trace;
  for (const double value : offset) scale += total * value * value;
  if (!points.is_dense()) scale *= 2;
  const double off_centre = (n + 40) * epsilon;
  return scale * (epsilon * (std::sqrt(m) * (n + d) + 16) + off_centre * off_centre);
}

}  // namespace

double spectral_bound(const PointRows& points,
                      std::size_t k,
                      std::span<const double> weights,
                      std::size_t threads,
                      const ProgressCallback& on_progress) {
  const std::size_t m = std::min(points.rows(), points.cols());
  if (m + 1 <= k) return 0;  // k-1 eigenvalues are all there are
  const ColumnMeans mean = column_means(points, weights, threads);
  const DenseMatrix matrix = points.cols() <= points.rows()
                                 ? scatter_matrix(points, weights, mean, threads)
                                 : centred_gram(points, weights, mean, threads);
  for (const double value : matrix.values()) {
    if (!std::isfinite(value)) return 0;  // squares overflow; 0 is a bound of every sum of squares
  }
  const auto found = eigenvalues_unless_stopped(matrix.view(), on_progress);
  if (!found) return 0;
  const std::vector<double>& values = *found;
  double smallest = 0;
  double trace = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    trace += std::max(0.0, values[j]);
    if (j + k <= m) smallest += std::max(0.0, values[j]);
  }
  constexpr double underflow_zone = 1e-290;  // squares are lost here, not just rounded
  if (trace < underflow_zone) return 0;
  return std::max(0.0, smallest - rounding_allowance(points, weights, mean, trace));
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
  return kmeans::spectral_bound(points, k, weights, count, {});
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
