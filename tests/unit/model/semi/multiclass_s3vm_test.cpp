// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/semi/multiclass_s3vm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "class_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "model/verify/semi.hpp"
#include "semi_data.hpp"

namespace maxmargin {
namespace {

using testing::hide_labels;

/// n points around three centres in turn; classes 1, 2, 3.
Dataset three_classes(std::size_t n, std::size_t labelled, double spread, std::uint64_t seed = 1) {
  Rng rng(seed, "three classes");
  DenseMatrix points(n, 2);
  std::vector<double> classes;
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::acos(-1.0) / 3 * static_cast<double>(i % 3);
    points(i, 0) = 3 * std::cos(angle) + spread * rng.normal();
    points(i, 1) = 3 * std::sin(angle) + spread * rng.normal();
    classes.push_back(static_cast<double>(i % 3 + 1));
  }
  Dataset data = testing::labelled(Examples(std::move(points)), std::move(classes));
  data.source = "three classes";
  return hide_labels(std::move(data), labelled);
}

TEST(SemiSupervisedSizes, AreTheSharesOfTheLabelled) {
  const std::vector<std::int32_t> known = {0, 0, 1, -1, -1, -1, -1, -1, -1};
  const ClassRules rules = semi_supervised_sizes(known, 2, 0.1);
  // Shares 2/3 and 1/3 of 9: 5.4 to 6.6 and 2.7 to 3.3, rounded outwards.
  EXPECT_EQ(rules.least, (std::vector<std::size_t>{5, 2}));
  EXPECT_EQ(rules.most, (std::vector<std::size_t>{7, 4}));
  const ClassRules free = semi_supervised_sizes(known, 2, std::nullopt);
  EXPECT_EQ(free.least, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(free.most, (std::vector<std::size_t>{8, 7}));
  EXPECT_THROW((void)semi_supervised_sizes({-1, -1}, 2, 0.1), InvalidArgument);
}

TEST(MulticlassS3vm, LearnsFromThreeLabels) {
  const Dataset data = three_classes(30, 3, 0.4);
  const TrainedMulticlassS3vm trained =
      train_multiclass_s3vm(data, {.c = 10, .kernel = Rbf{.gamma = 0.3}, .restarts = 5});
  EXPECT_EQ(trained.machines.labelled, 3U);
  EXPECT_EQ(trained.machines.unlabelled, 27U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(trained.labels[i], static_cast<std::int32_t>(i % 3));
    EXPECT_EQ(trained.machines.signs[1][i], i % 3 == 1 ? 1 : -1);
    const std::span<const double> d = trained.memberships.row(i);
    EXPECT_NEAR(d[0] + d[1] + d[2], 1, 1e-9);
  }
  EXPECT_EQ(trained.machines.semi_supervised.model.answer(data.examples).classes, trained.labels);
  const SolveReport& report = trained.machines.semi_supervised.report;
  EXPECT_TRUE(is_success(report.status));
  EXPECT_GE(*report.primal_objective, *report.lower_bound);
  // The known points alone prove more than nothing.
  EXPECT_GT(*report.lower_bound, 0);
  const double dual = *trained.machines.supervised.report.dual_objective;
  EXPECT_GE(*report.lower_bound, dual * (1 - 1e-9));
  // What rounding may have added to a dual value is taken off its bound.
  EXPECT_LT(trained.relaxation.supervised_bound, dual);
}

// The bound of the labelled rows has a proof of its own.
TEST(MulticlassS3vm, SupervisedBoundIsProven) {
  const Dataset data = three_classes(12, 6, 1.0);
  const double c = 5;
  const TrainedMulticlassS3vm trained =
      train_multiclass_s3vm(data, {.c = c, .bias = KernelBias::none, .restarts = 2});
  std::vector<std::vector<double>> points;
  ClassSaddle problem{.c = c, .classes = 3, .least = {2, 2, 2}, .most = {2, 2, 2}};
  for (std::size_t i = 0; i < 12; ++i) {
    if (trained.problem.labels[i] < 0) continue;
    points.push_back({data.examples.row(i).at(0), data.examples.row(i).at(1)});
    problem.labels.push_back(trained.problem.labels[i]);
  }
  const DenseMatrix gram = linear_gram(points);
  problem.matrix = gram.view();
  const double proven = c * class_saddle_bound(problem, trained.supervised_certificate);
  EXPECT_NEAR(proven, trained.relaxation.supervised_bound, 1e-12 * proven);
  // The machine is solved to 1e-8.
  EXPECT_NEAR(proven, c * labelling_omega(problem, problem.labels, 20000), 1e-4 * proven);
  // Less what rounding may have added.
  const double best =
      std::max(trained.relaxation.supervised_bound, trained.relaxation.relaxation_bound);
  EXPECT_LE(trained.relaxation.lower_bound, best);
  EXPECT_GE(trained.relaxation.lower_bound, best * (1 - 1e-9));
}

// All completions of the labels of a few points: none is below the bound, and the answer is the
// best.
TEST(MulticlassS3vm, BoundHoldsForAllCompletions) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const Dataset data = three_classes(8, 4, 1.5, seed);
    const double c = 0.5;
    const TrainedMulticlassS3vm trained =
        train_multiclass_s3vm(data, {.c = c, .balance = 0.6, .bias = KernelBias::none});
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < 8; ++i) {
      points.push_back({data.examples.row(i).at(0), data.examples.row(i).at(1)});
    }
    const DenseMatrix gram = linear_gram(points);
    ClassSaddle problem = trained.problem;
    problem.matrix = gram.view();
    const double best = c * best_labelling_omega(problem, 1000);
    EXPECT_LE(trained.relaxation.lower_bound, best * (1 + 1e-6));
    EXPECT_NEAR(*trained.machines.semi_supervised.report.primal_objective, best, 1e-3 * best);
    EXPECT_NEAR(c * class_saddle_bound(problem, trained.certificate),
                trained.relaxation.relaxation_bound,
                1e-6 * std::abs(trained.relaxation.relaxation_bound));
  }
}

