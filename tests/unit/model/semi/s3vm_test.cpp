// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/semi/s3vm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "label_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/verify/semi.hpp"
#include "semi_data.hpp"

namespace maxmargin::testing {
namespace {

S3vmOptions rbf_options(double gamma = 0.5, double c = 10) {
  S3vmOptions options;
  options.c = c;
  options.kernel = Rbf{.gamma = gamma};
  options.control.keep_dual = true;
  return options;
}

/// Labels of the first function, +1 or -1 where given.
std::vector<std::int8_t> given_signs(const Dataset& data) {
  const Classes classes = classes_of(data.labels);
  return one_vs_rest_code(classes.count()).labels_of(0, classes.of_row);
}

/// The least objective over all labels of the unlabelled rows in the window, by a plain solver.
double best_objective(const Dataset& data, const S3vmOptions& options) {
  const std::size_t n = data.size();
  DenseMatrix k = gram(options.kernel.kernel(), data.examples);
  if (options.bias == KernelBias::center) {
    FeatureCentring::fit(k.view()).apply_to_training(k.view());
  } else if (options.bias == KernelBias::constant) {
    for (double& entry : k.values()) entry += 1;
  }
  const std::vector<std::int8_t> given = given_signs(data);
  const SignWindow window = sign_window(given, options.balance);
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t bits = 0; bits < (1U << n); ++bits) {
    std::vector<std::int8_t> signs(n);
    std::size_t positive = 0;
    bool agrees = true;
    for (std::size_t i = 0; i < n; ++i) {
      signs[i] = ((bits >> i) & 1U) != 0 ? 1 : -1;
      positive += signs[i] > 0 ? 1U : 0U;
      agrees = agrees && (given[i] == 0 || given[i] == signs[i]);
    }
    if (!agrees || positive < window.least || positive > window.most) continue;
    best =
        std::min(best, options.c * plain_omega(k.view(), options.c, outer_product(signs).view()));
  }
  return best;
}

// bound <= best over all labels = found: seed-xu facts 31 and 42.
TEST(S3vm, FindsTheBestOfAllLabelsOfSmallSets) {
  for (std::uint64_t seed = 1; seed < 3; ++seed) {
    const Dataset data = semi_classes(11, 4, seed);
    for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
      S3vmOptions options = rbf_options();
      options.bias = bias;
      const TrainedS3vm found = train_s3vm(data, options);
      const SolveReport& report = found.machines.semi_supervised.report;
      EXPECT_TRUE(is_success(report.status));
      const double best = best_objective(data, options);
      EXPECT_LE(*report.lower_bound, best * (1 + 1e-9));
      EXPECT_NEAR(*report.primal_objective, best, 1e-6 * best) << seed << to_string(bias);
      EXPECT_NEAR(found.relaxations.front().lower_bound, *report.lower_bound, 1e-12 * best);
      EXPECT_LE(found.relaxations.front().relative_gap, 1e-3);
      EXPECT_GE(found.relaxations.front().roundings, 1U);
      EXPECT_FALSE(found.relaxations.front().winner.empty());
    }
  }
}

// seed-xu fact 42: labels that are given stay, and the balance holds.
TEST(S3vm, KeepsTheLabelsGivenAndTheBalance) {
  const Dataset data = semi_classes(30, 10, 3);
  for (const LabelBalance form : {LabelBalance::total, LabelBalance::rows}) {
    S3vmOptions options = rbf_options();
    options.balance_form = form;
    const TrainedS3vm found = train_s3vm(data, options);
    const std::vector<std::int8_t>& signs = found.machines.signs.front();
    const std::vector<std::int8_t> given = given_signs(data);
    std::size_t positive = 0;
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (given[i] != 0) {
        EXPECT_EQ(signs[i], given[i]);
      }
      positive += signs[i] > 0 ? 1U : 0U;
    }
    EXPECT_GE(positive, 13U);
    EXPECT_LE(positive, 17U);
    EXPECT_EQ(found.machines.labelled, 10U);
    EXPECT_EQ(found.machines.unlabelled, 20U);
  }
}

