// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/weights.hpp"
#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

/// sum_c (1 / (2 W_c)) sum_{i, j in c} w_i w_j (K_ii + K_jj - 2 K_ij), pair by pair.
double plain_sse(DenseView gram,
                 std::span<const std::int32_t> labels,
                 std::span<const double> weights = {}) {
  double total = 0;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(gram.rows); ++c) {
    double mass = 0;
    double sum = 0;
    for (std::size_t i = 0; i < gram.rows; ++i) {
      if (labels[i] != c) continue;
      mass += weight_of(weights, i);
      for (std::size_t j = 0; j < gram.rows; ++j) {
        if (labels[j] != c) continue;
        sum += weight_of(weights, i) * weight_of(weights, j) *
               (gram(i, i) + gram(j, j) - 2 * gram(i, j));
      }
    }
    if (mass > 0) total += sum / (2 * mass);
  }
  return total;
}

/// The least sum of squares over all partitions into exactly k clusters of positive weight.
double exhaustive_sse(DenseView gram, std::size_t k, std::span<const double> weights = {}) {
  const std::size_t n = gram.rows;
  Labels labels(n, 0);
  double best = std::numeric_limits<double>::infinity();
  while (true) {
    std::vector<double> mass(k, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      mass[static_cast<std::size_t>(labels[i])] += weight_of(weights, i);
    }
    if (std::ranges::all_of(mass, [](double m) { return m > 0; })) {
      best = std::min(best, plain_sse(gram, labels, weights));
    }
    std::size_t at = 0;
    while (at < n && ++labels[at] == static_cast<std::int32_t>(k)) labels[at++] = 0;
    if (at == n) return best;
  }
}

Dataset clouds(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix points(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) = 3.0 * static_cast<double>(i % 3) + rng.normal();
    points(i, 1) = rng.normal();
  }
  return {.examples = points};
}

std::vector<double> some_weights(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "weights");
  std::vector<double> weights(n);
  for (double& weight : weights) weight = 0.25 * static_cast<double>(1 + rng.index(8));
  return weights;
}

class KernelKmeansProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(KernelKmeansProperty, RestartsFindTheExhaustiveOptimumAndTheBoundStaysBelow) {
  const Dataset data = clouds(8, GetParam());
  std::vector<double> weights = some_weights(8, GetParam());
  weights[3] = 0;
  for (const Kernel& kernel :
       {Kernel(Rbf{.gamma = 0.3}), Kernel(Linear{}), Kernel(Sigmoid{.gamma = 0.5, .coef0 = -1})}) {
    const DenseMatrix matrix = gram(kernel, data.examples);
    for (const std::size_t k : {1u, 2u, 3u}) {
      const KernelKmeansOptions options{.k = k,
                                        .start = KernelKmeansStart::sequential,
                                        .restarts = 100,
                                        .context = {.seed = GetParam()}};
      const double best = exhaustive_sse(matrix.view(), k);
      const KernelKmeansClustering found = cluster_kernel_kmeans(data, kernel, options);
      EXPECT_TRUE(is_success(found.report.status));
      EXPECT_NEAR(found.kernel_sse, best, 1e-12 * (1 + std::abs(best))) << kernel_name(kernel);
      EXPECT_NEAR(plain_sse(matrix.view(), found.labels), best, 1e-12 * (1 + std::abs(best)));
      // The solver shows no more than its sum of squares: the bound itself must stay below.
      const double bound = kernel_kmeans_lower_bound(matrix.view(), k);
      EXPECT_LE(bound, best) << kernel_name(kernel) << " k = " << k;
      EXPECT_EQ(*found.report.lower_bound, std::min(bound, found.kernel_sse));
      const double weighted_best = exhaustive_sse(matrix.view(), k, weights);
      const KernelKmeansClustering weighted =
          cluster_kernel_kmeans(matrix.view(), options, weights);
      EXPECT_NEAR(weighted.kernel_sse, weighted_best, 1e-12 * (1 + std::abs(weighted_best)));
      EXPECT_LE(kernel_kmeans_lower_bound(matrix.view(), k, weights), weighted_best);
    }
  }
}

