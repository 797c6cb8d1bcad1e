// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/mmc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/label.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"

namespace maxmargin {
namespace {

Dataset dataset_of(const std::vector<std::vector<double>>& points) {
  DenseMatrix matrix(points.size(), points.front().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], matrix.row(i).begin());
  }
  return {.examples = std::move(matrix), .source = "points"};
}

std::vector<std::int8_t> signs_of(std::span<const std::int32_t> labels) {
  std::vector<std::int8_t> signs;
  for (const std::int32_t label : labels) signs.push_back(label == 0 ? 1 : -1);
  return signs;
}

// Golden A: the best labelling is found and the bound meets it (our scale is C times Xu's).
TEST(Mmc, FindsTheBestLabellingOfGoldenA) {
  const MmcClustering found = cluster_mmc(golden_a(),
                                          {.c = 1,
                                           .balance = 1.0 / 3,
                                           .balance_form = LabelBalance::rows,
                                           .bias = MmcBias::none,
                                           .tolerance = 1e-6});
  EXPECT_EQ(found.labels, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_NEAR(found.objective, 0.5, 1e-7);
  EXPECT_NEAR(found.relaxation.lower_bound, 0.5, 1e-6);
  EXPECT_LE(*found.report.relative_gap(), 1e-5);
  EXPECT_TRUE(found.report.warnings.empty());
}

TEST(Mmc, IsTheBestOfAllLabellingsOnFewPoints) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(10, 2, seed), 1);
    DenseMatrix centred = gram;
    FeatureCentring::fit(gram.view()).apply_to_training(centred.view());
    const MmcClustering found = cluster_mmc(gram, {.c = 10, .balance = 0.2});
    const double best = 10 * brute_force_labels(centred.view(), 10, 2).omega;
    EXPECT_NEAR(found.objective, best, 1e-6 * best);
    EXPECT_LE(found.relaxation.lower_bound, best);
    EXPECT_EQ(found.sizes.front() + found.sizes.back(), 10U);
    EXPECT_LE(found.sizes.front(), 6U);
    EXPECT_NEAR(10 * plain_omega(centred.view(), 10, outer_product(signs_of(found.labels)).view()),
                found.objective,
                1e-6 * best);
  }
}

TEST(Mmc, TwoRingsAreFoundAndNearlyProved) {
  const Dataset data = generate_circles({.n = 60, .seed = 3});
  const TrainedMmc trained = cluster_mmc(data, Rbf{.gamma = 6}, {});
  const MmcClustering& found = trained.clustering;
  EXPECT_TRUE(is_success(found.report.status));
  EXPECT_LE(found.relaxation.relative_gap, 1e-3);
  EXPECT_GE(found.relaxation.roundings, 10U);
  EXPECT_LE(found.relaxation.lower_bound, found.relaxation.value);
  EXPECT_GE(found.relaxation.lower_bound, 0.9 * found.objective);
  EXPECT_EQ(misassignment(Contingency(classes_of(data.labels).of_row, found.labels)), 0);
  EXPECT_FALSE(found.relaxation.winner.empty());
  // Far from the balance's limits training points are on the side of their cluster.
  EXPECT_EQ(trained.model.predict(data.examples), found.labels);
}

/// The model's value on training point i is the machine's.
void expect_model_agrees(MmcBias bias) {
  const Dataset data = dataset_of(normal_points(14, 2, 4));
  const Rbf kernel{.gamma = 1};
  const TrainedMmc trained = cluster_mmc(data, kernel, {.c = 5, .bias = bias});
  DenseMatrix k = gram(kernel, data.examples);
  if (bias == MmcBias::center) {
    FeatureCentring::fit(k.view()).apply_to_training(k.view());
  } else if (bias == MmcBias::constant) {
    for (double& x : k.values()) x += 1;
  }
  const DenseMatrix values =
      decision_values(trained.model.functions, data.examples, {.precision = ValuePrecision::exact});
  for (std::size_t i = 0; i < data.size(); ++i) {
    double value = 0;
    for (std::size_t j = 0; j < data.size(); ++j) {
      value += trained.clustering.coefficients[j] * k(i, j);
    }
    EXPECT_NEAR(values(i, 0), value, 1e-9);
  }
}
TEST(Mmc, ModelIsTheMachineCentred) { expect_model_agrees(MmcBias::center); }
TEST(Mmc, ModelIsTheMachineWithAConstant) { expect_model_agrees(MmcBias::constant); }
TEST(Mmc, ModelIsTheMachineAsItIs) { expect_model_agrees(MmcBias::none); }

TEST(Mmc, OrderOfThePointsDoesNotMatter) {
  auto points = normal_points(16, 2, 6);
  const double value = cluster_mmc(rbf_gram(points, 1), {.c = 10}).objective;
  std::ranges::reverse(points);
  EXPECT_NEAR(cluster_mmc(rbf_gram(points, 1), {.c = 10}).objective, value, 1e-6 * value);
}

TEST(Mmc, SameForAnyNumberOfThreads) {
  const DenseMatrix gram = rbf_gram(normal_points(24, 2, 8), 1);
  const MmcClustering one = cluster_mmc(gram, {.context = {.threads = 1}});
  for (const std::size_t threads : {2U, 4U}) {
    const MmcClustering other = cluster_mmc(gram, {.context = {.threads = threads}});
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.objective, other.objective);
    EXPECT_EQ(one.relaxation.lower_bound, other.relaxation.lower_bound);
    EXPECT_EQ(one.relaxation.winner, other.relaxation.winner);
  }
}

