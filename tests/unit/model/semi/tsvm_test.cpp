// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/semi/tsvm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/model/linear/svc.hpp"
#include "model/verify/semi.hpp"
#include "semi_data.hpp"
#include "semi_methods.hpp"

namespace maxmargin {
namespace {

using namespace testing;

/// The data with signs for its unlabelled rows and costs as weights.
Dataset completed(const Dataset& data, unsigned labelling, double c, double unlabelled_c) {
  Dataset full = data;
  std::vector<double> labels;
  full.weights.clear();
  std::size_t bit = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool known = data.labels.is_labelled(i);
    labels.push_back(known                            ? data.labels.at(i)->number()
                     : ((labelling >> bit) & 1U) != 0 ? 1.0
                                                      : -1.0);
    full.weights.push_back(known ? c : unlabelled_c);
    bit += known ? 0 : 1;
  }
  full.labels = LabelColumn::from_numbers(labels);
  return full;
}

/// Least objective over all labellings with a number of +1 between `least` and `most`.
double best_objective(const Dataset& data,
                      const TsvmOptions& options,
                      std::size_t least,
                      std::size_t most) {
  const std::size_t u = data.size() - data.labels.labelled_count();
  const double unlabelled_c = options.unlabelled_c.value_or(options.c);
  double best = std::numeric_limits<double>::infinity();
  for (unsigned labelling = 0; labelling < 1U << u; ++labelling) {
    const auto positives = static_cast<std::size_t>(std::popcount(labelling));
    if (positives < least || positives > most) continue;
    const Dataset full = completed(data, labelling, options.c, unlabelled_c);
    const bool features = options.solver == SemiSolver::features;
    const TrainedClassifier trained =
        features
            ? train_linear_svc(full, {.c = 1, .control = {.tolerance = exact}})
            : train_svc(full, {.c = 1, .kernel = options.kernel, .control = {.tolerance = exact}});
    best = std::min(best, *trained.report.primal_objective);
  }
  return best;
}

TsvmOptions options_of(const Method& method, double c = 1) {
  return method_options<TsvmOptions>(method, c);
}

TEST(Tsvm, LiesBetweenItsBoundAndNoBetterThanTheBestOfAllLabellings) {
  for (const Method& method : methods()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Dataset data = semi_classes(11, 4, seed);  // 7 unlabelled
      TsvmOptions options = options_of(method);
      options.balance = 0;
      const TrainedSemiSupervised trained = train_tsvm(data, options);
      // Labelled shares are 1/2, so 3 or 4 of 7.
      const double best = best_objective(data, options, 3, 4);
      const SolveReport& report = trained.semi_supervised.report;
      EXPECT_TRUE(is_success(report.status)) << report.message;
      const double slack = 2 * exact * best;
      EXPECT_GE(*report.primal_objective, best - slack) << method.name << " seed " << seed;
      EXPECT_LE(*report.lower_bound, best + slack) << method.name << " seed " << seed;
      EXPECT_FALSE(report.dual_objective) << "the bound is no dual objective";
    }
  }
}

// On well separated classes the search must find the best labelling, not only a local one. The
// width is that of the classes: a narrow one sees every row by itself.
TEST(Tsvm, FindsTheBestLabellingOfSeparatedClasses) {
  std::vector<Method> wide = methods();
  wide[2].kernel = Rbf{.gamma = 0.02};
  for (const Method& method : wide) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Dataset data = semi_classes(12, 4, seed, 3.0);
      const TsvmOptions options = options_of(method);
      const double best = best_objective(data, options, 3, 5);
      const TrainedSemiSupervised trained = train_tsvm(data, options);
      EXPECT_NEAR(*trained.semi_supervised.report.primal_objective, best, 2 * exact * best)
          << method.name << " seed " << seed;
    }
  }
}

// seed-xu 2.8: every exchange lowers the objective.
TEST(Tsvm, ObjectiveFallsWithEveryTrainingAtOneCost) {
  std::size_t falls = 0;
  for (const Method& method : methods()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const TrainedSemiSupervised trained =
          train_tsvm(semi_classes(60, 6, seed, 0.5), options_of(method, 10));
      for (std::size_t k = 1; k < trained.steps.size(); ++k) {
        const SemiStep& before = trained.steps[k - 1];
        const SemiStep& step = trained.steps[k];
        if (step.level != before.level) continue;
        EXPECT_LT(step.objective, before.objective) << method.name << " seed " << seed;
        ++falls;
      }
    }
  }
  EXPECT_GT(falls, 0U) << "no exchange took place, so nothing was tested";
}

