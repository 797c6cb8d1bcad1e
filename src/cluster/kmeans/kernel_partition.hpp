// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cluster/kmeans/kernel_matrix.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::kernel_kmeans {

/// The points of one solve.
struct Problem {
  const KernelMatrix& kernel;
  std::vector<double> weights = {};  ///< one a point
  std::size_t k = 1;
  /// Differences of squared distances below this are rounding.
  double noise = 0;

  [[nodiscard]] std::size_t size() const { return weights.size(); }
};

/// n epsilon times the largest |K(x, z)|: what the means of n kernel values may be off.
[[nodiscard]] double rounding_noise(std::size_t n, double largest);

/// A partition of the points and all that its steps need: with S(v, i) the sum over the points j of
/// cluster v of w_j K(j, i) and W_v the cluster's weight, the mean of v has squared length
/// s_v / W_v^2, s_v = sum over i in v of w_i S(v, i), and the squared distance of point i to it is
/// K_ii - 2 S(v, i) / W_v + s_v / W_v^2.
class Partition {
 public:
  /// Requires a label 0, ..., k-1 for every point and a point of positive weight in every cluster.
  Partition(const Problem& problem, std::vector<std::int32_t> labels);

  [[nodiscard]] const std::vector<std::int32_t>& labels() const { return labels_; }
  /// The kernel sum of squares, and the part of one cluster.
  [[nodiscard]] double objective() const;
  [[nodiscard]] double objective_of(std::size_t cluster) const;
  [[nodiscard]] double mass(std::size_t cluster) const { return mass_[cluster]; }
  /// |m_v|^2.
  [[nodiscard]] double squared_length(std::size_t cluster) const {
    return inner_[cluster] / (mass_[cluster] * mass_[cluster]);
  }
  [[nodiscard]] double squared_distance(std::size_t point, std::size_t cluster) const {
    return problem_.kernel.diagonal()[point] - 2 * sums_(cluster, point) / mass_[cluster] +
           squared_length(cluster);
  }

  /// The moves of the batch rule: every point that is nearer to another mean than to its own goes
  /// to the nearest, the lowest of equals. The last point of positive weight stays where it is.
  [[nodiscard]] std::vector<Move> batch_moves() const;
  void apply(std::span<const Move> moves);
  /// One look at every point in turn; a point whose move to another cluster lowers the sum of
  /// squares goes to where it lowers it most. Returns the number of moves; nothing when `goes_on`,
  /// asked now and then, ended the pass.
  std::optional<std::size_t> exchange_pass(const std::function<bool()>& goes_on);
  /// Points of weight 0 join the nearest mean: they have no say in the other rules.
  void settle_weightless();

 private:
  void rebuild();
  void count_members();
  void update_inner();
  void keep_last_members(std::vector<Move>& moves) const;
  /// Nothing that a double could show would be left of its cluster.
  [[nodiscard]] bool is_all_of_its_cluster(std::size_t point) const;
  /// Sum of squares after the move less that before it.
  [[nodiscard]] double change(std::size_t point, std::size_t from, std::size_t to) const;
  void exchange(const Move& move);

  const Problem& problem_;
  std::vector<std::int32_t> labels_;
  DenseMatrix sums_;                  ///< S, k x n
  std::vector<double> mass_;          ///< W
  std::vector<std::size_t> members_;  ///< points of positive weight in each cluster
  std::vector<double> inner_;         ///< s
  std::vector<double> own_;           ///< sum over members of w_i K_ii
  std::size_t moved_ = 0;             ///< points moved since the sums were formed afresh
};

}  // namespace maxmargin::kernel_kmeans
