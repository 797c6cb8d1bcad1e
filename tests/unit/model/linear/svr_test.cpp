// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/linear/svr.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "linear_problems.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

Dataset line(double slope, double offset) {
  Dataset data;
  DenseMatrix x(21, 1);
  for (std::size_t i = 0; i < 21; ++i) {
    x(i, 0) = static_cast<double>(i) / 10 - 1;
    data.labels.push_back_number(offset + slope * x(i, 0));
  }
  data.examples = std::move(x);
  return data;
}

/// A line inside the tube with the least |w|^2 + offset^2 pays nothing.
TEST(LinearSvr, AnExactLineIsFoundToWithinTheTube) {
  for (const LinearLoss loss :
       {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive}) {
    const Dataset data = line(2, 0.5);
    const TrainedRegressor trained = train_linear_svr(
        data, {.c = 1000, .epsilon = 0.01, .loss = loss, .control = {.tolerance = 1e-6}});
    EXPECT_EQ(trained.report.status, Status::solved);
    const std::vector<double> answers = trained.model.predict(data.examples);
    for (std::size_t i = 0; i < 21; ++i) {
      const double target = 0.5 + 2 * (static_cast<double>(i) / 10 - 1);
      EXPECT_NEAR(answers[i], target, 0.0125);
    }
  }
}

TEST(LinearSvr, ReportIsThatOfTheModelsWeights) {
  const testing::LinearCase pair = testing::iris_pair(false);
  Dataset data;
  data.examples = pair.dense;
  for (const double target : pair.targets) data.labels.push_back_number(target);
  for (const LinearLoss loss :
       {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive}) {
    const TrainedRegressor trained = train_linear_svr(data, {.c = 2, .loss = loss});
    const auto& f = std::get<LinearFunctions>(trained.model.function);
    std::vector<double> w(f.weights.row(0).begin(), f.weights.row(0).end());
    w.push_back(f.offsets[0]);
    const double primal = testing::primal_by_formula(pair, pair.problem(loss, 2, 1), w);
    EXPECT_NEAR(*trained.report.primal_objective, primal, 1e-10 * primal);
    EXPECT_LE(*trained.report.relative_gap(), 1e-3);
    trained.model.validate();
  }
}

TEST(LinearSvr, WithoutBiasTheOriginMapsToZero) {
  const Dataset data = line(1, 3);
  const TrainedRegressor trained = train_linear_svr(data, {.bias = false});
  EXPECT_EQ(std::get<LinearFunctions>(trained.model.function).offsets[0], 0);
}

TEST(LinearSvr, WrongOptionsNameTheField) {
  const Dataset data = line(1, 0);
  const auto message = [&](const LinearSvrOptions& options) -> std::string {
    try {
      (void)train_linear_svr(data, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(message({.c = -1}).find("-C -1"), std::string::npos);
  EXPECT_NE(message({.epsilon = -1}).find("--epsilon -1"), std::string::npos);
  EXPECT_NE(message({.loss = LinearLoss::hinge}).find("--loss hinge"), std::string::npos);
  EXPECT_NE(message({.bias_scale = 0}).find("--bias-scale 0"), std::string::npos);
}

}  // namespace
}  // namespace maxmargin
