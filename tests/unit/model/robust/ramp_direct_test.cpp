// SPDX-License-Identifier: Apache-2.0
// ramp-svc with MulticlassKind::direct.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/kernel/cs_svc.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/verify/robust.hpp"
#include "robust_data.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

TEST(RampDirect, TheDirectLossIsCappedToo) {
  const Dataset data = iris();
  const RampSvcOptions options{.c = 0.5,
                               .kernel = Linear{},
                               .multiclass = MulticlassKind::direct,
                               .restarts = 1,
                               .control = {.tolerance = 1e-3}};
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  EXPECT_TRUE(is_success(trained.report.status));
  const DenseMatrix scores = values_on(trained.model, data);
  const Classes classes = classes_of(data.labels);
  double sum = 0.5 * trained.machines.front().squared_norm;
  std::size_t capped = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto own = static_cast<std::size_t>(classes.of_row[i]);
    double other = -INFINITY;
    for (std::size_t r = 0; r < 3; ++r) {
      if (r != own) other = std::max(other, scores(i, r));
    }
    sum += 0.5 * Ramp{}.value(scores(i, own) - other);
    capped += scores(i, own) < other ? 1U : 0U;
  }
  EXPECT_NEAR(*trained.report.primal_objective, sum, 1e-6 * sum);
  EXPECT_EQ(trained.outliers.size(), capped);
  EXPECT_LE(trained.stationary_gap, 1e-2);
}

/// Three classes in the plane; the last point is far within another class.
Dataset three_classes() {
  return dataset({{2, 0}, {2.5, .5}, {-1, 2}, {-1.5, 2}, {-1, -2}, {-1.5, -2.5}, {-3, 4}},
                 {0, 0, 1, 1, 2, 2, 0});
}

RampSvcOptions direct_options(double c, const Kernel& kernel, bool bias) {
  return {.c = c,
          .kernel = kernel,
          .bias = bias,
          .multiclass = MulticlassKind::direct,
          .control = {.tolerance = 1e-8, .context = {.threads = 1}, .keep_dual = true}};
}

/// The least capped loss of Crammer and Singer over all sets of outliers; `costs` are the examples'
/// own weights.
double brute_force_direct(const Dataset& data,
                          const RampSvcOptions& options,
                          std::vector<double> costs = {}) {
  const auto n = static_cast<std::uint32_t>(data.size());
  if (costs.empty()) costs.assign(n, 1.0);
  double best = INFINITY;
  for (std::uint32_t kept = 0; kept < (1U << n); ++kept) {
    Dataset part = data;
    part.weights.assign(n, 0.0);
    double left_out = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      part.weights[i] = (kept >> i) & 1U ? costs[i] : 0.0;
      left_out += (1 - options.s) * (costs[i] - part.weights[i]);
    }
    const TrainedClassifier machine =
        train_cs_svc(part,
                     {.c = options.c,
                      .kernel = options.kernel.kernel(),
                      .bias = options.bias ? 1.0 : 0.0,
                      .control = {.tolerance = 1e-8, .context = {.threads = 1}}});
    best = std::min(best, options.c * left_out + *machine.report.primal_objective);
  }
  return best;
}

// Lower bound <= best set of outliers <= what the descent reaches, for several classes at once.
TEST(RampDirect, TheDirectBoundLiesBelowBruteForce) {
  const Dataset data = three_classes();
  for (const bool bias : {false, true}) {
    for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{.gamma = 0.3})}) {
      const RampSvcOptions options = direct_options(0.3, kernel, bias);
      const TrainedRobustClassifier trained = train_ramp_svc(data, options);
      const double best = brute_force_direct(data, options);
      const double objective = *trained.report.primal_objective;
      EXPECT_TRUE(is_success(trained.report.status));
      EXPECT_GE(objective, best * (1 - 1e-7));
      EXPECT_LE(*trained.report.lower_bound, best * (1 + 1e-7));
      EXPECT_GT(*trained.report.lower_bound, 0.05 * best);
      EXPECT_LE(trained.stationary_gap, 1e-7);
      for (std::size_t k = 1; k < trained.objectives.size(); ++k) {
        EXPECT_LT(trained.objectives[k], trained.objectives[k - 1]);
      }
      const Certificate found =
          verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
      EXPECT_EQ(found.complaint, "");
      EXPECT_NEAR(found.primal, objective, 1e-7 * objective);
      EXPECT_NEAR(found.dual, *trained.machines.front().report.dual_objective, 1e-7 * objective);
      EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-6 * objective);
      EXPECT_LE(*found.lower_bound, best * (1 + 1e-7));
    }
  }
}

