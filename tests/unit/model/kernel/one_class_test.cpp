// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;
using testing::values_by_formula;

Dataset cloud(std::size_t n, std::uint64_t seed) {
  return {.examples = gaussian_points(n, 2, seed)};
}

KernelMachineOptions exact(const Kernel& kernel = Rbf{.gamma = 0.4}) {
  return {.kernel = kernel, .control = {.tolerance = 1e-9}};
}

TEST(OneClass, NuLiesBetweenTheSharesOfOutliersAndSupportVectors) {
  const Dataset data = cloud(100, 1);
  for (const double nu : {0.05, 0.2, 0.5}) {
    const TrainedRegressor trained = train_one_class(data, {.nu = nu, .machine = exact()});
    ASSERT_EQ(trained.report.status, Status::solved);
    const std::vector<double> f =
        values_by_formula(expansion(trained.model.function), data.examples);
    std::size_t outside = 0;
    for (const double value : f) outside += value < -1e-5 ? 1U : 0U;
    EXPECT_LE(static_cast<double>(outside), nu * 100 + 1e-9);
    EXPECT_GE(static_cast<double>(trained.machines[0].support_vectors), nu * 100 - 1e-9);
    // Its primal: 1/2 |w|^2 - nu n rho + sum of slacks.
    const KernelExpansion& machine = expansion(trained.model.function);
    double primal = 0.5 * testing::squared_norm(machine) + nu * 100 * machine.offsets[0];
    for (const double value : f) primal += std::max(0.0, -value);
    EXPECT_NEAR(primal, *trained.report.primal_objective, 1e-8 * std::abs(primal));
  }
}

TEST(OneClass, IgnoresLabels) {
  Dataset data = cloud(30, 2);
  const TrainedRegressor plain = train_one_class(data, {.nu = 0.3});
  data.labels = LabelColumn::from_numbers(std::vector<double>(30, 1.0));
  const TrainedRegressor with = train_one_class(data, {.nu = 0.3});
  EXPECT_EQ(expansion(plain.model.function).offsets, expansion(with.model.function).offsets);
}

TEST(OneClass, WithAKernelOfUnitDiagonalIsTheSphere) {
  const Dataset data = cloud(60, 3);
  const double nu = 0.25;
  const TrainedRegressor plane = train_one_class(data, {.nu = nu, .machine = exact()});
  const TrainedSvdd sphere = train_svdd(data, {.nu = nu, .machine = exact()});
  const KernelExpansion& a = expansion(plane.model.function);
  const KernelExpansion& b = expansion(sphere.fit.model.function);
  // b = 2 a / (nu n) as functions: compare values up to offset and scale.
  const std::vector<double> f = values_by_formula(a, data.examples);
  const std::vector<double> g = values_by_formula(b, data.examples);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(f[i] * 2 / (nu * 60), g[i], 1e-4);
}

TEST(OneClass, WeightTwoIsTheExampleTwice) {
  const Dataset data = cloud(30, 4);
  Dataset heavy = data;
  heavy.weights.assign(30, 1.0);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 30; ++i) {
    rows.push_back(i);
    if (i % 4 == 0) {
      rows.push_back(i);
      heavy.weights[i] = 2;
    }
  }
  const TrainedRegressor a = train_one_class(heavy, {.nu = 0.3, .machine = exact()});
  const TrainedRegressor b = train_one_class(data.select(rows), {.nu = 0.3, .machine = exact()});
  EXPECT_NEAR(*a.report.dual_objective, *b.report.dual_objective, 1e-7);
}

TEST(OneClass, NuOneAndOneExampleAreSolved) {
  for (const std::size_t n : {1U, 3U, 20U}) {
    Dataset data = cloud(n, 5);
    data.weights.assign(n, 0.1);  // does not add up exactly
    const TrainedRegressor trained = train_one_class(data, {.nu = 1, .machine = exact()});
    EXPECT_EQ(trained.report.status, Status::solved);
    for (const double value : trained.model.predict(data.examples)) {
      EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TEST(OneClass, RejectsWhatItCannotTrainOn) {
  EXPECT_THROW(static_cast<void>(train_one_class(Dataset{}, {})), InvalidArgument);
  for (const double nu : {0.0, -1.0, 1.2}) {
    EXPECT_THROW(static_cast<void>(train_one_class(cloud(5, 6), {.nu = nu})), InvalidArgument);
  }
  Dataset weightless = cloud(5, 7);
  weightless.weights.assign(5, 0.0);
  EXPECT_THROW(static_cast<void>(train_one_class(weightless, {})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
