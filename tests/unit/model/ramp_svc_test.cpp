// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/ramp_svc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generate_outliers.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/loss/margin_loss.hpp"
#include "maxmargin/model/verify_robust.hpp"
#include "robust_data.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

constexpr double tight = 1e-9;

RampSvcOptions tight_options(double c, bool bias = false, RampStep step = RampStep::cccp) {
  return {.c = c,
          .kernel = Linear{},
          .step = step,
          .bias = bias,
          .control = {.tolerance = tight, .threads = 1, .keep_dual = true}};
}

/// The objective from its definition.
double ramp_objective(const TrainedRobustClassifier& trained,
                      const Dataset& data,
                      double c,
                      double s = 0) {
  double sum = 0.5 * squared_norm_of(trained.model);
  for (const double margin : margins_on(trained.model, data)) sum += c * Ramp{s}.value(margin);
  return sum;
}

void expect_sound(const TrainedRobustClassifier& trained,
                  const Dataset& data,
                  const RampSvcOptions& options) {
  EXPECT_EQ(trained.report.status, Status::solved) << trained.report.message;
  const double objective = *trained.report.primal_objective;
  EXPECT_NEAR(objective, ramp_objective(trained, data, options.c, options.s), 1e-9 * objective);
  EXPECT_FALSE(trained.report.dual_objective.has_value());
  EXPECT_LE(*trained.report.lower_bound, objective * (1 + 1e-9));
  EXPECT_GE(*trained.report.lower_bound, 0);
  EXPECT_GE(trained.stationary_gap, -1e-9);
  EXPECT_LE(trained.stationary_gap, 10 * options.control.tolerance);
  for (std::size_t k = 1; k < trained.objectives.size(); ++k) {
    EXPECT_LT(trained.objectives[k], trained.objectives[k - 1]);
  }
  const Certificate found =
      verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, objective, 1e-8 * objective);
  EXPECT_NEAR(found.dual, *trained.machines.front().report.dual_objective, 1e-8 * objective);
  EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-8 * objective);
  EXPECT_LE(*found.lower_bound, objective * (1 + 1e-9));
}

// Golden R: beta = 1 / C, and objectives of the thesis are ours times beta.
TEST(RampSvc, FindsTheOutlierOfTheGoldenExample) {
  for (const RampStep step : {RampStep::cccp, RampStep::alternating}) {
    for (const auto& [c, robust] : {std::pair{1.0, 1.5}, std::pair{0.2, 2.7775 / 5}}) {
      const RampSvcOptions options = tight_options(c, false, step);
      const TrainedRobustClassifier trained = train_ramp_svc(golden_r(), options);
      expect_sound(trained, golden_r(), options);
      EXPECT_NEAR(*trained.report.primal_objective, robust, 1e-7);
      ASSERT_EQ(trained.outliers.size(), 1U);
      EXPECT_EQ(trained.outliers[0].row, 6U);
      EXPECT_EQ(trained.outliers[0].eta, 0);
      EXPECT_LT(trained.outliers[0].margin, 0);
      EXPECT_EQ(trained.outlier_rows(), 1U);
    }
  }
}

// seed-xu facts 57 and 62: lower bound <= exact robust optimum <= what the descent reaches
// <= min(plain machine, C n).
TEST(RampSvc, LiesBetweenBruteForceAndThePlainMachine) {
  std::size_t exact = 0;
  std::size_t cases = 0;
  std::size_t bounded_with_bias = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    for (const double c : {0.1, 1.0}) {
      for (const bool bias : {false, true}) {
        const Dataset data = noisy_points(8, seed);
        const RampSvcOptions options = tight_options(c, bias);
        const TrainedRobustClassifier trained = train_ramp_svc(data, options);
        expect_sound(trained, data, options);
        const double best = brute_force_ramp(data, c, Linear{}, bias);
        const double plain = best_objective_of(data, 0xff, c, Linear{}, bias);
        const double found = *trained.report.primal_objective;
        EXPECT_LE(*trained.report.lower_bound, best * (1 + 1e-7)) << seed << ' ' << c << bias;
        EXPECT_GE(found, best * (1 - 1e-7)) << seed << ' ' << c << bias;
        // The offset is limited as soon as no class can be left out altogether, and with the
        // margins limited every machine has a positive objective.
        const Classes classes = classes_of(data.labels);
        const auto ones = static_cast<double>(std::ranges::count(classes.of_row, 1));
        if (!bias || found < c * std::min(ones, 8 - ones) * (1 - 1e-6)) {
          EXPECT_GT(*trained.report.lower_bound, 1e-3 * best) << seed << ' ' << c << bias;
          bounded_with_bias += bias ? 1 : 0;
        }
        EXPECT_LE(found, plain * (1 + 1e-7));
        EXPECT_LE(found, c * 8 * (1 + 1e-7));
        exact += found <= best * (1 + 1e-6) ? 1 : 0;
        ++cases;
      }
    }
  }
  // Ten starts on eight points: nearly always the best of the 256 sets.
  EXPECT_GE(exact + 2, cases);
  EXPECT_GE(bounded_with_bias, 4U);
}

