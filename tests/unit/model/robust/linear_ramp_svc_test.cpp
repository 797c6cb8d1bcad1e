// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/verify/robust.hpp"
#include "ramp_cases.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

TEST(LinearRampSvc, ReachesTheObjectiveOfTheKernelMachineWithoutBias) {
  for (const std::uint64_t seed : {31U, 32U, 33U}) {
    const Dataset data = noisy_points(60, seed);
    const LinearRampSvcOptions options{
        .c = 1, .bias = false, .control = {.tolerance = tight, .keep_dual = true}};
    const TrainedRobustClassifier linear = train_linear_ramp_svc(data, options);
    const TrainedRobustClassifier kernel =
        train_ramp_svc(data, tight_options(1, false, RampStep::alternating));
    EXPECT_NEAR(*linear.report.primal_objective, *kernel.report.primal_objective, 1e-5);
    const Certificate found =
        verify_linear_ramp_svc(linear.model, linear.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.primal, *linear.report.primal_objective, 1e-7);
    EXPECT_NEAR(found.dual, *linear.machines.front().report.dual_objective, 1e-7);
    EXPECT_GE(*found.lower_bound, *linear.report.lower_bound - 1e-7);
    EXPECT_LE(*found.lower_bound, found.primal);
  }
}

TEST(LinearRampSvc, WithAPenalisedBiasIsTheMachineWithAConstantFeature) {
  const Dataset data = noisy_points(50, 34);
  Dataset wider = data;
  DenseMatrix points(50, 3);
  for (std::size_t i = 0; i < 50; ++i) {
    data.examples.row(i).for_each([&](std::size_t j, double value) { points(i, j) = value; });
    points(i, 2) = 1;
  }
  wider.examples = std::move(points);
  const TrainedRobustClassifier one =
      train_linear_ramp_svc(data, {.control = {.tolerance = tight}});
  const TrainedRobustClassifier other =
      train_linear_ramp_svc(wider, {.bias = false, .control = {.tolerance = tight}});
  EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 1e-5);
  EXPECT_NEAR(*one.report.lower_bound, *other.report.lower_bound, 1e-4);
}

TEST(LinearRampSvc, NumbersThatAreTooLargeLeaveNoObjective) {
  const Dataset data = dataset({{1e200}, {-1e200}, {1}, {-1}}, {1, -1, 1, -1});
  const TrainedRobustClassifier trained =
      train_linear_ramp_svc(data, {.control = {.keep_dual = true}});
  EXPECT_EQ(trained.report.status, Status::numerical_failure);
  EXPECT_FALSE(trained.report.primal_objective.has_value());
  EXPECT_FALSE(trained.report.lower_bound.has_value());
  EXPECT_TRUE(std::isnan(trained.stationary_gap));
  EXPECT_TRUE(trained.objectives.empty());
}

TEST(LinearRampSvc, SeveralClassesAreVerified) {
  const LinearRampSvcOptions options{
      .c = 1, .restarts = 1, .control = {.tolerance = 1e-4, .keep_dual = true}};
  const TrainedRobustClassifier trained = train_linear_ramp_svc(iris(), options);
  const Certificate found =
      verify_linear_ramp_svc(trained.model, trained.dual_coefficients, iris(), options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-6 * found.primal);
  EXPECT_THROW(static_cast<void>(train_linear_ramp_svc(iris(), {.c = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_linear_ramp_svc(iris(), {.s = NAN})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