TEST_P(KernelKmeansProperty, NoMoveOfASinglePointLowersASolvedAnswer) {
  const Dataset data = clouds(40, GetParam());
  const std::vector<double> weights = some_weights(40, GetParam());
  const DenseMatrix matrix = gram(Rbf{.gamma = 0.5}, data.examples);
  const KernelKmeansClustering found = cluster_kernel_kmeans(
      matrix.view(), {.k = 4, .restarts = 2, .context = {.seed = GetParam()}}, weights);
  ASSERT_TRUE(is_success(found.report.status));
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::int32_t c = 0; c < 4; ++c) {
      Labels moved = found.labels;
      moved[i] = c;
      const bool stays_full = std::ranges::count(moved, found.labels[i]) > 0;
      if (!stays_full) continue;
      EXPECT_GE(plain_sse(matrix.view(), moved, weights), found.kernel_sse - 1e-11);
    }
  }
}

// seed-merat fact 32, in feature space.
TEST_P(KernelKmeansProperty, SumOfSquaresNeverRisesAndEveryPointEndsAtItsNearestMean) {
  Dataset data = clouds(60, GetParam());
  data.weights = some_weights(60, GetParam());
  data.weights[7] = 0;
  for (const KernelKmeansStart start :
       {KernelKmeansStart::plus_plus, KernelKmeansStart::random, KernelKmeansStart::sequential}) {
    std::vector<double> trace;
    KernelKmeansOptions options{
        .k = 5, .start = start, .restarts = 1, .context = {.seed = GetParam()}};
    options.context.on_progress = [&](const Progress& progress) {
      if (progress.primal_objective) trace.push_back(*progress.primal_objective);
      return Continue::yes;
    };
    const KernelKmeansClustering found =
        cluster_kernel_kmeans(data, Laplace{.gamma = 0.4}, options);
    ASSERT_TRUE(is_success(found.report.status));
    ASSERT_EQ(trace.size(), found.report.iterations);
    for (std::size_t t = 1; t < trace.size(); ++t) EXPECT_LE(trace[t], trace[t - 1] + 1e-12);
    EXPECT_NEAR(trace.back(), found.kernel_sse, 1e-11);
    EXPECT_EQ(found.model.predict(data.examples), found.labels);
    const DenseMatrix distances = found.model.squared_distances(data.examples);
    double sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      sum += data.weights[i] * distances(i, static_cast<std::size_t>(found.labels[i]));
    }
    EXPECT_NEAR(sum, found.kernel_sse, 1e-11);
    EXPECT_NEAR(std::accumulate(found.sse_of_cluster.begin(), found.sse_of_cluster.end(), 0.0),
                found.kernel_sse,
                1e-11);
  }
}

TEST_P(KernelKmeansProperty, AnswerIsTheSameForAnyThreadCount) {
  const Dataset data = clouds(300, GetParam());
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{1}}) {
    KernelKmeansOptions options{
        .k = 4, .restarts = 3, .context = {.threads = 1, .memory_limit = memory}};
    const KernelKmeansClustering one = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, options);
    for (const std::size_t threads : {2u, 4u}) {
      options.context.threads = threads;
      const KernelKmeansClustering other = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, options);
      EXPECT_EQ(one.labels, other.labels);
      EXPECT_EQ(one.kernel_sse, other.kernel_sse);
      EXPECT_EQ(one.best_restart, other.best_restart);
      EXPECT_EQ(one.report.lower_bound, other.report.lower_bound);
      EXPECT_TRUE(std::ranges::equal(one.model.centres.coefficients.values(),
                                     other.model.centres.coefficients.values()));
    }
  }
}

