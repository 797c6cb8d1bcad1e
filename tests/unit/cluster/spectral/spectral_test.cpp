// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/spectral/spectral.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "change_values.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

constexpr SpectralMethod all_methods[] = {SpectralMethod::ng_jordan_weiss,
                                          SpectralMethod::normalized_cut,
                                          SpectralMethod::ratio_cut,
                                          SpectralMethod::min_cut};

double error_of(const Dataset& data, std::span<const std::int32_t> clusters) {
  const Classes classes = classes_of(data.labels);
  return misassignment(Contingency(classes.of_row, clusters));
}

/// k blobs of deviation 1 at distance `apart` on a line.
Dataset blobs(std::size_t n, std::size_t k, double apart, std::uint64_t seed) {
  DenseMatrix points = gaussian_points(n, 2, seed);
  for (std::size_t i = 0; i < n; ++i) points(i, 0) += apart * static_cast<double>(i % k);
  return {.examples = points};
}

/// Whether two labellings are the same partition.
bool same_partition(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  return adjusted_rand_index(Contingency(a, b)) == 1;
}

/// The cost of a partition from kernel values alone.
double plain_normalized_cut(const Dataset& data,
                            const Kernel& kernel,
                            std::span<const std::int32_t> labels,
                            std::size_t k) {
  std::vector<double> cut(k, 0.0);
  std::vector<double> assoc(k, 0.0);
  for (std::size_t u = 0; u < data.size(); ++u) {
    for (std::size_t v = 0; v < data.size(); ++v) {
      if (u == v) continue;
      const double s = evaluate(kernel, data.examples.row(u), data.examples.row(v));
      assoc[static_cast<std::size_t>(labels[u])] += s;
      if (labels[u] != labels[v]) cut[static_cast<std::size_t>(labels[u])] += s;
    }
  }
  double sum = 0;
  for (std::size_t c = 0; c < k; ++c) sum += cut[c] / assoc[c];
  return sum;
}

class SpectralProperty : public ::testing::TestWithParam<std::uint64_t> {};

// seed-xu fact 19, for every method; min cut wants a kernel that holds the blobs together.
TEST_P(SpectralProperty, FarBlobsAreSeparatedExactly) {
  for (const std::size_t k : {2u, 3u}) {
    const Dataset data = blobs(60, k, 30, GetParam());
    std::vector<std::int32_t> truth;
    for (std::size_t i = 0; i < 60; ++i) truth.push_back(static_cast<std::int32_t>(i % k));
    for (const SpectralMethod method : all_methods) {
      const SpectralClustering found =
          cluster_spectral(data, {.method = method, .k = k, .kernel = Rbf{.gamma = 0.05}});
      EXPECT_TRUE(same_partition(truth, found.labels)) << to_string(method);
      EXPECT_TRUE(is_success(found.report.status));
      EXPECT_EQ(found.sizes, std::vector<std::size_t>(k, 60 / k));
    }
  }
}

TEST_P(SpectralProperty, ObjectiveIsThatOfThePartitionAndAboveTheBound) {
  const Dataset data = blobs(70, 3, 4, GetParam());
  const Rbf kernel{.gamma = 0.3};
  for (const SpectralMethod method : all_methods) {
    const SpectralClustering found =
        cluster_spectral(data, {.method = method, .k = 3, .kernel = kernel});
    EXPECT_NEAR(
        found.cuts.normalized_cut, plain_normalized_cut(data, kernel, found.labels, 3), 1e-12);
    ASSERT_TRUE(found.report.lower_bound.has_value());
    EXPECT_LE(*found.report.lower_bound, *found.report.primal_objective);
    if (method != SpectralMethod::min_cut) {
      const SpectralEmbedding embedding = spectral_embedding(
          similarity_graph(kernel, data.examples),
          {.count = 3,
           .laplacian = method == SpectralMethod::ratio_cut ? Laplacian::unnormalized
                                                            : Laplacian::normalized});
      EXPECT_EQ(*found.report.lower_bound, embedding.lower_bound);
    }
    EXPECT_GT(*found.report.lower_bound, 0);
    EXPECT_TRUE(std::ranges::is_sorted(found.sizes, std::greater<>()));
  }
}

