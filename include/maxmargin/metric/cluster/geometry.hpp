// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Metrics of a clustering that need the points (or their distances, or a Gram matrix) and no
/// classes. Cluster numbers are 0, 1, ... below the number of rows; -1 marks an outlier, which
/// belongs to no cluster: it adds nothing to a sum of squares and has no silhouette. A clustering
/// that calls more points outliers thus gets a smaller sum of squares; compare like with like.
namespace maxmargin {

/// Squared distances to the clusters' means.
struct SumOfSquares {
  double total = 0;
  /// By cluster number, up to the largest that occurs; 0 for an empty cluster.
  std::vector<double> of_cluster = {};
  std::size_t outliers = 0;
};

/// Sum over points of the squared Euclidean distance to the mean of their cluster: the inertia of
/// k-means. O(entries + clusters x features), in two passes.
[[nodiscard]] MAXMARGIN_EXPORT SumOfSquares sum_of_squares(const Examples& examples,
                                                           std::span<const std::int32_t> clusters);

/// The same in the feature space of a kernel, from its Gram matrix: trace(K_c) - 1'K_c 1 / n_c for
/// each cluster c. With a kernel that is not positive semidefinite it may be negative. Values of
/// different kernels cannot be compared. O(sum of n_c^2).
/// Throws InvalidArgument unless `gram` is square with a row for every cluster number.
[[nodiscard]] MAXMARGIN_EXPORT SumOfSquares
kernel_sum_of_squares(DenseView gram, std::span<const std::int32_t> clusters);

/// The same from the kernel and the examples, a block of the Gram matrix at a time: memory grows
/// with n, not with n^2. `threads`: all cores when unset; the result does not depend on it. Throws
/// InvalidArgument for examples outside the kernel's domain.
[[nodiscard]] MAXMARGIN_EXPORT SumOfSquares
kernel_sum_of_squares(const Kernel& kernel,
                      const Examples& examples,
                      std::span<const std::int32_t> clusters,
                      std::optional<std::size_t> threads = std::nullopt);

/// Rousseeuw's silhouettes: with a(i) the mean distance to the other points of the own cluster and
/// b(i) the least mean distance to another cluster, s(i) = (b - a) / max(a, b) in [-1, 1]; 0 for
/// the only point of its cluster.
struct Silhouette {
  /// Mean over the points that are in a cluster; NaN with fewer than two clusters.
  double mean = 0;
  /// NaN for outliers, and everywhere with fewer than two clusters.
  std::vector<double> of_row = {};
};

/// Euclidean distances. O(n^2 d) time, no matrix is stored. `threads`: all cores when unset; the
/// result does not depend on it.
[[nodiscard]] MAXMARGIN_EXPORT Silhouette
silhouette(const Examples& examples,
           std::span<const std::int32_t> clusters,
           std::optional<std::size_t> threads = std::nullopt);

/// From a symmetric matrix of distances. Throws InvalidArgument for a negative or NaN distance.
[[nodiscard]] MAXMARGIN_EXPORT Silhouette
silhouette_from_distances(DenseView distances,
                          std::span<const std::int32_t> clusters,
                          std::optional<std::size_t> threads = std::nullopt);

/// Distances in the feature space of a kernel, sqrt(K_ii + K_jj - 2 K_ij), negative radicands
/// taken as 0.
[[nodiscard]] MAXMARGIN_EXPORT Silhouette
silhouette_from_gram(DenseView gram,
                     std::span<const std::int32_t> clusters,
                     std::optional<std::size_t> threads = std::nullopt);

/// The same from the kernel and the examples, a block of the Gram matrix at a time: memory grows
/// with n times the number of clusters. Throws InvalidArgument for examples outside the kernel's
/// domain.
[[nodiscard]] MAXMARGIN_EXPORT Silhouette
kernel_silhouette(const Kernel& kernel,
                  const Examples& examples,
                  std::span<const std::int32_t> clusters,
                  std::optional<std::size_t> threads = std::nullopt);

}  // namespace maxmargin