TEST(RampSvc, WithoutOutliersIsThePlainMachine) {
  const Dataset data =
      dataset({{1, 0}, {2, 1}, {1.5, -1}, {-1, .5}, {-2, -.5}, {-1.5, 1}}, {1, 1, 1, -1, -1, -1});
  const TrainedRobustClassifier trained = train_ramp_svc(data, tight_options(1, true));
  const TrainedClassifier plain =
      train_svc(data, {.c = 1, .kernel = Linear{}, .control = {.tolerance = tight, .threads = 1}});
  EXPECT_TRUE(trained.outliers.empty());
  EXPECT_NEAR(*trained.report.primal_objective, *plain.report.primal_objective, 1e-8);
  expect_sound(trained, data, tight_options(1, true));
}

// seed-xu fact 58's data: antipodal points, optimum beta / (2 a^2) times C = 1 / (2 a^2).
TEST(RampSvc, SeparableAntipodalPointsHaveNoOutlierAndATightBound) {
  const Dataset data = dataset({{2}, {2}, {2}, {-2}, {-2}, {-2}}, {1, 1, 1, -1, -1, -1});
  RampSvcOptions options = tight_options(1);
  options.bound_rounds = 10;
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  EXPECT_NEAR(*trained.report.primal_objective, 1.0 / 8, 1e-8);
  EXPECT_TRUE(trained.outliers.empty());
  // The margins of every candidate are above 0, so the bound is the plain machine's dual.
  EXPECT_NEAR(*trained.report.lower_bound, 1.0 / 8, 1e-6);
}

// The offset costs nothing and is limited by the classes alone: moved data have the same bound.
TEST(RampSvc, SeparableDataWithABiasHaveATightBound) {
  for (const double moved : {0.0, 3.0}) {
    const Dataset data = dataset({{2 + moved},
                                  {2 + moved},
                                  {2.5 + moved},
                                  {3 + moved},
                                  {-2 + moved},
                                  {-2 + moved},
                                  {-2.5 + moved},
                                  {-3 + moved}},
                                 {1, 1, 1, 1, -1, -1, -1, -1});
    RampSvcOptions options = tight_options(1, true);
    options.bound_rounds = 10;
    const TrainedRobustClassifier trained = train_ramp_svc(data, options);
    expect_sound(trained, data, options);
    EXPECT_NEAR(*trained.report.primal_objective, 1.0 / 8, 1e-8);
    EXPECT_GE(*trained.report.lower_bound, 0.99 * *trained.report.primal_objective) << moved;
  }
}

TEST(RampSvc, BothStepsHaveTheSameFixedPoints) {
  for (const std::uint64_t seed : {5U, 6U, 7U}) {
    const Dataset data = noisy_points(40, seed);
    RampSvcOptions options = tight_options(1, true);
    options.starts = 1;
    const TrainedRobustClassifier cccp = train_ramp_svc(data, options);
    Dataset kept = data;
    kept.weights.assign(data.size(), 1.0);
    for (const Outlier& outlier : cccp.outliers) kept.weights[outlier.row] = 0;
    const TrainedClassifier plain = train_svc(
        kept, {.c = 1, .kernel = Linear{}, .control = {.tolerance = tight, .threads = 1}});
    // The machine of the kept examples is the machine that the tangents gave.
    EXPECT_NEAR(*plain.report.primal_objective + static_cast<double>(cccp.outliers.size()),
                *cccp.report.primal_objective,
                1e-6 * *cccp.report.primal_objective)
        << seed;
  }
}