// Joachims' condition: no positive and negative row with slacks > 0 that add up to more than 2.
TEST(Tsvm, NoPairIsLeftToExchange) {
  for (const Method& method : methods()) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Dataset data = semi_classes(60, 6, seed, 0.5);
      TsvmOptions options = options_of(method, 10);
      options.balance = 0;
      const TrainedSemiSupervised trained = train_tsvm(data, options);
      const std::vector<double> f =
          plain_values(trained.semi_supervised.model.functions, data.examples);
      double largest_positive = 0;  // slacks
      double largest_negative = 0;
      for (std::size_t i = 6; i < data.size(); ++i) {
        const double sign = trained.signs[0][i];
        double& largest = sign > 0 ? largest_positive : largest_negative;
        largest = std::max(largest, 1 - sign * f[i]);
      }
      const bool exchange = largest_positive > 0 && largest_negative > 0 &&
                            largest_positive + largest_negative > 2 + 1e-5;
      EXPECT_FALSE(exchange) << method.name << " seed " << seed;
    }
  }
}

TEST(Tsvm, ReportsTheObjectiveOfItsSigns) {
  for (const Method& method : methods()) {
    const Dataset data = semi_classes(40, 6, 4, 0.6);
    const TrainedSemiSupervised trained = train_tsvm(data, options_of(method, 2));
    const std::vector<double> f =
        plain_values(trained.semi_supervised.model.functions, data.examples);
    double losses = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      ASSERT_TRUE(trained.signs[0][i] == 1 || trained.signs[0][i] == -1);
      losses += 2 * std::max(0.0, 1 - trained.signs[0][i] * f[i]);
    }
    const double norm = trained.semi_supervised.machines[0].squared_norm;
    EXPECT_NEAR(*trained.semi_supervised.report.primal_objective, norm / 2 + losses, 1e-9 * losses)
        << method.name;
  }
}

// No machine for the signs that were found is better by more than the gap says: `svc` on them.
TEST(Tsvm, TheStationaryGapHoldsForTheBestMachineOfItsSigns) {
  for (const Method& method : methods()) {
    const Dataset data = semi_classes(36, 6, 4, 0.5);  // 30 unlabelled
    TsvmOptions options = options_of(method, 5);
    options.control.tolerance = 1e-3;
    const TrainedSemiSupervised trained = train_tsvm(data, options);
    ASSERT_TRUE(trained.stationary_gap) << method.name;
    EXPECT_TRUE(is_success(trained.semi_supervised.report.status)) << method.name;
    EXPECT_LE(*trained.stationary_gap, 1.001e-3) << method.name;
    unsigned labelling = 0;
    for (std::size_t i = 6; i < 36; ++i) {
      if (trained.signs[0][i] > 0) labelling |= 1U << (i - 6);
    }
    const Dataset full = completed(data, labelling, 5, 5);
    const TrainedClassifier best =
        method.solver == SemiSolver::features
            ? train_linear_svc(full, {.c = 1, .control = {.tolerance = exact}})
            : train_svc(full, {.c = 1, .kernel = method.kernel, .control = {.tolerance = exact}});
    const double objective = *trained.semi_supervised.report.primal_objective;
    EXPECT_LE(objective - *best.report.primal_objective,
              (*trained.stationary_gap + 2 * exact) * objective)
        << method.name;
  }
}

// All unlabelled rows lie on the side of the larger class, so the window decides.
TEST(Tsvm, SwappedLabelsGiveSwappedSigns) {
  Rng rng(7);
  DenseMatrix x(48, 2);
  std::vector<double> labels;
  for (std::size_t i = 0; i < 48; ++i) {
    labels.push_back(i < 2 ? -1 : 1);  // 2 negative, 6 positive, 40 to hide
    x(i, 0) = 2 * labels[i] + 0.7 * rng.normal();
    x(i, 1) = rng.normal();
  }
  std::vector<double> swapped;
  for (const double label : labels) swapped.push_back(-label);
  for (const Method& method : methods()) {
    const TrainedSemiSupervised one =
        train_tsvm(hide_labels(labelled(x, labels), 8), options_of(method));
    const TrainedSemiSupervised other =
        train_tsvm(hide_labels(labelled(x, swapped), 8), options_of(method));
    std::size_t positive = 0;
    std::size_t negative = 0;
    for (std::size_t i = 8; i < 48; ++i) {
      positive += one.signs[0][i] > 0 ? 1U : 0U;
      negative += other.signs[0][i] < 0 ? 1U : 0U;
    }
    // 30 wanted; the windows are 27 to 33 positive and 9 to 11 negative rows.
    EXPECT_EQ(positive, 31U) << method.name;
    EXPECT_EQ(negative, 31U) << method.name;
    const double objective = *one.semi_supervised.report.primal_objective;
    EXPECT_NEAR(*other.semi_supervised.report.primal_objective, objective, 4 * exact * objective)
        << method.name;
  }
}