// The certificate and the objective from model and data alone, and complaints about changed ones.
TEST(S3vm, VerifiesFromModelAndDataAlone) {
  const Dataset data = semi_classes(20, 6, 5);
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    S3vmOptions options = rbf_options();
    options.bias = bias;
    const TrainedS3vm found = train_s3vm(data, options);
    const TrainedClassifier& machine = found.machines.semi_supervised;
    const DualPoint& kept = machine.dual_coefficients;
    const Certificate checked = verify_s3vm(machine.model, kept, data, options);
    EXPECT_TRUE(checked.complaint.empty()) << checked.complaint;
    const double objective = *machine.report.primal_objective;
    EXPECT_NEAR(checked.primal, objective, 1e-8 * objective);
    // The eigenvalues prove a little more than the training's factorisation.
    EXPECT_GE(*checked.lower_bound, *machine.report.lower_bound - 1e-8 * objective);
    EXPECT_LE(*checked.lower_bound, *machine.report.lower_bound + 1e-3 * objective);

    DualPoint wrong = kept;
    wrong[3][0] = -wrong[3][0];  // the sign of a labelled row
    EXPECT_FALSE(verify_s3vm(machine.model, wrong, data, options).complaint.empty());
    wrong = kept;
    for (double& sign : wrong[3]) sign = 1;
    EXPECT_FALSE(verify_s3vm(machine.model, wrong, data, options).complaint.empty());
    wrong = kept;
    for (double& l : wrong[0]) l *= 0.5;  // another lambda proves less
    EXPECT_LT(*verify_s3vm(machine.model, wrong, data, options).lower_bound,
              *machine.report.lower_bound);
  }
}

// The bound is for machines without a free bias: with an offset of its own one may be below it.
TEST(S3vm, AnOffsetOfItsOwnDoesNotVerify) {
  const Dataset data = semi_classes(20, 6, 5);
  for (const KernelBias bias : {KernelBias::center, KernelBias::none}) {
    S3vmOptions options = rbf_options();
    options.bias = bias;
    TrainedClassifier machine = train_s3vm(data, options).machines.semi_supervised;
    std::get<KernelExpansion>(machine.model.functions).offsets[0] += 1e-6;
    const Certificate checked =
        verify_s3vm(machine.model, machine.dual_coefficients, data, options);
    EXPECT_NE(checked.complaint.find("offset"), std::string::npos) << to_string(bias);
  }
}

TEST(S3vm, ASpoiltCertificateProvesNothing) {
  const Dataset data = semi_classes(20, 6, 5);
  const S3vmOptions options = rbf_options();
  const TrainedClassifier machine = train_s3vm(data, options).machines.semi_supervised;
  const DualPoint& kept = machine.dual_coefficients;
  EXPECT_EQ(verify_s3vm(machine.model, kept, data, options).dual,
            *verify_s3vm(machine.model, kept, data, options).lower_bound);
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  // Lambda, diagonal (rows 0 to 5 are labelled), multiplier of the balance.
  for (const auto& [vector, row, value] : {std::tuple{0, 3, 1.5},
                                           std::tuple{0, 3, -0.1},
                                           std::tuple{0, 3, nothing},
                                           std::tuple{1, 7, nothing},
                                           std::tuple{2, 0, -1.0}}) {
    DualPoint wrong = kept;
    wrong[static_cast<std::size_t>(vector)][static_cast<std::size_t>(row)] = value;
    const Certificate checked = verify_s3vm(machine.model, wrong, data, options);
    EXPECT_NE(checked.complaint.find("out of range"), std::string::npos) << vector;
    EXPECT_EQ(checked.lower_bound, 0);
  }
}

// Tolerance and number of steps are the relaxation's.
TEST(S3vm, SupervisedMachineIsTrainedHoweverRoughTheRelaxation) {
  const Dataset data = semi_classes(40, 30, 4);
  S3vmOptions options = rbf_options(0.5, 100);
  options.control.max_iterations = 1;
  options.control.tolerance = 0.5;
  const TrainedSemiSupervised found = train_s3vm(data, options).machines;
  const SolveReport& report = found.supervised.report;
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_LE(*report.primal_objective - *report.dual_objective, 1e-3 * *report.primal_objective);
}