// seed-xu fact 63: alternating steps have eta in {0, 1} and end at the first eta that comes again,
// where the machine of the kept examples leaves out the same ones.
TEST(RampSvc, AlternatingStepsEndWhereTheOutliersRepeat) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = noisy_points(20, seed);
    RampSvcOptions options = tight_options(2, false, RampStep::alternating);
    options.starts = 1;
    const TrainedRobustClassifier trained = train_ramp_svc(data, options);
    expect_sound(trained, data, options);
    std::uint32_t kept = (1U << 20) - 1;
    for (const Outlier& outlier : trained.outliers) {
      EXPECT_EQ(outlier.eta, 0);
      kept &= ~(1U << outlier.row);
    }
    const std::vector<double> margins = margins_on(trained.model, data);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(margins[i] >= 0, ((kept >> i) & 1U) == 1);
    const double rest = 2 * static_cast<double>(trained.outliers.size());
    EXPECT_NEAR(*trained.report.primal_objective,
                rest + best_objective_of(data, kept, 2, Linear{}, false),
                1e-6);
    // Every round but the first was asked for by an eta that had not been there.
    EXPECT_LE(trained.rounds, trained.objectives.size() + 1);
  }
}

// What the machine is for: five draws of ten ring points of random label among fifty.
TEST(RampSvc, FarOutliersTurnThePlainMachineButNotThisOne) {
  const Dataset clean = generate_ring_outliers({.n = 2000, .outliers = 0, .seed = 99}).data;
  const auto errors = [&](const Classifier& model) {
    return std::ranges::count_if(margins_on(model, clean), [](double z) { return z < 0; });
  };
  std::ptrdiff_t of_plain = 0;
  std::ptrdiff_t of_robust = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const Dataset data =
        generate_ring_outliers({.n = 50, .outliers = 10, .radius = 75, .seed = seed}).data;
    of_plain += errors(train_svc(data, {.c = 1, .kernel = Linear{}, .bias = false}).model);
    RampSvcOptions options = tight_options(1);
    options.control.tolerance = 1e-3;
    of_robust += errors(train_ramp_svc(data, options).model);
  }
  EXPECT_LT(3 * of_robust, of_plain) << of_robust << ' ' << of_plain;
}

TEST(RampSvc, ALowRampIsThePlainMachine) {
  const Dataset data = noisy_points(30, 9);
  RampSvcOptions options = tight_options(1, true);
  options.s = -1e6;
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  EXPECT_TRUE(trained.outliers.empty());
  EXPECT_NEAR(*trained.report.primal_objective,
              best_objective_of(data, 0x3fffffff, 1, Linear{}, true),
              1e-6);
}

TEST(RampSvc, OtherRampsAreSoundToo) {
  for (const double s : {-1.0, -0.3, 0.4}) {
    const Dataset data = noisy_points(30, 11);
    RampSvcOptions options = tight_options(0.5, true);
    options.s = s;
    options.kernel = Rbf{.gamma = 0.5};
    const TrainedRobustClassifier trained = train_ramp_svc(data, options);
    expect_sound(trained, data, options);
    for (const Outlier& outlier : trained.outliers) EXPECT_LT(outlier.margin, s);
  }
}

TEST(RampSvc, SwappedLabelsGiveTheMirrorImage) {
  const Dataset data = noisy_points(40, 12);
  Dataset swapped = data;
  std::vector<double> labels;
  for (std::size_t i = 0; i < data.size(); ++i) labels.push_back(-data.labels.at(i)->number());
  swapped.labels = LabelColumn::from_numbers(labels);
  RampSvcOptions options = tight_options(1, true);
  options.starts = 1;
  const TrainedRobustClassifier one = train_ramp_svc(data, options);
  const TrainedRobustClassifier other = train_ramp_svc(swapped, options);
  EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 1e-6);
  ASSERT_EQ(one.outliers.size(), other.outliers.size());
  for (std::size_t k = 0; k < one.outliers.size(); ++k) {
    EXPECT_EQ(one.outliers[k].row, other.outliers[k].row);
  }
}