// The machine's values are those of its expansion on the data as they are, for every bias.
TEST(MulticlassS3vm, ModelGivesTheTrainingValues) {
  const Dataset data = three_classes(12, 6, 0.5);
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    const TrainedMulticlassS3vm trained =
        train_multiclass_s3vm(data, {.c = 5, .bias = bias, .restarts = 2});
    for (const TrainedClassifier* machine :
         {&trained.machines.semi_supervised, &trained.machines.supervised}) {
      const DenseMatrix values = decision_values(
          machine->model.functions, data.examples, {.precision = ValuePrecision::exact});
      for (std::size_t k = 0; k < values.values().size(); ++k) {
        EXPECT_NEAR(values.values()[k], machine->training_values.values()[k], 1e-9);
      }
    }
  }
}

TEST(MulticlassS3vm, SameForAnyNumberOfThreadsAndStoppable) {
  const Dataset data = three_classes(20, 5, 1.2);
  MulticlassS3vmOptions options{.c = 1, .restarts = 4};
  options.control.context.threads = 1;
  const TrainedMulticlassS3vm one = train_multiclass_s3vm(data, options);
  options.control.context.threads = 3;
  const TrainedMulticlassS3vm three = train_multiclass_s3vm(data, options);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_EQ(one.relaxation.lower_bound, three.relaxation.lower_bound);
  EXPECT_EQ(*one.machines.semi_supervised.report.primal_objective,
            *three.machines.semi_supervised.report.primal_objective);
  options.control.context.on_progress = [](const Progress&) { return Continue::stop; };
  const TrainedMulticlassS3vm stopped = train_multiclass_s3vm(data, options);
  EXPECT_EQ(stopped.machines.semi_supervised.report.status, Status::stopped_by_callback);
  EXPECT_EQ(stopped.labels.size(), 20U);
  // It is the supervised machine's labels that the answer was trained on, and known ones hold.
  for (std::size_t i = 0; i < 20; ++i) {
    if (data.labels.is_labelled(i)) {
      EXPECT_EQ(stopped.labels[i], one.labels[i]);
    }
  }
  const DenseMatrix& values = stopped.machines.semi_supervised.training_values;
  std::size_t right = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const auto best = std::ranges::max_element(values.row(i)) - values.row(i).begin();
    right += best == stopped.labels[i] ? 1U : 0U;
  }
  EXPECT_GE(right, 18U);
  // Nobody has looked whether the kernel is semidefinite.
  EXPECT_EQ(stopped.relaxation.bound, SemiBound::trivial);
  EXPECT_EQ(to_string(stopped.relaxation.bound), "trivial");
  EXPECT_EQ(*stopped.machines.semi_supervised.report.lower_bound, 0);
}

