// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/alternating.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "change_values.hpp"
#include "kernel/gram/nystroem.hpp"
#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"
#include "problem/crammer_singer.hpp"
#include "problem/saddle/factored_saddle.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"

namespace maxmargin {
namespace {

Dataset points_of(const std::vector<std::vector<double>>& points) {
  DenseMatrix matrix(points.size(), points.front().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], matrix.row(i).begin());
  }
  return {.examples = std::move(matrix), .source = "points"};
}

/// k blobs of n points each, a distance apart, around (1, 0).
Dataset blobs(std::size_t n, std::size_t k, std::uint64_t seed) {
  Rng rng(seed, "blobs");
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < n * k; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i % k) / static_cast<double>(k);
    points.push_back(
        {1 + 4 * std::cos(angle) + 0.5 * rng.normal(), 4 * std::sin(angle) + 0.5 * rng.normal()});
  }
  return points_of(points);
}

DenseMatrix centred(DenseMatrix gram) {
  FeatureCentring::fit(gram.view()).apply_to_training(gram.view());
  return gram;
}

/// The labels are those of i % k.
void expect_blobs(const std::vector<std::int32_t>& labels, std::size_t k) {
  for (std::size_t i = k; i < labels.size(); ++i) EXPECT_EQ(labels[i], labels[i % k]);
  EXPECT_EQ(std::set<std::int32_t>(labels.begin(), labels.end()).size(), k);
}

void expect_falling(const std::vector<double>& trace) {
  EXPECT_FALSE(trace.empty());
  for (std::size_t i = 1; i < trace.size(); ++i) EXPECT_LT(trace[i], trace[i - 1]);
}

// seed-xu fact 55: the objective never rises, the run ends, and y_i f(x_i) >= 0 in the end when no
// balance is active.
TEST(MmcAlternating, ObjectiveNeverRisesAndLabelsAgreeWithTheMachine) {
  for (const bool linear : {true, false}) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      const Dataset data = points_of(normal_points(40, 2, seed));
      const Kernel kernel = linear ? Kernel(Linear{}) : Kernel(Rbf{.gamma = 0.5});
      const MmcAlternatingClustering found = cluster_mmc_alternating(
          data, kernel, {.c = 3, .balance = std::nullopt, .context = {.seed = seed}});
      EXPECT_TRUE(is_success(found.report.status));
      expect_falling(found.trace);
      EXPECT_NEAR(found.trace.back(), found.objective, 1e-12 * found.objective);
      EXPECT_EQ(found.model.predict(data.examples), found.labels);
      EXPECT_GE(found.objective, found.training_bound);
      EXPECT_LE(found.objective - found.training_bound, 1e-5 * found.objective);
    }
  }
}

TEST(MmcAlternating, ObjectiveOfSeveralClustersNeverRises) {
  for (const bool linear : {true, false}) {
    const Dataset data = points_of(normal_points(45, 2, 3));
    const Kernel kernel = linear ? Kernel(Linear{}) : Kernel(Rbf{.gamma = 0.5});
    const MmcAlternatingClustering found =
        cluster_mmc_alternating(data, kernel, {.k = 3, .c = 1, .restarts = 3});
    expect_falling(found.trace);
    for (const std::size_t size : found.sizes) {
      EXPECT_GE(size, 13U);
      EXPECT_LE(size, 17U);
    }
    EXPECT_GE(found.objective, found.training_bound);
  }
}

TEST(MmcAlternating, IsNeverBelowTheBestOfAllLabellingsAndOftenEqual) {
  std::size_t equal = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto points = normal_points(8, 2, seed);
    for (const bool linear : {true, false}) {
      const DenseMatrix gram = centred(linear ? linear_gram(points) : rbf_gram(points, 1));
      const double best = brute_force_labels(gram.view(), 1, 2).omega;
      const MmcAlternatingClustering found =
          cluster_mmc_alternating(points_of(points),
                                  linear ? Kernel(Linear{}) : Kernel(Rbf{.gamma = 1}),
                                  {.c = 1, .balance = 0.25});
      EXPECT_GE(found.objective, best * (1 - 1e-7));
      if (found.objective <= best * (1 + 1e-4)) ++equal;
    }
  }
  EXPECT_GE(equal, 5U);
}

