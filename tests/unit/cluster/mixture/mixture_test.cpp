// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mixture/mixture.hpp"
#include "maxmargin/core/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "plain_mixture.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

constexpr std::array all_covariances = {
    Covariance::spherical, Covariance::diagonal, Covariance::full, Covariance::tied};

/// Three long clouds, with weights on request.
Dataset clouds(std::size_t n, std::uint64_t seed, bool weighted = false) {
  Rng rng(seed);
  DenseMatrix points(n, 3);
  Dataset data;
  for (std::size_t i = 0; i < n; ++i) {
    const double along = rng.normal();
    points(i, 0) = 4.0 * static_cast<double>(i % 3) + along;
    points(i, 1) = 0.7 * along + 0.5 * rng.normal();
    points(i, 2) = 10 + (i % 3 == 1 ? 2.0 : 0.5) * rng.normal();
    if (weighted) data.weights.push_back(0.25 * static_cast<double>(1 + rng.index(8)));
  }
  data.examples = points;
  return data;
}

/// A mixture to start from: means at points, one wide covariance.
MixtureModel wide_start(const Dataset& data, std::size_t k, Covariance covariance) {
  const std::size_t d = data.features();
  MixtureModel model{.covariance = covariance,
                     .weights = std::vector<double>(k, 1.0 / static_cast<double>(k)),
                     .means = DenseMatrix(k, d)};
  for (std::size_t j = 0; j < k; ++j) {
    std::ranges::copy(data.examples.dense().row(j), model.means.row(j).begin());
  }
  if (covariance == Covariance::spherical) model.covariances = DenseMatrix(k, 1, 2.0);
  if (covariance == Covariance::diagonal) model.covariances = DenseMatrix(k, d, 2.0);
  if (covariance == Covariance::full) {
    model.covariances = DenseMatrix(k * d, d);
    for (std::size_t r = 0; r < k * d; ++r) model.covariances(r, r % d) = 2;
  }
  if (covariance == Covariance::tied) {
    model.covariances = DenseMatrix(d, d);
    for (std::size_t r = 0; r < d; ++r) model.covariances(r, r) = 2;
  }
  return model;
}

void expect_near(const DenseMatrix& a, const DenseMatrix& b, double tolerance) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t e = 0; e < a.values().size(); ++e) {
    EXPECT_NEAR(a.values()[e], b.values()[e], tolerance);
  }
}

class MixtureProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MixtureProperty, EveryStepIsThatOfTheTextbook) {
  for (const bool weighted : {false, true}) {
    const Dataset data = clouds(70, GetParam(), weighted);
    for (const Covariance covariance : all_covariances) {
      const MixtureModel start = wide_start(data, 3, covariance);
      MixtureModel plain = start;
      for (std::size_t steps = 1; steps <= 3; ++steps) {
        plain = plain_step(plain, data);
        const MixtureClustering found = cluster_mixture(data,
                                                        {.k = 3,
                                                         .covariance = covariance,
                                                         .start = start,
                                                         .max_iterations = steps,
                                                         .tolerance = 1e-300,
                                                         .variance_floor = 1e-12});
        ASSERT_EQ(found.report.iterations, steps);
        EXPECT_NEAR(found.trace[0], plain_log_likelihood(start, data), 1e-9);
        EXPECT_NEAR(found.log_likelihood, plain_log_likelihood(plain, data), 1e-8);
        // Components are renumbered by size: match them by their means.
        for (std::size_t j = 0; j < 3; ++j) {
          std::size_t twin = 0;
          for (std::size_t t = 1; t < 3; ++t) {
            const bool is_nearer =
                squared_distance(found.model.means.row(j), plain.means.row(t)) <
                squared_distance(found.model.means.row(j), plain.means.row(twin));
            if (is_nearer) twin = t;
          }
          EXPECT_NEAR(found.model.weights[j], plain.weights[twin], 1e-10);
          EXPECT_NEAR(squared_distance(found.model.means.row(j), plain.means.row(twin)), 0, 1e-18);
          expect_near(covariance_of(found.model, j), covariance_of(plain, twin), 1e-9);
        }
      }
    }
  }
}

