// SPDX-License-Identifier: Apache-2.0
#include "model/verify/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "regression_data.hpp"

namespace maxmargin {
namespace {

const TrainingControl keeping{.tolerance = 1e-4, .keep_dual = true};

/// The certificate agrees with the report, and the gap is the one that was asked for.
void expect_same(const Certificate& certificate, const SolveReport& report) {
  EXPECT_EQ(certificate.complaint, "");
  const double scale = std::max(1.0, std::abs(*report.primal_objective));
  EXPECT_NEAR(certificate.primal, *report.primal_objective, 1e-9 * scale);
  EXPECT_NEAR(certificate.dual, *report.dual_objective, 1e-9 * scale);
  EXPECT_LE(certificate.dual, certificate.primal + 1e-9 * scale);
}

/// Iris with weights, one of them 0.
Dataset weighted_iris() {
  Dataset data = iris();
  data.weights.assign(data.size(), 1.0);
  for (std::size_t i = 0; i < data.size(); i += 3) data.weights[i] = 2.5;
  data.weights[7] = 0;
  return data;
}

Dataset iris_regression() { return testing::first_feature_as_target(weighted_iris()); }

Dataset sparse(Dataset data) {
  data.examples = to_sparse(data.examples.dense());
  return data;
}

LinearFunctions& linear_part(Classifier& model) {
  return std::get<LinearFunctions>(model.functions);
}

// Sums of coefficients of 1e6 are beyond 1 by their rounding, in some order of the terms.
TEST(VerifyLinear, RoundingOfLargeCostsIsNoFault) {
  const LinearSvcOptions options{.c = 1e6,
                                 .loss = LinearLoss::squared_hinge,
                                 .penalty = LinearPenalty::l1,
                                 .control = keeping};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Dataset data = generate_gaussians({.n = 24, .seed = seed});
    DenseMatrix rows = data.examples.take_dense();
    for (double& value : rows.values()) value *= 10;
    data.examples = Examples(std::move(rows));
    const TrainedClassifier fit = train_linear_svc(data, options);
    const Certificate found = verify_linear_svc(fit.model, fit.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.dual, *fit.report.dual_objective, 1e-6 * std::abs(found.dual));
  }
}

TEST(VerifyLinear, AgreesWithTheReportOfEveryLinearSvc) {
  const ClassWeights weights = parse_class_weights("versicolor=3,virginica=0.5");
  for (const Dataset& data : {iris(), weighted_iris(), sparse(weighted_iris())}) {
    for (const auto loss : {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic}) {
      for (const auto penalty : {LinearPenalty::l2, LinearPenalty::l1}) {
        if (penalty == LinearPenalty::l1 && loss != LinearLoss::squared_hinge) continue;
        for (const double bias : {0.0, 1.0, 2.0}) {
          LinearSvcOptions options{.c = 0.3,
                                   .loss = loss,
                                   .penalty = penalty,
                                   .bias = bias > 0,
                                   .class_weights = weights,
                                   .control = keeping};
          if (bias > 0) options.bias_scale = bias;
          const TrainedClassifier fit = train_linear_svc(data, options);
          ASSERT_EQ(fit.report.status, Status::solved);
          expect_same(verify_linear_svc(fit.model, fit.dual_coefficients, data, options),
                      fit.report);
        }
      }
    }
  }
}

TEST(VerifyLinear, AgreesWithEveryOutputCode) {
  const Dataset data = iris();
  for (const auto kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    const LinearSvcOptions options{.multiclass = kind, .control = keeping};
    const TrainedClassifier fit = train_linear_svc(data, options);
    expect_same(verify_linear_svc(fit.model, fit.dual_coefficients, data, options), fit.report);
  }
}

TEST(VerifyLinear, ScalesTheDataAsTheModelDoes) {
  const Dataset data = iris();
  Dataset scaled = data;
  const Scaler scaler = fit_scaler(data.examples, {.kind = ScalingKind::range});
  scaled.examples = scaler.apply(data.examples);
  const LinearSvcOptions options{.control = keeping};
  TrainedClassifier fit = train_linear_svc(scaled, options);
  fit.model.scaler = scaler;
  expect_same(verify_linear_svc(fit.model, fit.dual_coefficients, data, options), fit.report);
}

TEST(VerifyLinear, AgreesWithTheReportOfEveryLinearSvr) {
  const Dataset data = iris_regression();
  for (const auto loss :
       {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive}) {
    for (const bool bias : {true, false}) {
      const LinearSvrOptions options{
          .c = 0.5, .epsilon = 0.2, .loss = loss, .bias = bias, .control = keeping};
      const TrainedRegressor fit = train_linear_svr(data, options);
      ASSERT_EQ(fit.report.status, Status::solved);
      expect_same(verify_linear_svr(fit.model, fit.dual_coefficients, data, options), fit.report);
    }
  }
}

TEST(VerifyLinear, AgreesWithTheReportOfEveryCsSvc) {
  const ClassWeights weights = parse_class_weights("versicolor=3,virginica=0.5");
  for (const Dataset& data : {weighted_iris(), sparse(weighted_iris())}) {
    for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{.gamma = 0.2})}) {
      for (const double bias : {0.0, 1.0, 1.5}) {
        const CsSvcOptions options{
            .c = 0.4, .kernel = kernel, .bias = bias, .class_weights = weights, .control = keeping};
        const TrainedClassifier fit = train_cs_svc(data, options);
        ASSERT_EQ(fit.report.status, Status::solved);
        EXPECT_EQ(fit.dual_coefficients.empty(), !std::holds_alternative<Linear>(kernel));
        expect_same(verify_cs_svc(fit.model, fit.dual_coefficients, data, options), fit.report);
      }
    }
  }
}

