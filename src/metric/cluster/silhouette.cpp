// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "kernel/gram/cross_blocks.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "metric/cluster/members.hpp"
#include "metric/ratio.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_per_chunk = 16;

/// s(i) of a point of cluster `own` from the sums of its distances to each cluster.
double silhouette_value(std::span<const double> distance_sums,
                        std::span<const std::vector<std::size_t>> members,
                        std::size_t own) {
  if (members[own].size() == 1) return 0;
  const double within = distance_sums[own] / static_cast<double>(members[own].size() - 1);
  double nearest_other = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (c == own || members[c].empty()) continue;
    nearest_other =
        std::min(nearest_other, distance_sums[c] / static_cast<double>(members[c].size()));
  }
  const double larger = std::max(within, nearest_other);
  return larger == 0 ? 0 : (nearest_other - within) / larger;
}

std::size_t occupied_clusters(std::span<const std::vector<std::size_t>> members) {
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [](const auto& m) { return !m.empty(); }));
}

/// Mean over the points that are in a cluster.
double mean_of(std::span<const double> of_row, std::span<const std::int32_t> clusters) {
  double sum = 0;
  double clustered = 0;
  for (std::size_t i = 0; i < of_row.size(); ++i) {
    if (clusters[i] < 0) continue;
    sum += of_row[i];
    ++clustered;
  }
  return sum / clustered;
}

/// `distance(i, j)` is called for points of clusters only.
template <class Distance>
Silhouette silhouette_by(std::string_view function,
                         std::size_t rows,
                         std::span<const std::int32_t> clusters,
                         std::optional<std::size_t> threads,
                         const Distance& distance) {
  const std::size_t count = checked_cluster_count(function, clusters, rows);
  const auto members = members_of(clusters, count);
  Silhouette result{.mean = undefined, .of_row = std::vector<double>(rows, undefined)};
  const std::size_t workers = thread_count(threads);
  if (occupied_clusters(members) < 2) return result;

  parallel_chunks(workers,
                  rows,
                  rows_per_chunk,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    std::vector<double> distance_sums(count);
                    for (std::size_t i = begin; i < end; ++i) {
                      if (clusters[i] < 0) continue;
                      for (std::size_t c = 0; c < count; ++c) {
                        double sum = 0;
                        for (const std::size_t j : members[c]) {
                          if (j != i) sum += distance(i, j);
                        }
                        distance_sums[c] = sum;
                      }
                      const auto own = static_cast<std::size_t>(clusters[i]);
                      result.of_row[i] = silhouette_value(distance_sums, members, own);
                    }
                  });
  result.mean = mean_of(result.of_row, clusters);
  return result;
}

}  // namespace

Silhouette silhouette(const Examples& examples,
                      std::span<const std::int32_t> clusters,
                      std::optional<std::size_t> threads) {
  return silhouette_by(
      "silhouette", examples.rows(), clusters, threads, [&](std::size_t i, std::size_t j) {
        return std::sqrt(examples.row(i).squared_distance(examples.row(j)));
      });
}

Silhouette silhouette_from_distances(DenseView distances,
                                     std::span<const std::int32_t> clusters,
                                     std::optional<std::size_t> threads) {
  require(distances.rows == distances.cols, "silhouette_from_distances: the matrix must be square");
  for (std::size_t i = 0; i < distances.rows; ++i) {
    for (const double value : distances.row(i)) {
      require_field(value >= 0, "silhouette_from_distances: a distance", value, ">= 0");
    }
  }
  return silhouette_by("silhouette_from_distances",
                       distances.rows,
                       clusters,
                       threads,
                       [&](std::size_t i, std::size_t j) { return distances(i, j); });
}

Silhouette silhouette_from_gram(DenseView gram,
                                std::span<const std::int32_t> clusters,
                                std::optional<std::size_t> threads) {
  require(gram.rows == gram.cols, "silhouette_from_gram: the Gram matrix must be square");
  return silhouette_by(
      "silhouette_from_gram", gram.rows, clusters, threads, [&](std::size_t i, std::size_t j) {
        return std::sqrt(std::max(0.0, gram(i, i) + gram(j, j) - 2 * gram(i, j)));
      });
}

Silhouette kernel_silhouette(const Kernel& given,
                             const Examples& examples,
                             std::span<const std::int32_t> clusters,
                             std::optional<std::size_t> threads) {
  validate(given);
  check_domain(given, examples);
  // Distances stay what they are when all points move.
  const Kernel kernel = near_origin(given, examples);
  const std::size_t rows = examples.rows();
  const std::size_t count = checked_cluster_count("kernel_silhouette", clusters, rows);
  const auto members = members_of(clusters, count);
  Silhouette result{.mean = undefined, .of_row = std::vector<double>(rows, undefined)};
  if (occupied_clusters(members) < 2) return result;

  const std::vector<double> diagonal =
      kernel_diagonal(kernel, examples, {.context = {.threads = threads}});
  require_memory_for_numbers(rows, count, "the distances of the rows to the clusters");
  DenseMatrix distance_sums(rows, count);
  visit_cross_blocks(
      kernel, examples, examples, thread_count(threads), [&](const CrossBlock<double>& block) {
        for (std::size_t r = 0; r < block.values.rows; ++r) {
          const std::size_t i = block.row_begin + r;
          if (clusters[i] < 0) continue;
          for (std::size_t s = 0; s < block.values.cols; ++s) {
            const std::size_t j = block.col_begin + s;
            if (j == i || clusters[j] < 0) continue;
            const double squared = diagonal[i] + diagonal[j] - 2 * block.values(r, s);
            distance_sums(i, static_cast<std::size_t>(clusters[j])) +=
                std::sqrt(std::max(0.0, squared));
          }
        }
      });
  for (std::size_t i = 0; i < rows; ++i) {
    if (clusters[i] < 0) continue;
    const auto own = static_cast<std::size_t>(clusters[i]);
    result.of_row[i] = silhouette_value(distance_sums.row(i), members, own);
  }
  result.mean = mean_of(result.of_row, clusters);
  return result;
}

}  // namespace maxmargin
