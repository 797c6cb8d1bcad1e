// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

/// Any numbers >= 0 with a zero diagonal: neither symmetric nor a metric.
DenseMatrix odd_distances(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix distances(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) distances(i, j) = i == j ? 0.0 : rng.exponential();
  }
  return distances;
}

Dataset clouds(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) = 5.0 * static_cast<double>(i % 3) + rng.normal();
    points(i, 1) = rng.normal();
  }
  return {.examples = points};
}

double cost_of(DenseView distances,
               std::span<const std::size_t> medoids,
               std::span<const double> weights = {}) {
  double cost = 0;
  for (std::size_t o = 0; o < distances.rows; ++o) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::size_t m : medoids) nearest = std::min(nearest, distances(m, o));
    cost += nearest * (weights.empty() ? 1.0 : weights[o]);
  }
  return cost;
}

/// The least cost over all choices of k medoids.
double exhaustive_cost(DenseView distances, std::size_t k, std::span<const double> weights = {}) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t mask = 0; mask < (std::size_t{1} << distances.rows); ++mask) {
    std::vector<std::size_t> medoids;
    for (std::size_t i = 0; i < distances.rows; ++i) {
      if ((mask >> i & 1) != 0) medoids.push_back(i);
    }
    if (medoids.size() == k) best = std::min(best, cost_of(distances, medoids, weights));
  }
  return best;
}

/// The least cost one exchange away, by plain recomputation.
double best_neighbour_cost(DenseView distances, std::span<const std::size_t> medoids) {
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> swapped(medoids.begin(), medoids.end());
  for (std::size_t p = 0; p < medoids.size(); ++p) {
    for (std::size_t x = 0; x < distances.rows; ++x) {
      if (std::ranges::find(medoids, x) != medoids.end()) continue;
      swapped[p] = x;
      best = std::min(best, cost_of(distances, swapped));
    }
    swapped[p] = medoids[p];
  }
  return best;
}

class KmedoidsProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(KmedoidsProperty, RestartsFindTheExhaustiveOptimumAndTheBoundStaysBelow) {
  Rng rng(GetParam());
  std::vector<double> weights(11);
  for (double& w : weights) w = static_cast<double>(rng.index(4));
  weights[0] = 1;
  weights[5] = 2;
  weights[7] = 1;
  weights[9] = 3;
  const DenseMatrix odd = odd_distances(11, GetParam());
  const DenseMatrix metric = distance_matrix(clouds(11, GetParam()).examples, Distance::manhattan);
  for (const DenseMatrix* distances : {&odd, &metric}) {
    for (const std::size_t k : {1u, 2u, 3u, 4u}) {
      const KmedoidsOptions options{.k = k, .restarts = 30, .context = {.seed = GetParam()}};
      const KmedoidsClustering plain = cluster_kmedoids(distances->view(), options);
      const double best = exhaustive_cost(distances->view(), k);
      EXPECT_NEAR(plain.cost, best, 1e-13 * best) << "k = " << k;
      EXPECT_LE(*plain.report.lower_bound, best);
      EXPECT_GT(*plain.report.lower_bound, 0.5 * best);
      const KmedoidsClustering weighted = cluster_kmedoids(distances->view(), options, weights);
      const double best_weighted = exhaustive_cost(distances->view(), k, weights);
      EXPECT_NEAR(weighted.cost, best_weighted, 1e-13 * best_weighted);
      EXPECT_LE(*weighted.report.lower_bound, best_weighted);
    }
  }
}

TEST_P(KmedoidsProperty, NoExchangeOfOneMedoidImprovesASolvedAnswer) {
  const DenseMatrix distances = odd_distances(40, GetParam());
  const KmedoidsClustering result = cluster_kmedoids(distances.view(), {.k = 5});
  ASSERT_TRUE(is_success(result.report.status));
  EXPECT_NEAR(result.cost, cost_of(distances.view(), result.medoids), 1e-12);
  EXPECT_GE(best_neighbour_cost(distances.view(), result.medoids), result.cost * (1 - 1e-12));
  for (std::size_t o = 0; o < 40; ++o) {
    const std::size_t own = result.medoids[static_cast<std::size_t>(result.labels[o])];
    for (const std::size_t m : result.medoids) EXPECT_LE(distances(own, o), distances(m, o));
  }
}

