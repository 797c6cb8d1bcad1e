// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/robust/loo_svc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/verify/robust.hpp"
#include "robust_data.hpp"
#include "solver/linear_program.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

/// The least sum of slacks of Xu (6.12) without penalty and offset, as a linear program of its own:
/// columns a and xi, rows y_i sum_j a_j y_j K_ij - lambda a_i K_ii + xi_i >= 1.
double least_slacks(const Dataset& data, const Kernel& kernel, double lambda) {
  const std::size_t n = data.size();
  const DenseMatrix k = gram(kernel, data.examples);
  const Classes classes = classes_of(data.labels);
  const auto y = [&](std::size_t i) { return classes.of_row[i] == 1 ? 1.0 : -1.0; };
  Buffer<std::int64_t> offsets(n + 1);
  Buffer<std::int32_t> columns(n * (n + 1));
  Buffer<double> values(n * (n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    offsets[i] = static_cast<std::int64_t>(i * (n + 1));
    for (std::size_t j = 0; j < n; ++j) {
      columns[i * (n + 1) + j] = static_cast<std::int32_t>(j);
      values[i * (n + 1) + j] = y(i) * y(j) * k(i, j) - (i == j ? lambda * k(i, i) : 0.0);
    }
    columns[i * (n + 1) + n] = static_cast<std::int32_t>(n + i);
    values[i * (n + 1) + n] = 1;
  }
  offsets[n] = static_cast<std::int64_t>(n * (n + 1));
  LinearProgram program{
      .matrix = SparseMatrix(2 * n, std::move(offsets), std::move(columns), std::move(values)),
      .cost = std::vector<double>(2 * n, 0.0),
      .column_lower = std::vector<double>(2 * n, 0.0),
      .column_upper = std::vector<double>(2 * n, INFINITY),
      .row_lower = std::vector<double>(n, 1.0),
      .row_upper = std::vector<double>(n, INFINITY)};
  for (std::size_t i = 0; i < n; ++i) program.cost[n + i] = 1;
  return *solve_linear_program(program, {}).report.primal_objective;
}

/// Slacks and penalty of a model from the definition.
struct Parts {
  double slacks = 0;
  double penalty = 0;
};
Parts parts_of(const TrainedLooClassifier& trained, const Dataset& data, double lambda) {
  Parts parts;
  const auto& expansion = std::get<KernelExpansion>(trained.model.functions);
  std::vector<double> own(data.size(), 0.0);
  for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
    const Row row = expansion.vectors.row(k);
    const double self = evaluate(expansion.kernel, row, row);
    own[expansion.training_rows[k]] = std::abs(expansion.coefficients(k, 0)) * self;
    parts.penalty += std::abs(expansion.coefficients(k, 0)) * std::abs(self);
  }
  const std::vector<double> margins = margins_on(trained.model, data);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    parts.slacks += std::max(0.0, 1 - margins[i] + lambda * own[i]);
  }
  return parts;
}

// seed-xu fact 64: feasible, bounded, a >= 0.
TEST(LooSvc, ReportsTheObjectiveOfItsModelAndClosesTheGap) {
  for (const double lambda : {0.0, 0.5, 1.0, 2.0}) {
    for (const bool bias : {false, true}) {
      const Dataset data = noisy_points(30, 2);
      const LooSvcOptions options{.c = 1.5,
                                  .kernel = Rbf{.gamma = 0.4},
                                  .lambda = lambda,
                                  .bias = bias,
                                  .control = {.keep_dual = true}};
      const TrainedLooClassifier trained = train_loo_svc(data, options);
      EXPECT_EQ(trained.report.status, Status::solved);
      const Parts parts = parts_of(trained, data, lambda);
      const double objective = *trained.report.primal_objective;
      EXPECT_NEAR(objective, parts.penalty + 1.5 * parts.slacks, 1e-9 * objective);
      EXPECT_NEAR(*trained.report.relative_gap(), 0, 1e-7);
      const auto& expansion = std::get<KernelExpansion>(trained.model.functions);
      const Classes classes = classes_of(data.labels);
      for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
        const double y = classes.of_row[expansion.training_rows[k]] == 1 ? 1 : -1;
        EXPECT_GT(y * expansion.coefficients(k, 0), 0);
      }
      const Certificate found =
          verify_loo_svc(trained.model, trained.dual_coefficients, data, options);
      EXPECT_EQ(found.complaint, "");
      EXPECT_NEAR(found.primal, objective, 1e-8 * objective);
      EXPECT_NEAR(found.dual, *trained.report.dual_objective, 1e-8 * objective);
    }
  }
}

