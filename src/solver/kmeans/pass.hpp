// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "solver/kmeans/points.hpp"

namespace maxmargin::kmeans {

/// Where a run stands: the labels of the last pass and what it summed up.
struct Assignment {
  std::vector<std::int32_t> labels = {};
  /// Squared distance of each row to its centre, from the product form: fine for choosing the
  /// farthest point and for progress; the final inertia is recomputed from differences.
  std::vector<double> squared_distances = {};
  /// Rows whose label the last pass changed.
  std::size_t changed = 0;
  /// Sum of weight x squared distance.
  double objective = 0;
};

/// Weighted sums and counts of the members of each cluster. The points are summed in chunks whose
/// borders depend on the sizes alone, and the chunks' sums are added in order.
class ClusterSums {
 public:
  ClusterSums(const Points& points, std::size_t k);

  [[nodiscard]] const DenseMatrix& sums() const { return sums_; }
  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  /// Members of positive weight.
  [[nodiscard]] std::span<const std::size_t> members() const { return members_; }

  /// Rows of a chunk.
  [[nodiscard]] std::size_t chunk() const { return chunk_; }
  /// Begins chunk c anew; on the thread that fills it.
  void clear(std::size_t c);
  /// Adds the rows [begin, end) to chunk c.
  void add_rows(const Points& points,
                std::span<const std::int32_t> labels,
                std::size_t c,
                std::size_t begin,
                std::size_t end);
  /// Adds up the chunks.
  void collect();

 private:
  std::size_t chunk_;
  std::size_t k_;
  DenseMatrix part_sums_;  ///< k rows a chunk
  std::vector<double> part_weights_;
  std::vector<std::size_t> part_members_;
  DenseMatrix sums_;
  std::vector<double> weights_;
  std::vector<std::size_t> members_;
};

/// kmeans.md step 2: moves every row to its nearest centre (the lowest of equally near ones) and
/// sums up the members in the same sweep.
void assign_and_sum(const Points& points,
                    const DenseMatrix& centres,
                    std::size_t threads,
                    Assignment& assignment,
                    ClusterSums& sums);

/// The sums for given labels: bit for bit what assign_and_sum gives for the same labels.
void sum_members(const Points& points,
                 std::span<const std::int32_t> labels,
                 std::size_t threads,
                 ClusterSums& sums);

/// kmeans.md step 6: sum of weight x squared distance from plain differences.
[[nodiscard]] double plain_inertia(const Points& points,
                                   const DenseMatrix& centres,
                                   std::span<const std::int32_t> labels,
                                   std::size_t threads);

}  // namespace maxmargin::kmeans
