// SPDX-License-Identifier: Apache-2.0
//
// What the machine with ramp loss makes of rows, weights, classes and options of all kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/verify/robust.hpp"
#include "ramp_cases.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

TEST(RampSvc, SwappedLabelsGiveTheMirrorImage) {
  const Dataset data = noisy_points(40, 12);
  Dataset swapped = data;
  std::vector<double> labels;
  for (std::size_t i = 0; i < data.size(); ++i) labels.push_back(-data.labels.at(i)->number());
  swapped.labels = LabelColumn::from_numbers(labels);
  RampSvcOptions options = tight_options(1, true);
  options.restarts = 1;
  const TrainedRobustClassifier one = train_ramp_svc(data, options);
  const TrainedRobustClassifier other = train_ramp_svc(swapped, options);
  EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 1e-6);
  ASSERT_EQ(one.outliers.size(), other.outliers.size());
  for (std::size_t k = 0; k < one.outliers.size(); ++k) {
    EXPECT_EQ(one.outliers[k].row, other.outliers[k].row);
  }
}

TEST(RampSvc, ScalingTheDataAndCLeavesTheMachineAlone) {
  const Dataset data = noisy_points(40, 13);
  Dataset scaled = data;
  DenseMatrix points = data.examples.to_dense();
  for (double& value : points.values()) value *= 4;
  scaled.examples = std::move(points);
  RampSvcOptions options = tight_options(1, true);
  options.restarts = 1;
  const TrainedRobustClassifier one = train_ramp_svc(data, options);
  options.c = 1.0 / 16;
  const TrainedRobustClassifier other = train_ramp_svc(scaled, options);
  EXPECT_NEAR(*one.report.primal_objective, 16 * *other.report.primal_objective, 1e-5);
  EXPECT_EQ(one.outliers.size(), other.outliers.size());
  EXPECT_NEAR(*one.report.lower_bound, 16 * *other.report.lower_bound, 1e-4);
}

TEST(RampSvc, AWeightOfTwoIsTwoCopies) {
  const Dataset data = noisy_points(12, 14);
  Dataset weighted = data;
  weighted.weights.assign(12, 1.0);
  weighted.weights[3] = 2;
  weighted.weights[7] = 0;
  std::vector<std::size_t> rows = {0, 1, 2, 3, 3, 4, 5, 6, 8, 9, 10, 11};
  RampSvcOptions options = tight_options(1, true);
  options.restarts = 1;
  const TrainedRobustClassifier one = train_ramp_svc(weighted, options);
  const TrainedRobustClassifier other = train_ramp_svc(data.select(rows), options);
  EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 1e-6);
  EXPECT_NEAR(*one.report.lower_bound, *other.report.lower_bound, 1e-4);
  for (const Outlier& outlier : one.outliers) EXPECT_NE(outlier.row, 7U);
}

TEST(RampSvc, ClassWeightsAreCounted) {
  const Dataset data = noisy_points(20, 15);
  RampSvcOptions options = tight_options(0.5, true);
  options.class_weights = parse_class_weights("1=3,-1=1");
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  double sum = 0.5 * squared_norm_of(trained.model);
  const std::vector<double> margins = margins_on(trained.model, data);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double weight = data.labels.at(i)->number() > 0 ? 3 : 1;
    sum += 0.5 * weight * Ramp{}.value(margins[i]);
  }
  EXPECT_NEAR(*trained.report.primal_objective, sum, 1e-8 * sum);
  EXPECT_EQ(verify_ramp_svc(trained.model, trained.dual_coefficients, data, options).complaint, "");
}

TEST(RampSvc, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = iris();
  std::vector<TrainedRobustClassifier> found;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    found.push_back(train_ramp_svc(data,
                                   {.c = 1,
                                    .multiclass = MulticlassKind::one_vs_rest,
                                    .control = {.context = {.threads = threads}}}));
  }
  for (const TrainedRobustClassifier& other : found) {
    EXPECT_EQ(*other.report.primal_objective, *found[0].report.primal_objective);
    EXPECT_EQ(*other.report.lower_bound, *found[0].report.lower_bound);
    const auto& a = std::get<KernelExpansion>(other.model.functions).coefficients.values();
    const auto& b = std::get<KernelExpansion>(found[0].model.functions).coefficients.values();
    EXPECT_TRUE(std::ranges::equal(a, b));
  }
}

TEST(RampSvc, SeveralClassesAddUp) {
  const Dataset data = iris();
  for (const MulticlassKind kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    RampSvcOptions options{
        .c = 1, .multiclass = kind, .restarts = 2, .control = {.keep_dual = true}};
    const TrainedRobustClassifier trained = train_ramp_svc(data, options);
    EXPECT_TRUE(is_success(trained.report.status));
    const Certificate found =
        verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-6 * found.primal);
    EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-6 * found.primal);
    for (const Outlier& outlier : trained.outliers) {
      EXPECT_LT(outlier.function, trained.machines.size());
      EXPECT_LT(outlier.margin, 0);
    }
  }
}

TEST(RampSvc, StopsWithTheBestSoFar) {
  const Dataset data = noisy_points(60, 22);
  std::size_t calls = 0;
  RampSvcOptions options = tight_options(10, true);
  options.kernel = Rbf{.gamma = 1};
  options.control.context.on_progress = [&](const Progress&) {
    return ++calls > 3 ? Continue::time_is_up : Continue::yes;
  };
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  EXPECT_EQ(trained.report.status, Status::time_limit);
  EXPECT_NEAR(*trained.report.primal_objective, ramp_objective(trained, data, 10), 1e-6);
  options.control.context.on_progress = {};  // verification can be stopped, too
  EXPECT_EQ(verify_ramp_svc(trained.model, trained.dual_coefficients, data, options).complaint, "");
}

TEST(RampSvc, TakesUglyInput) {
  // All points equal, with both labels.
  const Dataset equal = dataset({{1}, {1}, {1}, {1}}, {1, 1, 1, -1});
  for (const bool bias : {false, true}) {
    const RampSvcOptions options = tight_options(1, bias);
    const TrainedRobustClassifier trained = train_ramp_svc(equal, options);
    expect_sound(trained, equal, options);
    EXPECT_NEAR(*trained.report.primal_objective, brute_force_ramp(equal, 1, Linear{}, bias), 1e-6);
  }
  // One class only, when allowed.
  const Dataset single = dataset({{1}, {2}}, {1, 1});
  EXPECT_THROW(static_cast<void>(train_ramp_svc(single, {})), InvalidArgument);
  EXPECT_EQ(*train_ramp_svc(single, {.allow_one_class = true}).report.primal_objective, 0);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(Dataset{}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.c = 0})), InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(train_ramp_svc(equal, {.c = std::numeric_limits<double>::infinity()})),
      InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.s = 1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.restarts = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.kernel = Sigmoid{}})), InvalidArgument);
  EXPECT_THROW(
      validate(RampSvcOptions{
          .kernel = Sigmoid{}, .multiclass = MulticlassKind::direct, .allow_indefinite = true}),
      InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
