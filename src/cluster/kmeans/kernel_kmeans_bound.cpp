// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "cluster/kmeans/kernel_kmeans_bound.hpp"
#include "core/weights.hpp"
#include "linalg/stoppable_eigenvalues.hpp"
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/point_rows.hpp"

namespace maxmargin {

namespace {

/// sqrt(w_i w_j) <phi(x_i) - m, phi(x_j) - m> with m the weighted mean of all points.
DenseMatrix weighted_centred(DenseView gram, std::span<const double> weights) {
  const std::size_t n = gram.rows;
  std::vector<double> means(n, 0.0);
  double total = 0;
  double grand = 0;
  for (std::size_t j = 0; j < n; ++j) total += weight_of(weights, j);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) means[i] += weight_of(weights, j) * gram(i, j);
    means[i] /= total;
    grand += weight_of(weights, i) * means[i];
  }
  grand /= total;
  DenseMatrix centred = DenseMatrix::uninitialized(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(weight_of(weights, i));
    for (std::size_t j = 0; j < n; ++j) {
      const double value = (gram(i, j) - means[i]) + (grand - means[j]);
      centred(i, j) = root * std::sqrt(weight_of(weights, j)) * value;
    }
  }
  return centred;
}

}  // namespace

double kernel_kmeans_lower_bound(DenseView gram, std::size_t k, std::span<const double> weights) {
  return *kernel_kmeans::bound_unless_stopped(gram, k, weights, {});
}

std::optional<double> kernel_kmeans::bound_unless_stopped(DenseView gram,
                                                          std::size_t k,
                                                          std::span<const double> weights,
                                                          const ProgressCallback& on_progress) {
  require_field(k >= 1, "k", static_cast<double>(k), ">= 1");
  require(gram.rows > 0 && gram.rows == gram.cols,
          "the Gram matrix is " + std::to_string(gram.rows) + " x " + std::to_string(gram.cols) +
              ", must be square and not empty");
  require_weights("kernel_kmeans_lower_bound", PointRows(gram), weights);
  require_finite("the Gram matrix", PointRows(gram), 1);
  const std::size_t n = gram.rows;
  if (k >= n) k = n;
  require_memory_for_numbers(2 * n, n, "the centred Gram matrix");
  const auto found =
      eigenvalues_unless_stopped(weighted_centred(gram, weights).view(), on_progress);
  if (!found) return std::nullopt;
  const std::vector<double>& values = *found;
  double smallest = 0;
  double magnitude = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (j + k <= n) smallest += values[j];
    magnitude += std::abs(values[j]);
  }
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) largest = std::max(largest, std::abs(gram(i, j)));
  }
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += weight_of(weights, i);
  // kernel-kmeans.md, "What rounding may take".
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto size = static_cast<double>(n);
  const double share = epsilon * (2 * std::sqrt(size) * (size + 8) + 16);
  return smallest - share * (magnitude + total * largest);
}

}  // namespace maxmargin