// The same with another corner of the ramp, with class weights and without rounds of the bound.
TEST(RampDirect, TheDirectBoundKnowsRampAndWeights) {
  const Dataset data = three_classes();
  for (const double s : {-1.0, 0.5}) {
    for (const std::size_t rounds : {0U, 4U}) {
      RampSvcOptions options = direct_options(0.3, Linear{}, true);
      options.s = s;
      options.bound_rounds = rounds;
      options.class_weights.by_class = {{Label{1.0}, 2.0}, {Label{2.0}, 0.5}};
      const double best = brute_force_direct(data, options, {1, 1, 2, 2, 0.5, 0.5, 1});
      const TrainedRobustClassifier trained = train_ramp_svc(data, options);
      const double objective = *trained.report.primal_objective;
      EXPECT_TRUE(is_success(trained.report.status));
      EXPECT_GE(objective, best * (1 - 1e-7)) << s;
      EXPECT_LE(*trained.report.lower_bound, best * (1 + 1e-7)) << s;
      if (rounds == 0) {
        EXPECT_EQ(*trained.report.lower_bound, 0);
      } else {
        EXPECT_GT(*trained.report.lower_bound, 0);
      }
      const Certificate found =
          verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
      EXPECT_EQ(found.complaint, "");
      EXPECT_NEAR(found.primal, objective, 1e-7 * objective);
      EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-6 * objective);
      EXPECT_LE(*found.lower_bound, best * (1 + 1e-7)) << s;
    }
  }
}

// After a stop there may be no machine for the outliers returned: zeros are the dual point then,
// and the verification takes them.
TEST(RampDirect, AStopLeavesAMachineThatIsVerified) {
  const Dataset data = three_classes();
  bool without_proof = false;
  for (const std::size_t questions : {0U, 1U, 2U, 3U, 5U, 8U, 13U, 21U, 34U}) {
    RampSvcOptions options = direct_options(0.3, Linear{}, true);
    std::size_t asked = 0;
    options.control.context.on_progress = [&](const Progress&) {
      return asked++ < questions ? Continue::yes : Continue::stop;
    };
    const TrainedRobustClassifier trained = train_ramp_svc(data, options);
    if (asked > questions) {
      EXPECT_EQ(trained.report.status, Status::stopped_by_callback);
    }
    EXPECT_LE(*trained.report.lower_bound, *trained.report.primal_objective);
    bool zeros = true;
    for (std::size_t r = 0; r < 3; ++r) {
      for (const double b : trained.dual_coefficients[r]) zeros = zeros && b == 0;
    }
    without_proof = without_proof || zeros;
    const Certificate found =
        verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "") << questions;
    EXPECT_NEAR(
        found.primal, *trained.report.primal_objective, 1e-6 * *trained.report.primal_objective)
        << questions;
  }
  EXPECT_TRUE(without_proof);
}

// With two classes w_1 = -w_0: z = 2 f, |W|^2 = 2 |w_0|^2, so C means 2 C of the two-class machine
// on margins z, whose |w|^2 is 4 |w_0|^2 = 2 |W|^2.
TEST(RampDirect, TheDirectMachineOfTwoClassesIsTheTwoClassMachine) {
  RampSvcOptions direct = direct_options(2, Linear{}, false);
  const TrainedRobustClassifier trained = train_ramp_svc(golden_r(), direct);
  const TrainedRobustClassifier two =
      train_ramp_svc(golden_r(),
                     {.c = 4,
                      .kernel = Linear{},
                      .bias = false,
                      .control = {.tolerance = 1e-9, .context = {.threads = 1}}});
  EXPECT_NEAR(2 * *trained.report.primal_objective, *two.report.primal_objective, 1e-6);
  ASSERT_EQ(trained.outliers.size(), two.outliers.size());
  for (std::size_t k = 0; k < two.outliers.size(); ++k) {
    EXPECT_EQ(trained.outliers[k].row, two.outliers[k].row);
    EXPECT_NEAR(trained.outliers[k].margin, two.outliers[k].margin, 1e-3);
  }
}

TEST(RampDirect, VerificationOfDirectMachinesSeesTampering) {
  const Dataset data = three_classes();
  const RampSvcOptions options = direct_options(0.3, Linear{}, true);
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  const auto complaint = [&](const DualPoint& dual) {
    return verify_ramp_svc(trained.model, dual, data, options).complaint;
  };
  EXPECT_EQ(complaint(trained.dual_coefficients), "");
  DualPoint wrong = trained.dual_coefficients;
  wrong[1][0] += 0.1;  // a class that is not the row's own pulls
  EXPECT_NE(complaint(wrong), "");
  wrong = trained.dual_coefficients;
  wrong[0][0] += 0.1;  // the row does not add up
  EXPECT_NE(complaint(wrong), "");
  wrong = trained.dual_coefficients;
  wrong[0][0] += 1;  // more than C
  wrong[1][0] -= 1;
  EXPECT_NE(complaint(wrong), "");
  wrong.pop_back();
  EXPECT_THROW((void)complaint(wrong), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
