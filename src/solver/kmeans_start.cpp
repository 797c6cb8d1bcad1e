// SPDX-License-Identifier: Apache-2.0
#include "solver/kmeans_start.hpp"

#include <algorithm>
#include <set>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin::kmeans {

namespace {

/// Squared distances to the nearest centre so far, times the weight.
class SeedingCosts {
 public:
  SeedingCosts(const Points& points, std::size_t threads)
      : points_(points), threads_(threads), costs_(points.rows()) {}

  void lower_by(std::span<const double> centre, bool is_first) {
    const double norm = plain_squared_norm(centre);
    parallel_chunks(threads_,
                    points_.rows(),
                    4 * block_rows,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i) {
                        const double cost =
                            points_.weight(i) * points_.squared_distance(i, centre, norm);
                        costs_[i] = is_first ? cost : std::min(costs_[i], cost);
                      }
                    });
  }
  [[nodiscard]] std::span<const double> values() const { return costs_; }

 private:
  const Points& points_;
  std::size_t threads_;
  std::vector<double> costs_;
};

DenseMatrix plus_plus(const Points& points, std::size_t k, Rng& rng, std::size_t threads) {
  DenseMatrix centres(k, points.cols());
  std::vector<double> weights(points.rows());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = points.weight(i);
  points.copy_row(rng.discrete(weights), centres.row(0));
  SeedingCosts costs(points, threads);
  for (std::size_t c = 1; c < k; ++c) {
    costs.lower_by(centres.row(c - 1), c == 1);
    double total = 0;
    for (const double cost : costs.values()) total += cost;
    // All costs can vanish although points differ: squares of tiny differences underflow.
    if (total > 0) {
      points.copy_row(rng.discrete(costs.values()), centres.row(c));
    } else {
      points.copy_row(distinct_rows(points, c + 1)[c], centres.row(c));
    }
  }
  return centres;
}

}  // namespace

std::vector<std::size_t> distinct_rows(const Points& points,
                                       std::size_t limit,
                                       std::span<const std::size_t> order) {
  const auto less = [&](std::size_t a, std::size_t b) { return points.compare(a, b) < 0; };
  std::set<std::size_t, decltype(less)> seen(less);
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < points.rows() && found.size() < limit; ++at) {
    const std::size_t i = order.empty() ? at : order[at];
    if (points.weight(i) > 0 && seen.insert(i).second) found.push_back(i);
  }
  return found;
}

DenseMatrix choose_centres(
    const Points& points, std::size_t k, KmeansStart start, Rng& rng, std::size_t threads) {
  if (start == KmeansStart::plus_plus) return plus_plus(points, k, rng, threads);
  const std::vector<std::size_t> order = rng.permutation(points.rows());
  const std::vector<std::size_t> rows = distinct_rows(points, k, order);
  DenseMatrix centres(k, points.cols());
  for (std::size_t c = 0; c < k; ++c) points.copy_row(rows.at(c), centres.row(c));
  return centres;
}

}  // namespace maxmargin::kmeans