// One row without a label: the window is [p, p + 1], and no M has a smaller imbalance.
TEST(S3vm, OneUnlabelledRowIsSolved) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Dataset data = semi_classes(11, 10, seed);
    for (const LabelBalance form : {LabelBalance::total, LabelBalance::rows}) {
      S3vmOptions options = rbf_options();
      options.balance_form = form;
      const SolveReport report = train_s3vm(data, options).machines.semi_supervised.report;
      EXPECT_TRUE(is_success(report.status)) << seed << to_string(form);
      const double best = best_objective(data, options);
      EXPECT_LE(*report.lower_bound, best * (1 + 1e-9));
      EXPECT_NEAR(*report.primal_objective, best, 1e-6 * best);
    }
  }
}

TEST(S3vm, ModelGivesTheTrainingValuesAgain) {
  const Dataset data = semi_classes(20, 6, 6);
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    S3vmOptions options = rbf_options();
    options.bias = bias;
    const TrainedClassifier trained = train_s3vm(data, options).machines.semi_supervised;
    const std::vector<double> values = plain_values(trained.model.functions, data.examples);
    for (std::size_t i = 0; i < data.size(); ++i) {
      EXPECT_NEAR(values[i], trained.training_values(i, 0), 1e-8);
    }
  }
}

// Well separated classes: every row gets its class, with labels of six rows.
TEST(S3vm, SeparatedClassesAreFoundFromFewLabels) {
  const Dataset all = two_classes(24, 4, 3);
  const Dataset data = hide_labels(all, 6);
  S3vmOptions options;
  const TrainedS3vm found = train_s3vm(data, options);
  EXPECT_TRUE(is_success(found.machines.semi_supervised.report.status));
  const std::vector<Label> answers = found.machines.semi_supervised.model.predict(data);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(answers[i], all.labels.at(i)) << i;
}

/// Three Gaussian classes around the corners of a triangle, in turns.
Dataset three_classes(std::size_t n, std::uint64_t seed) {
  DenseMatrix x = gaussian_points(n, 2, seed);
  std::vector<double> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<double>(i % 3);
    x(i, 0) += 2 * std::cos(2.1 * labels[i]);
    x(i, 1) += 2 * std::sin(2.1 * labels[i]);
  }
  return labelled(std::move(x), std::move(labels));
}

// Objectives and bounds of one machine a class add up.
TEST(S3vm, SeveralClassesAreOneAgainstTheRest) {
  const Dataset data = hide_labels(three_classes(21, 2), 9);
  const S3vmOptions options = rbf_options();
  const TrainedS3vm found = train_s3vm(data, options);
  ASSERT_EQ(found.relaxations.size(), 3U);
  double bound = 0;
  for (const LabelRelaxation& relaxation : found.relaxations) bound += relaxation.lower_bound;
  const TrainedClassifier& machine = found.machines.semi_supervised;
  EXPECT_NEAR(*machine.report.lower_bound, bound, 1e-9 * bound);
  EXPECT_EQ(machine.dual_coefficients.size(), 12U);
  const Certificate checked = verify_s3vm(machine.model, machine.dual_coefficients, data, options);
  EXPECT_TRUE(checked.complaint.empty()) << checked.complaint;
  EXPECT_NEAR(checked.primal, *machine.report.primal_objective, 1e-8 * checked.primal);
}

TEST(S3vm, SameForAnyNumberOfThreads) {
  const Dataset data = semi_classes(140, 20, 7);  // more than a chunk
  S3vmOptions options = rbf_options(0.5, 1);
  options.restarts = 1;
  options.control.tolerance = 0.1;
  options.control.context.threads = 1;
  const auto values = [](const TrainedS3vm& found) {
    const auto& functions = found.machines.semi_supervised.model.functions;
    return std::get<KernelExpansion>(functions).coefficients.values();
  };
  const TrainedS3vm one = train_s3vm(data, options);
  for (const std::size_t threads : {2U, 4U}) {
    options.control.context.threads = threads;
    const TrainedS3vm more = train_s3vm(data, options);
    EXPECT_EQ(one.machines.signs, more.machines.signs);
    EXPECT_TRUE(std::ranges::equal(values(one), values(more)));
    EXPECT_EQ(one.machines.semi_supervised.dual_coefficients,
              more.machines.semi_supervised.dual_coefficients);
    EXPECT_EQ(*one.machines.semi_supervised.report.primal_objective,
              *more.machines.semi_supervised.report.primal_objective);
    EXPECT_EQ(one.relaxations.front().lower_bound, more.relaxations.front().lower_bound);
    EXPECT_EQ(one.relaxations.front().winner, more.relaxations.front().winner);
  }
}

