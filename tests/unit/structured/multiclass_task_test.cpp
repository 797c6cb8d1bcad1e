// SPDX-License-Identifier: Apache-2.0
#include "structured/tasks/multiclass.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "binary_task.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/structured/check_task.hpp"
#include "maxmargin/structured/structural_hinge.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"
#include "structured/averaged_perceptron.hpp"

namespace maxmargin {
namespace {

using Solver = StructuralSolution (*)(const StructuralRisk&,
                                      const StructuralOptions&,
                                      const StructuralState*);
constexpr Solver solvers[] = {solve_one_slack, solve_n_slack, solve_block_frank_wolfe};

/// Clouds with noise, half of the entries 0, as a sparse data set.
struct Clouds {
  Clouds(std::size_t n, std::size_t d, std::size_t k, std::uint64_t seed) : classes(k) {
    Rng rng(seed, "multiclass task");
    DenseMatrix x(n, d);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t cls = i % k;
      for (std::size_t j = 0; j < d; ++j) {
        if (rng.bernoulli(0.5)) x(i, j) = rng.normal() + (j % k == cls ? 1 : 0);
      }
      labels.push_back(static_cast<std::int32_t>(cls));
      signs.push_back(cls == 0 ? -1 : 1);
      targets.push_back(signs.back());
    }
    data.examples = to_sparse(x.view());
    rows = rows_of(data);
  }
  std::size_t classes;
  Dataset data = {};
  std::vector<Row> rows = {};
  std::vector<std::int32_t> labels = {};
  std::vector<std::int32_t> signs = {};
  std::vector<double> targets = {};
};

DenseMatrix tree_losses() {
  DenseMatrix losses(4, 4);
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t z = 0; z < 4; ++z) losses(y, z) = y == z ? 0 : y / 2 == z / 2 ? 1 : 2.5;
  }
  return losses;
}

template <class Task>
void expect_sound(const Task& task, const std::vector<Row>& rows, const auto& outputs) {
  std::vector<std::pair<Row, std::int32_t>> samples;
  for (std::size_t i = 0; i < rows.size(); ++i) samples.emplace_back(rows[i], outputs[i]);
  Rng rng(3);
  const TaskCheck check =
      check_task<Task>(task, std::span<const std::pair<Row, std::int32_t>>(samples), rng);
  EXPECT_EQ(check.faults, std::vector<std::string>());
  EXPECT_EQ(check.missed, 0u);
  EXPECT_EQ(check.compared, rows.size() * 5 * 3);
}

// seed-yu facts 22 and 23.
TEST(MulticlassTask, ArgmaxesEqualEnumeration) {
  const Clouds clouds(12, 5, 4, 1);
  expect_sound(MulticlassTask(4, 5), clouds.rows, clouds.labels);
  expect_sound(MulticlassTask(4, 5, tree_losses()), clouds.rows, clouds.labels);
  expect_sound(BinaryTask(5), clouds.rows, clouds.signs);
}

TEST(MulticlassTask, FeaturesAreABlock) {
  const DenseMatrix x(1, 3, 2.0);
  const MulticlassTask task(2, 3);
  FeatureVector psi;
  task.joint_features(Row(x.row(0)), 1, psi);
  ASSERT_EQ(psi.entries().size(), 3u);
  EXPECT_EQ(psi.entries()[0].index, 3u);
  EXPECT_EQ(psi.entries()[0].value, 2.0);
  // A model of two features does not see the third.
  FeatureVector less;
  MulticlassTask(2, 2).joint_features(Row(x.row(0)), 0, less);
  EXPECT_EQ(less.entries().size(), 2u);
  EXPECT_EQ(MulticlassTask(2, 2).predict(Row(x.row(0)), std::vector<double>{0, 0, 0, 1}), 1);
}

TEST(MulticlassTask, TiesGoToTheLowestClass) {
  const DenseMatrix x(1, 2, 0.0);
  EXPECT_EQ(MulticlassTask(3, 2).predict(Row(x.row(0)), std::vector<double>(6, 1.0)), 0);
  EXPECT_EQ(BinaryTask(2).predict(Row(x.row(0)), std::vector<double>(2, 1.0)), 1);
}

TEST(MulticlassTask, RefusesWrongLosses) {
  EXPECT_THROW(MulticlassTask(0, 2), InvalidArgument);
  EXPECT_THROW(MulticlassTask(3, 2, tree_losses()), InvalidArgument);
  DenseMatrix losses = tree_losses();
  losses(1, 1) = 1;
  EXPECT_THROW(MulticlassTask(4, 2, losses), InvalidArgument);
  losses(1, 1) = 0;
  losses(1, 2) = -1;
  EXPECT_THROW(MulticlassTask(4, 2, losses), InvalidArgument);
}