/// A training that keeps its proof.
struct Kept {
  Dataset data = three_classes(15, 6, 1.0);
  MulticlassS3vmOptions options = {};
  TrainedMulticlassS3vm trained = {};
  MulticlassS3vmClaim claim = {};

  Kept(double c, KernelBias bias)
      : options{.c = c, .kernel = Rbf{.gamma = 0.3}, .bias = bias, .restarts = 2} {
    options.control.keep_dual = true;
    trained = train_multiclass_s3vm(data, options);
    claim.bound = trained.relaxation.bound;
  }
  [[nodiscard]] const TrainedClassifier& machine() const {
    return trained.machines.semi_supervised;
  }
  [[nodiscard]] Certificate verify(const DualPoint& dual) const {
    return verify_multiclass_s3vm(machine().model, dual, data, options, claim);
  }
};

// A small C has the bound of the relaxation, a large one that of the labelled rows.
TEST(MulticlassS3vm, VerificationAgrees) {
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant, KernelBias::none}) {
    for (const double c : {0.05, 10.0}) {
      const Kept kept(c, bias);
      EXPECT_EQ(kept.claim.bound, c < 1 ? SemiBound::relaxation : SemiBound::supervised);
      const Certificate found = kept.verify(kept.machine().dual_coefficients);
      EXPECT_EQ(found.complaint, "");
      const SolveReport& said = kept.machine().report;
      EXPECT_NEAR(found.primal, *said.primal_objective, 1e-9 * found.primal);
      EXPECT_NEAR(*found.lower_bound, *said.lower_bound, 1e-9 * found.primal);
      const TrainedClassifier& supervised = kept.trained.machines.supervised;
      const Certificate alone = verify_multiclass_s3vm(supervised.model,
                                                       supervised.dual_coefficients,
                                                       kept.data,
                                                       kept.options,
                                                       {.is_supervised = true});
      EXPECT_EQ(alone.complaint, "");
      EXPECT_NEAR(alone.primal, *supervised.report.primal_objective, 1e-9 * alone.primal);
      EXPECT_NEAR(alone.dual, *supervised.report.dual_objective, 1e-7 * alone.primal);
    }
  }
}

TEST(MulticlassS3vm, VerificationWithoutABoundChecksLabels) {
  Kept kept(10, KernelBias::center);
  kept.options.control.context.on_progress = [](const Progress&) { return Continue::stop; };
  kept.trained = train_multiclass_s3vm(kept.data, kept.options);
  kept.options.control.context.on_progress = {};  // verification can be stopped, too
  kept.claim.bound = kept.trained.relaxation.bound;
  ASSERT_EQ(kept.claim.bound, SemiBound::trivial);
  DualPoint dual = kept.machine().dual_coefficients;
  EXPECT_EQ(dual.size(), 3U);
  EXPECT_EQ(kept.verify(dual).complaint, "");
  EXPECT_EQ(*kept.verify(dual).lower_bound, 0);
  dual[0][14] = dual[1][14] = dual[2][14] = -1;
  EXPECT_NE(kept.verify(dual).complaint.find("not one class"), std::string::npos);
}