// seed-merat fact 43.
TEST_P(MixtureProperty, LikelihoodNeverFallsAndProbabilitiesAddUp) {
  const Dataset data = clouds(150, GetParam(), true);
  for (const Covariance covariance : all_covariances) {
    const MixtureClustering found = cluster_mixture(data,
                                                    {.k = 4,
                                                     .covariance = covariance,
                                                     .restarts = 3,
                                                     .tolerance = 1e-10,
                                                     .variance_floor = 1e-2,
                                                     .context = {.seed = GetParam()}});
    for (std::size_t t = 1; t < found.trace.size(); ++t) {
      EXPECT_GE(found.trace[t], found.trace[t - 1] - 1e-10 * std::abs(found.trace[t - 1]));
    }
    EXPECT_EQ(found.trace.back(), found.log_likelihood);
    EXPECT_NEAR(found.log_likelihood, plain_log_likelihood(found.model, data), 1e-8);
    double weights = 0;
    for (const double weight : found.model.weights) weights += weight;
    EXPECT_NEAR(weights, 1, 1e-12);
    const MixtureAnswer answer = found.model.answer(data.examples);
    EXPECT_EQ(answer.labels, found.labels);
    double log_likelihood = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      double sum = 0;
      for (const double p : answer.probabilities.row(i)) sum += p;
      EXPECT_NEAR(sum, 1, 1e-14);
      log_likelihood += data.weights[i] * answer.log_densities[i];
    }
    EXPECT_NEAR(log_likelihood, found.log_likelihood, 1e-9);
    for (std::size_t j = 0; j < 4; ++j) {
      const auto values = eigenvalues_symmetric(covariance_of(found.model, j).view());
      EXPECT_GE(values[0], found.least_variance * (1 - 1e-10));
    }
  }
}

TEST_P(MixtureProperty, AnswerIsTheSameForAnyThreadCount) {
  const Dataset data = clouds(1200, GetParam());
  for (const Covariance covariance : all_covariances) {
    MixtureOptions options{.k = 3,
                           .covariance = covariance,
                           .restarts = 2,
                           .max_iterations = 5,
                           .context = {.threads = 1, .seed = GetParam()}};
    const MixtureClustering one = cluster_mixture(data, options);
    for (const std::size_t threads : {2u, 4u}) {
      options.context.threads = threads;
      const MixtureClustering other = cluster_mixture(data, options);
      EXPECT_EQ(one.labels, other.labels);
      EXPECT_EQ(one.trace, other.trace);
      EXPECT_TRUE(
          std::ranges::equal(one.model.covariances.values(), other.model.covariances.values()));
      EXPECT_TRUE(std::ranges::equal(one.model.means.values(), other.model.means.values()));
    }
  }
}

TEST_P(MixtureProperty, WeightTwoIsTheSameAsTwoEqualPoints) {
  Dataset weighted = clouds(40, GetParam());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    weighted.weights.push_back(i % 3 == 0 ? 2.0 : 1.0);
    rows.insert(rows.end(), i % 3 == 0 ? 2 : 1, i);
  }
  Dataset repeated = weighted.select(rows);
  repeated.weights.clear();
  const MixtureModel start = wide_start(weighted, 2, Covariance::diagonal);
  const MixtureOptions options{.covariance = Covariance::diagonal, .start = start};
  const MixtureClustering a = cluster_mixture(weighted, options);
  const MixtureClustering b = cluster_mixture(repeated, options);
  EXPECT_NEAR(a.log_likelihood, b.log_likelihood, 1e-10 * std::abs(b.log_likelihood));
  EXPECT_NEAR(a.bic, b.bic, 1e-10 * std::abs(b.bic));
  EXPECT_EQ(a.report.iterations, b.report.iterations);
}

// A change of units adds n d log(scale) to the log-likelihood and changes nothing else; a common
// offset changes nothing at all.
TEST_P(MixtureProperty, UnitsAndOffsetDoNotMatter) {
  const Dataset data = clouds(90, GetParam());
  DenseMatrix moved = data.examples.to_dense();
  for (double& x : moved.values()) x = 8 * x + 4096;
  for (const Covariance covariance : all_covariances) {
    const MixtureOptions options{.k = 3, .covariance = covariance, .restarts = 2};
    const MixtureClustering a = cluster_mixture(data, options);
    const MixtureClustering b = cluster_mixture({.examples = moved}, options);
    EXPECT_EQ(a.labels, b.labels);
    if (a.report.iterations != b.report.iterations) continue;  // the stopping rule sees |L|
    EXPECT_NEAR(a.log_likelihood - 90 * 3 * std::log(8.0), b.log_likelihood, 1e-7);
    EXPECT_NEAR(64 * a.model.covariances(0, 0), b.model.covariances(0, 0), 1e-6);
  }
}

