// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv_clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

constexpr std::array all_graphs = {ProximityGraph::complete,
                                   ProximityGraph::knn,
                                   ProximityGraph::mst,
                                   ProximityGraph::delaunay,
                                   ProximityGraph::support_vectors};

SvClusteringOptions exact(const Kernel& kernel,
                          double nu = 0,
                          ProximityGraph graph = ProximityGraph::complete) {
  return {.kernel = kernel, .nu = nu, .graph = graph, .tolerance = 1e-10};
}

/// The multipliers of all rows.
std::vector<double> multipliers(const SvClustering& found) {
  std::vector<double> beta(found.labels.size(), 0.0);
  const KernelExpansion& sphere = found.model.sphere;
  for (std::size_t k = 0; k < sphere.training_rows.size(); ++k) {
    beta[sphere.training_rows[k]] = sphere.coefficients(k, 0) / 2;
  }
  return beta;
}

/// Clusters renamed in the order of first members: equal for equal partitions.
std::vector<std::int32_t> partition(std::span<const std::int32_t> labels) {
  std::map<std::int32_t, std::int32_t> names = {{-1, -1}};
  std::vector<std::int32_t> renamed;
  for (const std::int32_t label : labels) {
    names.try_emplace(label, static_cast<std::int32_t>(names.size()) - 1);
    renamed.push_back(names[label]);
  }
  return renamed;
}

Dataset blobs(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "blobs");
  DenseMatrix points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) points(i, j) = rng.normal();
    points(i, 0) += 6.0 * static_cast<double>(i % 3);
  }
  return {.examples = points};
}

/// Dense enough for every graph to follow them at gamma 2.4.
Dataset two_rings() { return generate_circles({.n = 300, .noise = 0.03, .seed = 2}); }

// The sphere

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
    options.on_progress = [](const Progress&) { return Continue::stop; };
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
  for (double& x : data.examples.dense().values()) x = std::round(x * 1024) / 1024;
  Dataset moved = data;
  for (double& x : moved.examples.dense().values()) x += 64;
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

// Labels

/// R^2(x) by the formula.
struct PlainSphere {
  const DenseMatrix& points;
  double gamma;
  std::vector<double> beta = {};
  double norm = 0;

  [[nodiscard]] double kernel(std::span<const double> x, std::span<const double> z) const {
    return std::exp(-gamma * squared_distance(x, z));
  }
  [[nodiscard]] double squared_distance_of(std::span<const double> x) const {
    double sum = 1 + norm;
    for (std::size_t i = 0; i < beta.size(); ++i) {
      if (beta[i] > 0) sum -= 2 * beta[i] * kernel(points.row(i), x);
    }
    return sum;
  }
  void refresh() {
    norm = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
      for (std::size_t j = 0; j < beta.size(); ++j) {
        norm += beta[i] * beta[j] * kernel(points.row(i), points.row(j));
      }
    }
  }
};

struct PlainAnswer {
  std::vector<std::int32_t> labels = {};
  double squared_radius = 0;
};