/// The objective of Crammer and Singer's machine on these labels, trained from nothing.
double direct_objective(const DenseMatrix& gram,
                        const std::vector<std::int32_t>& labels,
                        std::size_t k,
                        double c) {
  const HeldMatrix matrix(gram);
  CrammerSinger problem;
  problem.points = &matrix;
  problem.class_count = k;
  problem.classes = labels;
  problem.costs.assign(labels.size(), c);
  return *solve_crammer_singer(problem, {.tolerance = 1e-7}).report.primal_objective;
}

TEST(MmcAlternating, SeveralClustersReachTheBestOfAllLabellings) {
  const auto points =
      std::vector<std::vector<double>>{{0, 0}, {0.2, 0.1}, {5, 0}, {5.1, 0.3}, {2, 6}, {2.2, 6.1}};
  const DenseMatrix gram = centred(linear_gram(points));
  double best = std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> labels(6, 0);
  for (;;) {
    std::vector<std::size_t> sizes(3, 0);
    for (const std::int32_t label : labels) ++sizes[static_cast<std::size_t>(label)];
    if (labels[0] == 0 && std::ranges::all_of(sizes, [](std::size_t s) { return s >= 2; })) {
      best = std::min(best, direct_objective(gram, labels, 3, 2));
    }
    std::size_t i = 0;
    while (i < 6 && ++labels[i] == 3) labels[i++] = 0;
    if (i == 6) break;
  }
  const MmcAlternatingClustering found =
      cluster_mmc_alternating(points_of(points), Linear{}, {.k = 3, .c = 2, .balance = 0.0});
  EXPECT_NEAR(found.objective, best, 1e-4 * best);
  EXPECT_EQ(found.labels, (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2}));
}

TEST(MmcAlternating, FindsBlobsOfTwoAndMore) {
  for (const std::size_t k : {2U, 3U, 4U}) {
    const Dataset data = blobs(5, k, k);
    for (const MmcBias bias : {MmcBias::center, MmcBias::constant}) {
      expect_blobs(
          cluster_mmc_alternating(data, Linear{}, {.k = k, .bias = bias, .restarts = 2}).labels, k);
    }
    expect_blobs(cluster_mmc_alternating(data, Rbf{.gamma = 0.1}, {.k = k, .restarts = 2}).labels,
                 k);
  }
}

TEST(MmcAlternating, FindsRingsAsTheRelaxationDoes) {
  const Dataset data = generate_circles({.n = 60, .seed = 3});
  const MmcAlternatingClustering found =
      cluster_mmc_alternating(data, Rbf{.gamma = 6}, {.relaxation = true});
  const TrainedMmc twin = cluster_mmc(data, Rbf{.gamma = 6});
  EXPECT_EQ(misassignment(Contingency(classes_of(data.labels).of_row, found.labels)), 0);
  EXPECT_NEAR(found.objective, twin.clustering.objective, 1e-5 * found.objective);
  ASSERT_TRUE(found.relaxation);
  EXPECT_LE(found.relaxation->lower_bound, found.objective);
  EXPECT_GE(found.relaxation->lower_bound, 0.9 * found.objective);
  // The balance helps the other bound, never this one.
  EXPECT_LE(found.relaxation->lower_bound, twin.clustering.relaxation.value * (1 + 1e-6));
}

