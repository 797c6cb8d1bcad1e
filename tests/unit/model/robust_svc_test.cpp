// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/robust_svc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generate_outliers.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/ramp_svc.hpp"
#include "maxmargin/model/verify_robust.hpp"
#include "robust_data.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

constexpr double relaxed_tolerance = 1e-6;

RobustSvcOptions robust_options(double c, KernelBias bias = KernelBias::none) {
  return {.c = c,
          .kernel = Linear{},
          .bias = bias,
          .control = {.tolerance = relaxed_tolerance, .threads = 1, .keep_dual = true}};
}

OutlierSvcOptions outlier_options(double c, double rho, KernelBias bias = KernelBias::none) {
  return {.c = c,
          .kernel = Linear{},
          .rho = rho,
          .bias = bias,
          .control = {.tolerance = relaxed_tolerance, .threads = 1, .keep_dual = true}};
}

/// |w|^2 in the machine's space: a constant feature is part of it.
double norm_in_space(const Classifier& model, KernelBias bias) {
  const double offset = std::get<KernelExpansion>(model.functions).offsets.front();
  return squared_norm_of(model) + (bias == KernelBias::constant ? offset * offset : 0.0);
}

double robust_objective(const TrainedRelaxedClassifier& trained,
                        const Dataset& data,
                        const RobustSvcOptions& options) {
  double sum = 0.5 * norm_in_space(trained.model, options.bias);
  for (const double margin : margins_on(trained.model, data)) {
    sum += options.c * Ramp{}.value(margin);
  }
  return sum;
}

double outlier_objective(const TrainedRelaxedClassifier& trained,
                         const Dataset& data,
                         const OutlierSvcOptions& options) {
  std::vector<double> margins = margins_on(trained.model, data);
  std::ranges::sort(margins, std::greater<>());
  double rest = *options.rho * static_cast<double>(data.size());
  double sum = 0.5 * norm_in_space(trained.model, options.bias);
  for (const double margin : margins) {
    sum += options.c * std::clamp(rest, 0.0, 1.0) * Hinge{}.value(margin);
    rest -= 1;
  }
  return sum;
}

/// What must hold of every answer; `found` is its verification.
void expect_sound(const TrainedRelaxedClassifier& trained,
                  double objective,
                  double tolerance,
                  const Certificate& found) {
  EXPECT_EQ(trained.report.status, Status::solved) << trained.report.message;
  const double reported = *trained.report.primal_objective;
  const double slack = 1e-6 * std::max(1.0, reported);
  EXPECT_NEAR(reported, objective, slack);
  EXPECT_FALSE(trained.report.dual_objective.has_value());
  EXPECT_EQ(*trained.report.lower_bound, trained.relaxation.lower_bound);
  EXPECT_LE(trained.relaxation.lower_bound, reported + slack);
  EXPECT_GE(trained.relaxation.lower_bound, 0);
  EXPECT_GE(trained.relaxation.value, trained.relaxation.lower_bound - slack);
  EXPECT_LE(trained.relaxation.relative_gap, 2 * tolerance);
  EXPECT_GE(trained.stationary_gap, -1e-9);
  EXPECT_LE(trained.stationary_gap, std::max(1e-4, 2 * tolerance));
  EXPECT_GE(trained.relaxation.rank, 1U);
  EXPECT_GE(trained.relaxation.roundings, 1U);
  EXPECT_EQ(trained.relaxation.winners.size(), trained.machines.size());
  for (const std::vector<double>& weights : trained.relaxed_weights) {
    for (const double eta : weights) {
      EXPECT_GE(eta, 0);  // seed-xu fact 56
      EXPECT_LE(eta, 1);
    }
  }
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, reported, slack);
  EXPECT_NEAR(found.dual, *trained.machines.front().report.dual_objective, slack);
  EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - slack);
}

void expect_sound(const TrainedRelaxedClassifier& trained,
                  const Dataset& data,
                  const RobustSvcOptions& options) {
  expect_sound(trained,
               robust_objective(trained, data, options),
               options.control.tolerance,
               verify_robust_svc(trained.model, trained.dual_coefficients, data, options));
}