TEST(LooSvc, ALargeCMinimisesTheSlacksAlone) {
  for (const double lambda : {0.5, 1.0}) {
    for (const std::uint64_t seed : {3U, 4U}) {
      const Dataset data = noisy_points(25, seed);
      const Kernel kernel = Rbf{.gamma = 0.5};
      const TrainedLooClassifier trained =
          train_loo_svc(data, {.c = 1e5, .kernel = kernel, .lambda = lambda, .bias = false});
      EXPECT_NEAR(parts_of(trained, data, lambda).slacks, least_slacks(data, kernel, lambda), 1e-6);
    }
  }
}

TEST(LooSvc, TheOwnTermDoesNotHelp) {
  // Three points that are alone in their own kernel: nobody vouches for anybody.
  auto identity = std::make_shared<DenseMatrix>(3, 3);
  for (std::size_t i = 0; i < 3; ++i) (*identity)(i, i) = 1;
  const Dataset data{.examples = index_examples(3),
                     .labels = LabelColumn::from_numbers({1, -1, -1})};
  const LooSvcOptions options{.c = 10, .kernel = Precomputed{.matrix = identity}, .bias = false};
  const TrainedLooClassifier trained = train_loo_svc(data, options);
  EXPECT_NEAR(*trained.report.primal_objective, 30, 1e-9);
  EXPECT_EQ(std::get<KernelExpansion>(trained.model.functions).training_rows.size(), 0U);
  // sign(0) is +1: both examples of the other class are wrong.
  EXPECT_NEAR(trained.left_out_error, 2.0 / 3, 1e-12);
  // Twins vouch for each other.
  auto twins = std::make_shared<DenseMatrix>(2, 2);
  for (double& value : twins->values()) value = 1;
  const Dataset pair{.examples = index_examples(2), .labels = LabelColumn::from_numbers({1, 1})};
  const TrainedLooClassifier of_pair = train_loo_svc(
      pair,
      {.c = 10, .kernel = Precomputed{.matrix = twins}, .bias = false, .allow_one_class = true});
  // a_1, a_2 >= 1 each, one kernel value of penalty each.
  EXPECT_NEAR(*of_pair.report.primal_objective, 2, 1e-9);
  EXPECT_EQ(of_pair.left_out_error, 0);
}

TEST(LooSvc, ScalingTheKernelScalesTheCoefficientsAlone) {
  const Dataset data = noisy_points(20, 6);
  Dataset scaled = data;
  DenseMatrix points = data.examples.to_dense();
  for (double& value : points.values()) value *= 2;
  scaled.examples = std::move(points);
  const LooSvcOptions options{.c = 3, .kernel = Linear{}};
  EXPECT_NEAR(*train_loo_svc(data, options).report.primal_objective,
              *train_loo_svc(scaled, options).report.primal_objective,
              1e-8);
}

TEST(LooSvc, TakesKernelsThatAreNotDefiniteAndZeroDiagonals) {
  // The third point is the origin: K_33 = 0 in the linear kernel.
  const Dataset data = dataset({{1, 0}, {-1, 0.5}, {0, 0}, {2, 1}}, {1, -1, 1, 1});
  const TrainedLooClassifier trained =
      train_loo_svc(data, {.c = 1, .kernel = Linear{}, .control = {.keep_dual = true}});
  EXPECT_EQ(trained.report.status, Status::solved);
  EXPECT_EQ(
      verify_loo_svc(trained.model, trained.dual_coefficients, data, {.c = 1, .kernel = Linear{}})
          .complaint,
      "");
  const TrainedLooClassifier odd =
      train_loo_svc(data, {.kernel = Sigmoid{.gamma = 1, .coef0 = -1}});
  EXPECT_EQ(odd.report.status, Status::solved);
  EXPECT_FALSE(odd.report.warnings.empty());
}

TEST(LooSvc, SeveralClassesAndWeightsAreVerified) {
  Dataset data = iris();
  data.weights.assign(150, 1.0);
  data.weights[3] = 2;
  data.weights[60] = 0;
  const LooSvcOptions options{.c = 1,
                              .class_weights = parse_class_weights("balanced"),
                              .multiclass = MulticlassKind::one_vs_rest,
                              .control = {.keep_dual = true}};
  const TrainedLooClassifier trained = train_loo_svc(data, options);
  const Certificate found = verify_loo_svc(trained.model, trained.dual_coefficients, data, options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-7 * found.primal);
  EXPECT_LT(trained.left_out_error, 0.2);
  DualPoint wrong = trained.dual_coefficients;
  wrong[0][0] += 1e3;
  EXPECT_NE(verify_loo_svc(trained.model, wrong, data, options).complaint, "");
}

TEST(LooSvc, RefusesWrongOptions) {
  const Dataset data = noisy_points(6, 1);
  EXPECT_THROW(static_cast<void>(train_loo_svc(data, {.c = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_loo_svc(data, {.lambda = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_loo_svc(Dataset{}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_loo_svc(noisy_points(200, 1),
                                               {.control = {.context = {.memory_limit = 1000}}})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_loo_svc(data, {.multiclass = MulticlassKind::direct})),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
