// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/svr.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;
using testing::labelled;
using testing::noisy_sine;
using testing::values_by_formula;

/// 1/2 |w|^2 + C sum of what leaves the tube.
double tube_primal(const KernelExpansion& machine, const Dataset& data, double c, double epsilon) {
  const std::vector<double> f = values_by_formula(machine, data.examples);
  double value = 0.5 * testing::squared_norm(machine);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    value += c * weight * std::max(0.0, std::abs(data.labels.numbers()[i] - f[i]) - epsilon);
  }
  return value;
}

TEST(Svr, ReportsTheObjectiveOfItsModelAndTheGap) {
  Dataset data = noisy_sine(80, 1);
  Rng rng(1);
  for (std::size_t i = 0; i < data.size(); ++i) data.weights.push_back(rng.uniform(0.2, 2));
  for (const bool bias : {true, false}) {
    for (const double epsilon : {0.0, 0.1, 0.5}) {
      const TrainedRegressor trained =
          train_svr(data,
                    {.c = 2,
                     .epsilon = epsilon,
                     .bias = bias,
                     .machine = {.kernel = Rbf{.gamma = 0.7}, .control = {.tolerance = 1e-7}}});
      ASSERT_EQ(trained.report.status, Status::solved);
      EXPECT_LE(*trained.report.relative_gap(), 1e-7);
      const KernelExpansion& machine = expansion(trained.model.function);
      const double primal = tube_primal(machine, data, 2, epsilon);
      EXPECT_NEAR(primal, *trained.report.primal_objective, 1e-8 * primal);
      // The dual of its coefficients: targets.b - epsilon |b|_1 - 1/2 |w|^2.
      double dual = -0.5 * testing::squared_norm(machine);
      for (std::size_t k = 0; k < machine.vectors.rows(); ++k) {
        const double b = machine.coefficients(k, 0);
        dual += b * data.labels.numbers()[machine.training_rows[k]] - epsilon * std::abs(b);
      }
      EXPECT_NEAR(dual, *trained.report.dual_objective, 1e-6 * primal);
      if (!bias) {
        EXPECT_EQ(machine.offsets[0], 0);
      }
    }
  }
}

TEST(Svr, ErrorsBeyondTheTubeAreTheBoundedVectors) {
  const Dataset data = noisy_sine(100, 2);
  const double epsilon = 0.2;
  const double c = 3;
  const TrainedRegressor trained =
      train_svr(data,
                {.c = c,
                 .epsilon = epsilon,
                 .machine = {.kernel = Rbf{.gamma = 0.7}, .control = {.tolerance = 1e-10}}});
  const KernelExpansion& machine = expansion(trained.model.function);
  const std::vector<double> f = values_by_formula(machine, data.examples);
  std::vector<double> b(data.size(), 0.0);
  for (std::size_t k = 0; k < machine.vectors.rows(); ++k) {
    b[machine.training_rows[k]] = machine.coefficients(k, 0);
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double residual = data.labels.numbers()[i] - f[i];
    if (b[i] == 0) {
      EXPECT_LE(std::abs(residual), epsilon + 1e-4);
    } else if (std::abs(b[i]) < c) {
      EXPECT_NEAR(std::abs(residual), epsilon, 1e-4);
    } else {
      EXPECT_GE(std::abs(residual), epsilon - 1e-4);
    }
    if (b[i] != 0) {
      EXPECT_GT(b[i] * residual, 0);
    }
  }
}

TEST(Svr, EqualsASearchOverAllLines) {
  // One feature: w and b on a fine grid around the answer cannot do better.
  const Dataset data = labelled(matrix(1, {-1, 0, 1, 2, 3}), {-1.1, 0.2, 0.7, 2.4, 2.6});
  const double c = 0.7;
  const double epsilon = 0.15;
  const TrainedRegressor trained =
      train_svr(data,
                {.c = c,
                 .epsilon = epsilon,
                 .machine = {.kernel = Linear{}, .control = {.tolerance = 1e-10}}});
  const auto cost = [&](double w, double b) {
    double value = 0.5 * w * w;
    for (std::size_t i = 0; i < 5; ++i) {
      const double f = w * data.examples.dense()(i, 0) + b;
      value += c * std::max(0.0, std::abs(data.labels.numbers()[i] - f) - epsilon);
    }
    return value;
  };
  double least = 1e300;
  for (int i = 0; i <= 300; ++i) {
    for (int j = -100; j <= 100; ++j) least = std::min(least, cost(i * 5e-3, j * 5e-3));
  }
  EXPECT_LE(*trained.report.primal_objective, least + 1e-9);
  EXPECT_NEAR(*trained.report.primal_objective, least, 3e-2);
}