void expect_sound(const TrainedRelaxedClassifier& trained,
                  const Dataset& data,
                  const OutlierSvcOptions& options) {
  expect_sound(trained,
               outlier_objective(trained, data, options),
               options.control.tolerance,
               verify_outlier_svc(trained.model, trained.dual_coefficients, data, options));
}

// seed-xu golden R: SVM 5.25, exact robust 1.5 by leaving out the last, REH 1.273492707 at beta =
// 1; 6.025, 2.7775 and 2.774303040 at beta = 5, where ours are C = 1/5 times those.
TEST(RobustSvc, FindsTheGoldenValues) {
  const RobustSvcOptions one = robust_options(1);
  const TrainedRelaxedClassifier trained = train_robust_svc(golden_r(), one);
  expect_sound(trained, golden_r(), one);
  EXPECT_NEAR(trained.relaxation.value, 1.273492707, 1e-5);
  EXPECT_NEAR(trained.relaxation.lower_bound, 1.273492707, 1e-5);
  EXPECT_NEAR(*trained.report.primal_objective, 1.5, 1e-5);
  EXPECT_NEAR(trained.relaxed_weights[0][6], 0.5636, 5e-3);
  ASSERT_EQ(trained.outliers.size(), 1U);
  EXPECT_EQ(trained.outliers[0].row, 6U);
  EXPECT_EQ(trained.outliers[0].eta, 0);
  const RobustSvcOptions five = robust_options(0.2);
  const TrainedRelaxedClassifier small = train_robust_svc(golden_r(), five);
  expect_sound(small, golden_r(), five);
  EXPECT_NEAR(small.relaxation.value, 0.2 * 2.774303040, 1e-5);
  EXPECT_NEAR(*small.report.primal_objective, 0.2 * 2.7775, 1e-5);
  EXPECT_NEAR(small.relaxed_weights[0][6], 0.053, 5e-3);
}

// seed-xu facts 57 and 62: 0 <= REH <= best of 2^n sets of outliers <= what is returned, and that
// is no worse than the plain machine, than all examples left out, and than CCCP from the plain
// machine.
TEST(RobustSvc, LiesBetweenBruteForceAndThePlainMachine) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = noisy_points(8, seed);
    for (const double c : {0.2, 2.0}) {
      const double best = brute_force_ramp(data, c, Linear{}, false);
      const RobustSvcOptions options = robust_options(c);
      const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
      expect_sound(trained, data, options);
      const double objective = *trained.report.primal_objective;
      const double slack = 1e-5 * std::max(1.0, best);
      EXPECT_LE(trained.relaxation.value, best + slack) << seed << ' ' << c;
      EXPECT_GE(objective, best - slack) << seed << ' ' << c;
      EXPECT_LE(objective, best_objective_of(data, 0xff, c, Linear{}, false) + slack);
      EXPECT_LE(objective, c * 8 + slack);
      const TrainedRobustClassifier cccp =
          train_ramp_svc(data,
                         {.c = c,
                          .kernel = Linear{},
                          .bias = false,
                          .starts = 1,
                          .control = {.tolerance = 1e-7, .threads = 1}});
      EXPECT_LE(objective, *cccp.report.primal_objective + slack) << seed << ' ' << c;
    }
  }
}

// seed-xu fact 58: antipodal point masses, beta / (2 a^2) in the thesis' units, all kept.
TEST(RobustSvc, AntipodalPointsAreSolvedExactly) {
  const double a = 2;
  const Dataset data = dataset({{a}, {a}, {a}, {-a}, {-a}, {-a}}, {1, 1, 1, -1, -1, -1});
  const RobustSvcOptions options = robust_options(0.5);  // beta = 2 <= n a^2
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  expect_sound(trained, data, options);
  EXPECT_NEAR(trained.relaxation.lower_bound, 1 / (2 * a * a), 1e-6);
  EXPECT_NEAR(*trained.report.primal_objective, 1 / (2 * a * a), 1e-6);
  EXPECT_TRUE(trained.outliers.empty());
  for (const double eta : trained.relaxed_weights[0]) EXPECT_NEAR(eta, 1, 1e-2);
}