TEST_P(KernelKmeansProperty, AMatrixComputedInBlocksGivesTheSameClusters) {
  Dataset data = clouds(300, GetParam());
  data.weights = some_weights(300, GetParam());
  for (const KernelKmeansStart start :
       {KernelKmeansStart::plus_plus, KernelKmeansStart::sequential}) {
    KernelKmeansOptions options{
        .k = 6, .start = start, .restarts = 2, .context = {.seed = GetParam()}};
    const KernelKmeansClustering held = cluster_kernel_kmeans(data, Rbf{.gamma = 2}, options);
    options.context.memory_limit = 1;
    const KernelKmeansClustering computed = cluster_kernel_kmeans(data, Rbf{.gamma = 2}, options);
    EXPECT_EQ(held.labels, computed.labels);
    EXPECT_NEAR(held.kernel_sse, computed.kernel_sse, 1e-12 * held.kernel_sse);
    EXPECT_FALSE(computed.report.lower_bound.has_value());
  }
}

TEST_P(KernelKmeansProperty, WeightTwoIsTheSameAsTwoEqualPoints) {
  const Dataset data = clouds(20, GetParam());
  std::vector<std::size_t> rows;
  std::vector<double> weights;
  for (std::size_t i = 0; i < 20; ++i) {
    weights.push_back(i % 3 == 0 ? 2.0 : 1.0);
    rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
  }
  const Dataset repeated = data.select(rows);
  Dataset weighted = data;
  weighted.weights = weights;
  const KernelKmeansOptions options{.k = 3, .restarts = 20, .context = {.seed = GetParam()}};
  const auto a = cluster_kernel_kmeans(repeated, Rbf{.gamma = 0.2}, options);
  const auto b = cluster_kernel_kmeans(weighted, Rbf{.gamma = 0.2}, options);
  EXPECT_NEAR(a.kernel_sse, b.kernel_sse, 1e-12 * (1 + a.kernel_sse));
  EXPECT_NEAR(*a.report.lower_bound, *b.report.lower_bound, 1e-10);
}

TEST_P(KernelKmeansProperty, OrderOfThePointsDoesNotMatterToTheBest) {
  const Dataset data = clouds(30, GetParam());
  Rng rng(GetParam());
  const std::vector<std::size_t> order = rng.permutation(30);
  const KernelKmeansOptions options{.k = 3, .restarts = 30};
  const auto plain = cluster_kernel_kmeans(data, Rbf{.gamma = 0.3}, options);
  const auto permuted = cluster_kernel_kmeans(data.select(order), Rbf{.gamma = 0.3}, options);
  EXPECT_NEAR(plain.kernel_sse, permuted.kernel_sse, 1e-12 * plain.kernel_sse);
  EXPECT_EQ(plain.sizes, permuted.sizes);
}

// seed-merat fact 33.
TEST_P(KernelKmeansProperty, LinearKernelWalksLikeKmeansStepByStep) {
  const Dataset data = clouds(90, GetParam());
  Rng rng(GetParam());
  const DenseMatrix start = data.examples.select(rng.sample(90, 4)).to_dense();
  const Labels first = KmeansModel{start}.predict(data.examples);
  bool moved = false;
  for (std::size_t passes = 1; passes <= 8; ++passes) {
    const KmeansClustering plain = cluster_kmeans(
        data, {.k = 4, .start_centres = start, .max_iterations = passes, .lower_bound_limit = 0});
    const KernelKmeansClustering kernel = cluster_kernel_kmeans(data,
                                                                Linear{},
                                                                {.k = 4,
                                                                 .start_labels = first,
                                                                 .max_iterations = passes,
                                                                 .exchange = false,
                                                                 .lower_bound_limit = 0});
    EXPECT_EQ(kernel.labels, plain.labels) << "after " << passes;
    moved = moved || kernel.report.iterations > 1;
    if (is_success(plain.report.status)) {
      EXPECT_NEAR(kernel.kernel_sse, plain.inertia, 1e-10 * plain.inertia);
    }
  }
  EXPECT_TRUE(moved);
}