/// The whole method in plain code: maximal violating pairs, all pairs of points, depth first.
PlainAnswer plain_clusters(const DenseMatrix& points,
                           double gamma,
                           double nu,
                           std::size_t samples) {
  const std::size_t n = points.rows();
  const double c = nu > 0 ? std::min(1.0, 1 / (nu * static_cast<double>(n))) : 1.0;
  PlainSphere sphere{points, gamma, std::vector<double>(n, 1.0 / static_cast<double>(n))};
  std::vector<double> distance(n);
  double low = 0;
  double up = 0;
  for (int step = 0; step < 100000; ++step) {
    if (step % 100 == 0) sphere.refresh();
    for (std::size_t i = 0; i < n; ++i) distance[i] = sphere.squared_distance_of(points.row(i));
    std::size_t far = n;
    std::size_t near = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (sphere.beta[i] < c && (far == n || distance[i] > distance[far])) far = i;
      if (sphere.beta[i] > 0 && (near == n || distance[i] < distance[near])) near = i;
    }
    low = distance[far];
    up = distance[near];
    if (low - up < 1e-11) break;
    const double eta = 2 * (2 - 2 * sphere.kernel(points.row(far), points.row(near)));
    const double move = std::min({(low - up) / eta, sphere.beta[near], c - sphere.beta[far]});
    sphere.beta[far] = move == c - sphere.beta[far] ? c : sphere.beta[far] + move;
    sphere.beta[near] = move == sphere.beta[near] ? 0 : sphere.beta[near] - move;
    sphere.refresh();
  }
  PlainAnswer answer{std::vector<std::int32_t>(n, -2), (low + up) / 2};
  const double level = low + 1e-9;
  const auto connected = [&](std::size_t i, std::size_t j) {
    std::vector<double> x(points.cols());
    for (std::size_t s = 1; s <= samples; ++s) {
      const double t = static_cast<double>(s) / static_cast<double>(samples + 1);
      for (std::size_t d = 0; d < x.size(); ++d) {
        x[d] = points(i, d) + t * (points(j, d) - points(i, d));
      }
      if (sphere.squared_distance_of(x) > level) return false;
    }
    return true;
  };
  std::int32_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (distance[i] > level) answer.labels[i] = -1;
    if (answer.labels[i] != -2) continue;
    std::vector<std::size_t> stack = {i};
    answer.labels[i] = next;
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      stack.pop_back();
      for (std::size_t j = 0; j < n; ++j) {
        if (answer.labels[j] != -2 || distance[j] > level || !connected(at, j)) continue;
        answer.labels[j] = next;
        stack.push_back(j);
      }
    }
    ++next;
  }
  return answer;
}

class AgainstPlainCode : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(AgainstPlainCode, CompleteGraphFindsTheSameClusters) {
  const std::uint64_t seed = GetParam();
  const std::size_t n = 20 + 5 * (seed % 5);
  const Dataset data = blobs(n, 2, seed);
  const double gamma = 0.1 * static_cast<double>(1 + seed % 7);
  const double nu = seed % 2 == 0 ? 0.0 : 0.15;
  const PlainAnswer plain = plain_clusters(data.examples.dense(), gamma, nu, 19);
  const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = gamma}, nu));
  EXPECT_NEAR(found.model.squared_radius, plain.squared_radius, 1e-7);
  EXPECT_EQ(partition(found.labels), plain.labels);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AgainstPlainCode, ::testing::Range<std::uint64_t>(1, 13));

TEST(SvClustering, TwoRingsFallIntoTwoClustersWithEveryGraph) {
  const Dataset rings = two_rings();
  for (const ProximityGraph graph : all_graphs) {
    SCOPED_TRACE(to_string(graph));
    const SvClustering found = cluster_sv(rings, exact(Rbf{.gamma = 2.4}, 0, graph));
    ASSERT_EQ(found.sizes, (std::vector<std::size_t>{150, 150}));
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const bool same_ring = rings.labels.at(i) == rings.labels.at(0);
      EXPECT_EQ(found.labels[i] == found.labels[0], same_ring) << i;
    }
  }
}

TEST(SvClustering, SparserGraphsOnlySplitWhatTheCompleteOneJoins) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Dataset data = blobs(60, 2, seed);
    for (const double gamma : {0.3, 2.0, 10.0}) {
      const auto complete = cluster_sv(data, exact(Rbf{.gamma = gamma})).labels;
      for (const ProximityGraph graph :
           {ProximityGraph::knn, ProximityGraph::mst, ProximityGraph::delaunay}) {
        const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = gamma}, 0, graph));
        std::map<std::int32_t, std::int32_t> whole;
        for (std::size_t i = 0; i < data.size(); ++i) {
          const auto [at, fresh] = whole.try_emplace(found.labels[i], complete[i]);
          EXPECT_EQ(at->second, complete[i]) << to_string(graph) << " " << i;
        }
      }
    }
  }
}

TEST(SvClustering, ClustersAreNumberedBySizeThenFirstMember) {
  // Three far groups of 1, 3 and 3 points.
  const Dataset data{.examples = matrix(1, {50, 0, 100, 0.1, 100.1, 0.2, 100.2})};
  const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 1}));
  EXPECT_EQ(found.labels, (std::vector<std::int32_t>{2, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(found.sizes, (std::vector<std::size_t>{3, 3, 1}));
}

TEST(SvClustering, PermutedRowsHavePermutedLabels) {
  const Dataset data = blobs(80, 2, 7);
  const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 0.5}, 0.1));
  const std::vector<std::size_t> order = Rng(5).permutation(80);
  const SvClustering permuted = cluster_sv(data.select(order), exact(Rbf{.gamma = 0.5}, 0.1));
  EXPECT_NEAR(permuted.model.squared_radius, found.model.squared_radius, 1e-8);
  std::vector<std::int32_t> expected;
  for (const std::size_t row : order) expected.push_back(found.labels[row]);
  EXPECT_EQ(partition(permuted.labels), partition(expected));
}

