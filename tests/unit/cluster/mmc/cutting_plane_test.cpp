// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/cutting_plane.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/gram/centring.hpp"

namespace maxmargin {
namespace {

Dataset points_of(const std::vector<std::vector<double>>& points) {
  DenseMatrix matrix(points.size(), points.front().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], matrix.row(i).begin());
  }
  return {.examples = std::move(matrix), .source = "points"};
}

/// Two blobs; point i belongs to i % 2.
Dataset two_blobs(std::size_t n, std::uint64_t seed) {
  auto points = normal_points(n, 3, seed);
  for (std::size_t i = 0; i < n; ++i) {
    points[i][0] = 1 + 0.5 * points[i][0] + (i % 2 == 0 ? 4 : -4);
  }
  return points_of(points);
}

TEST(MmcCuttingPlane, MayBeStoppedWhileStartsAreMade) {
  std::size_t asked = 0;
  const MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(
      two_blobs(40, 5),
      {.restarts = 1000, .context = {.on_progress = [&](const Progress& progress) {
                           asked += progress.phase == "starts" ? 1U : 0U;
                           return asked < 20 ? Continue::yes : Continue::stop;
                         }}});
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_LE(found.starts, 30);
}

TEST(MmcCuttingPlane, FindsTwoBlobsWithEveryBias) {
  for (const MmcBias bias : {MmcBias::center, MmcBias::constant}) {
    const Dataset data = two_blobs(60, 1);
    const MmcCuttingPlaneClustering found =
        cluster_mmc_cutting_plane(data, {.bias = bias, .restarts = 4});
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_EQ(found.labels[i], static_cast<std::int32_t>(i % 2)) << to_string(bias);
    }
    EXPECT_EQ(found.model.predict(data.examples), found.labels);
    EXPECT_LE(found.step_gap, 1e-3);
  }
}

// seed-xu fact 55, with the concave objective in place of the labels.
TEST(MmcCuttingPlane, SearchObjectiveNeverRises) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset data = points_of(normal_points(80, 3, seed));
    const MmcCuttingPlaneClustering found =
        cluster_mmc_cutting_plane(data, {.c = 2, .balance = std::nullopt, .restarts = 3});
    EXPECT_TRUE(is_success(found.report.status));
    for (std::size_t i = 1; i < found.trace.size(); ++i) {
      EXPECT_LT(found.trace[i], found.trace[i - 1]);
    }
    // Without balance the labels are the signs of the search, and training them can but improve.
    EXPECT_LE(found.training_bound, found.trace.back() * (1 + 1e-9));
    EXPECT_LE(found.training_bound, found.objective);
    EXPECT_LE(found.objective - found.training_bound, 1.01e-3 * found.objective);
  }
}

TEST(MmcCuttingPlane, IsNeverBelowTheBestOfAllLabellings) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto points = normal_points(8, 2, seed);
    DenseMatrix gram = linear_gram(points);
    FeatureCentring::fit(gram.view()).apply_to_training(gram.view());
    const double best = 2 * brute_force_labels(gram.view(), 2, 2).omega;
    const MmcCuttingPlaneClustering found =
        cluster_mmc_cutting_plane(points_of(points), {.c = 2, .balance = 0.25});
    EXPECT_GE(found.objective, best * (1 - 1e-9));
    EXPECT_LE(found.objective, 1.5 * best);
    EXPECT_LE(found.sizes.front(), 5U);
  }
}

TEST(MmcCuttingPlane, ReachesTheBestOfAllLabellingsOnEasySets) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Dataset data = two_blobs(8, seed);
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < 8; ++i) {
      const auto row = data.examples.dense().row(i);
      points.emplace_back(row.begin(), row.end());
    }
    DenseMatrix gram = linear_gram(points);
    FeatureCentring::fit(gram.view()).apply_to_training(gram.view());
    const double best = 2 * brute_force_labels(gram.view(), 2, 2).omega;
    const double found = cluster_mmc_cutting_plane(data, {.c = 2, .balance = 0.25}).objective;
    EXPECT_GE(found, best * (1 - 1e-9));
    EXPECT_LE(found, best * (1 + 1.1e-3));
  }
}

TEST(MmcCuttingPlane, AgreesWithAlternatingOnEasySets) {
  const Dataset data = two_blobs(100, 3);
  const double one = cluster_mmc_cutting_plane(data).objective;
  const double two = cluster_mmc_alternating(data, Linear{}).objective;
  EXPECT_NEAR(one, two, 1.5e-3 * two);
}