// seed-merat fact 47: the limit of equal weights and one variance towards 0 is k-means.
TEST_P(MixtureProperty, EqualWeightsAndAVanishingVarianceGiveKmeans) {
  const Dataset data = clouds(60, GetParam());
  const DenseMatrix start = data.examples.select(std::vector<std::size_t>{0, 1, 2}).to_dense();
  const KmeansClustering kmeans = cluster_kmeans(data, {.k = 3, .start_centres = start});
  const MixtureModel first{.covariance = Covariance::spherical,
                           .weights = std::vector<double>(3, 1.0 / 3),
                           .means = start,
                           .covariances = DenseMatrix(3, 1, 1e-4)};
  const MixtureClustering found = cluster_mixture(data,
                                                  {.k = 3,
                                                   .covariance = Covariance::spherical,
                                                   .start = first,
                                                   .tolerance = 1e-300,
                                                   .equal_weights = true,
                                                   .fixed_variance = 1e-4});
  EXPECT_EQ(found.labels, kmeans.labels);
  expect_near(found.model.means, kmeans.model.centres, 1e-9);
  const MixtureAnswer answer = found.model.answer(data.examples);
  for (std::size_t i = 0; i < 60; ++i) {
    const double own = answer.probabilities(i, static_cast<std::size_t>(kmeans.labels[i]));
    EXPECT_GT(own, 1 - 1e-6);
  }
  EXPECT_EQ(found.model.weights, std::vector<double>(3, 1.0 / 3));
  EXPECT_EQ(found.model.covariances(1, 0), 1e-4);
}

