// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/stability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cluster_functions.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

TEST(ClusteringAgreement, IsTheAdjustedRandIndexWithOutliersAsACluster) {
  EXPECT_EQ(clustering_agreement(Labels{0, 0, 1, 1}, Labels{5, 5, 2, 2}), 1);
  EXPECT_EQ(clustering_agreement(Labels{0, 0, -1, -1}, Labels{1, 1, 0, 0}), 1);
  EXPECT_EQ(clustering_agreement(Labels{-1, -1, 0, 0}, Labels{0, 0, -1, -1}), 1);
  // Two cuts of four points at right angles: of 6 pairs 2 and 2 are together, none in both.
  EXPECT_NEAR(clustering_agreement(Labels{0, 0, 1, 1}, Labels{0, 1, 0, 1}), -0.5, 1e-15);
  EXPECT_TRUE(std::isnan(clustering_agreement(Labels{}, Labels{})));
}

TEST(Stability, OfTheTruthIsOneAndOfRandomLabelsAboutZero) {
  const Dataset data = three_groups(60, 1);
  const Stability sure = subsample_stability(data, 3, by_first_feature, {.context = {.seed = 7}});
  EXPECT_EQ(sure.mean, 1);
  EXPECT_EQ(sure.of_sample, std::vector<double>(20, 1.0));
  EXPECT_EQ(sure.status, Status::solved);
  const Stability chance = subsample_stability(data, 3, random_clusters, {.context = {.seed = 7}});
  // The standard deviation of one index of 120 rows is about 1/120; of the mean of 20, less.
  EXPECT_NEAR(chance.mean, 0, 0.05);
}

TEST(Stability, BootstrapComparesWithTheGivenClusters) {
  const Dataset data = three_groups(60, 2);
  const Labels truth = by_first_feature(data, 3, 0);
  EXPECT_EQ(bootstrap_stability(data, truth, 3, by_first_feature).mean, 1);
  // Groups come in turn, so blocks of rows are as good as chance.
  Labels blocks = truth;
  std::sort(blocks.begin(), blocks.end());
  EXPECT_NEAR(bootstrap_stability(data, blocks, 3, by_first_feature).mean, 0, 0.1);
}

TEST(Stability, EverySampleIsWhatItSaysItIs) {
  const Dataset data{.examples = gaussian_points(50, 2, 3)};
  // Rows are recognised by their values; every sample must be without repetition and of 40 rows.
  const ClusterFunction looks = [&](const Dataset& sample, std::size_t k, std::uint64_t) {
    EXPECT_EQ(k, 2u);
    EXPECT_EQ(sample.size(), 40u);
    std::set<double> values;
    for (std::size_t i = 0; i < sample.size(); ++i) values.insert(sample.examples.row(i).at(0));
    EXPECT_EQ(values.size(), 40u);
    return Labels(sample.size(), 0);
  };
  (void)subsample_stability(data, 2, looks, {.samples = 3, .context = {.threads = 1}});
  const ClusterFunction counts = [&](const Dataset& sample, std::size_t, std::uint64_t) {
    EXPECT_EQ(sample.size(), 50u);
    return Labels(sample.size(), 0);
  };
  EXPECT_EQ(bootstrap_stability(data, Labels(50, 0), 2, counts, {.samples = 3}).mean, 1);
}

TEST(Stability, IsTheSameForAnyThreadCountAndDiffersByTheSeed) {
  const Dataset data = three_groups(60, 4);
  const auto run = [&](std::size_t threads, std::uint64_t seed) {
    return subsample_stability(data, 4, by_kmeans, {.context = {.threads = threads, .seed = seed}})
        .of_sample;
  };
  const std::vector<double> one = run(1, 0);
  EXPECT_EQ(run(2, 0), one);
  EXPECT_EQ(run(4, 0), one);
  EXPECT_NE(run(1, 1), one);
}

TEST(Stability, SamplesWithTooFewDifferentPointsAreUndefined) {
  // Two different points, one of them once: a sample may lack it.
  DenseMatrix points(10, 1);
  points(0, 0) = 1;
  const Dataset data{.examples = points};
  const Stability found = subsample_stability(data, 2, by_kmeans, {.samples = 40});
  std::size_t undefined = 0;
  for (const double value : found.of_sample) undefined += std::isnan(value) ? 1u : 0u;
  EXPECT_GT(undefined, 0u);
  EXPECT_LT(undefined, 40u);
  EXPECT_EQ(found.mean, 1);
  // Rows of weight 0 are no points.
  Dataset weighted = data;
  weighted.weights.assign(10, 1.0);
  weighted.weights[0] = 0;
  EXPECT_TRUE(std::isnan(subsample_stability(weighted, 2, by_kmeans, {.samples = 5}).mean));
}

