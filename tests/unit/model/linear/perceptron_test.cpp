// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/linear/perceptron.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

const LinearFunctions& functions(const TrainedClassifier& trained) {
  return std::get<LinearFunctions>(trained.model.functions);
}

/// Points at least `margin` away from a random line.
Dataset separable(std::size_t n, double margin, std::uint64_t seed) {
  Rng rng(seed);
  const double angle = rng.uniform(0, 6.28);
  DenseMatrix points(n, 2);
  std::vector<double> labels;
  for (std::size_t i = 0; i < n;) {
    const double x = rng.normal();
    const double y = rng.normal();
    const double distance = std::cos(angle) * x + std::sin(angle) * y - 0.2;
    if (std::abs(distance) < margin) continue;
    points(i, 0) = x;
    points(i, 1) = y;
    labels.push_back(distance > 0 ? 1 : -1);
    ++i;
  }
  return {.examples = std::move(points), .labels = LabelColumn::from_numbers(std::move(labels))};
}

Dataset overlapping() {
  return {.examples = DenseMatrix(4, 1, Buffer<double>(std::vector<double>{0, 1, 2, 3})),
          .labels = LabelColumn::from_numbers({-1, 1, -1, 1})};
}

TEST(Perceptron, SeparatesWhatCanBeSeparated) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Dataset data = separable(80, 0.05, seed);
    const TrainedClassifier trained = train_perceptron(data);
    EXPECT_EQ(trained.report.status, Status::solved);
    const std::vector<Label> answers = trained.model.predict(data);
    for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(answers[i], *data.labels.at(i));
  }
}

// Novikoff: the margin of the answer <= the best margin <= |w| / mistakes. The best margin lies
// between, because the generating line has at least 0.1 (with the offset among the weights).
TEST(Perceptron, ItsObjectivesEncloseTheHardMarginOptimum) {
  const double margin = 0.1;
  const Dataset data = separable(100, margin, 3);
  const TrainedClassifier trained = train_perceptron(data);
  ASSERT_EQ(trained.report.status, Status::solved);
  // The generating hyperplane, (w, b) = (unit, -0.2) / 0.1, is feasible: the optimum is below it.
  const double feasible = (1 + 0.04) / (2 * margin * margin);
  EXPECT_LE(*trained.report.dual_objective, feasible * (1 + 1e-12));
  EXPECT_LE(*trained.report.dual_objective, *trained.report.primal_objective);
  // The primal objective from its definition.
  const DenseMatrix values = decision_values(trained.model.functions, data.examples);
  double least = 1e300;
  for (std::size_t i = 0; i < data.size(); ++i) {
    least = std::min(least, data.labels.numbers()[i] * values(i, 0));
  }
  const LinearFunctions& f = functions(trained);
  const double norm = f.weights(0, 0) * f.weights(0, 0) + f.weights(0, 1) * f.weights(0, 1) +
                      f.offsets[0] * f.offsets[0];
  EXPECT_NEAR(*trained.report.primal_objective, norm / (2 * least * least), 1e-9 * norm);
}

TEST(Perceptron, TwoPointsInClosedForm) {
  // x = 1 and -1 without bias: one mistake makes w = 1, margin 1, both bounds 1/2.
  const Dataset data{.examples = DenseMatrix(2, 1, Buffer<double>(std::vector<double>{1, -1})),
                     .labels = LabelColumn::from_numbers({1, -1})};
  const TrainedClassifier trained = train_perceptron(data, {.bias = false});
  EXPECT_EQ(functions(trained).weights(0, 0), 1);
  EXPECT_EQ(*trained.report.primal_objective, 0.5);
  EXPECT_EQ(*trained.report.dual_objective, 0.5);
  EXPECT_EQ(trained.report.iterations, 2u);
  EXPECT_EQ(trained.machines[0].support_vectors, 1u);
}

TEST(Perceptron, SaysWhenNoPassIsFreeOfMistakes) {
  const TrainedClassifier trained = train_perceptron(overlapping(), {.passes = 50});
  EXPECT_EQ(trained.report.status, Status::iteration_limit);
  EXPECT_EQ(trained.report.iterations, 50u);
  EXPECT_FALSE(trained.report.primal_objective.has_value());
  EXPECT_NO_THROW((void)trained.model.predict(overlapping()));
  PerceptronOptions stop;
  stop.control.context.on_progress = [](const Progress& progress) {
    return progress.iteration < 3 ? Continue::yes : Continue::time_is_up;
  };
  const TrainedClassifier stopped = train_perceptron(overlapping(), stop);
  EXPECT_EQ(stopped.report.status, Status::time_limit);
  EXPECT_EQ(stopped.report.iterations, 3u);
}

TEST(Perceptron, SeveralClassesByReductions) {
  const Dataset data = iris();
  for (const MulticlassKind kind : {MulticlassKind::one_vs_rest, MulticlassKind::one_vs_one}) {
    const TrainedClassifier trained = train_perceptron(data, {.passes = 200, .multiclass = kind});
    ASSERT_EQ(trained.machines.size(), 3u);
    // Setosa is separable from the others, versicolor and virginica are not.
    EXPECT_EQ(trained.machines[0].report.status, Status::solved);
    EXPECT_EQ(trained.report.status, Status::iteration_limit);
    EXPECT_NO_THROW(trained.model.validate());
  }
}

TEST(Perceptron, TheSeedDecidesAndSparseIsDense) {
  const Dataset data = separable(60, 0.02, 8);
  Dataset sparse = data;
  sparse.examples = to_sparse(data.examples.dense());
  const TrainedClassifier a = train_perceptron(data);
  const TrainedClassifier b = train_perceptron(data);
  const TrainedClassifier c = train_perceptron(sparse);
  EXPECT_TRUE(std::ranges::equal(functions(a).weights.values(), functions(b).weights.values()));
  EXPECT_TRUE(std::ranges::equal(functions(a).weights.values(), functions(c).weights.values()));
}

TEST(Perceptron, DegenerateAndWrongInput) {
  const Dataset one{.examples = DenseMatrix(2, 1, 1.0),
                    .labels = LabelColumn::from_numbers({5, 5})};
  EXPECT_THROW((void)train_perceptron(one), InvalidArgument);
  const TrainedClassifier constant = train_perceptron(one, {.allow_one_class = true});
  EXPECT_EQ(constant.report.status, Status::solved);
  EXPECT_EQ(constant.model.predict(one)[0], Label(5.0));
  EXPECT_THROW((void)train_perceptron(overlapping(), {.passes = 0}), InvalidArgument);
  EXPECT_THROW((void)train_perceptron(overlapping(), {.multiclass = MulticlassKind::direct}),
               InvalidArgument);
  Dataset weightless = overlapping();
  weightless.weights.assign(4, 0.0);
  EXPECT_EQ(train_perceptron(weightless).report.status, Status::solved);
}

}  // namespace
}  // namespace maxmargin