// seed-merat fact 47: how responsibilities become hard.
TEST_P(MixtureProperty, ResponsibilitiesHardenAsTheVarianceFalls) {
  const Dataset data = clouds(60, GetParam());
  const KmeansClustering kmeans = cluster_kmeans(data, {.k = 3});
  double softest = 1;
  for (const double variance : {10.0, 1.0, 0.1, 1e-2}) {
    const MixtureModel model{.covariance = Covariance::spherical,
                             .weights = std::vector<double>(3, 1.0 / 3),
                             .means = kmeans.model.centres,
                             .covariances = DenseMatrix(3, 1, variance)};
    const MixtureAnswer answer = model.answer(data.examples);
    EXPECT_EQ(answer.labels, kmeans.labels) << variance;
    double least = 1;
    for (std::size_t i = 0; i < 60; ++i) {
      least = std::min(least, answer.probabilities(i, static_cast<std::size_t>(kmeans.labels[i])));
    }
    EXPECT_LT(1 - least, softest) << variance;
    softest = 1 - least;
    if (variance == 10) {
      EXPECT_GT(softest, 0.1);
    }
  }
  EXPECT_EQ(softest, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MixtureProperty, ::testing::Range<std::uint64_t>(1, 5));

/// The third column of Iris.
Dataset petal_length() {
  const DenseMatrix flowers = iris().examples.to_dense();
  DenseMatrix column(150, 1);
  for (std::size_t i = 0; i < 150; ++i) column(i, 0) = flowers(i, 2);
  return {.examples = column};
}

MixtureModel two_on_a_line(double first, double second, Covariance covariance) {
  return {.covariance = covariance,
          .weights = {0.5, 0.5},
          .means = matrix(1, {first, second}),
          .covariances = covariance == Covariance::tied ? matrix(1, {1}) : matrix(1, {1, 1})};
}

// seed-merat fact 44.
TEST(Mixture, PetalLengthReachesTheKnownMixture) {
  const Dataset data = petal_length();
  for (const Covariance covariance :
       {Covariance::spherical, Covariance::diagonal, Covariance::full}) {
    const MixtureClustering found = cluster_mixture(data,
                                                    {.covariance = covariance,
                                                     .start = two_on_a_line(1, 5, covariance),
                                                     .max_iterations = 1000,
                                                     .tolerance = 1e-12});
    EXPECT_TRUE(is_success(found.report.status));
    EXPECT_NEAR(found.trace[0], -279.96547, 5e-6);
    EXPECT_NEAR(found.log_likelihood, -200.57876, 5e-6);
    EXPECT_EQ(found.sizes, (std::vector<std::size_t>{100, 50}));
    EXPECT_NEAR(found.model.weights[0], 0.666889, 5e-7);
    EXPECT_NEAR(found.model.weights[1], 0.333111, 5e-7);
    EXPECT_NEAR(found.model.means(0, 0), 4.904976, 5e-7);
    EXPECT_NEAR(found.model.means(1, 0), 1.461750, 5e-7);
    EXPECT_NEAR(found.model.covariances(0, 0), 0.677687, 5e-7);
    EXPECT_NEAR(found.model.covariances(1, 0), 0.029466, 5e-7);
    EXPECT_EQ(found.model.parameters(), 5u);
    EXPECT_NEAR(found.bic, 2 * 200.57876 + 5 * std::log(150.0), 1e-5);
    EXPECT_NEAR(found.aic, 2 * 200.57876 + 10, 1e-5);
  }
}

// seed-merat fact 45: FC-66, exact steps can sit at a saddle.
TEST(Mixture, IdenticalComponentsStayIdentical) {
  const Dataset data = petal_length();
  for (const Covariance covariance : all_covariances) {
    const MixtureClustering found = cluster_mixture(
        data,
        {.covariance = covariance, .start = two_on_a_line(3, 3, covariance), .tolerance = 1e-12});
    EXPECT_EQ(found.model.means(0, 0), found.model.means(1, 0));
    EXPECT_EQ(found.model.weights[0], found.model.weights[1]);
    EXPECT_NEAR(found.log_likelihood, -297.587053, 5e-7);
    EXPECT_NEAR(found.model.means(0, 0), 3.758, 1e-12);
    EXPECT_NEAR(found.model.covariances(0, 0), 3.0955027, 5e-8);
    // Equal posteriors: the lowest number has them all.
    EXPECT_EQ(found.sizes, (std::vector<std::size_t>{150, 0}));
    EXPECT_FALSE(found.report.warnings.empty());
  }
}

// seed-merat fact 46.
TEST(Mixture, OneComponentTakesOneStep) {
  const Dataset data = petal_length();
  const MixtureModel start{.covariance = Covariance::full,
                           .weights = {1},
                           .means = matrix(1, {-5}),
                           .covariances = matrix(1, {20})};
  const MixtureClustering found =
      cluster_mixture(data, {.k = 1, .start = start, .max_iterations = 1});
  EXPECT_NEAR(found.model.means(0, 0), 3.758, 1e-13);
  EXPECT_NEAR(found.model.covariances(0, 0), 3.0955027, 5e-8);
  EXPECT_NEAR(found.log_likelihood, -297.587053, 5e-7);
  const MixtureClustering from_kmeans = cluster_mixture(data, {.k = 1});
  EXPECT_TRUE(is_success(from_kmeans.report.status));
  EXPECT_EQ(from_kmeans.report.iterations, 1u);
  EXPECT_NEAR(from_kmeans.log_likelihood, found.log_likelihood, 1e-10);
}

// FC-66: without a floor the likelihood of this start grows without end.
TEST(Mixture, FloorStopsAComponentThatCollapsesOnOnePoint) {
  const Dataset data{.examples = matrix(1, {0, 1, 2, 3, 10})};
  for (const Covariance covariance :
       {Covariance::spherical, Covariance::diagonal, Covariance::full}) {
    const MixtureModel start{.covariance = covariance,
                             .weights = {0.8, 0.2},
                             .means = matrix(1, {1.5, 10}),
                             .covariances = matrix(1, {1, 1e-3})};
    double last = -std::numeric_limits<double>::infinity();
    for (const double floor : {1e-2, 1e-4, 1e-6}) {
      const MixtureClustering found = cluster_mixture(
          data, {.covariance = covariance, .start = start, .variance_floor = floor});
      EXPECT_TRUE(is_success(found.report.status));
      // Population variance of the points: mean 3.2, (114 - 5 * 10.24) / 5 = 12.56.
      EXPECT_NEAR(found.least_variance, floor * 12.56, 1e-13);
      EXPECT_DOUBLE_EQ(found.model.covariances(1, 0), found.least_variance);
      EXPECT_NEAR(found.model.means(1, 0), 10, 1e-12);
      EXPECT_GT(found.log_likelihood, last + 2);
      last = found.log_likelihood;
    }
  }
}

TEST(Mixture, FullCovarianceOfFlatPointsIsRaisedToTheFloorInTheFlatDirection) {
  // Points on the line y = 2 x: one eigenvalue is 0.
  DenseMatrix points(20, 2);
  for (std::size_t i = 0; i < 20; ++i) {
    points(i, 0) = static_cast<double>(i);
    points(i, 1) = 2 * static_cast<double>(i);
  }
  for (const Covariance covariance : {Covariance::full, Covariance::tied}) {
    const MixtureClustering found =
        cluster_mixture({.examples = points}, {.k = 1, .covariance = covariance});
    const auto values = eigenvalues_symmetric(found.model.covariances.view());
    EXPECT_NEAR(values[0], found.least_variance, 1e-12);
    EXPECT_NEAR(values[1], 5 * (400.0 - 1) / 12, 1e-9);
  }
}

TEST(Mixture, IrisInThreeFullComponentsSeparatesTheFlowers) {
  const Dataset data = iris();
  const MixtureClustering found = cluster_mixture(data, {.k = 3, .restarts = 1, .tolerance = 1e-9});
  EXPECT_TRUE(is_success(found.report.status));
  // The value every program finds from the clusters of k-means.
  EXPECT_NEAR(found.log_likelihood, -180.1853, 2e-3);
  EXPECT_EQ(found.sizes, (std::vector<std::size_t>{55, 50, 45}));
  EXPECT_EQ(found.model.parameters(), 2u + 12u + 30u);
}

TEST(Mixture, SparseAndDenseExamplesAgree) {
  const Dataset data = iris();
  const Dataset sparse{.examples = to_sparse(data.examples.dense())};
  const MixtureClustering a = cluster_mixture(data, {.k = 3, .restarts = 2});
  const MixtureClustering b = cluster_mixture(sparse, {.k = 3, .restarts = 2});
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.log_likelihood, b.log_likelihood);
  EXPECT_EQ(a.model.answer(sparse.examples).log_densities,
            a.model.answer(data.examples).log_densities);
}