TEST(RampSvc, ScalingTheDataAndCLeavesTheMachineAlone) {
  const Dataset data = noisy_points(40, 13);
  Dataset scaled = data;
  DenseMatrix points = data.examples.to_dense();
  for (double& value : points.values()) value *= 4;
  scaled.examples = std::move(points);
  RampSvcOptions options = tight_options(1, true);
  options.starts = 1;
  const TrainedRobustClassifier one = train_ramp_svc(data, options);
  options.c = 1.0 / 16;
  const TrainedRobustClassifier other = train_ramp_svc(scaled, options);
  EXPECT_NEAR(*one.report.primal_objective, 16 * *other.report.primal_objective, 1e-5);
  EXPECT_EQ(one.outliers.size(), other.outliers.size());
  EXPECT_NEAR(*one.report.lower_bound, 16 * *other.report.lower_bound, 1e-4);
}

TEST(RampSvc, AWeightOfTwoIsTwoCopies) {
  const Dataset data = noisy_points(12, 14);
  Dataset weighted = data;
  weighted.weights.assign(12, 1.0);
  weighted.weights[3] = 2;
  weighted.weights[7] = 0;
  std::vector<std::size_t> rows = {0, 1, 2, 3, 3, 4, 5, 6, 8, 9, 10, 11};
  RampSvcOptions options = tight_options(1, true);
  options.starts = 1;
  const TrainedRobustClassifier one = train_ramp_svc(weighted, options);
  const TrainedRobustClassifier other = train_ramp_svc(data.select(rows), options);
  EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 1e-6);
  EXPECT_NEAR(*one.report.lower_bound, *other.report.lower_bound, 1e-4);
  for (const Outlier& outlier : one.outliers) EXPECT_NE(outlier.row, 7U);
}

TEST(RampSvc, ClassWeightsAreCounted) {
  const Dataset data = noisy_points(20, 15);
  RampSvcOptions options = tight_options(0.5, true);
  options.class_weights = parse_class_weights("1=3,-1=1");
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  double sum = 0.5 * squared_norm_of(trained.model);
  const std::vector<double> margins = margins_on(trained.model, data);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const double weight = data.labels.at(i)->number() > 0 ? 3 : 1;
    sum += 0.5 * weight * Ramp{}.value(margins[i]);
  }
  EXPECT_NEAR(*trained.report.primal_objective, sum, 1e-8 * sum);
  EXPECT_EQ(verify_ramp_svc(trained.model, trained.dual_coefficients, data, options).complaint, "");
}

TEST(RampSvc, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = iris();
  std::vector<TrainedRobustClassifier> found;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    found.push_back(train_ramp_svc(
        data,
        {.c = 1, .multiclass = MulticlassKind::one_vs_rest, .control = {.threads = threads}}));
  }
  for (const TrainedRobustClassifier& other : found) {
    EXPECT_EQ(*other.report.primal_objective, *found[0].report.primal_objective);
    EXPECT_EQ(*other.report.lower_bound, *found[0].report.lower_bound);
    const auto& a = std::get<KernelExpansion>(other.model.functions).coefficients.values();
    const auto& b = std::get<KernelExpansion>(found[0].model.functions).coefficients.values();
    EXPECT_TRUE(std::ranges::equal(a, b));
  }
}

TEST(RampSvc, SeveralClassesAddUp) {
  const Dataset data = iris();
  for (const MulticlassKind kind :
       {MulticlassKind::one_vs_one, MulticlassKind::one_vs_rest, MulticlassKind::ecoc}) {
    RampSvcOptions options{.c = 1, .multiclass = kind, .starts = 2, .control = {.keep_dual = true}};
    const TrainedRobustClassifier trained = train_ramp_svc(data, options);
    EXPECT_EQ(trained.report.status, Status::solved);
    const Certificate found =
        verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-6 * found.primal);
    EXPECT_GE(*found.lower_bound, *trained.report.lower_bound - 1e-6 * found.primal);
    for (const Outlier& outlier : trained.outliers) {
      EXPECT_LT(outlier.function, trained.machines.size());
      EXPECT_LT(outlier.margin, 0);
    }
  }
}