TEST_P(SpectralProperty, OrderOfThePointsAndThreadsDoNotMatter) {
  const Dataset data = blobs(80, 3, 5, GetParam());
  const std::vector<std::size_t> order = Rng(GetParam()).permutation(80);
  const Dataset shuffled = data.select(order);
  for (const SpectralMethod method : all_methods) {
    SpectralOptions options{
        .method = method, .k = 3, .kernel = Rbf{.gamma = 0.2}, .context = {.threads = 1}};
    const SpectralClustering one = cluster_spectral(data, options);
    const SpectralClustering moved = cluster_spectral(shuffled, options);
    EXPECT_NEAR(*one.report.primal_objective, *moved.report.primal_objective, 1e-9);
    for (const std::size_t threads : {2u, 4u}) {
      options.context.threads = threads;
      const SpectralClustering other = cluster_spectral(data, options);
      EXPECT_EQ(one.labels, other.labels);
      EXPECT_EQ(one.report.primal_objective, other.report.primal_objective);
      EXPECT_EQ(one.report.lower_bound, other.report.lower_bound);
      EXPECT_EQ(one.eigenvalues, other.eigenvalues);
    }
  }
}

TEST_P(SpectralProperty, ScalingPointsAndWidthTogetherChangesNothing) {
  const Dataset data = blobs(50, 2, 4, GetParam());
  Dataset larger = data;
  change_values(larger.examples, [&](double& x) { x *= 4; });
  for (const SpectralMethod method : all_methods) {
    const SpectralClustering a = cluster_spectral(data, {.method = method});
    const SpectralClustering b = cluster_spectral(larger, {.method = method});
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_NEAR(*a.report.primal_objective, *b.report.primal_objective, 1e-12);
  }
}

TEST_P(SpectralProperty, ModelGivesTrainingPointsTheirClustersAndNearbyPointsThose) {
  const Dataset data = blobs(60, 3, 8, GetParam());
  Dataset nearby = data;
  change_values(nearby.examples, [&](double& x) { x += 0.01; });
  for (const SpectralMethod method : all_methods) {
    for (const std::optional<std::size_t> neighbours :
         {std::optional<std::size_t>(), std::optional<std::size_t>(8)}) {
      const SpectralClustering found = cluster_spectral(
          data, {.method = method, .k = 3, .kernel = Rbf{.gamma = 0.1}, .neighbours = neighbours});
      EXPECT_EQ(found.model.predict(data.examples), found.labels);
      EXPECT_EQ(found.model.predict(nearby.examples, 1), found.labels) << to_string(method);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpectralProperty, ::testing::Range<std::uint64_t>(1, 6));

// The bars of the default width.
TEST(Spectral, DefaultWidthPartsCirclesAndMoonsPerfectly) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    for (const Dataset& data : {generate_circles({.seed = seed}), generate_moons({.seed = seed})}) {
      const SpectralClustering found = cluster_spectral(data, {.k = 2});
      EXPECT_EQ(error_of(data, found.labels), 0);
      const SpectralClustering cut =
          cluster_spectral(data, {.method = SpectralMethod::normalized_cut, .k = 2});
      EXPECT_EQ(error_of(data, cut.labels), 0);
    }
  }
}

// seed-xu table 3.1: width m / median of the squared distances, m = 1 ... 256, chosen by error.
TEST(Spectral, TableOfTheThesisIsReproducedOnCirclesAndLetters) {
  for (const Dataset& data : {generate_circles({}), generate_letters({})}) {
    const double median = resolve_gamma(GammaRule::median(), data.examples);
    double least = 1;
    for (const double m : {1, 4, 16, 64, 256}) {
      const SpectralClustering found =
          cluster_spectral(data, {.k = 2, .kernel = Rbf{.gamma = m * median}});
      least = std::min(least, error_of(data, found.labels));
    }
    EXPECT_EQ(least, 0);
    const KmeansSolution centres = solve_kmeans(data.examples.dense(), {.k = 2});
    EXPECT_GT(error_of(data, centres.labels), 0.3);
  }
}

