// SPDX-License-Identifier: Apache-2.0
// Certificates of robust-svc and outlier-svc, and what stays of them after a stop.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "relaxed_data.hpp"

namespace maxmargin {
namespace {

using namespace relaxed_data;

TEST(RelaxedVerify, AllBiasesAreVerified) {
  const Dataset data = noisy_points(14, 3);
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{.gamma = 0.5})}) {
      RobustSvcOptions robust = robust_options(0.5, bias);
      robust.kernel = kernel;
      robust.control.tolerance = 1e-3;
      expect_sound(train_robust_svc(data, robust), data, robust);
      OutlierSvcOptions outlier = outlier_options(0.5, 0.8, bias);
      outlier.kernel = kernel;
      outlier.control.tolerance = 1e-3;
      expect_sound(train_outlier_svc(data, outlier), data, outlier);
    }
  }
}

TEST(RelaxedVerify, VerificationSeesTampering) {
  const Dataset data = golden_r();
  const RobustSvcOptions options = robust_options(1);
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  const auto verified = [&](const DualPoint& dual) {
    return verify_robust_svc(trained.model, dual, data, options);
  };
  const double bound = *verified(trained.dual_coefficients).lower_bound;
  EXPECT_NEAR(bound, 1.273492707, 1e-5);
  DualPoint wrong = trained.dual_coefficients;
  wrong[2][0] -= 0.1;  // a multiplier that is too small costs more than it brings
  EXPECT_LT(*verified(wrong).lower_bound, bound - 1e-3);
  wrong = trained.dual_coefficients;
  wrong[1][0] = 1.5;  // lambda beyond 1
  EXPECT_NE(verified(wrong).complaint, "");
  wrong = trained.dual_coefficients;
  wrong[0][0] = 2;  // a dual coefficient beyond C
  EXPECT_NE(verified(wrong).complaint, "");
  wrong.pop_back();
  EXPECT_THROW((void)verified(wrong), InvalidArgument);
  TrainedRelaxedClassifier moved = trained;
  std::get<KernelExpansion>(moved.model.functions).offsets[0] = 0.5;
  EXPECT_NE(verify_robust_svc(moved.model, trained.dual_coefficients, data, options).complaint, "");
}

// A row left out is pushed back within [-C, 0] by the convex problem of the descent: a dual point
// that is solved to a tolerance only may use that.
TEST(RelaxedVerify, VerificationTakesThePushOnRowsLeftOut) {
  const Dataset data = golden_r();
  const RobustSvcOptions options = robust_options(1);
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  ASSERT_EQ(trained.outliers.front().row, 6U);
  // The signs are those of the labels: row 3, of the other class, counts.
  constexpr std::size_t counting = 3;
  const auto with_push = [&](double alpha) {
    DualPoint dual = trained.dual_coefficients;
    dual[0][6] = -std::copysign(alpha, alpha < 0 ? -dual[0][counting] : dual[0][counting]);
    return verify_robust_svc(trained.model, dual, data, options);
  };
  ASSERT_NE(trained.dual_coefficients[0][counting], 0);
  const Certificate plain = with_push(0);
  const Certificate pushed = with_push(-0.01);
  EXPECT_EQ(pushed.complaint, "");
  EXPECT_LT(pushed.dual, plain.dual);
  EXPECT_NE(with_push(-1.01).complaint, "");
  EXPECT_NE(with_push(0.01).complaint, "");
  // Rows kept are not pushed back, and outlier-svc has no push at all.
  DualPoint wrong = trained.dual_coefficients;
  wrong[0][counting] = -wrong[0][counting];
  EXPECT_NE(verify_robust_svc(trained.model, wrong, data, options).complaint, "");
  const OutlierSvcOptions trimmed = outlier_options(1, 6.0 / 7);
  const TrainedRelaxedClassifier kept = train_outlier_svc(data, trimmed);
  DualPoint dual = kept.dual_coefficients;
  dual[0][6] = std::copysign(0.01, -dual[0][0]);
  EXPECT_NE(verify_outlier_svc(kept.model, dual, data, trimmed).complaint, "");
}

// The bound of another cost is a bound of another problem.
TEST(RelaxedVerify, VerificationRefusesUnequalWeights) {
  Dataset data = golden_r();
  const RobustSvcOptions options = robust_options(1);
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  data.weights.assign(7, 1.0);
  data.weights[6] = 2;
  const Certificate found =
      verify_robust_svc(trained.model, trained.dual_coefficients, data, options);
  EXPECT_NE(found.complaint, "");
  EXPECT_FALSE(found.lower_bound.has_value());
}