TEST(Tsvm, CountsStayWithinTheWindow) {
  const Dataset all = two_classes(60, 3, 0.3);
  for (const double balance : {0.0, 0.1, 0.5}) {
    // 3 positive and 5 negative labels, 52 unlabelled: a share of 3/8, so 19.5 of 52.
    std::vector<std::size_t> rows = {0, 2, 4, 1, 3, 5, 7, 9};
    for (std::size_t i = 0; i < 60; ++i) {
      if (std::ranges::find(rows, i) == rows.end()) rows.push_back(i);
    }
    const Dataset data = hide_labels(all.select(rows), 8);
    TsvmOptions options = options_of(methods()[0], 1);
    options.balance = balance;
    const TrainedSemiSupervised trained = train_tsvm(data, options);
    std::ptrdiff_t positives = 0;
    for (std::size_t i = 8; i < 60; ++i) positives += trained.signs[0][i] > 0 ? 1 : 0;
    EXPECT_GE(static_cast<double>(positives), std::floor((1 - balance) * 19.5));
    EXPECT_LE(static_cast<double>(positives), std::ceil((1 + balance) * 19.5));
  }
}

TEST(Tsvm, UnlabelledCostZeroIsTheSupervisedMachine) {
  const Dataset data = semi_classes(40, 12, 5);
  std::vector<std::size_t> labelled(12);
  for (std::size_t i = 0; i < 12; ++i) labelled[i] = i;
  for (const Method& method : methods()) {
    TsvmOptions options = options_of(method, 3);
    options.unlabelled_c = 0;
    const TrainedSemiSupervised trained = train_tsvm(data, options);
    EXPECT_EQ(trained.semi_supervised.training_values.values().size(), 40U);
    EXPECT_TRUE(std::ranges::equal(trained.semi_supervised.training_values.values(),
                                   trained.supervised.training_values.values()));
    const Dataset rows = data.select(labelled);
    const bool features = method.solver == SemiSolver::features;
    const TrainedClassifier plain =
        features
            ? train_linear_svc(rows, {.c = 3, .control = {.tolerance = exact}})
            : train_svc(rows, {.c = 3, .kernel = method.kernel, .control = {.tolerance = exact}});
    EXPECT_NEAR(*trained.semi_supervised.report.primal_objective,
                *plain.report.primal_objective,
                2 * exact * *plain.report.primal_objective)
        << method.name;
  }
}

TEST(Tsvm, VerificationAgreesAndNoticesWhatIsWrong) {
  for (const Method& method : methods()) {
    const Dataset data = semi_classes(40, 8, 6, 0.6);
    const TsvmOptions options = options_of(method, 2);
    const TrainedSemiSupervised trained = train_tsvm(data, options);
    const TrainedClassifier& semi = trained.semi_supervised;
    Certificate found = verify_tsvm(semi.model, semi.dual_coefficients, data, options);
    EXPECT_EQ(found.complaint, "") << method.name;
    const double scale = *semi.report.primal_objective;
    EXPECT_NEAR(found.primal, *semi.report.primal_objective, 1e-8 * scale) << method.name;
    EXPECT_NEAR(found.dual, *semi.report.lower_bound, 1e-8 * scale) << method.name;

    TsvmOptions without = options;
    without.unlabelled_c = 0;
    found =
        verify_tsvm(trained.supervised.model, trained.supervised.dual_coefficients, data, without);
    EXPECT_NEAR(found.primal, *trained.supervised.report.primal_objective, 1e-8 * scale);
    EXPECT_NEAR(found.dual, *trained.supervised.report.dual_objective, 1e-8 * scale);

    DualPoint wrong = semi.dual_coefficients;
    wrong[0][0] = -5;
    EXPECT_NE(verify_tsvm(semi.model, wrong, data, options).complaint, "");
    TsvmOptions other = options;
    other.unlabelled_c = 1;
    EXPECT_GT(std::abs(verify_tsvm(semi.model, semi.dual_coefficients, data, other).primal -
                       *semi.report.primal_objective),
              1e-3);
  }
}

}  // namespace
}  // namespace maxmargin