TEST(Svr, ShiftingTheTargetsShiftsTheOffset) {
  const Dataset data = noisy_sine(50, 3);
  std::vector<double> shifted(data.labels.numbers().begin(), data.labels.numbers().end());
  for (double& target : shifted) target += 1000;
  const SvrOptions options{.c = 1,
                           .epsilon = 0.1,
                           .machine = {.kernel = Rbf{.gamma = 1}, .control = {.tolerance = 1e-9}}};
  const TrainedRegressor a = train_svr(data, options);
  const TrainedRegressor b = train_svr(labelled(data.examples, shifted), options);
  EXPECT_NEAR(*a.report.primal_objective, *b.report.primal_objective, 1e-6);
  const std::vector<double> f = values_by_formula(expansion(a.model.function), data.examples);
  const std::vector<double> g = values_by_formula(expansion(b.model.function), data.examples);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(f[i] + 1000, g[i], 1e-2);
}

TEST(Svr, TargetsWithinTheTubeNeedNoVector) {
  const Dataset data = labelled(gaussian_points(10, 2, 4), std::vector<double>(10, 5.0));
  const TrainedRegressor trained = train_svr(data, {.epsilon = 0.1});
  EXPECT_EQ(trained.report.status, Status::solved);
  EXPECT_EQ(trained.machines[0].support_vectors, 0U);
  for (const double value : trained.model.predict(data.examples)) EXPECT_NEAR(value, 5, 0.1);
}

TEST(Svr, WeightTwoIsTheExampleTwice) {
  const Dataset data = noisy_sine(40, 5);
  Dataset heavy = data;
  heavy.weights.assign(40, 1.0);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    rows.push_back(i);
    if (i % 3 == 0) {
      rows.push_back(i);
      heavy.weights[i] = 2;
    }
  }
  const SvrOptions options{.machine = {.kernel = Rbf{.gamma = 1}, .control = {.tolerance = 1e-8}}};
  EXPECT_NEAR(*train_svr(heavy, options).report.dual_objective,
              *train_svr(data.select(rows), options).report.dual_objective,
              1e-6);
}

TEST(Svr, ThreadsDoNotChangeABit) {
  const Dataset data = noisy_sine(200, 6);
  std::vector<KernelExpansion> machines;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    machines.push_back(expansion(
        train_svr(
            data,
            {.machine = {.kernel = Rbf{.gamma = 1}, .control = {.context = {.threads = threads}}}})
            .model.function));
  }
  for (const KernelExpansion& machine : machines) {
    EXPECT_TRUE(
        std::ranges::equal(machine.coefficients.values(), machines[0].coefficients.values()));
    EXPECT_EQ(machine.offsets, machines[0].offsets);
  }
}

TEST(Svr, RejectsWhatItCannotTrainOn) {
  const Dataset data = noisy_sine(10, 7);
  EXPECT_THROW(static_cast<void>(train_svr(data, {.c = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_svr(data, {.c = std::numeric_limits<double>::infinity()})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_svr(data, {.epsilon = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_svr(data, {.machine = {.kernel = Sigmoid{}}})),
               InvalidArgument);
  Dataset words = data;
  words.labels = LabelColumn();
  for (int i = 0; i < 10; ++i) words.labels.push_back(Label(std::string("a")));
  EXPECT_THROW(static_cast<void>(train_svr(words, {})), InvalidArgument);
  Dataset missing = data;
  missing.labels.clear(2);
  EXPECT_THROW(static_cast<void>(train_svr(missing, {})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