TEST(Spectral, NeighbourGraphOfAllPointsIsTheWholeGraph) {
  const Dataset data = blobs(40, 2, 5, 3);
  const SimilarityGraph whole = similarity_graph(Rbf{.gamma = 0.2}, data.examples);
  const SimilarityGraph sparse = similarity_graph(Rbf{.gamma = 0.2}, data.examples, 39);
  for (std::size_t u = 0; u < 40; ++u) {
    EXPECT_NEAR(whole.degrees()[u], sparse.degrees()[u], 1e-12);
  }
  const SimilarityGraph few = similarity_graph(Rbf{.gamma = 0.2}, data.examples, 3);
  for (std::size_t u = 0; u < 40; ++u) {
    std::vector<double> nearest(whole.dense().row(u).begin(), whole.dense().row(u).end());
    std::ranges::sort(nearest, std::greater<>());
    std::size_t edges = 0;
    std::size_t own = 0;
    few.for_each_neighbour(u, [&](std::size_t, double s) {
      ++edges;
      if (s >= nearest[2] * (1 - 1e-12)) ++own;
    });
    EXPECT_EQ(own, 3u);
    EXPECT_GE(edges, 3u);
  }
}

TEST(Spectral, NeighbourGraphsPartRingsOfManyPoints) {
  const Dataset data = generate_circles({.n = 420});
  const SpectralClustering found = cluster_spectral(data, {.k = 2, .neighbours = 10});
  EXPECT_EQ(error_of(data, found.labels), 0);
  EXPECT_EQ(found.model.predict(data.examples), found.labels);
}

TEST(Spectral, SparseExamplesGiveTheSameClusters) {
  const Dataset data = blobs(60, 3, 6, 2);
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
  EXPECT_EQ(cluster_spectral(data, {.k = 3}).labels, cluster_spectral(sparse, {.k = 3}).labels);
}

TEST(Spectral, KernelsOfNonNegativeValuesServeAndNegativeOnesAreNamed) {
  const Dataset data = iris();
  for (const Kernel& kernel : {Kernel(Linear{}),
                               Kernel(Cosine{}),
                               Kernel(Laplace{.gamma = 1}),
                               Kernel(HistogramIntersection{}),
                               Kernel(ChiSquare{.gamma = 1})}) {
    const SpectralClustering found = cluster_spectral(data, {.k = 3, .kernel = kernel});
    EXPECT_EQ(found.labels.size(), 150u) << kernel_name(kernel);
  }
  const Dataset signs{.examples = gaussian_points(20, 2, 1)};
  try {
    (void)cluster_spectral(signs, {.kernel = Linear{}});
    FAIL() << "a negative similarity was taken";
  } catch (const InvalidArgument& problem) {
    EXPECT_NE(std::string(problem.what()).find("the similarity of points"), std::string::npos);
  }
  EXPECT_THROW((void)cluster_spectral(signs, {.kernel = Linear{}, .neighbours = 19}),
               InvalidArgument);
}

TEST(Spectral, PointsWithoutSimilarityAreOutliers) {
  DenseMatrix points = gaussian_points(30, 2, 1);
  for (std::size_t i = 0; i < 15; ++i) points(i, 0) += 8;
  points(4, 0) = 1e5;
  points(20, 1) = -1e5;
  for (const SpectralMethod method : all_methods) {
    const SpectralClustering found =
        cluster_spectral({.examples = points}, {.method = method, .kernel = Rbf{.gamma = 0.2}});
    EXPECT_EQ(found.labels[4], -1);
    EXPECT_EQ(found.labels[20], -1);
    EXPECT_EQ(std::ranges::count(found.labels, -1), 2);
    EXPECT_EQ(found.sizes, (std::vector<std::size_t>{14, 14}));
    EXPECT_EQ(found.report.warnings.size(), 1u);
    EXPECT_EQ(found.model.predict(matrix(2, {0, 0, 8, 0, 1e6, 1e6})).back(), -1);
  }
}