// Crammer and Singer's own solver meets the structural ones within the gaps.
TEST(MulticlassTask, EqualsCrammerSinger) {
  const Clouds clouds(90, 6, 3, 2);
  for (const double c : {0.02, 0.5}) {
    const CrammerSinger twin{.points = clouds.data.examples.points(),
                             .class_count = 3,
                             .classes = clouds.labels,
                             .costs = std::vector<double>(90, c)};
    const CrammerSingerSolution best = solve_crammer_singer(twin, {.tolerance = 1e-7});
    const MulticlassTask task(3, 6);
    const StructuralHinge<MulticlassTask> risk(task, clouds.rows, clouds.labels);
    for (const Solver solver : solvers) {
      const StructuralSolution found =
          solver(risk, {.c = c, .tolerance = 1e-5, .max_passes = 5000}, nullptr);
      EXPECT_EQ(found.report.status, Status::solved);
      EXPECT_LE(*found.report.dual_objective, *best.report.primal_objective);
      EXPECT_LE(*best.report.dual_objective, *found.report.primal_objective);
      double square = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t j = 0; j < 6; ++j) {
          const double difference = found.w[r * 6 + j] - best.weights(r, j);
          square += difference * difference;
        }
      }
      EXPECT_LE(std::sqrt(square),
                std::sqrt(2 * *found.report.gap()) + std::sqrt(2 * *best.report.gap()));
    }
  }
}

// seed-yu facts 19 and 21: y x / 2 is the machine without bias at the same C; two blocks at C are
// that machine at 2C, at half its objective.
TEST(MulticlassTask, TwoClassesAreTheLinearMachine) {
  const Clouds clouds(80, 5, 2, 3);
  const double c = 0.3;
  LinearRisk linear;
  linear.examples = clouds.data.examples.sparse();
  linear.targets = clouds.targets;
  linear.c = c;
  const LinearSolution same = solve_dual_coordinate(linear, {.tolerance = 1e-7});
  linear.c = 2 * c;
  const LinearSolution twice = solve_dual_coordinate(linear, {.tolerance = 1e-7});
  const BinaryTask binary(5);
  const MulticlassTask blocks(2, 5);
  const StructuralHinge<BinaryTask> risk(binary, clouds.rows, clouds.signs);
  const StructuralHinge<MulticlassTask> block_risk(blocks, clouds.rows, clouds.labels);
  for (const Solver solver : solvers) {
    const StructuralOptions options{.c = c, .tolerance = 1e-6, .max_passes = 5000};
    const StructuralSolution found = solver(risk, options, nullptr);
    EXPECT_LE(*found.report.dual_objective, *same.report.primal_objective);
    EXPECT_LE(*same.report.dual_objective, *found.report.primal_objective);
    double square = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      square += (found.w[j] - same.w[j]) * (found.w[j] - same.w[j]);
    }
    EXPECT_LE(std::sqrt(square),
              std::sqrt(2 * *found.report.gap()) + std::sqrt(2 * *same.report.gap()));
    const StructuralSolution halved = solver(block_risk, options, nullptr);
    EXPECT_LE(2 * *halved.report.dual_objective, *twice.report.primal_objective);
    EXPECT_LE(*twice.report.dual_objective, 2 * *halved.report.primal_objective);
  }
}

// seed-yu fact 20: a bias that costs nothing can only help.
TEST(MulticlassTask, BiasOnlyHelps) {
  Clouds clouds(60, 4, 2, 4);
  const BinaryTask task(4);
  const StructuralHinge<BinaryTask> risk(task, clouds.rows, clouds.signs);
  const StructuralSolution found =
      solve_n_slack(risk, {.c = 0.5, .tolerance = 1e-6, .max_passes = 5000});
  Dataset data = clouds.data;
  data.labels = LabelColumn::from_numbers(clouds.targets);
  const TrainedClassifier with_bias = train_svc(data, {.c = 0.5, .kernel = Linear{}});
  EXPECT_LE(*with_bias.report.dual_objective, *found.report.primal_objective);
}

// seed-yu fact 17, for both rescalings: slack_i >= loss of the prediction.
TEST(MulticlassTask, SlackBoundsTheLoss) {
  const Clouds clouds(60, 5, 4, 5);
  const MulticlassTask task(4, 5, tree_losses());
  for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
    const StructuralHinge<MulticlassTask> risk(task, clouds.rows, clouds.labels, rescaling);
    for (const double c : {0.001, 0.1}) {
      const StructuralSolution found = solve_one_slack(risk, {.c = c, .tolerance = 1e-3});
      EXPECT_EQ(found.report.status, Status::solved);
      double mistakes = 0;
      StructuralPlane plane;
      for (std::size_t i = 0; i < clouds.rows.size(); ++i) {
        risk.largest_plane(i, found.w, plane);
        const double slack = plane.offset - plane.slope.dot(found.w);
        const double loss = task.loss(clouds.labels[i], task.predict(clouds.rows[i], found.w));
        EXPECT_GE(slack, loss - 1e-9);
        mistakes += loss;
      }
      EXPECT_GT(mistakes, 0);  // or nothing was tested
    }
    EXPECT_EQ(risk.misses(), 0u);
  }
}

