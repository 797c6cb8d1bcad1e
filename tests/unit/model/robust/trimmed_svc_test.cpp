// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/verify/robust.hpp"
#include "robust_data.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

TrimmedSvcOptions tight_options(double c, double rho, bool bias = false) {
  return {.c = c,
          .kernel = Linear{},
          .rho = rho,
          .bias = bias,
          .control = {.tolerance = 1e-9, .context = {.threads = 1}, .keep_dual = true}};
}

/// 1/2 |w|^2 and the hinge of the best share rho, the last of them by a fraction.
double trimmed_objective(const TrainedRobustClassifier& trained,
                         const Dataset& data,
                         double c,
                         double rho) {
  std::vector<double> margins = margins_on(trained.model, data);
  std::ranges::sort(margins, std::greater<>());
  double rest = rho * static_cast<double>(data.size());
  double sum = 0.5 * squared_norm_of(trained.model);
  for (const double margin : margins) {
    sum += c * std::clamp(rest, 0.0, 1.0) * Hinge{}.value(margin);
    rest -= 1;
  }
  return sum;
}

void expect_sound(const TrainedRobustClassifier& trained,
                  const Dataset& data,
                  const TrimmedSvcOptions& options) {
  EXPECT_TRUE(is_success(trained.report.status)) << trained.report.message;
  const double objective = *trained.report.primal_objective;
  EXPECT_NEAR(objective,
              trimmed_objective(trained, data, options.c, options.rho),
              1e-8 * std::max(1.0, objective));
  EXPECT_EQ(*trained.report.lower_bound, 0);
  for (std::size_t k = 1; k < trained.objectives.size(); ++k) {
    EXPECT_LT(trained.objectives[k], trained.objectives[k - 1]);
  }
  const Certificate found =
      verify_trimmed_svc(trained.model, trained.dual_coefficients, data, options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, objective, 1e-8 * std::max(1.0, objective));
  EXPECT_NEAR(
      found.dual, *trained.machines.front().report.dual_objective, 1e-8 * std::max(1.0, objective));
}

// seed-xu fact 60 (the half without the relaxation): golden R, beta = 1.
TEST(TrimmedSvc, FindsTheExactSubsetsOfTheGoldenExample) {
  for (const auto& [rho, exact] : {std::pair{6.0 / 7, 0.5}, std::pair{5.0 / 7, 0.4}}) {
    const TrimmedSvcOptions options = tight_options(1, rho);
    const TrainedRobustClassifier trained = train_trimmed_svc(golden_r(), options);
    expect_sound(trained, golden_r(), options);
    EXPECT_NEAR(*trained.report.primal_objective, exact, 1e-6) << rho;
  }
  const TrainedRobustClassifier most = train_trimmed_svc(golden_r(), tight_options(1, 6.0 / 7));
  ASSERT_EQ(most.outliers.size(), 1U);
  EXPECT_EQ(most.outliers[0].row, 6U);
}

// seed-xu fact 60: rho = 1 is the plain machine, 5.25 in golden R.
TEST(TrimmedSvc, RhoOneIsThePlainMachine) {
  const TrimmedSvcOptions options = tight_options(1, 1);
  const TrainedRobustClassifier trained = train_trimmed_svc(golden_r(), options);
  EXPECT_NEAR(*trained.report.primal_objective, 5.25, 1e-7);
  EXPECT_TRUE(trained.outliers.empty());
  EXPECT_EQ(trained.rounds, 1U);
  // A convex problem: one start, and the dual is the bound.
  EXPECT_EQ(trained.starts, 1U);
  EXPECT_NEAR(*trained.report.lower_bound, 5.25, 1e-7);
  const Certificate found =
      verify_trimmed_svc(trained.model, trained.dual_coefficients, golden_r(), options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.lower_bound.value(), 5.25, 1e-7);
}

