// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/cs_svc.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"

namespace maxmargin {
namespace {

Dataset noisy_iris() {
  Dataset data = iris();
  Rng rng(1);
  std::vector<Label> labels;
  const Classes classes = classes_of(data.labels);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto own = static_cast<std::size_t>(classes.of_row[i]);
    labels.push_back(classes.names[rng.bernoulli(0.1) ? rng.index(3) : own]);
  }
  data.labels = LabelColumn::from_labels(labels);
  return data;
}

/// The objective of a classifier by the formula alone.
double primal_of(const Classifier& model,
                 const Dataset& data,
                 double squared_norm,
                 const std::vector<double>& costs) {
  const Classes classes = classes_of(data.labels);
  const ClassifierAnswer answer = model.answer(data.examples, {.precision = ValuePrecision::exact});
  double sum = squared_norm / 2;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto own = static_cast<std::size_t>(classes.of_row[i]);
    double worst = answer.scores(i, own);
    for (std::size_t r = 0; r < classes.count(); ++r) {
      if (r != own) worst = std::max(worst, 1 + answer.scores(i, r));
    }
    sum += costs[i] * (worst - answer.scores(i, own));
  }
  return sum;
}

double squared_norm_of(const LinearFunctions& functions, double bias) {
  double sum = 0;
  for (const double w : functions.weights.values()) sum += w * w;
  for (const double b : functions.offsets) sum += bias > 0 ? b * b / (bias * bias) : 0.0;
  return sum;
}

/// LIBLINEAR 2.3, liblinear-train -s 4 -e 1e-10 on Iris, its dual objective (6 decimals printed).
TEST(CsSvc, MatchesLiblinearOnIris) {
  struct Case {
    double c;
    double bias;
    double objective;
  };
  for (const Case& reference : {Case{0.1, 0, 5.302512},
                                Case{1, 0, 22.450058},
                                Case{0.1, 1, 5.142332},
                                Case{1, 1, 20.018230}}) {
    const TrainedClassifier trained = train_cs_svc(
        iris(), {.c = reference.c, .bias = reference.bias, .control = {.tolerance = 1e-4}});
    EXPECT_EQ(trained.report.status, Status::solved);
    const double gap = *trained.report.gap();
    EXPECT_LE(gap, 1e-4 * reference.objective * (1 + 1e-6));
    EXPECT_LE(*trained.report.dual_objective, reference.objective + 1e-6);
    EXPECT_GE(*trained.report.primal_objective, reference.objective - 1e-6);
  }
}

TEST(CsSvc, ReportsTheObjectivesOfTheModelItReturns) {
  const Dataset data = noisy_iris();
  for (const double bias : {0.0, 2.0}) {
    const TrainedClassifier linear = train_cs_svc(data, {.c = 0.1, .bias = bias});
    const double norm = squared_norm_of(std::get<LinearFunctions>(linear.model.functions), bias);
    EXPECT_NEAR(linear.machines[0].squared_norm, norm, 1e-9 * norm);
    const std::vector<double> costs(150, 0.1);
    EXPECT_NEAR(*linear.report.primal_objective,
                primal_of(linear.model, data, norm, costs),
                1e-9 * *linear.report.primal_objective);
    const TrainedClassifier kernel =
        train_cs_svc(data, {.c = 0.1, .kernel = Rbf{.gamma = 0.3}, .bias = bias});
    EXPECT_LE(*kernel.report.relative_gap(), 1e-3);
    EXPECT_NEAR(*kernel.report.primal_objective,
                primal_of(kernel.model, data, kernel.machines[0].squared_norm, costs),
                1e-9 * *kernel.report.primal_objective);
    EXPECT_GT(kernel.machines[0].support_vectors, 0u);
    EXPECT_LT(kernel.machines[0].support_vectors, 150u);
    EXPECT_LE(kernel.machines[0].bounded, kernel.machines[0].support_vectors);
  }
}

