// SPDX-License-Identifier: Apache-2.0
#include "cluster/kmeans/kernel_kmeans_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/blas.hpp"

namespace maxmargin::kernel_kmeans {

namespace {

/// Points chosen so far and, for every point, how far it is from the nearest of them.
class Seeds {
 public:
  explicit Seeds(const Problem& problem)
      : problem_(&problem),
        least_(problem.size(), std::numeric_limits<double>::infinity()),
        nearest_(problem.size(), 0) {}

  void add(std::size_t point) {
    const DenseMatrix row = problem_->kernel.rows({&point, 1});
    const std::span<const double> diagonal = problem_->kernel.diagonal();
    for (std::size_t i = 0; i < problem_->size(); ++i) {
      const double square = diagonal[i] - 2 * row(0, i) + diagonal[point];
      // An indefinite kernel has negative ones; far is far.
      const double distance = i == point ? 0.0 : std::abs(square);
      if (distance >= least_[i]) continue;
      least_[i] = distance;
      nearest_[i] = static_cast<std::int32_t>(points_.size());
    }
    points_.push_back(point);
  }
  [[nodiscard]] bool lies_apart(std::size_t point) const {
    return problem_->weights[point] > 0 && least_[point] > 16 * problem_->noise;
  }
  /// Weight x squared distance of the points that lie apart, 0 for the others.
  [[nodiscard]] std::vector<double> costs() const {
    std::vector<double> costs(problem_->size(), 0.0);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (lies_apart(i)) costs[i] = problem_->weights[i] * least_[i];
    }
    return costs;
  }
  [[nodiscard]] double distance(std::size_t point) const { return least_[point]; }
  [[nodiscard]] const std::vector<std::size_t>& points() const { return points_; }
  [[nodiscard]] const std::vector<std::int32_t>& nearest() const { return nearest_; }

 private:
  const Problem* problem_;
  std::vector<std::size_t> points_;
  std::vector<double> least_;
  std::vector<std::int32_t> nearest_;
};

Seeds plus_plus_seeds(const Problem& problem, Rng& rng) {
  Seeds seeds(problem);
  seeds.add(rng.discrete(problem.weights));
  while (seeds.points().size() < problem.k) {
    const std::vector<double> costs = seeds.costs();
    if (std::ranges::all_of(costs, [](double cost) { return cost == 0; })) break;
    seeds.add(rng.discrete(costs));
  }
  return seeds;
}

Seeds random_seeds(const Problem& problem, Rng& rng) {
  Seeds seeds(problem);
  for (const std::size_t point : rng.permutation(problem.size())) {
    if (seeds.points().size() == problem.k) break;
    if (seeds.lies_apart(point)) seeds.add(point);
  }
  return seeds;
}

Seeds given_seeds(const Problem& problem, std::span<const std::size_t> points) {
  Seeds seeds(problem);
  for (const std::size_t point : points) seeds.add(point);
  return seeds;
}

}  // namespace

std::vector<std::size_t> points_apart(const Problem& problem, std::size_t limit) {
  Seeds seeds(problem);
  std::size_t next = 0;
  while (next < problem.size() && problem.weights[next] == 0) ++next;
  while (next < problem.size() && seeds.points().size() < limit) {
    seeds.add(next);
    next = problem.size();
    double farthest = 0;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      if (!seeds.lies_apart(i) || seeds.distance(i) <= farthest) continue;
      farthest = seeds.distance(i);
      next = i;
    }
  }
  return seeds.points();
}

std::vector<std::int32_t> first_labels(const Problem& problem,
                                       KernelKmeansStart start,
                                       std::span<const std::size_t> apart,
                                       Rng& rng) {
  Seeds seeds = start == KernelKmeansStart::plus_plus ? plus_plus_seeds(problem, rng)
                                                      : random_seeds(problem, rng);
  // "Apart" is not transitive at the level of rounding: a draw may get stuck where points_apart
  // did not.
  if (seeds.points().size() < problem.k) seeds = given_seeds(problem, apart);
  if (start != KernelKmeansStart::sequential) return seeds.nearest();
  std::vector<std::size_t> order = rng.permutation(problem.size());
  std::erase_if(order, [&](std::size_t i) {
    return std::ranges::find(seeds.points(), i) != seeds.points().end();
  });
  return sequential_pass(problem, seeds.points(), order);
}

std::vector<std::int32_t> sequential_pass(const Problem& problem,
                                          std::span<const std::size_t> seeds,
                                          std::span<const std::size_t> order) {
  const std::span<const double> diagonal = problem.kernel.diagonal();
  std::vector<std::int32_t> labels(problem.size(), 0);
  DenseMatrix sums = problem.kernel.rows(seeds);
  std::vector<double> mass(seeds.size());
  std::vector<double> inner(seeds.size());
  for (std::size_t v = 0; v < seeds.size(); ++v) {
    labels[seeds[v]] = static_cast<std::int32_t>(v);
    mass[v] = problem.weights[seeds[v]];
    inner[v] = mass[v] * mass[v] * diagonal[seeds[v]];
    for (double& value : sums.row(v)) value *= mass[v];
  }
  constexpr std::size_t batch = 128;
  for (std::size_t begin = 0; begin < order.size(); begin += batch) {
    const auto points = order.subspan(begin, std::min(batch, order.size() - begin));
    const DenseMatrix rows = problem.kernel.rows(points);
    for (std::size_t p = 0; p < points.size(); ++p) {
      const std::size_t point = points[p];
      std::size_t nearest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t v = 0; v < seeds.size(); ++v) {
        const double score = (inner[v] / mass[v] - 2 * sums(v, point)) / mass[v];
        if (score >= least) continue;
        least = score;
        nearest = v;
      }
      // The mean moves by its share w / (W + w) towards the point: its sums grow by w K(point, .).
      labels[point] = static_cast<std::int32_t>(nearest);
      const double weight = problem.weights[point];
      inner[nearest] += weight * (2 * sums(nearest, point) + weight * diagonal[point]);
      mass[nearest] += weight;
      axpy(weight, rows.row(p), sums.row(nearest));
    }
  }
  return labels;
}

}  // namespace maxmargin::kernel_kmeans
