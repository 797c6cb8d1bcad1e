// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv/clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "change_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"
#include "sv_clustering_cases.hpp"

namespace maxmargin {
namespace {

TEST(SvClustering, ReproducesTheIrisTable) {  // seed-merat facts 51 and 52, appendix A.2
  struct Golden {
    double q;
    double p;
    double squared_radius;
    double objective;
    std::size_t support_vectors;
    std::size_t bounded;
    std::vector<std::array<std::size_t, 3>> clusters;  // setosa, versicolor, virginica
  };
  const std::vector<Golden> table = {
      {0.125, 0, 0.64184968, 0.64184968, 9, 0, {{50, 50, 50}}},
      {0.125, 0.1, 0.59955931, 0.62758701, 6, 11, {{46, 49, 44}}},
      {0.5, 0, 0.83311698, 0.83311698, 18, 0, {{0, 50, 50}, {50, 0, 0}}},
      {0.5, 0.1, 0.81998923, 0.83048636, 12, 9, {{0, 49, 46}, {46, 0, 0}}},
      {0.5, 0.2, 0.79131471, 0.81750514, 11, 24, {{0, 42, 42}, {42, 0, 0}}},
      {1, 0.2, 0.87333499, 0.88937018, 21, 18, {{0, 45, 42}, {45, 0, 0}}},
      {2, 0, 0.93859523, 0.93859523, 43, 0, {{0, 50, 50}, {50, 0, 0}}},
      {2, 0.2, 0.93270266, 0.93776008, 33, 15, {{0, 45, 44}, {46, 0, 0}}}};
  const Dataset data = iris();
  for (const Golden& row : table) {
    SCOPED_TRACE(std::to_string(row.q) + " " + std::to_string(row.p));
    const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = row.q}, row.p));
    ASSERT_EQ(found.report.status, Status::solved);
    EXPECT_NEAR(found.model.squared_radius, row.squared_radius, 1e-8);
    EXPECT_NEAR(*found.report.primal_objective, row.objective, 1e-8);
    EXPECT_NEAR(*found.report.dual_objective, row.objective, 1e-8);
    EXPECT_EQ(found.support_vectors, row.support_vectors);
    EXPECT_EQ(found.bounded, row.bounded);
    EXPECT_EQ(found.outliers, row.bounded);
    ASSERT_EQ(found.sizes.size(), row.clusters.size());
    std::vector<std::array<std::size_t, 3>> clusters(row.clusters.size());
    for (std::size_t i = 0; i < 150; ++i) {
      if (found.labels[i] >= 0) ++clusters[static_cast<std::size_t>(found.labels[i])][i / 50];
    }
    EXPECT_EQ(clusters, row.clusters);
  }
}

TEST(SvClustering, SmallCasesHaveTheirExactSpheres) {  // seed-merat fact 49
  // Multipliers are as good as the root of the gap.
  const auto sphere = [](DenseMatrix points, const Kernel& kernel) {
    SvClusteringOptions options = exact(kernel);
    options.tolerance = 1e-14;
    return cluster_sv({.examples = std::move(points)}, options);
  };
  const SvClustering pair = sphere(matrix(1, {0, 2}), Linear{});
  EXPECT_NEAR(pair.model.squared_radius, 1, 1e-9);
  for (const double beta : multipliers(pair)) EXPECT_NEAR(beta, 0.5, 1e-9);
  const SvClustering triangle = sphere(matrix(2, {0, 0, 1, 0, 0.5, std::sqrt(0.75)}), Linear{});
  EXPECT_NEAR(triangle.model.squared_radius, 1.0 / 3, 1e-9);
  for (const double beta : multipliers(triangle)) EXPECT_NEAR(beta, 1.0 / 3, 1e-7);
  const SvClustering obtuse = sphere(matrix(2, {0, 0, 4, 0, 2, 0.5}), Linear{});
  EXPECT_NEAR(obtuse.model.squared_radius, 4, 1e-8);
  EXPECT_NEAR(multipliers(obtuse)[0], 0.5, 1e-7);
  EXPECT_NEAR(multipliers(obtuse)[1], 0.5, 1e-7);
  EXPECT_EQ(multipliers(obtuse)[2], 0);
  const double gaussian = sphere(matrix(1, {0, 1}), Rbf{.gamma = 0.5}).model.squared_radius;
  EXPECT_NEAR(gaussian, (1 - std::exp(-0.5)) / 2, 1e-9);
  EXPECT_NEAR(gaussian, 0.19673467, 5e-9);
}