TEST(CsSvc, TheLinearKernelInDisguiseGivesTheSameMachine) {
  const Dataset data = noisy_iris();
  const double tolerance = 1e-6;
  const TrainedClassifier linear =
      train_cs_svc(data, {.c = 0.1, .bias = 1, .control = {.tolerance = tolerance}});
  const TrainedClassifier kernel = train_cs_svc(data,
                                                {.c = 0.1,
                                                 .kernel = Polynomial{.degree = 1},
                                                 .bias = 1,
                                                 .control = {.tolerance = tolerance}});
  const double objective = *linear.report.primal_objective;
  EXPECT_NEAR(objective, *kernel.report.primal_objective, tolerance * objective);
  const ClassifierAnswer a = linear.model.answer(data.examples);
  const ClassifierAnswer b = kernel.model.answer(data.examples);
  // |f_a(x) - f_b(x)| <= |x| |w_a - w_b|, and each is within sqrt(2 gap) of the optimum.
  const double radius = 2 * std::sqrt(2 * tolerance * objective);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double length = std::sqrt(data.examples.row(i).squared_norm() + 1);
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_NEAR(a.scores(i, r), b.scores(i, r), radius * length);
    }
  }
}

TEST(CsSvc, WeightsScaleTheCosts) {
  Dataset data = noisy_iris();
  data.weights.assign(150, 2.0);
  const double doubled =
      *train_cs_svc(data, {.c = 0.05, .control = {.tolerance = 1e-4}}).report.primal_objective;
  data.weights.clear();
  const double plain =
      *train_cs_svc(data, {.c = 0.1, .control = {.tolerance = 1e-4}}).report.primal_objective;
  EXPECT_NEAR(plain, doubled, 1e-4 * plain);
  const Classes classes = classes_of(data.labels);
  const TrainedClassifier weighted =
      train_cs_svc(data, {.c = 0.1, .class_weights = {.by_class = {{classes.names[1], 3.0}}}});
  std::vector<double> costs(150, 0.1);
  for (std::size_t i = 0; i < 150; ++i) {
    if (classes.of_row[i] == 1) costs[i] = 0.1 * 3.0;
  }
  const double norm = weighted.machines[0].squared_norm;
  EXPECT_NEAR(*weighted.report.primal_objective,
              primal_of(weighted.model, data, norm, costs),
              1e-9 * *weighted.report.primal_objective);
}

TEST(CsSvc, SparseAndDenseDataGiveTheSameMachine) {
  const Dataset dense = noisy_iris();
  Dataset sparse = dense;
  sparse.examples = to_sparse(dense.examples.dense());
  for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{})}) {
    const TrainedClassifier a = train_cs_svc(dense, {.c = 0.1, .kernel = kernel});
    const TrainedClassifier b = train_cs_svc(sparse, {.c = 0.1, .kernel = kernel});
    EXPECT_NEAR(
        *a.report.primal_objective, *b.report.primal_objective, 2e-3 * *a.report.primal_objective);
    EXPECT_EQ(a.model.classes, b.model.classes);
  }
}

TEST(CsSvc, IsTheSameForAnyThreadCount) {
  const Dataset data = noisy_iris();
  for (const Kernel& kernel : {Kernel(Linear{}), Kernel(Rbf{})}) {
    const TrainedClassifier one =
        train_cs_svc(data, {.c = 0.1, .kernel = kernel, .control = {.context = {.threads = 1}}});
    const TrainedClassifier four =
        train_cs_svc(data, {.c = 0.1, .kernel = kernel, .control = {.context = {.threads = 4}}});
    EXPECT_EQ(one.report.primal_objective, four.report.primal_objective);
    EXPECT_TRUE(std::ranges::equal(one.model.answer(data.examples).scores.values(),
                                   four.model.answer(data.examples).scores.values()));
  }
}

TEST(CsSvc, RefusesWhatItCannotTrainOn) {
  Dataset data = iris();
  EXPECT_THROW(static_cast<void>(train_cs_svc(data, {.c = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_cs_svc(data, {.c = INFINITY})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_cs_svc(data, {.bias = -1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_cs_svc(data, {.kernel = Sigmoid{}})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_cs_svc(data, {.kernel = Rbf{.gamma = 0}})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(train_cs_svc(Dataset{})), InvalidArgument);
  data.labels = LabelColumn::from_numbers(std::vector<double>(150, 1.0));
  EXPECT_THROW(static_cast<void>(train_cs_svc(data)), InvalidArgument);
  const TrainedClassifier alone = train_cs_svc(data, {.allow_one_class = true});
  EXPECT_EQ(alone.report.primal_objective, 0.0);
  EXPECT_EQ(alone.model.predict(data)[7], Label(1.0));
}

}  // namespace
}  // namespace maxmargin