TEST(MulticlassS3vm, VerificationFindsChangedLabels) {
  const Kept kept(10, KernelBias::center);
  const DualPoint& honest = kept.machine().dual_coefficients;
  const auto complaint = [&](std::size_t row, std::size_t to) {
    DualPoint dual = honest;
    for (std::size_t r = 0; r < 3; ++r) dual[r][row] = r == to ? 1 : -1;
    return kept.verify(dual).complaint;
  };
  // Row 0 is given, and so is its class.
  EXPECT_NE(complaint(0, 1).find("not that of its label"), std::string::npos);
  // An exchange keeps the sizes, but not the objective.
  DualPoint dual = honest;
  for (std::size_t r = 0; r < 3; ++r) std::swap(dual[r][13], dual[r][14]);
  EXPECT_GT(kept.verify(dual).primal, *kept.machine().report.primal_objective * (1 + 1e-6));
  dual = honest;
  for (std::size_t row = 6; row < 15; ++row) {
    for (std::size_t r = 0; r < 3; ++r) dual[r][row] = r == 0 ? 1 : -1;
  }
  EXPECT_NE(kept.verify(dual).complaint.find("the balance wants"), std::string::npos);
  dual = honest;
  dual[0][7] = 0.5;
  EXPECT_NE(kept.verify(dual).complaint.find("neither 1 nor -1"), std::string::npos);
  dual.pop_back();
  EXPECT_THROW((void)kept.verify(dual), InvalidArgument);
}

TEST(MulticlassS3vm, VerificationFindsChangedCertificates) {
  for (const double c : {0.05, 10.0}) {
    const Kept kept(c, KernelBias::center);
    const DualPoint& honest = kept.machine().dual_coefficients;
    const double said = *kept.machine().report.lower_bound;
    // Lambda leaves the simplex.
    DualPoint dual = honest;
    dual[3][0] += 0.1;
    EXPECT_NE(kept.verify(dual).complaint.find("certificate"), std::string::npos);
    // Another Lambda proves less.
    dual = honest;
    for (std::size_t r = 0; r < 3; ++r) dual[3 + r][0] = r == 1 ? 1 : 0;
    EXPECT_LT(*kept.verify(dual).lower_bound, said * (1 - 1e-5));
    if (kept.claim.bound != SemiBound::relaxation) continue;
    // So do other multipliers.
    dual = honest;
    dual[6][0] += 0.1;
    EXPECT_LT(*kept.verify(dual).lower_bound, said * (1 - 1e-5));
  }
}

TEST(MulticlassS3vm, VerificationFindsAChangedOffset) {
  for (const KernelBias bias : {KernelBias::center, KernelBias::none}) {
    const Kept kept(10, bias);
    Classifier model = kept.machine().model;
    // The same for all classes: no value of the objective tells.
    for (double& offset : std::get<KernelExpansion>(model.functions).offsets) offset += 1e-3;
    const Certificate found = verify_multiclass_s3vm(
        model, kept.machine().dual_coefficients, kept.data, kept.options, kept.claim);
    EXPECT_NE(found.complaint.find("offset"), std::string::npos);
  }
}

TEST(MulticlassS3vm, RefusesUglyInput) {
  const Dataset data = three_classes(9, 4, 0.5);
  const auto refuses = [](const Dataset& given, const MulticlassS3vmOptions& options = {}) {
    EXPECT_THROW((void)train_multiclass_s3vm(given, options), InvalidArgument);
  };
  refuses(data, {.c = 0});
  refuses(data, {.balance = 1.0});
  refuses(data, {.kernel = Sigmoid{}});
  MulticlassS3vmOptions tight;
  tight.control.context.memory_limit = 100;
  refuses(data, tight);
  refuses(three_classes(9, 0, 0.5));
  refuses(three_classes(9, 9, 0.5));
  refuses(three_classes(9, 1, 0.5));
  refuses(Dataset{});
  Dataset weighted = data;
  weighted.weights.assign(9, 2.0);
  refuses(weighted);
}

}  // namespace
}  // namespace maxmargin