// seed-xu fact 65: where y_i y_j K_ij >= 0 for all pairs it is the plain machine.
TEST(RobustSvc, WithoutDisagreementItIsThePlainMachine) {
  Rng rng(7);
  std::vector<std::vector<double>> points;
  std::vector<double> labels;
  for (std::size_t i = 0; i < 10; ++i) {
    const double side = i % 2 == 0 ? 1 : -1;
    points.push_back({side * rng.uniform(0.1, 3), side * rng.uniform(0.1, 3)});
    labels.push_back(side);
  }
  const Dataset data = dataset(points, labels);
  for (const double c : {0.05, 1.0, 20.0}) {
    const RobustSvcOptions options = robust_options(c);
    const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
    expect_sound(trained, data, options);
    const double plain = best_objective_of(data, 0x3ff, c, Linear{}, false);
    EXPECT_NEAR(trained.relaxation.lower_bound, plain, 1e-5 * std::max(1.0, plain)) << c;
    EXPECT_NEAR(*trained.report.primal_objective, plain, 1e-5 * std::max(1.0, plain)) << c;
  }
}

// seed-xu golden R and fact 60: ROD, strictly positive, below the exact subsets, rising with rho.
TEST(OutlierSvc, FindsTheGoldenValues) {
  struct Golden {
    double rho, relaxed, exact;
  };
  double last = 0;
  for (const Golden& golden : {Golden{0.5, 0.119359995, 0.222222222},
                               Golden{5.0 / 7, 0.226813387, 0.4},
                               Golden{6.0 / 7, 0.427174464, 0.5}}) {
    const OutlierSvcOptions options = outlier_options(1, golden.rho);
    const TrainedRelaxedClassifier trained = train_outlier_svc(golden_r(), options);
    expect_sound(trained, golden_r(), options);
    EXPECT_EQ(trained.rho, golden.rho);
    EXPECT_NEAR(trained.relaxation.value, golden.relaxed, 1e-5) << golden.rho;
    EXPECT_NEAR(trained.relaxation.lower_bound, golden.relaxed, 1e-5) << golden.rho;
    EXPECT_GT(trained.relaxation.lower_bound, last);
    last = trained.relaxation.lower_bound;
    if (golden.rho > 0.5) {
      EXPECT_NEAR(*trained.report.primal_objective, golden.exact, 1e-5) << golden.rho;
    } else {
      // Three and a half of seven: 0.2222 is the best of whole subsets of four.
      EXPECT_LE(*trained.report.primal_objective, golden.exact + 1e-5);
    }
  }
}

// seed-xu fact 60: rho = 1 is the plain machine, relaxed or not.
TEST(OutlierSvc, RhoOneIsThePlainMachine) {
  const OutlierSvcOptions options = outlier_options(1, 1);
  const TrainedRelaxedClassifier trained = train_outlier_svc(golden_r(), options);
  expect_sound(trained, golden_r(), options);
  EXPECT_NEAR(*trained.report.primal_objective, 5.25, 1e-5);
  EXPECT_NEAR(*trained.report.lower_bound, 5.25, 1e-5);
  EXPECT_TRUE(trained.outliers.empty());
  EXPECT_EQ(trained.relaxation.winners.front(), "plain machine");
  // A share next to 1 comes near to it.
  const OutlierSvcOptions nearly = outlier_options(1, 0.9999);
  EXPECT_NEAR(train_outlier_svc(golden_r(), nearly).relaxation.value, 5.25, 0.02);
}

// seed-xu facts 59 and 60: never above the best subset, and what is returned is never below it.
TEST(OutlierSvc, LiesBelowTheBestSubset) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = noisy_points(8, seed);
    double best = INFINITY;
    for (std::uint32_t kept = 0; kept < 256; ++kept) {
      if (std::popcount(kept) != 6) continue;
      best = std::min(best, best_objective_of(data, kept, 1, Linear{}, false));
    }
    const OutlierSvcOptions options = outlier_options(1, 0.75);
    const TrainedRelaxedClassifier trained = train_outlier_svc(data, options);
    expect_sound(trained, data, options);
    EXPECT_LE(trained.relaxation.value, best + 1e-5);
    EXPECT_GT(trained.relaxation.lower_bound, 0);
    EXPECT_GE(*trained.report.primal_objective, best - 1e-5);
    double kept = 0;
    for (const double eta : trained.relaxed_weights[0]) kept += eta;
    EXPECT_GE(kept, 6 - 1e-4);
  }
}