TEST(RampSvc, VerificationSeesTampering) {
  const Dataset data = noisy_points(20, 21);
  const RampSvcOptions options = tight_options(1, true);
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  DualPoint wrong = trained.dual_coefficients;
  wrong[0][4] += 3;
  EXPECT_NE(verify_ramp_svc(trained.model, wrong, data, options).complaint, "");
  Classifier moved = trained.model;
  std::get<KernelExpansion>(moved.functions).offsets[0] += 1;
  const double primal = verify_ramp_svc(moved, trained.dual_coefficients, data, options).primal;
  EXPECT_GT(std::abs(primal - *trained.report.primal_objective), 1e-3);
  // Stages that claim too much are scaled into their boxes, and prove no more than the truth.
  DualPoint greedy = trained.dual_coefficients;
  for (std::size_t stage = 1; stage < greedy.size(); ++stage) {
    for (double& b : greedy[stage]) b *= 100;
  }
  EXPECT_LE(verify_ramp_svc(trained.model, greedy, data, options).lower_bound.value(),
            *trained.report.primal_objective);
}

// Nothing says that |w|^2 >= 0: f = K (1, -1)' has the objective 1.01 here, and the formulas of the
// bound give 2.5.
TEST(RampSvc, AKernelOfUnknownDefinitenessHasNoLowerBound) {
  auto matrix = std::make_shared<DenseMatrix>(2, 2);
  (*matrix)(0, 0) = (*matrix)(1, 1) = 0.01;
  (*matrix)(0, 1) = (*matrix)(1, 0) = 1;
  const Kernel kernel = Precomputed{.matrix = matrix};
  const Dataset data{.examples = index_examples(2), .labels = LabelColumn::from_numbers({1, -1})};
  RampSvcOptions options = tight_options(1);
  options.kernel = kernel;
  const TrainedRobustClassifier ramp = train_ramp_svc(data, options);
  EXPECT_FALSE(ramp.report.lower_bound.has_value());
  EXPECT_FALSE(
      verify_ramp_svc(ramp.model, ramp.dual_coefficients, data, options).lower_bound.has_value());
  options.multiclass = MulticlassKind::direct;
  EXPECT_FALSE(train_ramp_svc(data, options).report.lower_bound.has_value());
  EXPECT_FALSE(
      train_trimmed_svc(data, {.kernel = kernel, .bias = false}).report.lower_bound.has_value());
}

// Rounding may put a margin of s on the other side of s; here the s of the verification is moved
// in its place. The third row has the margin 0 whatever the function is.
TEST(RampSvc, VerificationFollowsTheTrainingAtTheCornerOfTheRamp) {
  const Dataset data = dataset({{2}, {-2}, {0}}, {1, -1, 1});
  for (const RampStep step : {RampStep::cccp, RampStep::alternating}) {
    for (const double s : {0.0, 1e-13}) {
      RampSvcOptions options = tight_options(1, false, step);
      options.s = s;
      const TrainedRobustClassifier trained = train_ramp_svc(data, options);
      EXPECT_EQ(trained.outliers.size(), s > 0 ? 1U : 0U);
      options.s = 1e-13 - s;
      const Certificate found =
          verify_ramp_svc(trained.model, trained.dual_coefficients, data, options);
      EXPECT_EQ(found.complaint, "");
      EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-9);
      EXPECT_NEAR(found.dual, *trained.machines.front().report.dual_objective, 1e-9);
    }
  }
}

TEST(RampSvc, StopsWithTheBestSoFar) {
  const Dataset data = noisy_points(60, 22);
  std::size_t calls = 0;
  RampSvcOptions options = tight_options(10, true);
  options.kernel = Rbf{.gamma = 1};
  options.control.on_progress = [&](const Progress&) {
    return ++calls > 3 ? Continue::time_is_up : Continue::yes;
  };
  const TrainedRobustClassifier trained = train_ramp_svc(data, options);
  EXPECT_EQ(trained.report.status, Status::time_limit);
  EXPECT_NEAR(*trained.report.primal_objective, ramp_objective(trained, data, 10), 1e-6);
  EXPECT_EQ(verify_ramp_svc(trained.model, trained.dual_coefficients, data, options).complaint, "");
}