TEST(Stability, ACallbackEndsItBetweenSamples) {
  const Dataset data = three_groups(30, 5);
  const ProgressCallback stop_after_two = [](const Progress& progress) {
    return progress.iteration >= 2 ? Continue::time_is_up : Continue::yes;
  };
  const Stability found = subsample_stability(
      data, 3, by_first_feature, {.context = {.threads = 1, .on_progress = stop_after_two}});
  EXPECT_EQ(found.status, Status::time_limit);
  EXPECT_EQ(found.of_sample[1], 1);
  EXPECT_TRUE(std::isnan(found.of_sample[2]));
  EXPECT_EQ(found.mean, 1);
}

TEST(Stability, ARunThatWasStoppedMidwayIsNoSample) {
  const Dataset data = three_groups(60, 8);
  const Labels truth = by_first_feature(data, 3, 0);
  // Time runs out in the third run: from there on the method answers with nothing.
  std::size_t runs = 0;
  const ClusterFunction stopped = [&](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    return ++runs > 2 ? Labels{} : by_first_feature(rows, k, seed);
  };
  const StabilityOptions options = {.samples = 5, .context = {.threads = 1}};
  const Stability again = bootstrap_stability(data, truth, 3, stopped, options);
  EXPECT_EQ(again.status, Status::stopped_by_callback);
  EXPECT_EQ(again.of_sample[1], 1);
  EXPECT_TRUE(std::isnan(again.of_sample[2]));
  EXPECT_EQ(again.mean, 1);
  runs = 0;  // two runs a pair: the second pair lacks one
  const Stability pairs = subsample_stability(data, 3, stopped, options);
  EXPECT_EQ(pairs.status, Status::stopped_by_callback);
  EXPECT_EQ(pairs.of_sample[0], 1);
  EXPECT_TRUE(std::isnan(pairs.of_sample[1]));
  EXPECT_TRUE(pairs.warnings.empty());
}

TEST(Stability, ARefusedSampleIsUndefinedWithOneWarning) {
  const Dataset data = three_groups(60, 9);
  const Labels truth = by_first_feature(data, 3, 0);
  const ClusterFunction choosy = [](const Dataset& rows, std::size_t k, std::uint64_t seed) {
    if (seed % 2 == 0) throw InvalidArgument("strange points " + std::to_string(seed % 8));
    return by_first_feature(rows, k, seed);
  };
  const auto run = [&](std::size_t threads) {
    return bootstrap_stability(
        data, truth, 3, choosy, {.samples = 20, .context = {.threads = threads}});
  };
  const Stability found = run(1);
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_EQ(found.mean, 1);
  const auto undefined =
      std::ranges::count_if(found.of_sample, [](double value) { return std::isnan(value); });
  EXPECT_GT(undefined, 0);
  EXPECT_LT(undefined, 20);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("strange points"), std::string::npos);
  EXPECT_EQ(run(4).warnings, found.warnings);
}

TEST(Stability, RejectsWrongInput) {
  const Dataset data = three_groups(30, 6);
  const auto run = [&](const StabilityOptions& options, std::size_t k = 3) {
    (void)subsample_stability(data, k, by_first_feature, options);
  };
  EXPECT_THROW(run({.samples = 0}), InvalidArgument);
  EXPECT_THROW(run({.share = 0.5}), InvalidArgument);
  EXPECT_THROW(run({.share = 1.1}), InvalidArgument);
  EXPECT_THROW(run({.share = NAN}), InvalidArgument);
  EXPECT_THROW(run({.context = {.threads = 0}}), InvalidArgument);
  EXPECT_THROW(run({}, 0), InvalidArgument);
  EXPECT_THROW((void)subsample_stability(data, 3, {}), InvalidArgument);
  EXPECT_THROW((void)bootstrap_stability(data, Labels{0}, 3, by_first_feature), InvalidArgument);
  const ClusterFunction short_answer = [](const Dataset&, std::size_t, std::uint64_t) {
    return Labels{0};
  };
  EXPECT_THROW((void)subsample_stability(data, 3, short_answer), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