/// What the certificate of centred landmarks proves: E = K - Z Z' by plain sums, and of its part
/// h_i of an image |h_i - mean h| <= |h_i| + |mean h|.
double plain_bound(const std::vector<std::vector<double>>& points,
                   double gamma,
                   double c,
                   const MmcAlternatingClustering& found) {
  const std::size_t n = points.size();
  DenseMatrix z = fit_nystroem(Rbf{.gamma = gamma},
                               points_of(points).examples,
                               {.landmarks = found.landmark_rows.size()})
                      .features;
  DenseMatrix missed = rbf_gram(points, gamma);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < z.cols(); ++k) missed(i, j) -= z(i, k) * z(j, k);
      mean += missed(i, j) / static_cast<double>(n * n);
    }
  }
  const DenseMatrix exact = centred(missed);
  std::vector<double> above;
  for (std::size_t i = 0; i < n; ++i) {
    const double length = std::sqrt(std::max(0.0, missed(i, i))) + std::sqrt(std::max(0.0, mean));
    above.push_back(length * length);
    EXPECT_LE(exact(i, i), above[i] + 1e-12);
  }
  for (std::size_t k = 0; k < z.cols(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += z(i, k);
    for (std::size_t i = 0; i < n; ++i) z(i, k) -= sum / static_cast<double>(n);
  }
  return factored_saddle_bound({.features = z.view(), .c = c, .missed = above}, found.certificate);
}

// A machine on landmarks is one of the kernel: its objective is not below the kernel's, and the
// bound holds for the kernel.
TEST(MmcAlternating, LandmarksBoundTheKernelItself) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const auto points = normal_points(9, 2, seed);
    const DenseMatrix gram = centred(rbf_gram(points, 0.3));
    const double best = 2 * brute_force_labels(gram.view(), 2, 9).omega;
    for (const std::size_t landmarks : {3U, 6U, 9U}) {
      const MmcAlternatingClustering found = cluster_mmc_alternating(
          points_of(points),
          Rbf{.gamma = 0.3},
          {.c = 2, .balance = std::nullopt, .landmarks = landmarks, .relaxation = true});
      EXPECT_LE(found.relaxation->lower_bound, best);
      EXPECT_GT(found.relaxation->lower_bound, 0);
      EXPECT_GE(found.objective, best * (1 - 1e-6));
      EXPECT_EQ(found.features, landmarks);
      EXPECT_NEAR(found.relaxation->lower_bound, plain_bound(points, 0.3, 2, found), 1e-5);
    }
  }
}

// One landmark of points far apart spans itself alone: the others pay C on every machine of the
// features, 1/2 on the kernel's. training_bound is the former.
TEST(MmcAlternating, TrainingBoundSpeaksOfMachinesOnTheFeatures) {
  const auto points = std::vector<std::vector<double>>{{0}, {100}, {200}, {300}, {400}, {500}};
  const MmcAlternatingOptions few{.balance = std::nullopt, .bias = MmcBias::none, .landmarks = 1};
  const MmcAlternatingClustering found =
      cluster_mmc_alternating(points_of(points), Rbf{.gamma = 1}, few);
  EXPECT_NEAR(found.training_bound, 5 * 100 + 0.5, 1e-3);
  EXPECT_LE(found.training_bound, found.objective);
  EXPECT_NEAR(found.missed, 5.0 / 6, 1e-12);
  MmcAlternatingOptions all = few;
  all.landmarks = 6;
  EXPECT_NEAR(cluster_mmc_alternating(points_of(points), Rbf{.gamma = 1}, all).objective, 3, 1e-5);
}

// The landmarks of the bound alone say what they miss, too.
TEST(MmcAlternating, WhatTheBoundMissesIsReported) {
  const Dataset data = points_of(normal_points(30, 2, 2));
  const MmcAlternatingClustering all =
      cluster_mmc_alternating(data, Rbf{.gamma = 0.5}, {.c = 1, .relaxation = true, .restarts = 2});
  EXPECT_LE(all.missed, 1e-8);
  EXPECT_FALSE(all.landmark_rows.empty());
  // A caller who stops at once leaves one landmark.
  const MmcAlternatingClustering stopped = cluster_mmc_alternating(
      data,
      Rbf{.gamma = 0.5},
      {.c = 1, .relaxation = true, .restarts = 2, .context = {.on_progress = [](const Progress&) {
                                                    return Continue::stop;
                                                  }}});
  EXPECT_EQ(stopped.features, 1U);
  EXPECT_GT(stopped.missed, 0.5);
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
}