// seed-yu fact 18: with losses 0 and 1 the rescalings are one; with others they are not.
TEST(MulticlassTask, RescalingsAgreeForUnitLosses) {
  const Clouds clouds(60, 5, 4, 6);
  const StructuralOptions options{.c = 0.1, .tolerance = 1e-6, .max_passes = 5000};
  const auto objective = [&](const MulticlassTask& task, Rescaling rescaling) {
    const StructuralHinge<MulticlassTask> risk(task, clouds.rows, clouds.labels, rescaling);
    return *solve_n_slack(risk, options).report.primal_objective;
  };
  const MulticlassTask unit(4, 5);
  const double margin = objective(unit, Rescaling::margin);
  EXPECT_NEAR(objective(unit, Rescaling::slack), margin, 2e-6 * margin);
  const MulticlassTask tree(4, 5, tree_losses());
  EXPECT_GT(std::abs(objective(tree, Rescaling::margin) - objective(tree, Rescaling::slack)),
            1e-3 * margin);
}

// Weights of examples: weight 2 is two of them, weight 0 is none.
TEST(MulticlassTask, WeightsAreCopies) {
  const Clouds clouds(20, 4, 3, 7);
  std::vector<double> weights(20, 1.0);
  weights[3] = 2;
  weights[5] = 0;
  std::vector<Row> rows;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < 20; ++i) {
    for (int copy = 0; copy < static_cast<int>(weights[i]); ++copy) {
      rows.push_back(clouds.rows[i]);
      labels.push_back(clouds.labels[i]);
    }
  }
  const MulticlassTask task(3, 4);
  const StructuralHinge<MulticlassTask> weighted(
      task, clouds.rows, clouds.labels, Rescaling::margin, weights);
  const StructuralHinge<MulticlassTask> copied(task, rows, labels);
  for (const Solver solver : solvers) {
    const StructuralOptions options{.c = 0.2, .tolerance = 1e-6, .max_passes = 5000};
    const double objective = *solver(copied, options, nullptr).report.primal_objective;
    EXPECT_NEAR(
        *solver(weighted, options, nullptr).report.primal_objective, objective, 2e-6 * objective);
  }
}

// Iris' first class against the others can be separated: the perceptron makes its last mistake.
TEST(AveragedPerceptron, SeparatesWhatCanBeSeparated) {
  const Dataset data = iris();
  const std::vector<Row> rows = rows_of(data);
  std::vector<std::int32_t> signs;
  for (std::size_t i = 0; i < 150; ++i) signs.push_back(i < 50 ? 1 : -1);
  const BinaryTask task(4);
  const StructuralSolution found = train_averaged_perceptron(
      task, std::span<const Row>(rows), std::span<const std::int32_t>(signs), {.max_passes = 200});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_EQ(found.report.primal_objective, 0.0);
  EXPECT_FALSE(found.report.dual_objective);
  std::size_t mistakes = 0;
  for (std::size_t i = 0; i < 150; ++i) mistakes += task.predict(rows[i], found.w) != signs[i];
  EXPECT_EQ(mistakes, 0u);
}

// Two points on a line, by hand: -1 at x = 1 is predicted +1 by w = 0 and corrects w to -1; +1 at
// x = -2 then has score 2 and is right. Steps in either order give w = -1 at the end.
TEST(AveragedPerceptron, TwoPointsByHand) {
  DenseMatrix x(2, 1);
  x(0, 0) = 1;
  x(1, 0) = -2;
  const std::vector<Row> rows = {Row(x.row(0)), Row(x.row(1))};
  const std::vector<std::int32_t> signs = {-1, 1};
  const BinaryTask task(1);
  const StructuralSolution found = train_averaged_perceptron(
      task, std::span<const Row>(rows), std::span<const std::int32_t>(signs), {.max_passes = 50});
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_EQ(found.report.iterations, 2u);
  // The mistake is at the first or the second of four steps.
  EXPECT_TRUE(found.w[0] == -1.0 || found.w[0] == -0.75) << found.w[0];
}

TEST(AveragedPerceptron, StopsAnywhereAndRefusesWrongSizes) {
  const Clouds clouds(30, 5, 3, 8);
  const MulticlassTask task(3, 5);
  const std::span<const Row> rows(clouds.rows);
  const std::span<const std::int32_t> labels(clouds.labels);
  for (std::size_t at = 1; at < 90; at += 11) {
    std::size_t questions = 0;
    const StructuralSolution found = train_averaged_perceptron(
        task, rows, labels, {.context = {.on_progress = [&](const Progress&) {
                               return ++questions == at ? Continue::stop : Continue::yes;
                             }}});
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_EQ(found.oracle_calls, at - 1);
  }
  EXPECT_THROW((void)train_averaged_perceptron(task, rows, labels.first(3)), InvalidArgument);
  EXPECT_THROW((void)train_averaged_perceptron(task, rows, labels, {.max_passes = 0}),
               InvalidArgument);
  EXPECT_EQ(train_averaged_perceptron(task, rows.first(0), labels.first(0)).report.status,
            Status::solved);
}

}  // namespace
}  // namespace maxmargin