TEST_P(KmedoidsProperty, AnswerIsTheSameForAnyThreadCount) {
  const Dataset data = clouds(120, GetParam());
  KmedoidsOptions options{.k = 4, .restarts = 3, .bound_iterations = 20, .context = {.threads = 1}};
  const KmedoidsClustering one = cluster_kmedoids(data, Distance::euclidean, options);
  for (const std::size_t threads : {2u, 4u}) {
    options.context.threads = threads;
    const KmedoidsClustering other = cluster_kmedoids(data, Distance::euclidean, options);
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.medoids, other.medoids);
    EXPECT_EQ(one.cost, other.cost);
    EXPECT_EQ(one.report.lower_bound, other.report.lower_bound);
  }
}

TEST_P(KmedoidsProperty, CostNeverRisesFromSwapToSwap) {
  const DenseMatrix distances = odd_distances(60, GetParam());
  std::vector<double> trace;
  KmedoidsOptions options{.k = 6, .restarts = 1, .bound_iterations = 0};
  options.context.on_progress = [&](const Progress& progress) {
    if (progress.phase == "swap") trace.push_back(progress.primal_objective.value());
    return Continue::yes;
  };
  const KmedoidsClustering result = cluster_kmedoids(distances.view(), options);
  EXPECT_FALSE(result.report.lower_bound.has_value());
  EXPECT_EQ(trace.size(), result.report.iterations);
  for (std::size_t t = 1; t < trace.size(); ++t) EXPECT_LT(trace[t], trace[t - 1]);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KmedoidsProperty, ::testing::Range<std::uint64_t>(1, 9));

TEST(Kmedoids, IrisBoundProvesTheSwapOptimumToBeTheGlobalOne) {
  const Dataset data = iris();
  for (const std::size_t k : {2u, 3u, 4u}) {
    const KmedoidsClustering result = cluster_kmedoids(data, Distance::euclidean, {.k = k});
    EXPECT_EQ(result.report.status, Status::solved);
    EXPECT_LT(*result.report.relative_gap(), 1e-9);
    EXPECT_GE(*result.report.relative_gap(), 0);
  }
}

TEST(Kmedoids, WellSeparatedPairsHaveTheObviousMedoids) {
  const Dataset data{.examples = matrix(1, {0, 1, 2, 100, 101})};
  const KmedoidsClustering result = cluster_kmedoids(data, Distance::manhattan, {.k = 2});
  EXPECT_EQ(result.labels, (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(result.medoids, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(result.sizes, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(result.cost, 3);
}

TEST(Kmedoids, DistancesOfSparseAndDenseRowsAgreeWithTheirDefinitions) {
  const DenseMatrix points = matrix(2, {3, 4, 0, 0, -3, -4, 6, 8});
  const SparseMatrix sparse = to_sparse(points.view());
  for (const Distance distance : {Distance::euclidean, Distance::manhattan, Distance::cosine}) {
    const DenseMatrix a = distance_matrix(points, distance);
    const DenseMatrix b = distance_matrix(sparse, distance, 1);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(a(i, i), 0);
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(a(i, j), b(i, j), 1e-15);
        EXPECT_EQ(a(i, j), a(j, i));
      }
    }
  }
  EXPECT_EQ(distance_matrix(points, Distance::euclidean)(0, 1), 5);
  EXPECT_EQ(distance_matrix(points, Distance::manhattan)(0, 2), 14);
  EXPECT_EQ(distance_matrix(points, Distance::cosine)(0, 2), 2);
  EXPECT_EQ(distance_matrix(points, Distance::cosine)(0, 1), 1);
  EXPECT_NEAR(distance_matrix(points, Distance::cosine)(0, 3), 0, 1e-15);
  EXPECT_EQ(to_string(Distance::cosine), "cosine");
}

TEST(Kmedoids, CosineDistanceOfEqualAndParallelRowsVanishes) {
  Rng rng(4);
  DenseMatrix points(200, 7);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 7; ++j) points(i, j) = points(100 + i, j) = rng.normal();
  }
  const DenseMatrix dense = distance_matrix(points, Distance::cosine);
  const DenseMatrix sparse = distance_matrix(to_sparse(points.view()), Distance::cosine);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(dense(i, 100 + i), 0);
    EXPECT_EQ(sparse(i, 100 + i), 0);
    const Row x(points.row(i));
    EXPECT_EQ(distance_between(Distance::cosine, x, Row(points.row(100 + i))), 0);
    const Row z(points.row((i + 7) % 100));
    const double plain = 1 - x.dot(z) / std::sqrt(x.squared_norm() * z.squared_norm());
    EXPECT_NEAR(dense(i, (i + 7) % 100), plain, 1e-14);
    EXPECT_NEAR(distance_between(Distance::cosine, x, z), plain, 1e-14);
  }
  // Squares of these under- or overflow; the last two are zero vectors.
  const DenseMatrix odd = matrix(2, {1e-200, 0, 2e-200, 0, 1e200, 1e200, 0, 3e-200, 0, 0, 0, 0});
  const DenseMatrix d = distance_matrix(odd, Distance::cosine);
  EXPECT_EQ(d(0, 1), 0);
  EXPECT_EQ(d(0, 3), 1);
  EXPECT_NEAR(d(0, 2), 1 - std::sqrt(0.5), 1e-15);
  EXPECT_EQ(d(4, 5), 0);
  EXPECT_EQ(d(0, 4), 1);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(
          d(i, j), distance_between(Distance::cosine, Row(odd.row(i)), Row(odd.row(j))), 1e-15);
    }
  }
}