TEST(MmcCuttingPlane, SparseRowsAndThreadsChangeNothing) {
  const Dataset dense = two_blobs(200, 4);
  Dataset sparse = dense;
  sparse.examples = to_sparse(dense.examples.dense());
  const MmcCuttingPlaneClustering one =
      cluster_mmc_cutting_plane(dense, {.restarts = 3, .context = {.threads = 1}});
  const MmcCuttingPlaneClustering two =
      cluster_mmc_cutting_plane(dense, {.restarts = 3, .context = {.threads = 4}});
  EXPECT_EQ(one.labels, two.labels);
  EXPECT_EQ(one.objective, two.objective);
  EXPECT_EQ(one.trace, two.trace);
  const MmcCuttingPlaneClustering other = cluster_mmc_cutting_plane(sparse, {.restarts = 3});
  EXPECT_EQ(one.labels, other.labels);
  EXPECT_NEAR(one.objective, other.objective, 2e-3 * one.objective);
}

TEST(MmcCuttingPlane, StopsWithLabels) {
  const MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(
      two_blobs(40, 5),
      {.context = {.on_progress = [](const Progress&) { return Continue::stop; }}});
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_EQ(found.labels.size(), 40U);
}

// The last training is by inner products up to 2,000 points and by coordinates above. Stopped at
// once it has nothing: then the machine of the search answers, which is as good as the labels say.
TEST(MmcCuttingPlane, KeepsTheSearchsMachineWhereTheLastTrainingIsStopped) {
  for (const std::size_t n : {200U, 3000U}) {
    const Dataset dense = two_blobs(n, 7);
    Dataset sparse = dense;
    sparse.examples = to_sparse(dense.examples.dense());
    for (const Dataset* data : {&dense, static_cast<const Dataset*>(&sparse)}) {
      for (const MmcBias bias : {MmcBias::center, MmcBias::constant, MmcBias::none}) {
        // Without balance the last convex step of the search is the problem of the labels.
        MmcCuttingPlaneOptions options{
            .c = 1, .balance = std::nullopt, .bias = bias, .restarts = 1};
        const double whole = cluster_mmc_cutting_plane(*data, options).objective;
        bool trains = false;
        options.context.on_progress = [&](const Progress& progress) {
          trains = trains || progress.phase == "smo" || progress.phase == "dual coordinate descent";
          return trains ? Continue::time_is_up : Continue::yes;
        };
        const MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(*data, options);
        EXPECT_EQ(found.report.status, Status::time_limit) << n << ' ' << to_string(bias);
        // It was solved to a relative gap of 1e-3.
        EXPECT_LE(found.objective, (1 + 1.1e-3) * whole) << n << ' ' << to_string(bias);
        EXPECT_EQ(found.model.predict(data->examples), found.labels);
      }
    }
  }
}

// Of more than 20,000 points a sample is clustered first. Its machine answers for all of them: a
// clock that is up costs no cut on all.
TEST(MmcCuttingPlane, ASampleAnswersWhenTheTimeIsUp) {
  const Dataset data = two_blobs(20100, 6);
  for (const MmcBias bias : {MmcBias::center, MmcBias::constant, MmcBias::none}) {
    MmcCuttingPlaneOptions options{.c = 0.01, .bias = bias, .restarts = 2};
    const MmcCuttingPlaneClustering whole = cluster_mmc_cutting_plane(data, options);
    EXPECT_TRUE(is_success(whole.report.status)) << to_string(bias);
    EXPECT_TRUE(whole.winner.starts_with("sample"));
    EXPECT_GT(whole.cuts, 0U);
    options.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
    const MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(data, options);
    EXPECT_EQ(found.cuts, 0U) << to_string(bias);
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(found.labels.size(), data.size());
    EXPECT_TRUE(found.winner.starts_with("sample"));
    EXPECT_GT(found.objective, 0);
    EXPECT_LT(found.objective, 0.01 * 20100);
  }
}

TEST(MmcCuttingPlane, UglyInputIsRefused) {
  EXPECT_THROW((void)cluster_mmc_cutting_plane(points_of({{1, 2}})), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_cutting_plane(points_of({{1, 2}, {1, 2}})), InvalidArgument);
  const Dataset two = points_of({{1, 2}, {3, 4}});
  EXPECT_THROW((void)cluster_mmc_cutting_plane(two, {.k = 3}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_cutting_plane(two, {.c = -1}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc_cutting_plane(two, {.balance = 2.0}), InvalidArgument);
  EXPECT_EQ(cluster_mmc_cutting_plane(two).sizes, (std::vector<std::size_t>{1, 1}));
}

}  // namespace
}  // namespace maxmargin