// seed-xu fact 59: a machine of weights 0 and 1 is the machine of the kept points; brute force over
// all subsets of the right size is never beaten.
TEST(TrimmedSvc, IsNeverBetterThanTheBestSubset) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = noisy_points(8, seed);
    double best = INFINITY;
    for (std::uint32_t kept = 0; kept < 256; ++kept) {
      if (std::popcount(kept) != 6) continue;
      best = std::min(best, best_objective_of(data, kept, 1, Linear{}, false));
    }
    const TrimmedSvcOptions options = tight_options(1, 0.75);
    const TrainedRobustClassifier trained = train_trimmed_svc(data, options);
    expect_sound(trained, data, options);
    EXPECT_GE(*trained.report.primal_objective, best * (1 - 1e-7));
    EXPECT_LE(*trained.report.primal_objective,
              best_objective_of(data, 0xff, 1, Linear{}, false) * (1 + 1e-7));
  }
}

TEST(TrimmedSvc, MatchesTheMachineOfTheKeptPoints) {
  const Dataset data = noisy_points(40, 5);
  const TrimmedSvcOptions options = tight_options(1, 0.9, true);
  const TrainedRobustClassifier trained = train_trimmed_svc(data, options);
  expect_sound(trained, data, options);
  ASSERT_EQ(trained.outliers.size(), 4U);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (std::ranges::none_of(trained.outliers, [&](const Outlier& o) { return o.row == i; })) {
      kept.push_back(i);
    }
  }
  const TrainedClassifier plain =
      train_svc(data.select(kept), {.c = 1, .kernel = Linear{}, .control = {.tolerance = 1e-9}});
  EXPECT_NEAR(*plain.report.primal_objective, *trained.report.primal_objective, 1e-6);
}

// rho n = 27 of 30, but thirty times 0.1 is not 3 in binary.
TEST(TrimmedSvc, RoundingOfTheBudgetMakesNoOutlier) {
  for (const double c : {0.1, 0.3, 0.7, 1.0}) {
    const Dataset data = noisy_points(30, 6);
    const TrimmedSvcOptions options = tight_options(c, 0.9, true);
    const TrainedRobustClassifier trained = train_trimmed_svc(data, options);
    expect_sound(trained, data, options);
    EXPECT_EQ(trained.outliers.size(), 3U) << c;
    for (const Outlier& outlier : trained.outliers) EXPECT_EQ(outlier.eta, 0) << c;
  }
}

// Of twins at the cut the training keeps the first, but rounding may rank them the other way round.
TEST(TrimmedSvc, VerificationLetsTwinsChangePlaces) {
  const Dataset data = dataset({{2}, {-2}, {-.5}, {-.5}}, {1, -1, 1, 1});
  const TrimmedSvcOptions options = tight_options(1, 0.75);
  const TrainedRobustClassifier trained = train_trimmed_svc(data, options);
  expect_sound(trained, data, options);
  ASSERT_EQ(trained.outliers.size(), 1U);
  EXPECT_EQ(trained.outliers[0].row, 3U);
  DualPoint swapped = trained.dual_coefficients;
  std::swap(swapped[0][2], swapped[0][3]);
  EXPECT_EQ(verify_trimmed_svc(trained.model, swapped, data, options).complaint, "");
  // Both at once are too many.
  swapped[0][2] = swapped[0][3];
  EXPECT_NE(verify_trimmed_svc(trained.model, swapped, data, options).complaint, "");
}

// If rho n is no whole number one example counts by a fraction.
TEST(TrimmedSvc, OneExampleMayCountByAFraction) {
  const TrimmedSvcOptions options = tight_options(1, 0.5);
  const TrainedRobustClassifier trained = train_trimmed_svc(golden_r(), options);
  expect_sound(trained, golden_r(), options);
  std::size_t fractions = 0;
  double kept = 7;
  for (const Outlier& outlier : trained.outliers) {
    fractions += outlier.eta > 0 ? 1 : 0;
    kept -= 1 - outlier.eta;
  }
  EXPECT_EQ(fractions, 1U);
  EXPECT_NEAR(kept, 3.5, 1e-12);
  EXPECT_GE(*trained.report.primal_objective, 0.119359995);  // the relaxation's golden value
}

TEST(TrimmedSvc, RefusesSharesThatAreNone) {
  for (const double rho : {0.0, -1.0, 1.5, static_cast<double>(NAN)}) {
    EXPECT_THROW(static_cast<void>(train_trimmed_svc(golden_r(), {.rho = rho})), InvalidArgument);
  }
}

}  // namespace
}  // namespace maxmargin