TEST(Kmedoids, DegenerateInputGivesTheObviousAnswer) {
  const DenseMatrix one(1, 1);
  const KmedoidsClustering single = cluster_kmedoids(one.view(), {.k = 1, .restarts = 3});
  EXPECT_EQ(single.medoids, std::vector<std::size_t>{0});
  EXPECT_EQ(single.cost, 0);
  const Dataset twins{.examples = matrix(1, {1, 1, 4, 4})};
  const KmedoidsClustering pairs =
      cluster_kmedoids(twins, Distance::euclidean, {.k = 2, .restarts = 5});
  EXPECT_EQ(pairs.cost, 0);
  EXPECT_EQ(pairs.labels, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_THROW((void)cluster_kmedoids(twins, Distance::euclidean, {.k = 3}), InvalidArgument);
}

TEST(Kmedoids, LimitAndCallbackReturnTheBestSoFar) {
  const DenseMatrix distances = odd_distances(80, 3);
  KmedoidsOptions options{.k = 8, .max_iterations = 1};
  EXPECT_EQ(cluster_kmedoids(distances.view(), options).report.status, Status::iteration_limit);
  options = {.k = 8};
  options.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
  const KmedoidsClustering stopped = cluster_kmedoids(distances.view(), options);
  EXPECT_EQ(stopped.report.status, Status::time_limit);
  EXPECT_NEAR(stopped.cost, cost_of(distances.view(), stopped.medoids), 1e-12);
}

TEST(Kmedoids, RejectsWhatItCannotCluster) {
  const DenseMatrix good = odd_distances(4, 1);
  const auto run = [&](const KmedoidsOptions& options, std::vector<double> weights = {}) {
    (void)cluster_kmedoids(good.view(), options, weights);
  };
  EXPECT_THROW(run({.k = 0}), InvalidArgument);
  EXPECT_THROW(run({.k = 5}), InvalidArgument);
  EXPECT_THROW(run({.restarts = 0}), InvalidArgument);
  EXPECT_THROW(run({.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(run({.context = {.threads = 0}}), InvalidArgument);
  EXPECT_THROW(run({}, {1, 1}), InvalidArgument);
  EXPECT_THROW(run({}, {0, 0, 0, 0}), InvalidArgument);
  EXPECT_THROW(run({}, {1, NAN, 1, 1}), InvalidArgument);
  EXPECT_THROW((void)cluster_kmedoids(DenseMatrix(2, 3).view(), {}), InvalidArgument);
  EXPECT_THROW((void)cluster_kmedoids(DenseMatrix().view(), {}), InvalidArgument);
  EXPECT_THROW((void)cluster_kmedoids(matrix(2, {0, -1, 1, 0}).view(), {}), InvalidArgument);
  EXPECT_THROW((void)cluster_kmedoids(matrix(2, {0, NAN, 1, 0}).view(), {}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