// 1e6 from 0 the products are 1e12, and landmarks end at 1e-10 of that: before the spread.
TEST(MmcAlternating, LandmarksThatMissTheSpreadAreWarnedOf) {
  const auto warnings = [](const Dataset& data) {
    const std::vector<std::string> all =
        cluster_mmc_alternating(data, Linear{}, {.landmarks = 10, .restarts = 2}).report.warnings;
    return std::ranges::count_if(
        all, [](const std::string& text) { return text.find("center or scale") != text.npos; });
  };
  const Dataset near = blobs(10, 2, 1);
  Dataset far = near;
  change_values(far.examples, [&](double& x) { x += 1e6; });
  EXPECT_EQ(warnings(near), 0);
  EXPECT_EQ(warnings(far), 1);
}

TEST(MmcAlternating, AllLandmarksAreTheKernel) {
  const Dataset data = blobs(20, 2, 5);
  const MmcAlternatingClustering exact = cluster_mmc_alternating(data, Rbf{.gamma = 0.1}, {});
  const MmcAlternatingClustering all =
      cluster_mmc_alternating(data, Rbf{.gamma = 0.1}, {.landmarks = 40});
  EXPECT_NEAR(all.objective, exact.objective, 1e-4 * exact.objective);
  EXPECT_EQ(all.labels, exact.labels);
  EXPECT_LE(all.missed, 1e-8);
  EXPECT_EQ(all.model.predict(data.examples), all.labels);
}

TEST(MmcAlternating, SparsePointsAreClusteredAsDenseOnes) {
  const Dataset dense = blobs(10, 2, 1);
  Dataset sparse = dense;
  sparse.examples = to_sparse(dense.examples.dense());
  for (const MmcBias bias : {MmcBias::center, MmcBias::constant, MmcBias::none}) {
    const MmcAlternatingOptions options{.bias = bias, .restarts = 3};
    const MmcAlternatingClustering one = cluster_mmc_alternating(dense, Linear{}, options);
    const MmcAlternatingClustering two = cluster_mmc_alternating(sparse, Linear{}, options);
    EXPECT_EQ(one.labels, two.labels);
    EXPECT_NEAR(one.objective, two.objective, 1e-4 * one.objective);
  }
}

// Products of uncentred points 1e8 from 0 are 1e16: nothing of a spread of 4 is left in them.
TEST(MmcAlternating, SparsePointsFarFromZeroAreCentredFirst) {
  const Dataset near = blobs(10, 2, 1);
  DenseMatrix far = near.examples.to_dense();
  for (double& x : far.values()) x += 1e8;
  const MmcAlternatingClustering one = cluster_mmc_alternating(near, Linear{}, {.restarts = 3});
  const MmcAlternatingClustering two = cluster_mmc_alternating(
      {.examples = to_sparse(far.view()), .source = "far"}, Linear{}, {.restarts = 3});
  EXPECT_EQ(one.labels, two.labels);
  EXPECT_NEAR(one.objective, two.objective, 1e-4 * one.objective);
}