TEST(Mixture, ComponentWithoutPointsEndsWithWeightZero) {
  const Dataset data = petal_length();
  MixtureModel start = two_on_a_line(3, 1e6, Covariance::spherical);
  const MixtureClustering found =
      cluster_mixture(data, {.covariance = Covariance::spherical, .start = start});
  EXPECT_EQ(found.model.weights, (std::vector<double>{1, 0}));
  EXPECT_NEAR(found.log_likelihood, -297.587053, 5e-7);
  EXPECT_FALSE(found.report.warnings.empty());
  EXPECT_EQ(found.model.answer(data.examples).probabilities(0, 1), 0);
}

TEST(Mixture, StopsWhenTheCallbackSaysSo) {
  MixtureOptions options{.k = 3, .context = {.threads = 1}};
  options.context.on_progress = [](const Progress&) { return Continue::stop; };
  const MixtureClustering found = cluster_mixture(clouds(100, 1), options);
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_EQ(found.restarts, 1u);
  EXPECT_EQ(found.trace.size(), 2u);
}

TEST(Mixture, CallbackIsAskedWhileKmeansFindsTheStart) {
  MixtureOptions options{.k = 3, .restarts = 1, .context = {.threads = 1}};
  std::size_t asked = 0;
  options.context.on_progress = [&](const Progress& progress) {
    if (progress.phase == "start") ++asked;
    return Continue::yes;
  };
  (void)cluster_mixture(clouds(100, 1), options);
  EXPECT_GT(asked, 10u);
  // A stop there leaves one step from what k-means had.
  options.context.on_progress = [](const Progress& progress) {
    return progress.phase == "start" ? Continue::time_is_up : Continue::yes;
  };
  const MixtureClustering found = cluster_mixture(clouds(100, 1), options);
  EXPECT_EQ(found.report.status, Status::time_limit);
  EXPECT_EQ(found.trace.size(), 2u);
}