// Shares of the labelled rows, not halves, are what the balance is around.
TEST(SignWindow, IsAroundTheLabelledShares) {
  std::vector<std::int8_t> given(100, 0);
  for (std::size_t i = 0; i < 10; ++i) given[i] = i < 7 ? 1 : -1;
  const SignWindow window = sign_window(given, 0.1);
  EXPECT_EQ(window.least, 67U);  // 30 x 1.1 = 33 may be negative
  EXPECT_EQ(window.most, 73U);
  const SignWindow free = sign_window(given, std::nullopt);
  EXPECT_EQ(free.least, 7U);
  EXPECT_EQ(free.most, 97U);
  EXPECT_THROW((void)sign_window(std::vector<std::int8_t>(5, 1), 0.1), InvalidArgument);
}

TEST(S3vm, AStopReturnsAMachineThatVerifies) {
  const Dataset data = semi_classes(20, 6, 8);
  for (const int calls : {0, 40}) {
    S3vmOptions options = rbf_options();
    int asked = 0;
    options.control.context.on_progress = [&](const Progress&) {
      return asked++ < calls ? Continue::yes : Continue::time_is_up;
    };
    const TrainedS3vm found = train_s3vm(data, options);
    const TrainedClassifier& machine = found.machines.semi_supervised;
    EXPECT_EQ(machine.report.status, Status::time_limit) << calls;
    // Every part of the training hears it once more.
    EXPECT_LE(asked, calls + 20);
    options.control.context.on_progress = {};  // verification can be stopped, too
    const Certificate checked =
        verify_s3vm(machine.model, machine.dual_coefficients, data, options);
    EXPECT_TRUE(checked.complaint.empty()) << checked.complaint;
    EXPECT_NEAR(checked.primal, *machine.report.primal_objective, 1e-7 * checked.primal);
    EXPECT_GE(*checked.lower_bound, *machine.report.lower_bound - 1e-6 * checked.primal);
  }
}

TEST(S3vm, WrongDataAndOptionsAreRefused) {
  const Dataset data = semi_classes(20, 4, 1);
  S3vmOptions options;
  options.c = 0;
  EXPECT_THROW((void)train_s3vm(data, options), InvalidArgument);
  options = {};
  options.balance = 1;
  EXPECT_THROW((void)train_s3vm(data, options), InvalidArgument);
  options = {};
  options.balance_form = LabelBalance::none;
  EXPECT_THROW((void)train_s3vm(data, options), InvalidArgument);
  options = {};
  options.kernel = Sigmoid{};
  EXPECT_THROW((void)train_s3vm(data, options), InvalidArgument);
  // All labelled, none labelled, one class.
  EXPECT_THROW((void)train_s3vm(semi_classes(20, 20, 1)), InvalidArgument);
  EXPECT_THROW((void)train_s3vm(semi_classes(20, 0, 1)), InvalidArgument);
  EXPECT_THROW((void)train_s3vm(semi_classes(20, 1, 1)), InvalidArgument);
  Dataset weighted = data;
  weighted.weights.assign(20, 1.0);
  EXPECT_THROW((void)train_s3vm(weighted), InvalidArgument);
  // Too large: the message names the ways that need less.
  options = {};
  options.control.context.memory_limit = 1000;
  try {
    (void)train_s3vm(data, options);
    FAIL() << "no exception";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("tsvm or s3vm-cccp"), std::string::npos);
  }
}

}  // namespace
}  // namespace maxmargin::testing