TEST(MmcAlternating, OrderOfThePointsDoesNotMatterOnEasySets) {
  Dataset data = blobs(15, 2, 4);
  const double objective = cluster_mmc_alternating(data, Linear{}).objective;
  std::vector<std::size_t> rows(data.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows.size() - 1 - i;
  EXPECT_NEAR(
      cluster_mmc_alternating(data.select(rows), Linear{}).objective, objective, 1e-4 * objective);
}

TEST(MmcAlternating, SameForAnyNumberOfThreads) {
  const Dataset data = points_of(normal_points(30, 2, 8));
  for (const std::size_t k : {2U, 3U}) {
    for (const bool linear : {true, false}) {
      const Kernel kernel = linear ? Kernel(Linear{}) : Kernel(Rbf{.gamma = 0.5});
      MmcAlternatingOptions options{.k = k, .c = 2, .restarts = 4, .context = {.threads = 1}};
      const MmcAlternatingClustering one = cluster_mmc_alternating(data, kernel, options);
      for (const std::size_t threads : {2U, 4U}) {
        options.context.threads = threads;
        const MmcAlternatingClustering other = cluster_mmc_alternating(data, kernel, options);
        EXPECT_EQ(one.labels, other.labels);
        EXPECT_EQ(one.objective, other.objective);
        EXPECT_EQ(one.winner, other.winner);
        EXPECT_EQ(one.trace, other.trace);
      }
    }
  }
}

TEST(MmcAlternating, StopsWithLabels) {
  for (const bool linear : {true, false}) {
    const MmcAlternatingClustering found = cluster_mmc_alternating(
        points_of(normal_points(40, 2, 9)),
        linear ? Kernel(Linear{}) : Kernel(Rbf{}),
        {.context = {.on_progress = [](const Progress&) { return Continue::time_is_up; }}});
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(found.labels.size(), 40U);
    EXPECT_LT(found.objective, 0.9 * 100 * 40);
    EXPECT_FALSE(found.report.warnings.empty());
  }
}

// Of more than 20,000 points a sample is clustered first. Its machine answers for all of them: a
// clock that is up costs no training on all.
TEST(MmcAlternating, ASampleAnswersWhenTheTimeIsUp) {
  for (const std::size_t k : {2U, 3U}) {
    const Dataset data = blobs(20100 / k, k, 3);
    const MmcAlternatingClustering found = cluster_mmc_alternating(
        data,
        Linear{},
        {.k = k, .c = 0.01, .restarts = 2, .context = {.on_progress = [](const Progress&) {
                                             return Continue::time_is_up;
                                           }}});
    EXPECT_EQ(found.trainings, 0U);
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(found.labels.size(), data.size());
    EXPECT_TRUE(found.winner.starts_with("sample"));
    EXPECT_GT(found.objective, 0);
    EXPECT_LT(found.objective, 0.01 * 20100);
  }
}

TEST(MmcAlternating, UglyInputIsClusteredOrRefused) {
  const Dataset one = points_of({{1, 2}});
  EXPECT_THROW((void)cluster_mmc_alternating(one, Linear{}), InvalidArgument);
  const Dataset equal = points_of({{1, 2}, {1, 2}, {1, 2}});
  EXPECT_THROW((void)cluster_mmc_alternating(equal, Linear{}), InvalidArgument);
  const Dataset two = points_of({{1, 2}, {1, 2}, {3, 4}});
  EXPECT_THROW((void)cluster_mmc_alternating(two, Linear{}, {.k = 3}), InvalidArgument);
  // Duplicates and a constant feature.
  const MmcAlternatingClustering found = cluster_mmc_alternating(
      points_of({{1, 7}, {1, 7}, {3, 7}, {3, 7}, {1, 7}, {3, 7}}), Linear{});
  EXPECT_EQ(found.labels, (std::vector<std::int32_t>{0, 0, 1, 1, 0, 1}));
  // Two points: w = 2 (x_1 - x_2) / |x_1 - x_2|^2, centred.
  EXPECT_NEAR(cluster_mmc_alternating(points_of({{0.0}, {4.0}}), Linear{}).objective, 0.125, 1e-6);
  Dataset weighted = two;
  weighted.weights = {1, 2, 1};
  EXPECT_THROW((void)cluster_mmc_alternating(weighted, Linear{}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_alternating(two, Sigmoid{}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_alternating(two, Linear{}, {.k = 1}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_alternating(two, Linear{}, {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_alternating(two, Linear{}, {.balance = 1.0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_alternating(two, Rbf{}, {.context = {.memory_limit = 10}}),
               InvalidArgument);
  // The relaxation fills the points; landmarks beyond the points cost nothing.
  EXPECT_THROW((void)cluster_mmc_alternating(
                   two, Linear{}, {.relaxation = true, .context = {.memory_limit = 10}}),
               InvalidArgument);
  EXPECT_NO_THROW((void)cluster_mmc_alternating(two, Rbf{}, {.landmarks = 1'000'000'000'000}));
}

}  // namespace
}  // namespace maxmargin