// Operations that grow with d^3 would take minutes here.
TEST(Mixture, AxisParallelFitsNeedNoMatrixOfTheFeatures) {
  const std::size_t d = 6000;
  DenseMatrix points(4, d);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t f = 0; f < d; ++f) points(i, f) = (i < 2 ? 0.0 : 5.0) + (i % 2 == 0 ? 0.1 : 0);
  }
  for (const Covariance covariance : {Covariance::spherical, Covariance::diagonal}) {
    const MixtureClustering found =
        cluster_mixture({.examples = points},
                        {.k = 2, .covariance = covariance, .restarts = 1, .max_iterations = 2});
    EXPECT_EQ(found.labels, (Labels{0, 0, 1, 1}));
    EXPECT_NEAR(found.model.covariances(0, 0), 0.0025, 1e-9);
  }
}

TEST(Mixture, PointsWithoutADensityAreRefused) {
  const Dataset data = clouds(30, 1);
  const MixtureModel model = cluster_mixture(data, {.k = 2}).model;
  EXPECT_THROW((void)model.answer(matrix(3, {0, 0, 1e200})), InvalidArgument);
  EXPECT_NO_THROW((void)model.answer(matrix(3, {0, 0, 1e100})));
  // Variances so small that all logs of densities are infinite, at every start.
  const Dataset wide{.examples = matrix(1, {0, 1e10, 3e10, 4e10})};
  EXPECT_THROW((void)cluster_mixture(
                   wide, {.k = 2, .covariance = Covariance::spherical, .fixed_variance = 1e-300}),
               InvalidArgument);
}

TEST(Mixture, DegenerateDataHasItsCorrectAnswer) {
  const MixtureClustering one = cluster_mixture({.examples = matrix(2, {3, 4})}, {.k = 1});
  EXPECT_EQ(one.labels, Labels{0});
  EXPECT_EQ(one.model.means(0, 1), 4);
  EXPECT_EQ(one.model.covariances(0, 0), 1e-6);
  const Dataset equal{.examples = matrix(1, {7, 7, 7})};
  EXPECT_EQ(cluster_mixture(equal, {.k = 1}).labels, (Labels{0, 0, 0}));
  EXPECT_THROW((void)cluster_mixture(equal, {.k = 2}), InvalidArgument);
  // A constant feature.
  const Dataset flat{.examples = matrix(2, {0, 5, 1, 5, 10, 5, 11, 5})};
  for (const Covariance covariance : all_covariances) {
    EXPECT_EQ(cluster_mixture(flat, {.k = 2, .covariance = covariance}).labels,
              (Labels{0, 0, 1, 1}));
  }
}

TEST(Mixture, WrongInputIsRefused) {
  const Dataset data = clouds(10, 1);
  const auto refuses = [](const Dataset& set, const MixtureOptions& options) {
    EXPECT_THROW((void)cluster_mixture(set, options), InvalidArgument);
  };
  refuses({.examples = DenseMatrix(0, 2)}, {.k = 1});
  refuses(data, {.k = 0});
  refuses(data, {.k = 11});
  refuses(data, {.k = 2, .restarts = 0});
  refuses(data, {.k = 2, .max_iterations = 0});
  refuses(data, {.k = 2, .tolerance = -1});
  refuses(data, {.k = 2, .variance_floor = 0});
  refuses(data, {.k = 2, .fixed_variance = 1});
  refuses(data, {.k = 2, .context = {.threads = 0}});
  refuses(data, {.k = 2, .start = wide_start(data, 3, Covariance::full)});
  refuses(data, {.k = 2, .start = wide_start(data, 2, Covariance::tied)});
  refuses({.examples = matrix(1, {0, NAN})}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1e200})}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1}), .weights = {0, 0}}, {.k = 1});
  refuses({.examples = matrix(1, {0, 1}), .weights = {1, 0}}, {.k = 2});
  MixtureModel model = wide_start(data, 2, Covariance::full);
  EXPECT_NO_THROW(validate(model));
  EXPECT_THROW((void)model.answer(matrix(2, {0, 0})), InvalidArgument);
  EXPECT_THROW((void)model.answer(matrix(3, {0, 0, NAN})), InvalidArgument);
  model.covariances(0, 0) = -1;
  EXPECT_THROW(validate(model), InvalidArgument);
  model = wide_start(data, 2, Covariance::full);
  model.weights = {0.5, 0.6};
  EXPECT_THROW(validate(model), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