// The largest weight drops below 1 when more is left out than there are outliers.
TEST(OutlierSvc, ChoosesTheShareAtThePhaseTransition) {
  OutlierSvcOptions options = outlier_options(1, 0.9);
  const double rho = choose_rho(golden_r(), options);
  const std::vector<double> grid = rho_grid();
  const auto at = std::ranges::find(grid, rho);
  ASSERT_NE(at, grid.end());
  // By definition: whole weights at the share chosen, none at the next.
  options.rho = rho;
  EXPECT_GE(std::ranges::max(train_outlier_svc(golden_r(), options).relaxed_weights[0]),
            whole_weight);
  ASSERT_NE(at + 1, grid.end());
  options.rho = *(at + 1);
  EXPECT_LT(std::ranges::max(train_outlier_svc(golden_r(), options).relaxed_weights[0]),
            whole_weight);
  // Golden R: whole at 5/7, 0.80 at 1/2.
  EXPECT_LE(rho, 5.0 / 7);
  EXPECT_GT(rho, 0.5);
  options.rho = std::nullopt;
  EXPECT_EQ(train_outlier_svc(golden_r(), options).rho, rho);
}

TEST(RobustSvc, AllBiasesAreVerified) {
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

// The constant feature is data: adding it by hand changes nothing.
TEST(RobustSvc, AConstantBiasIsAConstantFeature) {
  const Dataset data = noisy_points(12, 5);
  Dataset wider = data;
  DenseMatrix more(data.size(), 3);
  for (std::size_t i = 0; i < data.size(); ++i) {
    more(i, 0) = data.examples.row(i).at(0);
    more(i, 1) = data.examples.row(i).at(1);
    more(i, 2) = 1;
  }
  wider.examples = std::move(more);
  const auto with_bias = train_robust_svc(data, robust_options(1, KernelBias::constant));
  const auto by_hand = train_robust_svc(wider, robust_options(1, KernelBias::none));
  EXPECT_NEAR(with_bias.relaxation.value, by_hand.relaxation.value, 1e-5);
  EXPECT_NEAR(*with_bias.report.primal_objective, *by_hand.report.primal_objective, 1e-5);
}

// A centre moves with the points.
TEST(RobustSvc, ACentredMachineDoesNotSeeATranslation) {
  const Dataset data = noisy_points(12, 6);
  Dataset moved = data;
  DenseMatrix points = data.examples.to_dense();
  for (std::size_t i = 0; i < points.rows(); ++i) {
    points(i, 0) += 3;
    points(i, 1) -= 5;
  }
  moved.examples = std::move(points);
  const RobustSvcOptions options = robust_options(1, KernelBias::center);
  const auto here = train_robust_svc(data, options);
  const auto there = train_robust_svc(moved, options);
  EXPECT_NEAR(here.relaxation.value, there.relaxation.value, 1e-5);
  EXPECT_NEAR(*here.report.primal_objective, *there.report.primal_objective, 1e-5);
  EXPECT_NEAR(margins_on(here.model, data)[0], margins_on(there.model, moved)[0], 1e-2);
}

// x times t and C over t^2 leave margins alone and the objective over t^2; rows may change places.
TEST(RobustSvc, ScalingAndOrderChangeNothing) {
  const Dataset data = noisy_points(10, 8);
  const auto plain = train_robust_svc(data, robust_options(1));
  Dataset scaled = data;
  DenseMatrix points = data.examples.to_dense();
  for (double& value : points.values()) value *= 2;
  scaled.examples = std::move(points);
  const auto larger = train_robust_svc(scaled, robust_options(0.25));
  EXPECT_NEAR(plain.relaxation.value, 4 * larger.relaxation.value, 1e-4);
  std::vector<std::size_t> order(data.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  const Dataset turned = data.select(order);
  const auto other = train_robust_svc(turned, robust_options(1));
  EXPECT_NEAR(plain.relaxation.value, other.relaxation.value, 1e-5);
  EXPECT_NEAR(*plain.report.primal_objective, *other.report.primal_objective, 1e-5);
}

// A common weight is part of C; different ones are refused.
TEST(RobustSvc, TakesOneWeightForAll) {
  Dataset data = golden_r();
  data.weights.assign(7, 0.2);
  const RobustSvcOptions options = robust_options(1);
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  EXPECT_NEAR(trained.relaxation.value, 0.2 * 2.774303040, 1e-5);
  EXPECT_EQ(verify_robust_svc(trained.model, trained.dual_coefficients, data, options).complaint,
            "");
  data.weights[3] = 1;
  EXPECT_THROW((void)train_robust_svc(data, options), InvalidArgument);
  data.weights.assign(7, 0.0);
  EXPECT_THROW((void)train_robust_svc(data, options), InvalidArgument);
}

TEST(RobustSvc, SeveralClassesAddUp) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 150; i += 6) rows.push_back(i);
  const Dataset data = iris().select(rows);
  for (const MulticlassKind kind : {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest}) {
    const RobustSvcOptions options{.multiclass = kind, .control = {.keep_dual = true}};
    const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
    EXPECT_EQ(trained.report.status, Status::solved);
    EXPECT_EQ(trained.machines.size(), 3U);
    EXPECT_EQ(trained.relaxed_weights.size(), 3U);
    double sum = 0;
    for (const MachineReport& machine : trained.machines) sum += *machine.report.lower_bound;
    EXPECT_NEAR(*trained.report.lower_bound, sum, 1e-12);
    const Certificate found =
        verify_robust_svc(trained.model, trained.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-6 * found.primal);
    EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-6 * found.primal);
    const OutlierSvcOptions trimmed{.multiclass = kind, .control = {.keep_dual = true}};
    const TrainedRelaxedClassifier kept = train_outlier_svc(data, trimmed);
    EXPECT_EQ(verify_outlier_svc(kept.model, kept.dual_coefficients, data, trimmed).complaint, "");
  }
}

