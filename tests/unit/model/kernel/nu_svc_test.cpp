// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::expansion;
using testing::two_classes;
using testing::values_by_formula;

double sign_of(const Dataset& data, std::size_t i) { return data.labels.numbers()[i]; }

TEST(NuSvc, NuLiesBetweenTheSharesOfMarginErrorsAndSupportVectors) {
  const Dataset data = two_classes(120, 1);
  for (const Kernel& kernel : {Kernel{Rbf{.gamma = 0.5}}, Kernel{Laplace{.gamma = 0.5}}}) {
    for (const double nu : {0.3, 0.5, 0.8}) {
      const TrainedClassifier trained =
          train_nu_svc(data, {.nu = nu, .kernel = kernel, .control = {.tolerance = 1e-8}});
      ASSERT_EQ(trained.report.status, Status::solved);
      const std::vector<double> f =
          values_by_formula(expansion(trained.model.functions), data.examples);
      std::size_t margin_errors = 0;
      for (std::size_t i = 0; i < data.size(); ++i) {
        margin_errors += sign_of(data, i) * f[i] < 1 - 1e-3 ? 1U : 0U;
      }
      const auto n = static_cast<double>(data.size());
      EXPECT_LE(static_cast<double>(margin_errors), nu * n + 1e-9);
      EXPECT_GE(static_cast<double>(trained.machines[0].support_vectors), nu * n - 1e-9);
    }
  }
}

TEST(NuSvc, IsTheCSvcWithCOneByRho) {
  const Dataset data = two_classes(80, 2);
  const Kernel kernel = Rbf{.gamma = 0.5};
  for (const double nu : {0.35, 0.6}) {
    const TrainedClassifier trained =
        train_nu_svc(data, {.nu = nu, .kernel = kernel, .control = {.tolerance = 1e-10}});
    const KernelExpansion& machine = expansion(trained.model.functions);
    // Scaled by 1/rho a bounded coefficient is 1/rho: the largest one.
    double c = 0;
    for (const double coefficient : machine.coefficients.values()) {
      c = std::max(c, std::abs(coefficient));
    }
    const TrainedClassifier classic =
        train_svc(data, {.c = c, .kernel = kernel, .control = {.tolerance = 1e-10}});
    const double dual = *classic.report.dual_objective;
    EXPECT_NEAR(testing::hinge_dual(machine), dual, 1e-6 * dual);
    EXPECT_NEAR(testing::hinge_primal(machine, data, c), dual, 1e-6 * dual);
    EXPECT_NEAR(machine.offsets[0], expansion(classic.model.functions).offsets[0], 1e-3);
    EXPECT_NEAR(testing::squared_norm(machine), trained.machines[0].squared_norm, 1e-8 * dual);
    // The same point as nu = sum a / (C n).
    double mass = 0;
    for (const double a : machine.coefficients.values()) mass += std::abs(a);
    EXPECT_NEAR(mass / (c * 80), nu, 1e-9);
  }
}

TEST(NuSvc, SaysTheLargestNu) {
  const Dataset all = two_classes(40, 3);
  std::vector<std::size_t> rows;  // 5 of class 1, 15 of class -1
  for (std::size_t i = 0; i < 30; ++i) {
    if (sign_of(all, i) < 0 || i < 10) rows.push_back(i);
  }
  const Dataset data = all.select(rows);
  EXPECT_NO_THROW(static_cast<void>(train_nu_svc(data, {.nu = 0.5})));
  try {
    static_cast<void>(train_nu_svc(data, {.nu = 0.6}));
    FAIL() << "5 of 20 rows allow 0.5";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("0.5"), std::string::npos) << error.what();
  }
  // Balanced weights lift the limit to 1.
  EXPECT_NO_THROW(
      static_cast<void>(train_nu_svc(data, {.nu = 0.9, .class_weights = {.balanced = true}})));
}

TEST(NuSvc, WeightTwoIsTheExampleTwice) {
  const Dataset data = two_classes(40, 4);
  Dataset heavy = data;
  heavy.weights.assign(40, 1.0);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 40; ++i) {
    rows.push_back(i);
    if (i % 5 == 0) {
      rows.push_back(i);
      heavy.weights[i] = 2;
    }
  }
  const NuSvcOptions options{
      .nu = 0.5, .kernel = Rbf{.gamma = 0.5}, .control = {.tolerance = 1e-9}};
  const TrainedClassifier a = train_nu_svc(heavy, options);
  const TrainedClassifier b = train_nu_svc(data.select(rows), options);
  EXPECT_NEAR(*a.report.dual_objective,
              *b.report.dual_objective,
              1e-8 * std::abs(*a.report.dual_objective));
}

TEST(NuSvc, SolvesSeveralClassesByPairs) {
  const Dataset data = generate_gaussians({.n = 90, .k = 3, .seed = 5});
  const TrainedClassifier trained =
      train_nu_svc(data, {.nu = 0.4, .kernel = Rbf{.gamma = 0.3}, .control = {.tolerance = 1e-6}});
  EXPECT_EQ(trained.machines.size(), 3U);
  const std::vector<Label> predicted = trained.model.predict(data);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < data.size(); ++i) errors += predicted[i] != *data.labels.at(i);
  EXPECT_LT(errors, 20U);
}

TEST(NuSvc, RejectsNuOutsideItsRange) {
  const Dataset data = two_classes(10, 6);
  for (const double nu : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(static_cast<void>(train_nu_svc(data, {.nu = nu})), InvalidArgument);
  }
}

}  // namespace
}  // namespace maxmargin
