// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "kernel/gram/cross_blocks.hpp"
#include "kernel/near_origin.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "metric/cluster/members.hpp"

namespace maxmargin {

namespace {

/// Mean of the given rows.
std::vector<double> mean_row(const Examples& examples, std::span<const std::size_t> rows) {
  std::vector<double> mean(examples.cols(), 0.0);
  for (const std::size_t i : rows) examples.row(i).axpy_into(1, mean);
  for (double& value : mean) value /= static_cast<double>(rows.size());
  return mean;
}

/// |row - mean|^2 in the time of the row's stored entries: the columns that a sparse row lacks add
/// what is left of |mean|^2.
double squared_distance_to(const Row& row, std::span<const double> mean, double mean_squared_norm) {
  double sum = 0;
  double seen = 0;
  row.for_each([&](std::size_t j, double value) {
    const double difference = value - mean[j];
    sum += difference * difference;
    seen += mean[j] * mean[j];
  });
  return row.is_dense() ? sum : sum + std::max(0.0, mean_squared_norm - seen);
}

std::size_t outliers_in(std::span<const std::int32_t> clusters) {
  return static_cast<std::size_t>(std::count(clusters.begin(), clusters.end(), -1));
}

/// Fills in the total from the clusters' sums.
SumOfSquares summed(std::vector<double> of_cluster, std::size_t outliers) {
  SumOfSquares result{.of_cluster = std::move(of_cluster), .outliers = outliers};
  for (const double part : result.of_cluster) result.total += part;
  return result;
}

}  // namespace

SumOfSquares sum_of_squares(const Examples& examples, std::span<const std::int32_t> clusters) {
  // A mean is dense: with more columns than entries it is taken over those that hold any.
  if (!examples.is_dense() && examples.cols() > examples.entries()) {
    return sum_of_squares(drop_empty_columns(examples.sparse()), clusters);
  }
  const std::size_t count = checked_cluster_count("sum_of_squares", clusters, examples.rows());
  const auto members = members_of(clusters, count);
  std::vector<double> of_cluster(count, 0.0);
  for (std::size_t c = 0; c < count; ++c) {
    if (members[c].empty()) continue;
    const std::vector<double> mean = mean_row(examples, members[c]);
    const double norm = Row(mean).squared_norm();
    for (const std::size_t i : members[c]) {
      of_cluster[c] += squared_distance_to(examples.row(i), mean, norm);
    }
  }
  return summed(std::move(of_cluster), outliers_in(clusters));
}

SumOfSquares kernel_sum_of_squares(DenseView gram, std::span<const std::int32_t> clusters) {
  require(gram.rows == gram.cols, "kernel_sum_of_squares: the Gram matrix must be square");
  const std::size_t count = checked_cluster_count("kernel_sum_of_squares", clusters, gram.rows);
  const auto members = members_of(clusters, count);
  std::vector<double> of_cluster(count, 0.0);
  for (std::size_t c = 0; c < count; ++c) {
    if (members[c].empty()) continue;
    double trace = 0;
    double all = 0;
    for (const std::size_t i : members[c]) {
      trace += gram(i, i);
      double row_sum = 0;
      for (const std::size_t j : members[c]) row_sum += gram(i, j);
      all += row_sum;
    }
    of_cluster[c] = trace - all / static_cast<double>(members[c].size());
  }
  return summed(std::move(of_cluster), outliers_in(clusters));
}

SumOfSquares kernel_sum_of_squares(const Kernel& given,
                                   const Examples& examples,
                                   std::span<const std::int32_t> clusters,
                                   std::optional<std::size_t> threads) {
  validate(given);
  check_domain(given, examples);
  // Distances to means stay what they are when all points move.
  const Kernel kernel = near_origin(given, examples);
  const std::size_t count =
      checked_cluster_count("kernel_sum_of_squares", clusters, examples.rows());
  const std::size_t workers = thread_count(threads);
  const auto members = members_of(clusters, count);
  std::vector<double> of_cluster(count, 0.0);
  for (std::size_t c = 0; c < count; ++c) {
    if (members[c].empty()) continue;
    const Examples points = examples.select(members[c]);
    // Every row's sum is made on one thread, from left to right.
    std::vector<double> row_sums(points.rows(), 0.0);
    visit_cross_blocks(kernel, points, points, workers, [&](const CrossBlock<double>& block) {
      for (std::size_t i = 0; i < block.values.rows; ++i) {
        double& sum = row_sums[block.row_begin + i];
        for (const double value : block.values.row(i)) sum += value;
      }
    });
    const std::vector<double> diagonal =
        kernel_diagonal(kernel, points, {.context = {.threads = threads}});
    const double trace = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
    const double all = std::accumulate(row_sums.begin(), row_sums.end(), 0.0);
    of_cluster[c] = trace - all / static_cast<double>(members[c].size());
  }
  return summed(std::move(of_cluster), outliers_in(clusters));
}

}  // namespace maxmargin
