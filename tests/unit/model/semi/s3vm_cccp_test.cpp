// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/semi/s3vm_cccp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "model/verify/semi.hpp"
#include "semi_data.hpp"
#include "semi_methods.hpp"
#include "solver/linear/linear.hpp"

namespace maxmargin {
namespace {

using namespace testing;

/// min(1 + ramp, max(0, 1 - |f|)).
double ramp_loss(double f, double ramp) {
  return std::min(1 + ramp, std::max(0.0, 1 - std::abs(f)));
}

/// Least objective without balance over all ways to give every unlabelled row +1, -1 or neither:
/// each is a convex machine, and together they are the objective.
double best_objective(const Dataset& data, const S3vmCccpOptions& options) {
  const double unlabelled_c = options.unlabelled_c.value_or(options.c);
  std::vector<std::size_t> unlabelled;
  std::size_t ways = 1;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels.is_labelled(i)) continue;
    unlabelled.push_back(i);
    ways *= 3;
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t way = 0; way < ways; ++way) {
    Dataset full = data;
    full.weights.assign(data.size(), options.c);
    std::vector<double> labels(data.labels.numbers().begin(), data.labels.numbers().end());
    double constant = 0;
    std::size_t rest = way;
    for (const std::size_t i : unlabelled) {
      labels[i] = rest % 3 == 0 ? -1 : 1;
      full.weights[i] = rest % 3 == 2 ? 0.0 : unlabelled_c;
      if (rest % 3 == 2) constant += unlabelled_c * (1 + options.ramp);
      rest /= 3;
    }
    full.labels = LabelColumn::from_numbers(labels);
    const TrainedClassifier trained =
        train_svc(full, {.c = 1, .kernel = options.kernel, .control = {.tolerance = exact}});
    best = std::min(best, *trained.report.primal_objective + constant);
  }
  return best;
}

/// The same with the balance, on linear features: every choice is a plain machine without offset
/// on rows (x - m) / margin whose costs are multiplied by the margin, m the mean of the unlabelled
/// rows and margin = 1 - sign mean.
double best_balanced_objective(const Dataset& data, const S3vmCccpOptions& options, double mean) {
  const DenseMatrix x = data.examples.to_dense();
  std::vector<std::size_t> unlabelled;
  std::size_t ways = 1;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels.is_labelled(i)) continue;
    unlabelled.push_back(i);
    ways *= 3;
  }
  std::vector<double> m(x.cols(), 0.0);
  for (const std::size_t i : unlabelled) {
    for (std::size_t j = 0; j < m.size(); ++j) {
      m[j] += x(i, j) / static_cast<double>(unlabelled.size());
    }
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<double> signs(data.size(), 1.0);
    std::vector<double> costs(data.size(), options.c);
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (data.labels.is_labelled(i)) signs[i] = data.labels.at(i)->number();
    }
    double constant = 0;
    std::size_t rest = way;
    for (const std::size_t i : unlabelled) {
      signs[i] = rest % 3 == 0 ? -1 : 1;
      if (rest % 3 == 2) {
        costs[i] = 0;
        constant += options.c * (1 + options.ramp);
      }
      rest /= 3;
    }
    DenseMatrix rows(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const double margin = 1 - signs[i] * mean;
      costs[i] *= margin;
      for (std::size_t j = 0; j < x.cols(); ++j) rows(i, j) = (x(i, j) - m[j]) / margin;
    }
    const LinearSolution machine =
        solve_dual_coordinate({.examples = rows.view(), .targets = signs, .weights = costs, .c = 1},
                              {.tolerance = exact});
    best = std::min(best, *machine.report.primal_objective + constant);
  }
  return best;
}

S3vmCccpOptions options_of(const Method& method, double c = 1) {
  return method_options<S3vmCccpOptions>(method, c);
}

TEST(S3vmCccp, LiesBetweenItsBoundAndNoBetterThanTheBestOfAllChoices) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const double ramp : {0.0, -0.3}) {
      const Dataset data = semi_classes(9, 4, seed);
      S3vmCccpOptions options = options_of(methods()[2]);
      options.balance = false;
      options.ramp = ramp;
      const TrainedSemiSupervised trained = train_s3vm_cccp(data, options);
      const double best = best_objective(data, options);
      EXPECT_GE(*trained.semi_supervised.report.primal_objective, best - 2 * exact * best);
      EXPECT_LE(*trained.semi_supervised.report.lower_bound, best + 2 * exact * best);
    }
  }
}

