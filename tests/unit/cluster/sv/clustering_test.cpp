// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv/clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "point_sets.hpp"
#include "sv_clustering_cases.hpp"

namespace maxmargin {
namespace {

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
  const PlainAnswer plain = plain_clusters(data.examples.to_dense(), gamma, nu, 19);
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
  for (std::size_t i = 0; i < 70; ++i) data.examples.writable_values(i)[1 + i % 2] = 0;
  const SvClustering dense = cluster_sv(data, exact(Rbf{.gamma = 0.6}, 0.1, ProximityGraph::knn));
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
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
    options.context.threads = 1;
    const SvClustering one = cluster_sv(data, options);
    for (const std::size_t threads : {2U, 4U}) {
      options.context.threads = threads;
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
  refused({.context = {.threads = 0}}, data);
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