// seed-merat fact 36: the rule mu <- mu + Delta (phi - mu) keeps running averages.
TEST_P(KernelKmeansProperty, SequentialPassKeepsRunningAverages) {
  const std::size_t n = 25;
  const Dataset data = clouds(n, GetParam());
  const std::vector<double> weights = some_weights(n, GetParam());
  const DenseMatrix matrix = gram(Rbf{.gamma = 0.7}, data.examples);
  Rng rng(GetParam());
  const std::vector<std::size_t> all = rng.permutation(n);
  const std::span<const std::size_t> seeds(all.data(), 3);
  const std::span<const std::size_t> order(all.data() + 3, n - 3);
  const SequentialKernelMeans found = sequential_kernel_means(matrix.view(), seeds, order, weights);
  // The rule as it is written, on the coefficients.
  DenseMatrix g(3, n);
  std::vector<double> mass(3);
  Labels labels(n);
  for (std::size_t v = 0; v < 3; ++v) {
    g(v, seeds[v]) = 1;
    mass[v] = weights[seeds[v]];
    labels[seeds[v]] = static_cast<std::int32_t>(v);
  }
  for (const std::size_t t : order) {
    std::size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < 3; ++v) {
      double distance = matrix(t, t);
      for (std::size_t i = 0; i < n; ++i) {
        distance -= 2 * g(v, i) * matrix(t, i);
        for (std::size_t j = 0; j < n; ++j) distance += g(v, i) * g(v, j) * matrix(i, j);
      }
      if (distance < least) nearest = v;
      least = std::min(least, distance);
    }
    mass[nearest] += weights[t];
    const double share = weights[t] / mass[nearest];
    for (double& value : g.row(nearest)) value *= 1 - share;
    g(nearest, t) = share;
    labels[t] = static_cast<std::int32_t>(nearest);
  }
  EXPECT_EQ(found.labels, labels);
  for (std::size_t v = 0; v < 3; ++v) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(found.coefficients(v, i), g(v, i), 1e-14);
      sum += found.coefficients(v, i);
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelKmeansProperty, ::testing::Range<std::uint64_t>(1, 7));

// seed-merat fact 35 and 38: Gaussian of width sigma = 2, gamma = 1 / (2 sigma^2).
TEST(KernelKmeans, IrisWithAGaussianReachesTheKnownValues) {
  const Dataset data = iris();
  const Kernel kernel = Rbf{.gamma = 0.125};
  const auto one = cluster_kernel_kmeans(data, kernel, {.k = 1});
  EXPECT_NEAR(one.kernel_sse, 73.13669876, 5e-9);
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    const auto two = cluster_kernel_kmeans(data, kernel, {.k = 2, .context = {.seed = seed}});
    EXPECT_NEAR(two.kernel_sse, 28.554916, 5e-7);
    EXPECT_EQ(two.sizes, (std::vector<std::size_t>{99, 51}));
    const auto three = cluster_kernel_kmeans(data, kernel, {.k = 3, .context = {.seed = seed}});
    EXPECT_NEAR(three.kernel_sse, 17.305608, 5e-7);
    EXPECT_EQ(three.sizes, (std::vector<std::size_t>{62, 50, 38}));
    EXPECT_GT(*three.report.lower_bound, 0);
  }
  // The split setosa | rest is worth slightly more.
  Labels split(150, 0);
  std::fill_n(split.begin(), 50, 1);
  EXPECT_NEAR(plain_sse(gram(kernel, data.examples).view(), split), 28.558999, 5e-7);
}