// A term of a row outside of the function's problem changes what predict says.
TEST(RelaxedVerify, VerificationSeesTermsOfOtherRows) {
  const Dataset data = three_classes(24, 4);
  const RobustSvcOptions options{.control = {.context = {.threads = 1}, .keep_dual = true}};
  TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  const auto complaint = [&] {
    return verify_robust_svc(trained.model, trained.dual_coefficients, data, options).complaint;
  };
  EXPECT_EQ(complaint(), "");
  auto& expansion = std::get<KernelExpansion>(trained.model.functions);
  const std::vector<std::int8_t> signs =
      trained.model.code.labels_of(0, classes_of(data.labels).of_row);
  for (std::size_t k = 0; k < expansion.training_rows.size(); ++k) {
    if (signs[expansion.training_rows[k]] == 0) expansion.coefficients(k, 0) = 0.5;
  }
  EXPECT_NE(complaint(), "");
}

/// A kernel matrix of points on a line, far from the origin of the feature space.
std::shared_ptr<DenseMatrix> far_kernel(std::size_t n, double distance) {
  auto matrix = std::make_shared<DenseMatrix>(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double x = std::sin(1.0 + static_cast<double>(i));
      const double z = std::sin(1.0 + static_cast<double>(j));
      (*matrix)(i, j) = distance + x * z;
    }
  }
  return matrix;
}

// Centring rounds in relation to the matrix before it, and the verification knows that, too.
TEST(RelaxedVerify, VerificationKnowsTheRoundingOfACentre) {
  const std::size_t n = 9;
  Dataset data{.examples = index_examples(n)};
  std::vector<double> labels;
  for (std::size_t i = 0; i < n; ++i) {
    labels.push_back(std::sin(1.0 + static_cast<double>(i)) > 0 ? 1.0 : -1.0);
  }
  data.labels = LabelColumn::from_numbers(labels);
  RobustSvcOptions options = robust_options(0.1, KernelBias::center);
  options.kernel = Precomputed{far_kernel(n, 1e7)};
  options.control.tolerance = 1e-3;
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  const Certificate found =
      verify_robust_svc(trained.model, trained.dual_coefficients, data, options);
  EXPECT_EQ(found.complaint, "");
  ASSERT_TRUE(found.lower_bound.has_value());
  EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-4);
}

// |w|^2 = -4 t^2 for the coefficients (t, -t): nothing bounds the objective from below, and a stop
// must not hide that.
TEST(RelaxedVerify, AStopDoesNotHideAMatrixThatIsNoKernel) {
  auto matrix = std::make_shared<DenseMatrix>(3, 3);
  (*matrix)(0, 1) = (*matrix)(1, 0) = 2;
  (*matrix)(2, 2) = 1;
  const Dataset data{.examples = index_examples(3),
                     .labels = LabelColumn::from_numbers({1, 1, -1})};
  const TrainingControl control{
      .context = {.on_progress = [](const Progress&) { return Continue::stop; }}};
  EXPECT_THROW(
      (void)train_robust_svc(
          data, {.kernel = Precomputed{matrix}, .bias = KernelBias::none, .control = control}),
      InvalidArgument);
  EXPECT_THROW((void)train_outlier_svc(data,
                                       {.kernel = Precomputed{matrix},
                                        .rho = std::nullopt,
                                        .bias = KernelBias::none,
                                        .control = control}),
               InvalidArgument);
}

TEST(RelaxedVerify, StopsWithTheBestSoFar) {
  const Dataset data = noisy_points(40, 1);
  for (const std::size_t questions : {0U, 3U, 30U}) {
    std::size_t asked = 0;
    RobustSvcOptions options = robust_options(1);
    options.control.context.on_progress = [&](const Progress&) {
      return asked++ < questions ? Continue::yes : Continue::stop;
    };
    const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
    EXPECT_EQ(trained.report.status, Status::stopped_by_callback);
    EXPECT_NEAR(*trained.report.primal_objective,
                robust_objective(trained, data, options),
                1e-6 * *trained.report.primal_objective);
    EXPECT_LE(*trained.report.lower_bound, *trained.report.primal_objective);
    EXPECT_LE(*trained.report.primal_objective, 40 * (1 + 1e-9));
    options.control.context.on_progress = {};  // verification can be stopped, too
    const Certificate found =
        verify_robust_svc(trained.model, trained.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
  }
}

// The machines of few features and a large C run out of the steps that comparisons have; the stop
// comes when one of them has more than that.
TEST(RelaxedVerify, AStopOfTheLastDescentIsTheStatus) {
  const Dataset data =
      generate_ring_outliers({.n = 50, .outliers = 10, .radius = 15, .seed = 4}).data;
  RobustSvcOptions options = robust_options(100);
  options.restarts = 1;
  options.control.max_iterations = 1;
  std::size_t late = 0;
  options.control.context.on_progress = [&](const Progress& progress) {
    if (progress.iteration <= 20000 + 100 * 50) return Continue::yes;
    ++late;
    return Continue::stop;
  };
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  ASSERT_GE(late, 1U) << "no machine ran out of steps";
  EXPECT_EQ(trained.report.status, Status::stopped_by_callback);
  EXPECT_EQ(verify_robust_svc(trained.model, trained.dual_coefficients, data, options).complaint,
            "");
}

}  // namespace
}  // namespace maxmargin
