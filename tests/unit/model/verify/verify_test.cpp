// SPDX-License-Identifier: Apache-2.0
#include "model/verify/verify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "regression_data.hpp"

namespace maxmargin {
namespace {

/// The certificate agrees with the report, whose rows are in double for so few examples.
void expect_same(const Certificate& certificate, const SolveReport& report) {
  EXPECT_EQ(certificate.complaint, "");
  const double scale = std::max(1.0, std::abs(*report.primal_objective));
  EXPECT_NEAR(certificate.primal, *report.primal_objective, 1e-9 * scale);
  EXPECT_NEAR(certificate.dual, *report.dual_objective, 1e-9 * scale);
}

Dataset iris_regression() { return testing::first_feature_as_target(iris()); }

TEST(Verify, AgreesWithTheReportOfEverySvc) {
  Dataset data = iris();
  for (const auto kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    for (const auto slacks : {SlackPower::one, SlackPower::two}) {
      for (const bool bias : {true, false}) {
        const auto fit = train_svc(data,
                                   {.c = 1.5,
                                    .kernel = Rbf{.gamma = 0.125},
                                    .slacks = slacks,
                                    .bias = bias,
                                    .multiclass = kind});
        expect_same(verify_svc(fit.model, data, {.c = 1.5, .slacks = slacks, .bias = bias}),
                    fit.report);
      }
    }
  }
}

TEST(Verify, AgreesWithWeights) {
  Dataset data = iris();
  data.weights.assign(data.size(), 1.0);
  for (std::size_t i = 0; i < data.size(); i += 3) data.weights[i] = 2.5;
  data.weights[7] = 0;
  const ClassWeights weights = parse_class_weights("versicolor=3,virginica=0.5");
  const auto fit =
      train_svc(data, {.c = 0.7, .kernel = Polynomial{.degree = 2}, .class_weights = weights});
  expect_same(verify_svc(fit.model, data, {.c = 0.7, .class_weights = weights}), fit.report);
}

// Weights of every column or products of all pairs: memory decides, and the certificate is the
// same.
TEST(Verify, OfALinearKernelNeedsNoRoomForWeights) {
  const Dataset data = iris();
  const auto fit =
      train_svc(data, {.c = 1.5, .kernel = Linear{}, .multiclass = MulticlassKind::one_vs_rest});
  std::size_t asked = 0;
  const Context context{.threads = 1, .on_progress = [&](const Progress&) {
                          ++asked;
                          return Continue::yes;
                        }};
  const Certificate by_weights = verify_svc(fit.model, data, {.c = 1.5}, context);
  expect_same(by_weights, fit.report);
  // At least once a function and once a chunk of its rows.
  EXPECT_GE(asked, 3U * (1 + 150 / 16));
  Context narrow = context;
  narrow.memory_limit = 1;
  const Certificate by_pairs = verify_svc(fit.model, data, {.c = 1.5}, narrow);
  expect_same(by_pairs, fit.report);
  EXPECT_NEAR(by_pairs.primal, by_weights.primal, 1e-12 * by_weights.primal);
}

TEST(Verify, AgreesWithAHardMargin) {
  const Dataset all = iris();
  std::vector<std::size_t> rows(100);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const Dataset data = all.select(rows);
  const double hard = std::numeric_limits<double>::infinity();
  const auto fit = train_svc(data, {.c = hard, .kernel = Linear{}, .control = {.tolerance = 1e-8}});
  EXPECT_EQ(fit.report.status, Status::solved);
  expect_same(verify_svc(fit.model, data, {.c = hard}), fit.report);
}

TEST(Verify, AgreesWithEveryOtherMachine) {
  const Dataset data = iris();
  const Rbf kernel{.gamma = 0.3};
  const auto nu_svc = train_nu_svc(data, {.nu = 0.3, .kernel = kernel});
  expect_same(verify_nu_svc(nu_svc.model, data, {.nu = 0.3}), nu_svc.report);
  const auto one_class = train_one_class(data, {.nu = 0.2, .machine = {.kernel = kernel}});
  expect_same(verify_one_class(one_class.model, data, {.nu = 0.2}), one_class.report);
  for (const double nu : {0.0, 0.1}) {
    const auto svdd = train_svdd(data, {.nu = nu, .machine = {.kernel = kernel}});
    expect_same(verify_svdd(svdd.fit.model, data, {.nu = nu}), svdd.fit.report);
  }
  const Dataset targets = iris_regression();
  const auto svr = train_svr(targets, {.c = 2, .epsilon = 0.2, .machine = {.kernel = kernel}});
  expect_same(verify_svr(svr.model, targets, {.c = 2, .epsilon = 0.2}), svr.report);
  const auto nu_svr = train_nu_svr(targets, {.c = 2, .nu = 0.4, .machine = {.kernel = kernel}});
  expect_same(
      verify_nu_svr(nu_svr.fit.model, targets, {.c = 2, .nu = 0.4, .epsilon = nu_svr.epsilon}),
      nu_svr.fit.report);
}

TEST(Verify, SeesAChangedModel) {
  const Dataset data = iris();
  const auto fit = train_svc(data, {.c = 1.5, .kernel = Rbf{.gamma = 0.125}});
  Classifier moved = fit.model;
  auto& expansion = std::get<KernelExpansion>(moved.functions);
  expansion.coefficients(0, 0) += 0.25;
  EXPECT_NE(verify_svc(moved, data, {.c = 1.5}).complaint, "");

  // Another offset is another primal point: nothing to complain about, but a larger gap.
  Classifier shifted = fit.model;
  std::get<KernelExpansion>(shifted.functions).offsets[0] += 0.5;
  const Certificate worse = verify_svc(shifted, data, {.c = 1.5});
  EXPECT_EQ(worse.complaint, "");
  EXPECT_GT(worse.primal, *fit.report.primal_objective + 1e-3);

  // Another C than that of the training: coefficients above it.
  EXPECT_NE(verify_svc(fit.model, data, {.c = 0.5}).complaint, "");
}

TEST(Verify, SeesOtherData) {
  const Dataset data = iris();
  const auto fit = train_svc(data, {.c = 1.5, .kernel = Rbf{.gamma = 0.125}});
  Dataset other = data;
  other.examples.writable_values(
      std::get<KernelExpansion>(fit.model.functions).training_rows[3])[2] += 1;
  EXPECT_NE(verify_svc(fit.model, other, {.c = 1.5}).complaint, "");
}

}  // namespace
}  // namespace maxmargin