// The appendix of the notes: exp(-sqrt(L1) / (2 sigma^2)) with sigma = 2.
TEST(KernelKmeans, IrisWithAbsdiffReachesTheKnownValues) {
  const Dataset data = iris();
  const Kernel kernel = Absdiff{.gamma = 0.125};
  EXPECT_NEAR(cluster_kernel_kmeans(data, kernel, {.k = 1}).kernel_sse, 31.71057027, 5e-9);
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    const auto two = cluster_kernel_kmeans(data, kernel, {.k = 2, .context = {.seed = seed}});
    EXPECT_NEAR(two.kernel_sse, 22.95648835, 5e-9);
    EXPECT_EQ(two.sizes, (std::vector<std::size_t>{100, 50}));
    const auto three = cluster_kernel_kmeans(data, kernel, {.k = 3, .context = {.seed = seed}});
    EXPECT_NEAR(three.kernel_sse, 20.30274870, 5e-9);
    EXPECT_EQ(three.sizes, (std::vector<std::size_t>{64, 50, 36}));
  }
}

TEST(KernelKmeans, BoundIsMetWhereThePointsLieInKPlaces) {
  const Dataset data{.examples = matrix(1, {0, 5, 0, 9, 5, 0})};
  const auto found = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, {.k = 3});
  EXPECT_EQ(found.labels, (Labels{0, 1, 0, 2, 1, 0}));
  EXPECT_NEAR(found.kernel_sse, 0, 1e-14);
  EXPECT_NEAR(*found.report.lower_bound, 0, 1e-11);
  // One cluster: the bound is the sum of squares itself.
  const auto one = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, {.k = 1});
  EXPECT_NEAR(*one.report.lower_bound, one.kernel_sse, 1e-11);
}

TEST(KernelKmeans, SparseAndDenseExamplesAgree) {
  const Dataset data = iris();
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
  const auto a = cluster_kernel_kmeans(data, Rbf{.gamma = 0.5}, {.k = 4});
  const auto b = cluster_kernel_kmeans(sparse, Rbf{.gamma = 0.5}, {.k = 4});
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(b.model.predict(sparse.examples), b.labels);
}

TEST(KernelKmeans, IndefiniteKernelWarnsAndStillDescends) {
  Dataset data = iris();
  std::vector<double> trace;
  KernelKmeansOptions options{.k = 3, .restarts = 1};
  options.context.on_progress = [&](const Progress& progress) {
    if (progress.primal_objective) trace.push_back(*progress.primal_objective);
    return Continue::yes;
  };
  for (const Kernel& kernel : {Kernel(Sentropic{.gamma = 3}), Kernel(Sigmoid{.gamma = 0.01})}) {
    trace.clear();
    const auto found = cluster_kernel_kmeans(data, kernel, options);
    EXPECT_TRUE(is_success(found.report.status));
    ASSERT_EQ(found.report.warnings.size(), 1u);
    EXPECT_NE(found.report.warnings[0].find("positive semidefinite"), std::string::npos);
    for (std::size_t t = 1; t < trace.size(); ++t) EXPECT_LE(trace[t], trace[t - 1] + 1e-9);
    EXPECT_LE(*found.report.lower_bound, found.kernel_sse);
  }
}

TEST(KernelKmeans, BatchStepThatWouldRiseIsTakenBack) {
  // Distances in this matrix are negative: the batch rule would swap points for ever.
  const DenseMatrix odd = matrix(4, {0, 3, 1, 1, 3, 0, 1, 1, 1, 1, 0, 3, 1, 1, 3, 0});
  const Labels start = {0, 0, 1, 1};
  const auto batch =
      cluster_kernel_kmeans(odd.view(), {.k = 2, .start_labels = start, .exchange = false});
  EXPECT_LE(batch.kernel_sse, plain_sse(odd.view(), start) + 1e-14);
  const auto exchange = cluster_kernel_kmeans(odd.view(), {.k = 2, .start_labels = start});
  EXPECT_EQ(exchange.report.status, Status::solved);
  EXPECT_LE(exchange.kernel_sse, batch.kernel_sse + 1e-14);
}