TEST(S3vmCccp, BalancedLiesBetweenItsBoundAndTheBestOfAllChoices) {
  for (const double shift : {0.8, 4.0}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      // 3 positive and 2 negative labels: the mean sign is 1/5.
      const Dataset data = semi_classes(9, 5, seed, shift);
      const double best = best_balanced_objective(data, options_of(methods()[0]), 0.2);
      for (const std::size_t method : {0U, 1U}) {
        const SolveReport report =
            train_s3vm_cccp(data, options_of(methods()[method])).semi_supervised.report;
        const double slack = 2 * exact * best;
        EXPECT_GE(*report.primal_objective, best - slack) << seed;
        EXPECT_LE(*report.lower_bound, best + slack) << seed;
        // Classes far apart leave nothing to be trapped in.
        if (shift > 1) {
          EXPECT_LE(*report.primal_objective, best + slack) << seed;
        }
      }
    }
  }
}

TEST(S3vmCccp, FindsTheBestChoiceOfSeparatedClasses) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Dataset data = semi_classes(9, 4, seed, 3.0);
    S3vmCccpOptions options = options_of(methods()[1]);
    options.balance = false;
    const double best = best_objective(data, options);
    const TrainedSemiSupervised trained = train_s3vm_cccp(data, options);
    EXPECT_NEAR(*trained.semi_supervised.report.primal_objective, best, 2 * exact * best);
  }
}

TEST(S3vmCccp, ObjectiveFallsWithEveryStepAtOneCost) {
  std::size_t falls = 0;
  for (const Method& method : methods()) {
    for (const bool balance : {false, true}) {
      for (const bool continuation : {false, true}) {
        S3vmCccpOptions options = options_of(method, 10);
        options.balance = balance;
        options.continuation = continuation;
        const TrainedSemiSupervised trained = train_s3vm_cccp(semi_classes(60, 6, 3, 0.5), options);
        for (std::size_t k = 1; k < trained.steps.size(); ++k) {
          const SemiStep& before = trained.steps[k - 1];
          const SemiStep& step = trained.steps[k];
          if (step.level != before.level) continue;
          EXPECT_LT(step.objective, before.objective) << method.name;
          ++falls;
        }
      }
    }
  }
  EXPECT_GT(falls, 0U) << "no step took place, so nothing was tested";
}

TEST(S3vmCccp, ReportsTheObjectiveOfItsDefinition) {
  for (const Method& method : methods()) {
    for (const bool balance : {false, true}) {
      const Dataset data = semi_classes(40, 6, 4, 0.6);
      S3vmCccpOptions options = options_of(method, 2);
      options.balance = balance;
      options.unlabelled_c = 0.5;
      const TrainedSemiSupervised trained = train_s3vm_cccp(data, options);
      const std::vector<double> f =
          plain_values(trained.semi_supervised.model.functions, data.examples);
      double losses = 0;
      for (std::size_t i = 0; i < data.size(); ++i) {
        losses += i < 6 ? 2 * std::max(0.0, 1 - data.labels.at(i)->number() * f[i])
                        : 0.5 * ramp_loss(f[i], options.ramp);
      }
      const double norm = trained.semi_supervised.machines[0].squared_norm;
      EXPECT_NEAR(
          *trained.semi_supervised.report.primal_objective, norm / 2 + losses, 1e-8 * losses)
          << method.name << balance;
    }
  }
}

TEST(S3vmCccp, HoldsTheMeanOfTheUnlabelledRows) {
  // 4 positive and 3 negative labels: the mean sign is 1/7.
  for (const Method& method : methods()) {
    const Dataset data = semi_classes(50, 7, 5, 0.4);
    const TrainedSemiSupervised trained = train_s3vm_cccp(data, options_of(method, 5));
    const std::vector<double> f =
        plain_values(trained.semi_supervised.model.functions, data.examples);
    double mean = 0;
    for (std::size_t i = 7; i < 50; ++i) mean += f[i] / 43;
    EXPECT_NEAR(mean, 1.0 / 7, 1e-9) << method.name;
  }
}

// With the balance the offset is decided, so both methods solve one problem.
TEST(S3vmCccp, FeaturesAndLinearKernelAgreeUnderTheBalance) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Dataset data = semi_classes(40, 8, seed, 1.5);
    const TrainedSemiSupervised features = train_s3vm_cccp(data, options_of(methods()[0]));
    const TrainedSemiSupervised kernel = train_s3vm_cccp(data, options_of(methods()[1]));
    const double objective = *features.semi_supervised.report.primal_objective;
    EXPECT_NEAR(*kernel.semi_supervised.report.primal_objective, objective, 2 * exact * objective);
    EXPECT_NEAR(*kernel.semi_supervised.report.lower_bound,
                *features.semi_supervised.report.lower_bound,
                2 * exact * objective);
  }
}

