// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/core/require.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::test {

/// The best clustering of a few points into exactly k groups, with its sum of squares. Clusters
/// are numbered by first member.
struct ExhaustiveKmeans {
  std::vector<std::int32_t> labels = {};
  double inertia = 0;
};

namespace detail {

/// Walks the restricted growth strings: point i joins one of the groups opened by the points
/// before it, or opens the next one.
class PartitionSearch {
 public:
  PartitionSearch(DenseView points, std::size_t k)
      : points_(points), k_(k), sizes_(k, 0.0), means_(k, points.cols), labels_(points.rows) {}

  ExhaustiveKmeans run() {
    place(0, 0, 0.0);
    return best_;
  }

 private:
  void place(std::size_t i, std::size_t opened, double cost) {
    // Adding a point never lowers a sum of squares, so the finished part is a bound.
    if (cost >= best_.inertia || points_.rows - i < k_ - opened) return;
    if (i == points_.rows) {
      best_ = {labels_, cost};
      return;
    }
    for (std::size_t group = 0; group < std::min(opened + 1, k_); ++group) {
      const std::vector<double> mean_before(means_.row(group).begin(), means_.row(group).end());
      const double increase = join(i, group);
      labels_[i] = static_cast<std::int32_t>(group);
      place(i + 1, opened + (group == opened ? 1 : 0), cost + increase);
      sizes_[group] -= 1;
      std::copy(mean_before.begin(), mean_before.end(), means_.row(group).begin());
    }
  }
  /// Adds point i to a group of m points and returns by how much its sum of squares grows:
  /// m/(m+1) |x - mean|^2.
  double join(std::size_t i, std::size_t group) {
    const double m = sizes_[group]++;
    double squared = 0;
    for (std::size_t j = 0; j < points_.cols; ++j) {
      const double difference = points_(i, j) - means_(group, j);
      squared += difference * difference;
      means_(group, j) = m == 0 ? points_(i, j) : means_(group, j) + difference / (m + 1);
    }
    return m == 0 ? 0.0 : squared * m / (m + 1);
  }

  DenseView points_;
  std::size_t k_;
  std::vector<double> sizes_;
  DenseMatrix means_;
  std::vector<std::int32_t> labels_;
  ExhaustiveKmeans best_ = {{}, std::numeric_limits<double>::infinity()};
};

}  // namespace detail

/// Tries every partition (restricted growth strings), cutting off those whose finished part costs
/// more than the best so far: what solve_kmeans is tested against. The first of equal
/// partitions wins. Throws InvalidArgument unless 1 <= k <= rows <= 12, all values are finite and
/// their squared distances do not overflow.
[[nodiscard]] inline ExhaustiveKmeans solve_kmeans_exhaustive(DenseView points, std::size_t k) {
  require_field(points.rows >= 1 && points.rows <= 12,
                "solve_kmeans_exhaustive: number of points",
                static_cast<double>(points.rows),
                "from 1 to 12");
  require_field(k >= 1 && k <= points.rows,
                "solve_kmeans_exhaustive: k",
                static_cast<double>(k),
                "from 1 to the number of points");
  // Relative to the first point: a large common offset costs no digits then.
  DenseMatrix centred = DenseMatrix::uninitialized(points.rows, points.cols);
  double squares = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t j = 0; j < points.cols; ++j) {
      require_field(std::isfinite(points(i, j)),
                    "solve_kmeans_exhaustive: a coordinate",
                    points(i, j),
                    "finite");
      centred(i, j) = points(i, j) - points(0, j);
      squares += centred(i, j) * centred(i, j);
    }
  }
  require(std::isfinite(squares),
          "solve_kmeans_exhaustive: the points lie so far apart that squares overflow");
  return detail::PartitionSearch(centred.view(), k).run();
}

}  // namespace maxmargin::test