TEST(VerifyLinear, AgreesWithTheReportOfEveryLpSvc) {
  const Dataset data = weighted_iris();
  const ClassWeights weights = parse_class_weights("versicolor=3");
  for (const auto form : {LpSvmForm::slides, LpSvmForm::l1_norm}) {
    for (const bool bias : {true, false}) {
      const LpSvcOptions options{.c = 0.7,
                                 .kernel = Rbf{.gamma = 0.5},
                                 .form = form,
                                 .bias = bias,
                                 .class_weights = weights,
                                 .control = keeping};
      const TrainedClassifier fit = train_lp_svc(data, options);
      ASSERT_EQ(fit.report.status, Status::solved);
      expect_same(verify_lp_svc(fit.model, fit.dual_coefficients, data, options), fit.report);
    }
  }
}

TEST(VerifyLinear, AgreesWithAHardMarginOfLpSvc) {
  std::vector<std::size_t> rows(100);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const Dataset data = iris().select(rows);
  const LpSvcOptions options{.c = std::numeric_limits<double>::infinity(),
                             .kernel = Linear{},
                             .form = LpSvmForm::l1_norm,
                             .control = keeping};
  TrainedClassifier fit = train_lp_svc(data, options);
  ASSERT_EQ(fit.report.status, Status::solved);
  expect_same(verify_lp_svc(fit.model, fit.dual_coefficients, data, options), fit.report);
  // Without its margins the function costs infinitely much.
  std::get<KernelExpansion>(fit.model.functions).offsets[0] += 0.5;
  EXPECT_TRUE(std::isinf(verify_lp_svc(fit.model, fit.dual_coefficients, data, options).primal));
}

TEST(VerifyLinear, TheDualPointIsKeptOnRequestAlone) {
  const Dataset data = iris();
  EXPECT_TRUE(train_linear_svc(data).dual_coefficients.empty());
  EXPECT_TRUE(train_linear_svr(iris_regression()).dual_coefficients.empty());
  EXPECT_TRUE(train_cs_svc(data).dual_coefficients.empty());
  EXPECT_TRUE(train_lp_svc(data).dual_coefficients.empty());
}

// Any other w is another primal point: the primal moves, the dual bound stays.
TEST(VerifyLinear, AChangedWeightRaisesThePrimalAlone) {
  const Dataset data = iris();
  for (const auto loss : {LinearLoss::hinge, LinearLoss::squared_hinge, LinearLoss::logistic}) {
    const LinearSvcOptions options{.loss = loss, .control = keeping};
    TrainedClassifier fit = train_linear_svc(data, options);
    linear_part(fit.model).weights(1, 2) += 0.5;
    const Certificate found = verify_linear_svc(fit.model, fit.dual_coefficients, data, options);
    EXPECT_GT(found.primal, *fit.report.primal_objective * (1 + 1e-3));
    EXPECT_NEAR(found.dual, *fit.report.dual_objective, 1e-9 * found.primal);
  }
  const CsSvcOptions direct{.bias = 1, .control = keeping};
  TrainedClassifier fit = train_cs_svc(data, direct);
  linear_part(fit.model).offsets[0] += 0.5;
  const Certificate found = verify_cs_svc(fit.model, fit.dual_coefficients, data, direct);
  EXPECT_GT(found.primal, *fit.report.primal_objective * (1 + 1e-3));
  EXPECT_NEAR(found.dual, *fit.report.dual_objective, 1e-9 * found.primal);
}