TEST(KernelKmeans, StopsWhenTheCallbackSaysSo) {
  const Dataset data = clouds(100, 3);
  KernelKmeansOptions options{.k = 5};
  options.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
  const auto found = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, options);
  EXPECT_EQ(found.report.status, Status::time_limit);
  EXPECT_NEAR(found.kernel_sse,
              plain_sse(gram(Rbf{.gamma = 1}, data.examples).view(), found.labels),
              1e-11);
}

TEST(KernelKmeans, StopsWithinALongPassAndBeforeTheBound) {
  const Dataset data = clouds(600, 3);
  KernelKmeansOptions options{.k = 3, .restarts = 1};
  options.context.on_progress = [](const Progress& progress) {
    const bool is_within = progress.phase == "exchange" && !progress.primal_objective;
    return is_within ? Continue::stop : Continue::yes;
  };
  const auto within = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, options);
  EXPECT_EQ(within.report.status, Status::stopped_by_callback);
  EXPECT_FALSE(within.report.lower_bound.has_value());
  options.context.on_progress = [](const Progress& progress) {
    return progress.phase == "lower bound" ? Continue::stop : Continue::yes;
  };
  const auto before = cluster_kernel_kmeans(data, Rbf{.gamma = 1}, options);
  EXPECT_TRUE(is_success(before.report.status));
  EXPECT_FALSE(before.report.lower_bound.has_value());
}

// Beside a weight of 1e18 a weight of 1 is less than rounding: what is left of a cluster without
// its heaviest point must not be a difference.
TEST(KernelKmeans, VeryUnevenWeightsLeaveTheSumsTrue) {
  const DenseMatrix points = matrix(1, {0, 1, 1.5, 9, 10, 11});
  const DenseMatrix gram_matrix = gram(Rbf{.gamma = 0.05}, points);
  for (const double heavy : {1e9, 1e13, 1e18}) {
    std::vector<double> weights(6, 1.0);
    weights[3] = heavy;
    for (const Labels& start : {Labels{0, 0, 0, 0, 1, 1}, Labels{0, 1, 1, 1, 1, 1}}) {
      const auto found =
          cluster_kernel_kmeans(gram_matrix.view(), {.k = 2, .start_labels = start}, weights);
      EXPECT_TRUE(is_success(found.report.status)) << heavy;
      ASSERT_TRUE(std::isfinite(found.kernel_sse));
      // Rounding of a sum of this weight.
      const double noise = 100 * std::numeric_limits<double>::epsilon() * heavy;
      EXPECT_NEAR(found.kernel_sse, plain_sse(gram_matrix.view(), found.labels, weights), noise);
    }
  }
}

TEST(KernelKmeans, ValuesThatOverflowAreRefused) {
  const Dataset huge{.examples = matrix(1, {0, 1e160, 2e160})};
  EXPECT_THROW((void)cluster_kernel_kmeans(huge, Linear{}, {.k = 2}), InvalidArgument);
  for (const std::optional<std::size_t> memory : {std::optional<std::size_t>{}, {1}}) {
    EXPECT_THROW(
        (void)cluster_kernel_kmeans(huge, Linear{}, {.k = 2, .context = {.memory_limit = memory}}),
        InvalidArgument);
  }
  EXPECT_THROW((void)cluster_kernel_kmeans(matrix(2, {1e308, 0, 0, 1e308}).view(), {.k = 2}),
               InvalidArgument);
}

// The diagonal of this matrix says nothing about how large its rounding is.
TEST(KernelKmeans, NoiseOfAMatrixIsThatOfItsLargestEntry) {
  Rng rng(5);
  DenseMatrix odd(12, 12);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < i; ++j) odd(i, j) = odd(j, i) = 1e6 * rng.normal();
  }
  const auto found = cluster_kernel_kmeans(odd.view(), {.k = 3, .restarts = 5});
  EXPECT_TRUE(is_success(found.report.status));
  EXPECT_NEAR(found.kernel_sse, plain_sse(odd.view(), found.labels), 1e-7);
}