TEST(SvClustering, AWeightOfTwoIsACopy) {
  const Dataset data = blobs(40, 2, 8);
  std::vector<std::size_t> rows;
  Dataset weighted = data;
  weighted.weights.assign(40, 1.0);
  for (std::size_t i = 0; i < 40; ++i) {
    rows.push_back(i);
    if (i % 3 != 0) continue;
    rows.push_back(i);
    weighted.weights[i] = 2;
  }
  const SvClustering by_weight = cluster_sv(weighted, exact(Rbf{.gamma = 0.5}, 0.2));
  const SvClustering by_copy = cluster_sv(data.select(rows), exact(Rbf{.gamma = 0.5}, 0.2));
  EXPECT_NEAR(by_copy.model.squared_radius, by_weight.model.squared_radius, 1e-7);
  std::vector<std::int32_t> expected;
  for (const std::size_t row : rows) expected.push_back(by_weight.labels[row]);
  EXPECT_EQ(partition(by_copy.labels), partition(expected));
  EXPECT_EQ(by_copy.model.members.rows(), by_weight.model.members.rows());
}

TEST(SvClustering, SparseRowsGiveTheSameAnswer) {
  Dataset data = blobs(70, 3, 9);
  for (std::size_t i = 0; i < 70; ++i) data.examples.dense()(i, 1 + i % 2) = 0;
  const SvClustering dense = cluster_sv(data, exact(Rbf{.gamma = 0.6}, 0.1, ProximityGraph::knn));
  const Dataset sparse{.examples = to_sparse(data.examples.dense().view())};
  const SvClustering found = cluster_sv(sparse, exact(Rbf{.gamma = 0.6}, 0.1, ProximityGraph::knn));
  EXPECT_EQ(found.labels, dense.labels);
  EXPECT_FALSE(found.model.members.is_dense());
  EXPECT_EQ(found.model.predict(sparse.examples), found.labels);
  EXPECT_EQ(found.model.predict(data.examples), found.labels);
  EXPECT_EQ(dense.model.predict(sparse.examples), dense.labels);
}

TEST(SvClustering, IsTheSameForAnyNumberOfThreads) {
  // Several blocks of rows in every stage.
  const Dataset data = blobs(700, 2, 10);
  for (const ProximityGraph graph : all_graphs) {
    SvClusteringOptions options{
        .kernel = Rbf{.gamma = 0.1}, .nu = 0.05, .graph = graph, .samples = 3};
    options.threads = 1;
    const SvClustering one = cluster_sv(data, options);
    for (const std::size_t threads : {2U, 4U}) {
      options.threads = threads;
      const SvClustering several = cluster_sv(data, options);
      EXPECT_EQ(several.labels, one.labels);
      EXPECT_EQ(several.model.level, one.model.level);
      EXPECT_EQ(several.report.primal_objective, one.report.primal_objective);
      EXPECT_EQ(several.segments, one.segments);
      EXPECT_EQ(several.model.predict(data.examples, threads), one.model.predict(data.examples, 1));
    }
  }
}

TEST(SvClustering, ManyCopiesOfAPointDoNotCutItOff) {
  std::vector<double> values;
  for (int copy = 0; copy < 30; ++copy) values.push_back(0);
  for (int i = 1; i <= 20; ++i) values.push_back(0.1 * i);
  const Dataset data{.examples = matrix(1, values)};
  const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 1}, 0, ProximityGraph::knn));
  EXPECT_EQ(found.sizes, (std::vector<std::size_t>{50}));
  EXPECT_EQ(found.model.members.rows(), 21U);
}