TEST(Mmc, StopsWithLabelsAndABound) {
  const MmcClustering found = cluster_mmc(
      rbf_gram(normal_points(30, 2, 9), 1),
      {.context = {.on_progress = [](const Progress&) { return Continue::time_is_up; }}});
  EXPECT_EQ(found.report.status, Status::time_limit);
  EXPECT_EQ(found.labels.size(), 30U);
  EXPECT_LE(found.relaxation.lower_bound, found.objective);
  // The first training is finished: a machine, not nothing (w = 0 costs C n).
  EXPECT_LT(found.objective, 0.9 * 100 * 30);
}

TEST(Mmc, AStopWhileRoundingIsHeardAndSaid) {
  const DenseMatrix gram = rbf_gram(normal_points(60, 2, 9), 1);
  const MmcClustering all = cluster_mmc(gram, {.context = {.threads = 1}});
  std::size_t asked = 0;
  const MmcClustering found =
      cluster_mmc(gram, {.context = {.threads = 1, .on_progress = [&](const Progress& progress) {
                                       asked += progress.phase == "rounding" ? 1U : 0U;
                                       return asked > 3 ? Continue::stop : Continue::yes;
                                     }}});
  EXPECT_TRUE(is_success(all.report.status));
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_EQ(asked, 4U);  // not again after "no"
  EXPECT_TRUE(std::ranges::any_of(found.report.warnings, [](const std::string& warning) {
    return warning.find("stopped while rounding") != std::string::npos;
  }));
  EXPECT_EQ(found.relaxation.lower_bound, all.relaxation.lower_bound);
  EXPECT_GE(found.objective, all.objective * (1 - 1e-6));
}

TEST(Mmc, TrainingsHearTheCallback) {
  const DenseMatrix gram = rbf_gram(normal_points(60, 2, 9), 1);
  std::size_t asked = 0;
  (void)cluster_mmc(
      gram, {.restarts = 1, .context = {.threads = 1, .on_progress = [&](const Progress& p) {
                                          asked += p.phase == "rounding" ? 1U : 0U;
                                          return Continue::yes;
                                        }}});
  // Between candidates alone it would be asked some 30 times.
  EXPECT_GT(asked, 100U);
}

TEST(Mmc, WeakBoundsAreCalledSo) {
  // A wide kernel on one blob: nothing separates, and the bound shows it.
  const MmcClustering found = cluster_mmc(rbf_gram(normal_points(40, 5, 10), 0.05), {});
  EXPECT_GT(relative_gap(found.objective, found.relaxation.lower_bound), 0.1);
  ASSERT_EQ(found.report.warnings.size(), 1U);
  EXPECT_NE(found.report.warnings.front().find("bound is weak"), std::string::npos);
}

TEST(Mmc, UglyInputIsRefusedInWords) {
  EXPECT_THROW((void)cluster_mmc(DenseMatrix(1, 1, 1.0)), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(DenseMatrix(2, 3, 1.0)), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(DenseMatrix(3, 3, std::nan(""))), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.k = 3}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.balance = 1.0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.balance_form = LabelBalance::none}),
               InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.restarts = 0}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.context = {.memory_limit = 100}}), InvalidArgument);
  EXPECT_THROW((void)cluster_mmc(golden_a(), {.context = {.threads = 0}}), InvalidArgument);
  // Not positive semidefinite, if only by 1e-8.
  DenseMatrix nearly(2, 2, 1 + 1e-8);
  nearly(0, 0) = nearly(1, 1) = 1;
  EXPECT_THROW((void)cluster_mmc(nearly, {.bias = MmcBias::none}), InvalidArgument);
  DenseMatrix indefinite(2, 2, 2.0);
  indefinite(0, 0) = indefinite(1, 1) = 1;
  EXPECT_THROW((void)cluster_mmc(indefinite, {.bias = MmcBias::none}), InvalidArgument);

  Dataset data = dataset_of({{1, 2}, {1, 2}, {1, 2}});
  EXPECT_THROW((void)cluster_mmc(data, Rbf{}), InvalidArgument);
  data = dataset_of({{1, 2}, {3, 4}});
  EXPECT_THROW((void)cluster_mmc(data, Sigmoid{}), InvalidArgument);
  data.weights = {1, 2};
  EXPECT_THROW((void)cluster_mmc(data, Rbf{}), InvalidArgument);
}

TEST(Mmc, TwoPointsAreTwoClusters) {
  const TrainedMmc trained = cluster_mmc(dataset_of({{0, 0}, {1, 1}}), Linear{}, {});
  EXPECT_EQ(trained.clustering.labels, (std::vector<std::int32_t>{0, 1}));
}

TEST(Mmc, DuplicatesStayTogether) {
  std::vector<std::vector<double>> points;
  for (int k = 0; k < 4; ++k) points.push_back({0, 0});
  for (int k = 0; k < 4; ++k) points.push_back({3, 3});
  const TrainedMmc trained = cluster_mmc(dataset_of(points), Rbf{.gamma = 1}, {});
  EXPECT_EQ(trained.clustering.labels, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace maxmargin