TEST(S3vmCccp, SparseAndDenseRowsAgree) {
  const Dataset data = semi_classes(40, 8, 6, 1.5);
  Dataset sparse = data;
  sparse.examples = to_sparse(data.examples.dense());
  for (const Method& method : methods()) {
    const double dense =
        *train_s3vm_cccp(data, options_of(method)).semi_supervised.report.primal_objective;
    EXPECT_NEAR(
        *train_s3vm_cccp(sparse, options_of(method)).semi_supervised.report.primal_objective,
        dense,
        2 * exact * dense)
        << method.name;
  }
}

TEST(S3vmCccp, UnlabelledCostZeroIsTheSupervisedMachine) {
  for (const Method& method : methods()) {
    S3vmCccpOptions options = options_of(method, 3);
    options.unlabelled_c = 0;
    const TrainedSemiSupervised trained = train_s3vm_cccp(semi_classes(40, 12, 5), options);
    EXPECT_TRUE(std::ranges::equal(trained.semi_supervised.training_values.values(),
                                   trained.supervised.training_values.values()))
        << method.name;
  }
}

TEST(S3vmCccp, RowsOnTheFlatTopAreLeftOut) {
  const Dataset data = semi_classes(60, 6, 7, 0.3);
  S3vmCccpOptions options = options_of(methods()[0], 0.05);
  options.ramp = -0.5;
  const TrainedSemiSupervised trained = train_s3vm_cccp(data, options);
  const std::vector<double> f =
      plain_values(trained.semi_supervised.model.functions, data.examples);
  std::size_t left_out = 0;
  for (std::size_t i = 6; i < 60; ++i) {
    EXPECT_EQ(trained.signs[0][i] == 0, std::abs(f[i]) < 0.5) << i;
    left_out += trained.signs[0][i] == 0 ? 1U : 0U;
  }
  EXPECT_GT(left_out, 0U);
}

TEST(S3vmCccp, VerificationAgreesAndNoticesWhatIsWrong) {
  for (const Method& method : methods()) {
    for (const bool balance : {false, true}) {
      const Dataset data = semi_classes(40, 7, 6, 0.6);
      S3vmCccpOptions options = options_of(method, 2);
      options.balance = balance;
      const TrainedSemiSupervised trained = train_s3vm_cccp(data, options);
      const TrainedClassifier& semi = trained.semi_supervised;
      Certificate found = verify_s3vm_cccp(semi.model, semi.dual_coefficients, data, options);
      EXPECT_EQ(found.complaint, "") << method.name << balance;
      const double scale = *semi.report.primal_objective;
      EXPECT_NEAR(found.primal, scale, 1e-8 * scale) << method.name << balance;
      EXPECT_NEAR(found.dual, *semi.report.lower_bound, 1e-8 * scale) << method.name << balance;
      if (!balance) continue;
      // The supervised machine keeps no balance.
      found = verify_s3vm_cccp(trained.supervised.model, semi.dual_coefficients, data, options);
      EXPECT_NE(found.complaint.find("mean of f"), std::string::npos);
    }
  }
}

// Whenever the stop comes, the machine holds the mean and its bound is true.
TEST(S3vmCccp, AStopLeavesAMachineThatVerifies) {
  const Dataset data = semi_classes(60, 7, 3, 0.5);
  for (const Method& method : methods()) {
    const double finished =
        *train_s3vm_cccp(data, options_of(method, 10)).semi_supervised.report.primal_objective;
    for (const int allowed : {0, 1, 2, 5}) {
      S3vmCccpOptions options = options_of(method, 10);
      int asked = 0;
      options.control.context.on_progress = [&](const Progress&) {
        return ++asked > allowed ? Continue::stop : Continue::yes;
      };
      const TrainedSemiSupervised trained = train_s3vm_cccp(data, options);
      if (asked <= allowed) continue;
      const TrainedClassifier& semi = trained.semi_supervised;
      EXPECT_EQ(semi.report.status, Status::stopped_by_callback) << method.name << allowed;
      EXPECT_FALSE(trained.stationary_gap) << method.name << allowed;
      options.control.context.on_progress = {};  // verification can be stopped, too
      const Certificate found = verify_s3vm_cccp(semi.model, semi.dual_coefficients, data, options);
      EXPECT_EQ(found.complaint, "") << method.name << allowed;
      const double scale = *semi.report.primal_objective;
      EXPECT_NEAR(found.primal, scale, 1e-8 * scale) << method.name << allowed;
      EXPECT_NEAR(found.dual, *semi.report.lower_bound, 1e-8 * scale) << method.name << allowed;
      EXPECT_LE(*semi.report.lower_bound, finished) << method.name << allowed;
    }
  }
}

