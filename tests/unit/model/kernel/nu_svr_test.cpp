// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;
using testing::noisy_sine;
using testing::values_by_formula;

KernelMachineOptions exact() {
  return {.kernel = Rbf{.gamma = 0.7}, .control = {.tolerance = 1e-9}};
}

TEST(NuSvr, NuLiesBetweenTheSharesOfErrorsAndSupportVectors) {
  const Dataset data = noisy_sine(120, 1);
  const auto n = static_cast<double>(data.size());
  for (const double nu : {0.1, 0.3, 0.7}) {
    const TrainedNuSvr trained = train_nu_svr(data, {.c = 2, .nu = nu, .machine = exact()});
    ASSERT_EQ(trained.fit.report.status, Status::solved);
    EXPECT_GT(trained.epsilon, 0);
    const KernelExpansion& machine = expansion(trained.fit.model.function);
    const std::vector<double> f = values_by_formula(machine, data.examples);
    std::size_t outside = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      outside += std::abs(data.labels.numbers()[i] - f[i]) > trained.epsilon + 1e-4 ? 1U : 0U;
    }
    EXPECT_LE(static_cast<double>(outside), nu * n + 1e-9);
    EXPECT_GE(static_cast<double>(machine.vectors.rows()), nu * n - 1e-9);
  }
}

TEST(NuSvr, IsTheSvrWithTheTubeItFound) {
  const Dataset data = noisy_sine(60, 2);
  const double c = 1.5;
  const double nu = 0.4;
  const TrainedNuSvr trained = train_nu_svr(data, {.c = c, .nu = nu, .machine = exact()});
  const TrainedRegressor classic =
      train_svr(data, {.c = c, .epsilon = trained.epsilon, .machine = exact()});
  // The tube costs C nu n epsilon on top.
  const double tube = c * nu * 60 * trained.epsilon;
  const double primal = *trained.fit.report.primal_objective;
  EXPECT_NEAR(primal - tube, *classic.report.primal_objective, 1e-6 * primal);
  const std::vector<double> f =
      values_by_formula(expansion(trained.fit.model.function), data.examples);
  const std::vector<double> g = values_by_formula(expansion(classic.model.function), data.examples);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_NEAR(f[i], g[i], 1e-2);
}

TEST(NuSvr, AtNuOneTheTubeIsEmpty) {
  const TrainedNuSvr trained =
      train_nu_svr(noisy_sine(40, 3), {.c = 1, .nu = 1, .machine = exact()});
  EXPECT_EQ(trained.fit.report.status, Status::solved);
  EXPECT_LE(trained.epsilon, 1e-6);
}

TEST(NuSvr, RejectsSettingsOutsideTheirRange) {
  const Dataset data = noisy_sine(10, 4);
  EXPECT_THROW(static_cast<void>(train_nu_svr(data, {.nu = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_nu_svr(data, {.nu = 1.01})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_nu_svr(data, {.c = -1})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