TEST(RampSvc, TakesUglyInput) {
  // All points equal, with both labels.
  const Dataset equal = dataset({{1}, {1}, {1}, {1}}, {1, 1, 1, -1});
  for (const bool bias : {false, true}) {
    const RampSvcOptions options = tight_options(1, bias);
    const TrainedRobustClassifier trained = train_ramp_svc(equal, options);
    expect_sound(trained, equal, options);
    EXPECT_NEAR(*trained.report.primal_objective, brute_force_ramp(equal, 1, Linear{}, bias), 1e-6);
  }
  // One class only, when allowed.
  const Dataset single = dataset({{1}, {2}}, {1, 1});
  EXPECT_THROW(static_cast<void>(train_ramp_svc(single, {})), InvalidArgument);
  EXPECT_EQ(*train_ramp_svc(single, {.allow_one_class = true}).report.primal_objective, 0);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(Dataset{}, {})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.c = 0})), InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(train_ramp_svc(equal, {.c = std::numeric_limits<double>::infinity()})),
      InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.s = 1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.starts = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_ramp_svc(equal, {.kernel = Sigmoid{}})), InvalidArgument);
  EXPECT_THROW(
      (RampSvcOptions{
          .kernel = Sigmoid{}, .multiclass = MulticlassKind::direct, .allow_indefinite = true}
           .validate()),
      InvalidArgument);
}

TEST(LinearRampSvc, ReachesTheObjectiveOfTheKernelMachineWithoutBias) {
  for (const std::uint64_t seed : {31U, 32U, 33U}) {
    const Dataset data = noisy_points(60, seed);
    const LinearRampSvcOptions options{
        .c = 1, .bias = false, .control = {.tolerance = tight, .keep_dual = true}};
    const TrainedRobustClassifier linear = train_linear_ramp_svc(data, options);
    const TrainedRobustClassifier kernel =
        train_ramp_svc(data, tight_options(1, false, RampStep::alternating));
    EXPECT_NEAR(*linear.report.primal_objective, *kernel.report.primal_objective, 1e-5);
    const Certificate found =
        verify_linear_ramp_svc(linear.model, linear.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "");
    EXPECT_NEAR(found.primal, *linear.report.primal_objective, 1e-7);
    EXPECT_NEAR(found.dual, *linear.machines.front().report.dual_objective, 1e-7);
    EXPECT_GE(*found.lower_bound, *linear.report.lower_bound - 1e-7);
    EXPECT_LE(*found.lower_bound, found.primal);
  }
}

TEST(LinearRampSvc, WithAPenalisedBiasIsTheMachineWithAConstantFeature) {
  const Dataset data = noisy_points(50, 34);
  Dataset wider = data;
  DenseMatrix points(50, 3);
  for (std::size_t i = 0; i < 50; ++i) {
    data.examples.row(i).for_each([&](std::size_t j, double value) { points(i, j) = value; });
    points(i, 2) = 1;
  }
  wider.examples = std::move(points);
  const TrainedRobustClassifier one =
      train_linear_ramp_svc(data, {.control = {.tolerance = tight}});
  const TrainedRobustClassifier other =
      train_linear_ramp_svc(wider, {.bias = false, .control = {.tolerance = tight}});
  EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 1e-5);
  EXPECT_NEAR(*one.report.lower_bound, *other.report.lower_bound, 1e-4);
}

TEST(LinearRampSvc, NumbersThatAreTooLargeLeaveNoObjective) {
  const Dataset data = dataset({{1e200}, {-1e200}, {1}, {-1}}, {1, -1, 1, -1});
  const TrainedRobustClassifier trained =
      train_linear_ramp_svc(data, {.control = {.keep_dual = true}});
  EXPECT_EQ(trained.report.status, Status::numerical_failure);
  EXPECT_FALSE(trained.report.primal_objective.has_value());
  EXPECT_FALSE(trained.report.lower_bound.has_value());
  EXPECT_TRUE(std::isnan(trained.stationary_gap));
  EXPECT_TRUE(trained.objectives.empty());
}

TEST(LinearRampSvc, SeveralClassesAreVerified) {
  const LinearRampSvcOptions options{
      .c = 1, .starts = 1, .control = {.tolerance = 1e-4, .keep_dual = true}};
  const TrainedRobustClassifier trained = train_linear_ramp_svc(iris(), options);
  const Certificate found =
      verify_linear_ramp_svc(trained.model, trained.dual_coefficients, iris(), options);
  EXPECT_EQ(found.complaint, "");
  EXPECT_NEAR(found.primal, *trained.report.primal_objective, 1e-6 * found.primal);
  EXPECT_THROW(static_cast<void>(train_linear_ramp_svc(iris(), {.c = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_linear_ramp_svc(iris(), {.s = NAN})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