TEST(SvClustering, OnePointAndEqualPointsAreOneCluster) {  // seed-merat fact 53
  for (const ProximityGraph graph : all_graphs) {
    for (const double nu : {0.0, 0.3}) {
      for (const std::size_t n : {1U, 7U}) {
        SCOPED_TRACE(std::string(to_string(graph)) + " " + std::to_string(n));
        const Dataset data{.examples = DenseMatrix(n, 2, 3.5)};
        for (const Kernel& kernel : std::vector<Kernel>{Rbf{.gamma = 2}, Linear{}}) {
          const SvClustering found = cluster_sv(data, exact(kernel, nu, graph));
          EXPECT_EQ(found.report.status, Status::solved);
          EXPECT_NEAR(found.model.squared_radius, 0, 1e-13);
          EXPECT_EQ(found.sizes, (std::vector<std::size_t>{n}));
          EXPECT_EQ(found.outliers, 0U);
          EXPECT_EQ(found.model.predict(matrix(2, {3.5, 3.5, 9, 9})),
                    (std::vector<std::int32_t>{0, -1}));
        }
      }
    }
  }
}

TEST(SvClustering, RowsWithoutWeightShapeNothing) {
  Dataset data{.examples = matrix(1, {0, 2, 100, 1})};
  data.weights = {1, 1, 0, 0};
  const SvClustering found = cluster_sv(data, exact(Linear{}));
  EXPECT_NEAR(found.model.squared_radius, 1, 1e-9);
  EXPECT_EQ(found.labels, (std::vector<std::int32_t>{0, 0, -1, 0}));
}

// New points

TEST(SvClusterModel, TrainingRowsKeepTheirLabels) {
  for (const ProximityGraph graph : all_graphs) {
    const Dataset data = blobs(60, 2, 11);
    const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 1.5}, 0.1, graph));
    EXPECT_EQ(found.model.predict(data.examples), found.labels) << to_string(graph);
  }
}

TEST(SvClusterModel, ARowOnTheContourSeesItself) {
  // One vector, and a member at the very level: (1 - t) x + t x is a rounding outside for some t,
  // while the member of the other cluster is in plain sight.
  for (const double x : {1000.1, 1000.2, 1000.3}) {
    SvClusterModel model;
    model.sphere = {.kernel = Rbf{.gamma = 10},
                    .vectors = matrix(1, {1000}),
                    .coefficients = matrix(1, {2}),
                    .offsets = {-1.0},
                    .minus_self = true,
                    .training_rows = {0}};
    model.members = matrix(1, {x, 999.95});
    model.member_clusters = {0, 1};
    model.squared_radius = model.squared_distances(model.members)[0];
    model.level = model.squared_radius + 4e-15;  // for the sum of three, no place for a step of x
    model.sphere.offsets[0] += model.squared_radius;
    EXPECT_EQ(model.predict(model.members), (std::vector<std::int32_t>{0, 1})) << x;
    model.members = to_sparse(model.members.dense().view());
    model.sphere.vectors = to_sparse(model.sphere.vectors.dense().view());
    EXPECT_EQ(model.predict(model.members), (std::vector<std::int32_t>{0, 1})) << x;
  }
}

TEST(SvClusterModel, NewPointsJoinThePieceTheyLieIn) {
  const Dataset rings = two_rings();
  const SvClustering found = cluster_sv(rings, exact(Rbf{.gamma = 2.4}, 0, ProximityGraph::knn));
  // Where the inner ring is: the cluster of its rows.
  std::int32_t inner = -1;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (rings.labels.at(i)->text() == "1") inner = found.labels[i];
  }
  const std::vector<double> far = {0, 0, 0, 1.5, 5, 5};
  const std::vector<std::int32_t> outside = found.model.predict(matrix(2, far));
  EXPECT_EQ(outside, (std::vector<std::int32_t>{-1, -1, -1}));
  std::size_t placed = 0;
  for (int degree = 0; degree < 360; degree += 5) {
    const double angle = degree * 3.14159265358979 / 180;
    for (const double radius : {1.0, 2.0}) {
      const auto x = matrix(2, {radius * std::cos(angle), radius * std::sin(angle)});
      const std::int32_t cluster = found.model.predict(x)[0];
      const bool is_inside = found.model.squared_distances(x)[0] <= found.model.level;
      EXPECT_EQ(cluster == -1, !is_inside);
      if (!is_inside) continue;
      ++placed;
      EXPECT_EQ(cluster == inner, radius == 1.0);
    }
  }
  EXPECT_GT(placed, 100U);
}

