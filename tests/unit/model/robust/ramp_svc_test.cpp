// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/robust/ramp_svc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maxmargin/data/generators.hpp"
#include "model/verify/robust.hpp"
#include "ramp_cases.hpp"

namespace maxmargin {
namespace {

using namespace robust_data;

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
  const TrainedClassifier plain = train_svc(
      data,
      {.c = 1, .kernel = Linear{}, .control = {.tolerance = tight, .context = {.threads = 1}}});
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
    options.restarts = 1;
    const TrainedRobustClassifier cccp = train_ramp_svc(data, options);
    Dataset kept = data;
    kept.weights.assign(data.size(), 1.0);
    for (const Outlier& outlier : cccp.outliers) kept.weights[outlier.row] = 0;
    const TrainedClassifier plain = train_svc(
        kept,
        {.c = 1, .kernel = Linear{}, .control = {.tolerance = tight, .context = {.threads = 1}}});
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
    options.restarts = 1;
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
  options.step = std::nullopt;
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

}  // namespace
}  // namespace maxmargin