TEST(VerifyLinear, SeesCoefficientsBeyondTheirBounds) {
  const Dataset data = iris();
  const LinearSvcOptions hinge{.control = keeping};
  const TrainedClassifier linear = train_linear_svc(data, hinge);
  for (const double wrong : {1.5, -1.5}) {
    DualPoint moved = linear.dual_coefficients;
    moved[2][3] = wrong;
    EXPECT_NE(verify_linear_svc(linear.model, moved, data, hinge).complaint, "");
  }
  const LinearSvcOptions l1{
      .loss = LinearLoss::squared_hinge, .penalty = LinearPenalty::l1, .control = keeping};
  const TrainedClassifier sparse_fit = train_linear_svc(data, l1);
  DualPoint larger = sparse_fit.dual_coefficients;
  for (std::vector<double>& b : larger) {
    for (double& value : b) value *= 1.5;
  }
  EXPECT_NE(verify_linear_svc(sparse_fit.model, larger, data, l1).complaint, "");

  const Dataset targets = iris_regression();
  const LinearSvrOptions tube{.control = keeping};
  const TrainedRegressor regression = train_linear_svr(targets, tube);
  for (const std::size_t row : {std::size_t{0}, std::size_t{7}}) {  // row 7 has weight 0
    DualPoint moved = regression.dual_coefficients;
    moved[0][row] = 3;
    EXPECT_NE(verify_linear_svr(regression.model, moved, targets, tube).complaint, "");
  }
}

TEST(VerifyLinear, SeesBrokenSumsOfCsSvc) {
  const Dataset data = iris();
  const CsSvcOptions options{.control = keeping};
  const TrainedClassifier fit = train_cs_svc(data, options);
  DualPoint moved = fit.dual_coefficients;
  moved[1][0] -= 0.25;  // row 0 is of class 0: within its bounds, but the sum is not 0
  EXPECT_NE(verify_cs_svc(fit.model, moved, data, options).complaint, "");
  moved[0][0] += 2;
  moved[1][0] -= 1.75;  // adds up, but is above C
  EXPECT_NE(verify_cs_svc(fit.model, moved, data, options).complaint, "");
}

TEST(VerifyLinear, SeesInfeasibleMultipliersOfLpSvc) {
  const Dataset data = iris();
  const LpSvcOptions options{.kernel = Rbf{.gamma = 0.5}, .control = keeping};
  const TrainedClassifier fit = train_lp_svc(data, options);
  DualPoint unbalanced = fit.dual_coefficients;
  unbalanced[0][0] = unbalanced[0][0] > 0.5 ? 0.0 : 1.0;
  EXPECT_NE(verify_lp_svc(fit.model, unbalanced, data, options).complaint, "");
  // All multipliers at their bounds balance on iris, but weigh the expansion too much.
  DualPoint heavy = fit.dual_coefficients;
  for (std::size_t i = 0; i < 100; ++i) heavy[0][i] = 1;
  const Certificate found = verify_lp_svc(fit.model, heavy, data, options);
  EXPECT_NE(found.complaint, "");
  EXPECT_LE(found.dual, found.primal);

  Classifier other = fit.model;
  auto& expansion = std::get<KernelExpansion>(other.functions);
  expansion.coefficients(0, 0) = -expansion.coefficients(0, 0) - 1;
  const Certificate moved = verify_lp_svc(other, fit.dual_coefficients, data, options);
  EXPECT_GT(std::abs(moved.primal - *fit.report.primal_objective), 1e-3);
}

TEST(VerifyLinear, RefusesWhatDoesNotFit) {
  const Dataset data = iris();
  const LinearSvcOptions options{.control = keeping};
  const TrainedClassifier fit = train_linear_svc(data, options);
  EXPECT_THROW((void)verify_linear_svc(fit.model, {}, data, options), InvalidArgument);
  DualPoint shorter = fit.dual_coefficients;
  shorter[0].pop_back();
  EXPECT_THROW((void)verify_linear_svc(fit.model, shorter, data, options), InvalidArgument);
  EXPECT_THROW((void)verify_lp_svc(fit.model, fit.dual_coefficients, data, {}), InvalidArgument);
  Dataset narrower = data;
  narrower.examples = DenseMatrix(data.size(), 2);
  narrower.feature_names.clear();
  EXPECT_THROW((void)verify_linear_svc(fit.model, fit.dual_coefficients, narrower, options),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