TEST(KernelKmeans, IterationLimitIsReported) {
  const auto found =
      cluster_kernel_kmeans(iris(), Rbf{.gamma = 5}, {.k = 10, .restarts = 2, .max_iterations = 1});
  EXPECT_EQ(found.report.status, Status::iteration_limit);
  EXPECT_EQ(found.report.iterations, 1u);
  EXPECT_FALSE(found.report.warnings.empty());
}

TEST(KernelKmeans, DegenerateDataHasItsCorrectAnswer) {
  const Dataset point{.examples = matrix(2, {3, 4})};
  const auto one = cluster_kernel_kmeans(point, Rbf{.gamma = 1}, {.k = 1});
  EXPECT_EQ(one.labels, Labels{0});
  EXPECT_EQ(one.kernel_sse, 0);
  const Dataset equal{.examples = matrix(1, {7, 7, 7})};
  EXPECT_EQ(cluster_kernel_kmeans(equal, Rbf{.gamma = 1}, {.k = 1}).labels, (Labels{0, 0, 0}));
  EXPECT_THROW((void)cluster_kernel_kmeans(equal, Rbf{.gamma = 1}, {.k = 2}), InvalidArgument);
  const Dataset three{.examples = matrix(1, {0, 1, 2})};
  EXPECT_EQ(cluster_kernel_kmeans(three, Linear{}, {.k = 3}).sizes,
            (std::vector<std::size_t>{1, 1, 1}));
  // The cosine kernel cannot tell points on one ray apart.
  const Dataset ray{.examples = matrix(2, {1, 1, 2, 2, 0, 3})};
  EXPECT_THROW((void)cluster_kernel_kmeans(ray, Cosine{}, {.k = 3}), InvalidArgument);
  EXPECT_EQ(cluster_kernel_kmeans(ray, Cosine{}, {.k = 2}).labels, (Labels{0, 0, 1}));
}

TEST(KernelKmeans, WrongInputIsRefused) {
  const Dataset data = clouds(10, 1);
  const Kernel kernel = Rbf{.gamma = 1};
  const auto refuses = [&](const Dataset& set, const KernelKmeansOptions& options) {
    EXPECT_THROW((void)cluster_kernel_kmeans(set, kernel, options), InvalidArgument);
  };
  refuses({.examples = DenseMatrix(0, 2)}, {.k = 1});
  refuses(data, {.k = 0});
  refuses(data, {.k = 11});
  refuses(data, {.k = 2, .restarts = 0});
  refuses(data, {.k = 2, .max_iterations = 0});
  refuses(data, {.k = 2, .context = {.threads = 0}});
  refuses(data, {.k = 2, .start_labels = Labels{0, 1}});
  refuses(data, {.k = 2, .start_labels = Labels(10, 0)});
  refuses(data, {.k = 2, .start_labels = Labels{0, 1, 2, 0, 0, 0, 0, 0, 0, 0}});
  refuses({.examples = matrix(1, {0, NAN})}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1}), .weights = {0, 0}}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1}), .weights = {-1, 1}}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1}), .weights = {1, 0}}, {.k = 2});
  EXPECT_THROW((void)cluster_kernel_kmeans(matrix(2, {1, 0}).view(), {.k = 1}), InvalidArgument);
  EXPECT_THROW((void)cluster_kernel_kmeans(matrix(2, {1, 0, 0.5, 1}).view(), {.k = 1}),
               InvalidArgument);
  EXPECT_THROW((void)cluster_kernel_kmeans(matrix(2, {1, NAN, NAN, 1}).view(), {.k = 1}),
               InvalidArgument);
  const std::vector<std::size_t> seeds = {0};
  EXPECT_THROW((void)sequential_kernel_means(matrix(2, {1, 0, 0, 1}).view(), seeds, seeds),
               InvalidArgument);
  EXPECT_THROW((void)kernel_kmeans_lower_bound(matrix(1, {1}).view(), 0), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