TEST(S3vmCccp, AsksTheCallbackWhileItSumsUpTheUnlabelledRows) {
  S3vmCccpOptions options = options_of(methods()[2]);
  std::size_t asked = 0;
  options.control.context.on_progress = [&](const Progress& progress) {
    asked += progress.phase == "mean of the unlabelled rows" ? 1U : 0U;
    return Continue::yes;
  };
  (void)train_s3vm_cccp(semi_classes(40, 8, 1), options);
  EXPECT_GT(asked, 0U);
}

TEST(S3vmCccp, TheTightestToleranceStillMovesSigns) {
  for (const double tolerance : {1e-10, 1e-12}) {
    S3vmCccpOptions options = options_of(methods()[1], 10);
    options.control.tolerance = tolerance;
    std::size_t moved = 0;
    for (const SemiStep& step : train_s3vm_cccp(semi_classes(60, 6, 3, 0.5), options).steps) {
      moved += step.moved;
    }
    EXPECT_GT(moved, 0U) << tolerance;
  }
}

TEST(S3vmCccp, ClaimsNoBoundForAKernelThatNeedNotBeDefinite) {
  S3vmCccpOptions options = options_of(methods()[2]);
  options.kernel = Sigmoid{.gamma = 0.5, .coef0 = -1};
  options.allow_indefinite = true;
  const TrainedSemiSupervised trained = train_s3vm_cccp(semi_classes(30, 8, 2), options);
  EXPECT_FALSE(trained.semi_supervised.report.lower_bound);
  EXPECT_FALSE(trained.stationary_gap);
}

TEST(S3vmCccp, VerificationIsTheSameForAnyNumberOfThreads) {
  const Dataset data = semi_classes(80, 7, 6, 0.6);
  S3vmCccpOptions options = options_of(methods()[2], 2);
  const TrainedClassifier semi = train_s3vm_cccp(data, options).semi_supervised;
  options.control.context.threads = 1;
  const Certificate one = verify_s3vm_cccp(semi.model, semi.dual_coefficients, data, options);
  for (const std::size_t threads : {2U, 4U}) {
    options.control.context.threads = threads;
    const Certificate several = verify_s3vm_cccp(semi.model, semi.dual_coefficients, data, options);
    EXPECT_EQ(one.primal, several.primal);
    EXPECT_EQ(one.dual, several.dual);
  }
}

TEST(S3vmCccp, ThreadsDoNotMatter) {
  const Dataset data = semi_classes(120, 10, 9, 0.6);
  for (const Method& method : methods()) {
    S3vmCccpOptions options = options_of(method);
    options.control.context.threads = 1;
    const TrainedSemiSupervised one = train_s3vm_cccp(data, options);
    for (const std::size_t threads : {2U, 4U}) {
      options.control.context.threads = threads;
      const TrainedSemiSupervised several = train_s3vm_cccp(data, options);
      EXPECT_TRUE(std::ranges::equal(one.semi_supervised.training_values.values(),
                                     several.semi_supervised.training_values.values()))
          << method.name;
    }
  }
}

TEST(S3vmCccp, SaysWhatIsWrong) {
  const auto message_of = [](const Dataset& data, const S3vmCccpOptions& options) {
    try {
      (void)train_s3vm_cccp(data, options);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Dataset data = semi_classes(10, 4, 1);
  EXPECT_NE(message_of(data, {.ramp = 0.1}).find("--ramp 0.1: must be a number in (-1, 0]"),
            std::string::npos);
  EXPECT_NE(message_of(data, {.ramp = -1}).find("--ramp -1: must be a number in (-1, 0]"),
            std::string::npos);
  EXPECT_NE(message_of(data, {.c = std::nan("")}).find("-C nan: must be a finite number > 0"),
            std::string::npos);
  EXPECT_NE(message_of(hide_labels(data, 1), {}).find("all labels are 1"), std::string::npos);
}

}  // namespace
}  // namespace maxmargin