TEST(SvClustering, EveryRowIsWhereItsMultiplierSays) {  // seed-merat fact 48
  Dataset data = blobs(90, 2, 1);
  data.weights.resize(90);
  Rng rng(3);
  for (double& weight : data.weights) weight = rng.bernoulli(0.1) ? 0.0 : rng.exponential();
  const double total = std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
  // A linear and a polynomial kernel have K_ii of any size.
  for (const Kernel& kernel : std::vector<Kernel>{
           Rbf{.gamma = 0.3}, Linear{}, Polynomial{.gamma = 0.1, .coef0 = 1, .degree = 2}}) {
    for (const double nu : {0.0, 0.05, 0.3, 0.9}) {
      SCOPED_TRACE(kernel_name(kernel) + " " + std::to_string(nu));
      const SvClustering found = cluster_sv(data, exact(kernel, nu, ProximityGraph::mst));
      ASSERT_EQ(found.report.status, Status::solved);
      const std::vector<double> beta = multipliers(found);
      const std::vector<double> distances = found.model.squared_distances(data.examples);
      const double radius = found.model.squared_radius;
      // W = R^2 + C sum zeta, and the centre is within sqrt(gap) of the best one.
      const double gap = std::max(0.0, *found.report.gap());
      ASSERT_LE(gap, 1e-9 * *found.report.primal_objective);
      const double slack = 4 * std::sqrt(gap * std::ranges::max(distances)) + 1e-9 * radius;
      double sum = 0;
      double primal = radius;
      double bounded_weight = 0;
      for (std::size_t i = 0; i < 90; ++i) {
        const double cost = data.weights[i] <= 0 ? 0
                            : nu > 0             ? std::min(1.0, data.weights[i] / (nu * total))
                                                 : 1;
        EXPECT_GE(beta[i], 0);
        EXPECT_LE(beta[i], cost);
        sum += beta[i];
        primal += cost * std::max(0.0, distances[i] - radius);
        if (cost == 0) continue;
        if (beta[i] == 0) {
          EXPECT_LE(distances[i], radius + slack) << i;
        } else if (beta[i] < cost) {
          EXPECT_NEAR(distances[i], radius, slack) << i;
        } else {
          EXPECT_GE(distances[i], radius - slack) << i;
          bounded_weight += data.weights[i];
        }
        EXPECT_EQ(found.labels[i] == -1, distances[i] > found.model.level) << i;
        if (found.labels[i] == -1) {
          EXPECT_EQ(beta[i], cost) << i;
        }
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_LE(bounded_weight, nu * total * (1 + 1e-9));
      EXPECT_NEAR(primal, *found.report.primal_objective, 1e-9 * primal);
      EXPECT_LE(*found.report.dual_objective, primal * (1 + 1e-12));
      if (nu == 0) {
        EXPECT_EQ(found.bounded, 0U);
      }
    }
  }
}

TEST(SvClustering, TheCentreNearsTheMeanAsNuNearsOne) {  // seed-merat fact 50
  const DenseMatrix points = gaussian_points(30, 2, 4);
  const SvClustering found =
      cluster_sv({.examples = points}, exact(Linear{}, 1 - 1e-12, ProximityGraph::knn));
  double centre[2] = {0, 0};
  double mean[2] = {0, 0};
  const std::vector<double> beta = multipliers(found);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(beta[i], 1.0 / 30, 1e-12);  // C and the sum leave no more
    for (std::size_t j = 0; j < 2; ++j) {
      centre[j] += beta[i] * points(i, j);
      mean[j] += points(i, j) / 30;
    }
  }
  EXPECT_NEAR(centre[0], mean[0], 1e-11);
  EXPECT_NEAR(centre[1], mean[1], 1e-11);
  // C <= 1/N: no sphere is left to choose, or no multipliers add up to 1.
  for (const double nu : {1.0, 1.000001, 2.0}) {
    EXPECT_THROW(static_cast<void>(cluster_sv({.examples = points}, {.nu = nu})), InvalidArgument);
  }
}

// seed-merat fact 50: C = 100 / (N n) for n percent of outliers.
TEST(SvClustering, TheStartIsFeasibleForEveryShareOfOutliers) {
  const DenseMatrix points = gaussian_points(37, 2, 6);
  for (int percent = 1; percent < 100; ++percent) {
    const double nu = percent / 100.0;
    const double cost = std::min(1.0, 1 / (37 * nu));
    SvClusteringOptions options = exact(Rbf{.gamma = 0.5}, nu, ProximityGraph::mst);
    options.context.on_progress = [](const Progress&) { return Continue::stop; };
    const SvClustering start = cluster_sv({.examples = points}, options);
    ASSERT_EQ(start.report.status, Status::stopped_by_callback) << percent;
    double sum = 0;
    for (const double beta : multipliers(start)) {
      EXPECT_GE(beta, 0) << percent;
      EXPECT_LE(beta, cost) << percent;
      sum += beta;
    }
    EXPECT_NEAR(sum, 1, 1e-12) << percent;
  }
}

// seed-merat fact 51
TEST(SvClustering, ACostOfOneLeavesNoneBoundedAndNarrowKernelsNeedMoreVectors) {
  const Dataset data = iris();
  std::size_t before = 0;
  for (const double gamma : {0.125, 0.5, 2.0, 8.0}) {
    // All of these shares are at most one of 150 flowers: C = 1.
    for (const double nu : {0.0, 0.001, 1.0 / 150}) {
      const SvClustering found =
          cluster_sv(data, exact(Rbf{.gamma = gamma}, nu, ProximityGraph::mst));
      EXPECT_EQ(found.bounded, 0U) << gamma << ' ' << nu;
      EXPECT_EQ(found.outliers, 0U) << gamma << ' ' << nu;
      EXPECT_LT(found.model.squared_radius, 1);
      if (nu == 0) {
        EXPECT_GT(found.support_vectors, before) << gamma;
        before = found.support_vectors;
      }
    }
  }
}

TEST(SvClustering, MovingAllPointsChangesNothing) {  // seed-merat fact 53
  Dataset data = blobs(60, 2, 2);
  change_values(data.examples, [&](double& x) { x = std::round(x * 1024) / 1024; });
  Dataset moved = data;
  change_values(moved.examples, [&](double& x) { x += 64; });
  // Any kernel of x - z.
  for (const Kernel& kernel :
       std::vector<Kernel>{Rbf{.gamma = 0.4}, Laplace{.gamma = 0.4}, Absdiff{.gamma = 0.4}}) {
    SCOPED_TRACE(kernel_name(kernel));
    const SvClustering before = cluster_sv(data, exact(kernel, 0.1));
    const SvClustering after = cluster_sv(moved, exact(kernel, 0.1));
    EXPECT_NEAR(after.model.squared_radius, before.model.squared_radius, 1e-9);
    EXPECT_EQ(after.labels, before.labels);
  }
}

}  // namespace
}  // namespace maxmargin