TEST(RobustSvc, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = noisy_points(30, 2);
  std::vector<TrainedRelaxedClassifier> found;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    found.push_back(train_robust_svc(data, {.control = {.threads = threads}}));
  }
  for (const TrainedRelaxedClassifier& other : found) {
    EXPECT_EQ(*other.report.primal_objective, *found[0].report.primal_objective);
    EXPECT_EQ(*other.report.lower_bound, *found[0].report.lower_bound);
    EXPECT_EQ(other.relaxed_weights, found[0].relaxed_weights);
    EXPECT_EQ(other.relaxation.winners, found[0].relaxation.winners);
  }
}

TEST(RobustSvc, FarOutliersDoNotTurnIt) {
  const Dataset data =
      generate_ring_outliers({.n = 40, .outliers = 8, .radius = 55, .seed = 2}).data;
  RobustSvcOptions options = robust_options(1);
  options.control.tolerance = 1e-3;
  const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
  const double plain =
      *train_svc(data, {.c = 1, .kernel = Linear{}, .bias = false}).report.primal_objective;
  EXPECT_LT(*trained.report.primal_objective, 0.5 * plain);
  EXPECT_LE(trained.relaxation.lower_bound, *trained.report.primal_objective);
}

TEST(RobustSvc, VerificationSeesTampering) {
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

TEST(RobustSvc, StopsWithTheBestSoFar) {
  const Dataset data = noisy_points(40, 1);
  for (const std::size_t questions : {0U, 3U, 30U}) {
    std::size_t asked = 0;
    RobustSvcOptions options = robust_options(1);
    options.control.on_progress = [&](const Progress&) {
      return asked++ < questions ? Continue::yes : Continue::stop;
    };
    const TrainedRelaxedClassifier trained = train_robust_svc(data, options);
    EXPECT_EQ(trained.report.status, Status::stopped_by_callback);
    EXPECT_NEAR(*trained.report.primal_objective,
                robust_objective(trained, data, options),
                1e-6 * *trained.report.primal_objective);
    EXPECT_LE(*trained.report.lower_bound, *trained.report.primal_objective);
    EXPECT_LE(*trained.report.primal_objective, 40 * (1 + 1e-9));
    const Certificate found =
        verify_robust_svc(trained.model, trained.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
  }
}

// Far points and few features: a machine that is ended early can be far too large.
TEST(RobustSvc, IsNeverWorseThanNothingWhenStopped) {
  const Dataset data =
      generate_ring_outliers({.n = 60, .outliers = 12, .radius = 500, .seed = 4}).data;
  OutlierSvcOptions options = outlier_options(1, 0.9);
  options.control.on_progress = [](const Progress&) { return Continue::stop; };
  const TrainedRelaxedClassifier trained = train_outlier_svc(data, options);
  EXPECT_EQ(trained.report.status, Status::stopped_by_callback);
  EXPECT_LE(*trained.report.primal_objective, 0.9 * 60 * (1 + 1e-9));
  EXPECT_NEAR(*trained.report.primal_objective,
              outlier_objective(trained, data, options),
              1e-6 * *trained.report.primal_objective);
  EXPECT_EQ(verify_outlier_svc(trained.model, trained.dual_coefficients, data, options).complaint,
            "");
}

TEST(RobustSvc, RefusesWrongUse) {
  EXPECT_THROW((void)train_robust_svc(golden_r(), {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)train_robust_svc(golden_r(), {.c = INFINITY}), InvalidArgument);
  EXPECT_THROW((void)train_robust_svc(golden_r(), {.max_rounds = 0}), InvalidArgument);
  EXPECT_THROW((void)train_robust_svc(golden_r(), {.kernel = Sigmoid{}}), InvalidArgument);
  EXPECT_THROW((void)train_robust_svc(golden_r(), {.multiclass = MulticlassKind::direct}),
               InvalidArgument);
  EXPECT_THROW((void)train_robust_svc(dataset({}, {})), InvalidArgument);
  EXPECT_THROW((void)train_robust_svc(dataset({{1}, {2}}, {1, 1})), InvalidArgument);
  for (const double rho : {0.0, -1.0, 1.5, static_cast<double>(NAN)}) {
    EXPECT_THROW((void)train_outlier_svc(golden_r(), {.rho = rho}), InvalidArgument);
  }
  // A matrix that is no kernel.
  auto matrix = std::make_shared<DenseMatrix>(2, 2);
  (*matrix)(0, 1) = (*matrix)(1, 0) = 1;
  Dataset indices{.examples = index_examples(2), .labels = LabelColumn::from_numbers({1, -1})};
  EXPECT_THROW((void)train_robust_svc(indices, {.kernel = Precomputed{matrix}}), InvalidArgument);
  (*matrix)(0, 0) = (*matrix)(1, 1) = 2;
  EXPECT_EQ(train_robust_svc(indices, {.kernel = Precomputed{matrix}}).report.status,
            Status::solved);
}

TEST(RobustSvc, NamesAnotherRoadWhenMemoryIsShort) {
  const Dataset data = noisy_points(200, 1);
  try {
    (void)train_robust_svc(data, {.control = {.memory_limit = 100000}});
    FAIL() << "no exception";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("ramp-svc"), std::string::npos) << error.what();
  }
  try {
    (void)train_outlier_svc(data, {.rho = std::nullopt, .control = {.memory_limit = 100000}});
    FAIL() << "no exception";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("trimmed-svc"), std::string::npos) << error.what();
  }
}

TEST(RobustSvc, TakesDegenerateData) {
  // Equal points of both labels: nothing separates them; each costs 1 or f = 0 costs 1 each.
  const Dataset twins = dataset({{1}, {1}, {1}, {1}}, {1, -1, 1, -1});
  RobustSvcOptions options = robust_options(1);
  const TrainedRelaxedClassifier trained = train_robust_svc(twins, options);
  EXPECT_NEAR(*trained.report.primal_objective, brute_force_ramp(twins, 1, Linear{}, false), 1e-5);
  // Points at the origin: all losses are 1.
  const Dataset zeros = dataset({{0}, {0}}, {1, -1});
  const TrainedRelaxedClassifier none = train_robust_svc(zeros, options);
  EXPECT_NEAR(*none.report.primal_objective, 2, 1e-9);
  EXPECT_NEAR(none.relaxation.value, 2, 1e-5);
  // Two points.
  const Dataset two = dataset({{1}, {-1}}, {1, -1});
  EXPECT_NEAR(train_robust_svc(two, options).relaxation.lower_bound, 0.5, 1e-5);
}

}  // namespace
}  // namespace maxmargin