TEST(Spectral, DegenerateInputGivesTheObviousAnswer) {
  const Dataset one{.examples = matrix(2, {1, 2})};
  const Dataset equal{.examples = matrix(1, {3, 3, 3})};
  const Dataset apart{.examples = matrix(1, {0, 1, 2.5, 4})};
  for (const SpectralMethod method : all_methods) {
    EXPECT_EQ(cluster_spectral(one, {.method = method, .k = 1}).labels,
              std::vector<std::int32_t>{0});
    const SpectralClustering all = cluster_spectral(equal, {.method = method, .k = 1});
    EXPECT_EQ(all.labels, (std::vector<std::int32_t>{0, 0, 0}));
    EXPECT_EQ(all.model.predict(equal.examples), all.labels);
    EXPECT_THROW((void)cluster_spectral(equal, {.method = method, .k = 2}), InvalidArgument);
    EXPECT_EQ(cluster_spectral(apart, {.method = method, .k = 4}).labels,
              (std::vector<std::int32_t>{0, 1, 2, 3}));
    EXPECT_THROW((void)cluster_spectral({}, {.method = method, .k = 1}), InvalidArgument);
    EXPECT_THROW((void)cluster_spectral(one, {.method = method, .k = 0}), InvalidArgument);
    Dataset weighted = apart;
    weighted.weights = {1, 1, 1, 1};
    EXPECT_THROW((void)cluster_spectral(weighted, {.method = method}), InvalidArgument);
    Dataset broken = apart;
    broken.examples.writable_values(1)[0] = NAN;
    EXPECT_THROW((void)cluster_spectral(broken, {.method = method}), InvalidArgument);
  }
}

TEST(Spectral, DuplicatedPointsStayTogether) {
  const Dataset data{.examples = matrix(1, {0, 0, 0.1, 5, 5, 5.2})};
  for (const SpectralMethod method : all_methods) {
    const SpectralClustering found =
        cluster_spectral(data, {.method = method, .kernel = Rbf{.gamma = 1}});
    EXPECT_EQ(found.labels, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}));
  }
}

TEST(Spectral, EigenvaluesShowTheNumberOfFarBlobs) {
  const Dataset data = blobs(90, 3, 40, 5);
  const std::vector<double> values = spectral_eigenvalues(data, 8, {.kernel = Rbf{.gamma = 0.02}});
  EXPECT_EQ(values.size(), 8u);
  EXPECT_EQ(eigengap_clusters(values), 3u);
  EXPECT_EQ(spectral_eigenvalues(data, 1000).size(), 90u);
}

TEST(Spectral, PointsWithoutSimilarityHaveNoEigenvalueOfTheirOwn) {
  DenseMatrix points = gaussian_points(30, 2, 1);
  points(4, 0) = 1e5;
  points(20, 1) = -1e5;
  const std::vector<double> values =
      spectral_eigenvalues({.examples = points}, 100, {.kernel = Rbf{.gamma = 0.2}});
  ASSERT_EQ(values.size(), 28u);
  EXPECT_NEAR(values[0], 0, 1e-14);
  EXPECT_GT(values[1], 1e-3);
  const Dataset strangers{.examples = matrix(1, {0, 1e5})};
  EXPECT_TRUE(spectral_eigenvalues(strangers, 2, {.kernel = Rbf{.gamma = 1}}).empty());
}

TEST(Spectral, ClustersAreCountedAgainstTheDistinctPointsThatAreLeft) {
  const Dataset twins{.examples = matrix(1, {0, 0, 0, 1e5})};  // two distinct, one an outlier
  const Dataset strangers{.examples = matrix(1, {0, 1e5})};
  for (const SpectralMethod method : all_methods) {
    const SpectralOptions options{.method = method, .k = 2, .kernel = Rbf{.gamma = 1}};
    EXPECT_THROW((void)cluster_spectral(twins, options), InvalidArgument);
    EXPECT_THROW((void)cluster_spectral(strangers, options), InvalidArgument);
  }
}

// docs/algorithms/spectral.md, options: the gap is no hint where clusters are long and thin.
TEST(Spectral, EigengapNeverSaysTwoOnTwoRings) {
  const Dataset data = generate_circles({});
  for (const GammaRule& rule : {GammaRule::neighbour(), GammaRule::median(), GammaRule::scale()}) {
    const Rbf kernel{.gamma = resolve_gamma(rule, data.examples)};
    EXPECT_NE(eigengap_clusters(spectral_eigenvalues(data, 10, {.kernel = kernel})), 2u);
  }
}