TEST(SvClusterModel, SparseRowsMayHaveOtherFeatures) {
  const Dataset data = blobs(60, 2, 12);
  const SvClustering found = cluster_sv(data, exact(Rbf{.gamma = 0.5}));
  DenseMatrix wide(60, 4, 1.0);
  DenseMatrix narrow(60, 1);
  DenseMatrix filled(60, 2, 0.0);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 2; ++j) wide(i, j) = data.examples.dense()(i, j);
    narrow(i, 0) = filled(i, 0) = data.examples.dense()(i, 0);
  }
  EXPECT_EQ(found.model.predict(to_sparse(wide.view())), found.labels);
  EXPECT_EQ(found.model.predict(to_sparse(narrow.view())), found.model.predict(filled));
  EXPECT_THROW(static_cast<void>(found.model.predict(wide)), InvalidArgument);
  EXPECT_TRUE(found.model.predict(DenseMatrix(0, 2)).empty());
}

TEST(SvClusterModel, PartsMustFit) {
  const SvClustering found = cluster_sv(blobs(30, 2, 1), exact(Rbf{.gamma = 0.5}));
  SvClusterModel model = found.model;
  EXPECT_NO_THROW(model.validate());
  model.member_clusters.pop_back();
  EXPECT_THROW(model.validate(), InvalidArgument);
  model = found.model;
  model.level = model.squared_radius - 1;
  EXPECT_THROW(model.validate(), InvalidArgument);
  model = found.model;
  model.samples = most_sv_samples + 1;
  EXPECT_THROW(model.validate(), InvalidArgument);
  model = found.model;
  model.neighbours = most_sv_neighbours + 1;
  EXPECT_THROW(model.validate(), InvalidArgument);
  model = found.model;
  model.members = DenseMatrix(found.model.members.rows(), 3);
  EXPECT_THROW(model.validate(), InvalidArgument);
  EXPECT_THROW(SvClusterModel{}.validate(), InvalidArgument);
}

// The sweep

TEST(SvSweep, WidthsGoFromTheLargestToTheNeighbourDistance) {
  const DenseMatrix points = matrix(1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const std::vector<double> gammas = sweep_gammas(points, 5);
  ASSERT_EQ(gammas.size(), 5U);
  EXPECT_DOUBLE_EQ(gammas.front(), 1.0 / 100);
  EXPECT_DOUBLE_EQ(gammas.back(), resolve_gamma(GammaRule::neighbour(), points));
  for (std::size_t s = 2; s < 5; ++s) {
    EXPECT_NEAR(gammas[s] / gammas[s - 1], gammas[1] / gammas[0], 1e-12);
  }
  EXPECT_EQ(sweep_gammas(DenseMatrix(4, 2, 1.0), 6).size(), 1U);
  EXPECT_THROW(static_cast<void>(sweep_gammas(points, 0)), InvalidArgument);
}

TEST(SvSweep, CopiesDoNotChangeTheWidths) {
  std::vector<double> line;
  std::vector<double> copies;
  for (int i = 0; i <= 10; ++i) {
    line.push_back(i);
    copies.insert(copies.end(), 8, i);  // the 5th neighbour of each is a copy
  }
  EXPECT_EQ(sweep_gammas(matrix(1, copies), 5), sweep_gammas(matrix(1, line), 5));
}

TEST(SvSweep, ChoosesTheLongestRunAndInItFewestVectors) {
  const auto step = [](std::size_t clusters, std::size_t vectors) {
    return SvSweepStep{.clusters = clusters, .support_vectors = vectors};
  };
  const std::vector<SvSweepStep> steps = {step(1, 5),
                                          step(1, 6),
                                          step(1, 7),
                                          step(2, 9),
                                          step(2, 8),
                                          step(3, 12),
                                          step(7, 80),
                                          step(7, 81),
                                          step(7, 82)};
  EXPECT_EQ(choose_sweep_step(steps, 100), 4U);  // the sevens follow the points
  EXPECT_EQ(choose_sweep_step(steps, 1000), 6U);
  EXPECT_EQ(choose_sweep_step(std::span(steps).first(3), 100), 0U);
  EXPECT_EQ(choose_sweep_step(std::span(steps).last(2), 100), 0U);
  EXPECT_THROW(static_cast<void>(choose_sweep_step({}, 10)), InvalidArgument);
}

TEST(SvSweep, StepsThatFailedAreNotChosen) {
  const SvSweepStep failed{.status = Status::numerical_failure};
  const SvSweepStep one{.clusters = 1, .support_vectors = 5};
  const SvSweepStep close{.clusters = 9, .support_vectors = 90};
  EXPECT_EQ(choose_sweep_step(std::vector{failed, one, failed}, 100), 1U);
  EXPECT_EQ(choose_sweep_step(std::vector{failed, close}, 100), 1U);
  EXPECT_EQ(choose_sweep_step(std::vector{failed, failed}, 100), 0U);
}

TEST(SvSweep, AWidthThatFailsDoesNotSpoilTheOthers) {
  // (10 gamma + ...)^3 overflows at the last widths.
  const Dataset data = blobs(30, 2, 3);
  const std::vector<double> gammas = {0.1, 1e110, 1e120};
  const SvSweep sweep =
      sweep_sv_clustering(data, gammas, {.kernel = Polynomial{.coef0 = 1, .degree = 3}});
  ASSERT_EQ(sweep.steps[2].status, Status::numerical_failure);
  EXPECT_EQ(sweep.chosen, 0U);
  EXPECT_GT(sweep.clustering.sizes.size(), 0U);
}

TEST(SvSweep, IrisBreaksIntoSetosaAndTheRest) {  // seed-merat fact 51
  const Dataset data = iris();
  const SvSweep sweep =
      sweep_sv_clustering(data, sweep_gammas(data.examples, 8), {.tolerance = 1e-8});
  ASSERT_EQ(sweep.steps.size(), 8U);
  EXPECT_EQ(sweep.steps.front().clusters, 1U);
  for (std::size_t s = 0; s < 8; ++s) {
    EXPECT_LT(sweep.steps[s].squared_radius, 1);
    EXPECT_EQ(sweep.steps[s].status, Status::solved);
    if (s > 0) {
      EXPECT_GT(sweep.steps[s].squared_radius, sweep.steps[s - 1].squared_radius);
    }
  }
  EXPECT_EQ(sweep.clustering.sizes, (std::vector<std::size_t>{100, 50}));
  // The sweep's answer is that of its width alone.
  const SvClustering alone = cluster_sv(
      data, {.kernel = Rbf{.gamma = sweep.steps[sweep.chosen].gamma}, .tolerance = 1e-8});
  EXPECT_EQ(alone.labels, sweep.clustering.labels);
  EXPECT_EQ(alone.model.predict(data.examples), sweep.clustering.model.predict(data.examples));
}

TEST(SvSweep, SharedGraphsChangeNothingWhenOutliersDiffer) {
  const Dataset data = blobs(80, 2, 3);
  const SvClusteringOptions options{.nu = 0.1};
  const auto alone = [&](double gamma) {
    SvClusteringOptions at_width = options;
    at_width.kernel = Rbf{.gamma = gamma};
    return cluster_sv(data, at_width);
  };
  // Up and down: the chosen width follows on graphs of other rows.
  std::set<std::vector<bool>> sets_of_outliers;
  for (const std::vector<double>& gammas :
       {std::vector{0.05, 0.3, 1.0, 3.0}, std::vector{3.0, 1.0, 0.3, 0.05}}) {
    const SvSweep sweep = sweep_sv_clustering(data, gammas, options);
    for (std::size_t s = 0; s < gammas.size(); ++s) {
      const SvClustering found = alone(gammas[s]);
      EXPECT_EQ(sweep.steps[s].clusters, found.sizes.size());
      EXPECT_EQ(sweep.steps[s].outliers, found.outliers);
      EXPECT_EQ(sweep.steps[s].support_vectors, found.support_vectors);
      std::vector<bool> outliers;
      for (const std::int32_t label : found.labels) outliers.push_back(label < 0);
      sets_of_outliers.insert(outliers);
    }
    EXPECT_GT(sweep.chosen, 0U);
    EXPECT_EQ(sweep.clustering.labels, alone(gammas[sweep.chosen]).labels);
  }
  EXPECT_GE(sets_of_outliers.size(), 2U);
}

// Limits and bad input

/// Stops in the named phase.
ProgressCallback stop_in(std::string_view phase, Continue answer = Continue::stop) {
  return [phase, answer](const Progress& progress) {
    return progress.phase == phase ? answer : Continue::yes;
  };
}

/// The phases in which the caller was asked, and how often.
std::map<std::string, int> phases_asked(const Dataset& data, SvClusteringOptions options) {
  std::map<std::string, int> asked;
  options.on_progress = [&](const Progress& progress) {
    ++asked[std::string(progress.phase)];
    return Continue::yes;
  };
  static_cast<void>(cluster_sv(data, options));
  return asked;
}

TEST(SvClustering, AStopInTheSphereStillLabels) {
  SvClusteringOptions options{.kernel = Rbf{.gamma = 2}};
  options.on_progress = [](const Progress&) { return Continue::stop; };
  const SvClustering found = cluster_sv(blobs(100, 2, 4), options);
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_GE(*found.report.gap(), 0);
  EXPECT_GT(found.sizes.size(), 0U);
  EXPECT_LT(found.sizes.size(), 100U);
}

TEST(SvClustering, AfterAStopTheWorkIsBounded) {
  // The contour of a narrow kernel falls into many pieces: all pairs would be a million segments.
  const Dataset data = blobs(1500, 2, 4);
  for (const ProximityGraph graph : all_graphs) {
    SCOPED_TRACE(to_string(graph));
    SvClusteringOptions options{.kernel = Rbf{.gamma = 50}, .nu = 0.1, .graph = graph};
    bool stopped = false;
    std::size_t asked_again = 0;
    options.on_progress = [&](const Progress&) {
      if (stopped) ++asked_again;
      stopped = true;
      return Continue::time_is_up;
    };
    const SvClustering found = cluster_sv(data, options);
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(asked_again, 0U);
    EXPECT_GT(found.segments, 0U);
    EXPECT_LE(found.segments, 512U * 10 + 511);  // neighbours and links of 512 points
    EXPECT_GT(found.sizes.size(), 0U);
    EXPECT_NE(found.report.message.find("512 points"), std::string::npos);
    EXPECT_NO_THROW(found.model.validate());
  }
}

TEST(SvClustering, AStoppedAnswerHasTheShapeOfTheWholeOne) {
  const Dataset rings = generate_circles({.n = 1200, .noise = 0.03, .seed = 2});
  for (const std::string_view phase : {"graph", "labelling"}) {
    SvClusteringOptions options{.kernel = Rbf{.gamma = 2.4}, .on_progress = stop_in(phase)};
    const SvClustering found = cluster_sv(rings, options);
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_EQ(found.sizes, (std::vector<std::size_t>{600, 600})) << phase;
  }
}

TEST(SvClustering, IsAskedInTheGraphAndInTheLabelling) {
  const Dataset data = blobs(2500, 2, 4);
  for (const ProximityGraph graph : {ProximityGraph::knn, ProximityGraph::mst}) {
    const auto asked =
        phases_asked(data, {.kernel = Rbf{.gamma = 0.1}, .graph = graph, .samples = 1});
    EXPECT_GE(asked.at("graph"), graph == ProximityGraph::mst ? 2 : 1);  // lists, rounds of links
    EXPECT_GE(asked.at("labelling"), 2);
  }
  // Few support vectors: most segments are those of other points that look for one.
  const auto asked =
      phases_asked(data, {.kernel = Rbf{.gamma = 0.1}, .graph = ProximityGraph::support_vectors});
  EXPECT_GE(asked.at("labelling"), 3);
}

TEST(SvClustering, ALimitOfIterationsDoesNotTakeTheStopAway) {
  SvClusteringOptions options{.kernel = Rbf{.gamma = 2}, .max_iterations = 1};
  EXPECT_EQ(cluster_sv(blobs(100, 2, 4), options).report.status, Status::iteration_limit);
  options.on_progress = stop_in("labelling");
  EXPECT_EQ(cluster_sv(blobs(100, 2, 4), options).report.status, Status::stopped_by_callback);
}

TEST(SvClustering, AStopAmongAllPairsKeepsTheNeighboursPieces) {
  const Dataset data = blobs(300, 2, 4);
  SvClusteringOptions options{.kernel = Rbf{.gamma = 20}};
  const SvClustering neighbours = cluster_sv(data, options);
  options.graph = ProximityGraph::complete;
  options.on_progress = [&](const Progress& progress) {
    const bool done = progress.phase == "labelling" && progress.iteration > neighbours.segments;
    return done ? Continue::time_is_up : Continue::yes;
  };
  const SvClustering found = cluster_sv(data, options);
  EXPECT_EQ(found.report.status, Status::time_limit);
  EXPECT_NE(found.report.message.find("parts of larger ones"), std::string::npos);
  EXPECT_LE(found.sizes.size(), neighbours.sizes.size());
}

TEST(SvSweep, AStopKeepsTheWidthsBeforeIt) {
  const Dataset data = blobs(80, 2, 3);
  const std::vector<double> gammas = {0.3, 1, 3};
  const SvClustering first = cluster_sv(data, {.kernel = Rbf{.gamma = 0.3}});
  SvClusteringOptions options;
  bool labelled = false;
  options.on_progress = [&](const Progress& progress) {
    if (progress.phase == "labelling") labelled = true;
    return labelled && progress.phase != "labelling" ? Continue::stop : Continue::yes;
  };
  const SvSweep sweep = sweep_sv_clustering(data, gammas, options);
  ASSERT_EQ(sweep.steps.size(), 1U);
  EXPECT_EQ(sweep.clustering.labels, first.labels);
  EXPECT_EQ(sweep.clustering.report.status, Status::stopped_by_callback);
  EXPECT_EQ(sweep.clustering.report.message, "the sweep was stopped after 1 of 3 widths");
  // Without a width before it a stopped one answers as it can.
  options.on_progress = [](const Progress&) { return Continue::stop; };
  const SvSweep early = sweep_sv_clustering(data, gammas, options);
  ASSERT_EQ(early.steps.size(), 1U);
  EXPECT_GT(early.clustering.sizes.size(), 0U);
}

TEST(SvClustering, RefusesWhatItCannotDo) {
  const Dataset data = blobs(20, 3, 1);
  const auto refused = [&](const SvClusteringOptions& options, const Dataset& on) {
    EXPECT_THROW(static_cast<void>(cluster_sv(on, options)), InvalidArgument);
  };
  refused({}, Dataset{});
  refused({.nu = -0.1}, data);
  refused({.nu = std::nan("")}, data);
  refused({.neighbours = 0}, data);
  refused({.neighbours = most_sv_neighbours + 1}, data);
  refused({.samples = 0}, data);
  refused({.samples = most_sv_samples + 1}, data);
  refused({.tolerance = 0}, data);
  refused({.threads = 0}, data);
  refused({.graph = ProximityGraph::delaunay}, data);
  refused({.kernel = Sigmoid{}}, data);
  refused({.kernel = Precomputed{std::make_shared<DenseMatrix>(20, 20)}}, data);
  refused({.kernel = Rbf{.gamma = -1}}, data);
  refused({}, {.examples = matrix(1, {0, std::nan("")})});
  Dataset weightless = data;
  weightless.weights.assign(20, 0.0);
  refused({}, weightless);
  EXPECT_THROW(static_cast<void>(sweep_sv_clustering(data, {}, {})), InvalidArgument);
  const std::vector<double> widths = {1.0};
  EXPECT_THROW(static_cast<void>(sweep_sv_clustering(data, widths, {.kernel = Linear{}})),
               InvalidArgument);
}

TEST(SvClustering, OverflowingKernelsEndInAStatus) {
  const Dataset data{.examples = matrix(1, {1e200, -1e200, 3})};
  const SvClustering found = cluster_sv(data, exact(Polynomial{.degree = 3}));
  EXPECT_EQ(found.report.status, Status::numerical_failure);
  EXPECT_EQ(found.labels, (std::vector<std::int32_t>{-1, -1, -1}));
}

TEST(SvClustering, OverflowingDistancesEndInAStatus) {
  // Every K_ij is finite, K_ii + K_jj - 2 K_ij is not.
  for (const double nu : {0.5, 0.8}) {
    std::vector<double> places(10, -1.3e154);
    places[4] = 1.3e154;
    const SvClustering found = cluster_sv({.examples = matrix(1, places)}, exact(Linear{}, nu));
    EXPECT_EQ(found.report.status, Status::numerical_failure);
    EXPECT_FALSE(found.report.message.empty());
    EXPECT_EQ(found.labels, std::vector<std::int32_t>(10, -1));
    EXPECT_EQ(found.model.members.rows(), 0U);
  }
}

}  // namespace
}  // namespace maxmargin