TEST(Spectral, ThreadsDoNotChangeABitOnLargeGraphs) {
  const Dataset data = blobs(450, 2, 4, 2);  // above what LAPACK solves, several chunks
  for (const std::optional<std::size_t> neighbours :
       {std::optional<std::size_t>(), std::optional<std::size_t>(10)}) {
    SpectralOptions options{
        .neighbours = neighbours, .restarts = 1, .tolerance = 1e-6, .context = {.threads = 1}};
    const SpectralClustering one = cluster_spectral(data, options);
    options.context.threads = 4;
    const SpectralClustering other = cluster_spectral(data, options);
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.eigenvalues, other.eigenvalues);
    EXPECT_EQ(one.report.primal_objective, other.report.primal_objective);
    EXPECT_EQ(one.report.lower_bound, other.report.lower_bound);
  }
}

// k(x, x) + k(z, z) - 2 k(x, z) of a sigmoid kernel is below 0 for points that are far from equal.
TEST(Spectral, IndefiniteKernelsMakeNoTwins) {
  const Dataset data{.examples = matrix(1, {1, 1.1, 1.2, 1.3, 10, 10.1, 10.2, 10.3})};
  const Sigmoid kernel{.gamma = 0.1, .coef0 = 0};
  ASSERT_LT(std::tanh(0.1) + std::tanh(10) - 2 * std::tanh(1), 0);  // of 1 and 10
  SpectralModel model = cluster_spectral(data, {.kernel = kernel}).model;
  model.clusters = {1, 1, 1, 1, 0, 0, 0, 0};
  EXPECT_EQ(model.predict(data.examples), model.clusters);
}

TEST(Spectral, CallbackStopsWithAWholeAnswer) {
  const Dataset data = blobs(420, 3, 3, 1);
  for (const SpectralMethod method : all_methods) {
    if (method == SpectralMethod::min_cut) continue;
    const SpectralClustering found = cluster_spectral(
        data, {.method = method, .k = 3, .context = {.on_progress = [](const Progress&) {
                                           return Continue::time_is_up;
                                         }}});
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(found.labels.size(), 420u);
    EXPECT_FALSE(found.report.lower_bound.has_value());  // nothing is proven yet
  }
}

TEST(Spectral, PrecomputedKernelPredictsFromItsRows) {
  const Dataset data = blobs(40, 2, 8, 4);
  const Rbf kernel{.gamma = 0.2};
  auto square = std::make_shared<DenseMatrix>(gram(kernel, data.examples));
  const SpectralClustering found =
      cluster_spectral({.examples = index_examples(40)}, {.kernel = Precomputed{square}});
  EXPECT_EQ(found.labels, cluster_spectral(data, {.kernel = kernel}).labels);
  SpectralModel model = found.model;
  const DenseMatrix fresh = matrix(2, {0.3, 0.1, 8.2, -0.4});
  model.kernel =
      Precomputed{std::make_shared<DenseMatrix>(cross_gram(kernel, fresh, data.examples))};
  EXPECT_EQ(model.predict(index_examples(2)),
            (std::vector<std::int32_t>{found.labels[0], found.labels[1]}));
}

TEST(Spectral, RejectsWrongOptions) {
  const Dataset data = blobs(10, 2, 5, 1);
  const auto run = [&](const SpectralOptions& options) { (void)cluster_spectral(data, options); };
  EXPECT_THROW(run({.k = 11}), InvalidArgument);
  EXPECT_THROW(run({.neighbours = 0}), InvalidArgument);
  EXPECT_THROW(run({.restarts = 0}), InvalidArgument);
  EXPECT_THROW(run({.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(run({.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(run({.context = {.threads = 0}}), InvalidArgument);
  EXPECT_THROW(run({.kernel = Rbf{.gamma = -1}}), InvalidArgument);
  SpectralModel broken = cluster_spectral(data, {}).model;
  broken.clusters.pop_back();
  EXPECT_THROW((void)broken.predict(data.examples), InvalidArgument);
  broken = cluster_spectral(data, {.method = SpectralMethod::ratio_cut}).model;
  broken.splits(0, 3) = 0;  // a tree that leads back to itself
  EXPECT_THROW((void)broken.predict(data.examples), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
