// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/structural_classifier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/model/kernel/cs_svc.hpp"
#include "structured/tasks/hierarchy.hpp"
#include "structured/tasks/multiclass.hpp"

namespace maxmargin {
namespace {

Label text(const char* name) { return Label(std::string(name)); }

/// Every sixth row of Iris has the next class.
Dataset noisy_iris() {
  Dataset data = iris();
  const Classes classes = classes_of(data.labels);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto own = static_cast<std::size_t>(classes.of_row[i]);
    labels.push_back(classes.names[i % 6 == 0 ? (own + 1) % 3 : own]);
  }
  data.labels = LabelColumn::from_labels(labels);
  return data;
}

Taxonomy flower_tree() {
  return Taxonomy(std::vector<TaxonomyLink>{{.node = text("setosa"), .parent = text("iris")},
                                            {.node = text("late"), .parent = text("iris")},
                                            {.node = text("versicolor"), .parent = text("late")},
                                            {.node = text("virginica"), .parent = text("late")},
                                            {.node = text("lily")}});
}

/// The farthest that w can be from the optimum (docs/algorithms/cutting-plane.md), with the
/// rounding of two sums of n terms.
double farthest(const SolveReport& report) {
  return std::sqrt(2 * (std::max(0.0, *report.gap()) + 1e-12 * *report.primal_objective));
}

std::string problem_of(const Dataset& data, const StructuralClassifierOptions& options) {
  try {
    static_cast<void>(train_structural_classifier(data, options));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

// Two problems that are one: Crammer and Singer's solver knows nothing of planes.
TEST(StructuralClassifier, IsTheMachineOfCrammerAndSinger) {
  const Dataset data = noisy_iris();
  for (const double bias : {0.0, 1.0}) {
    for (const double c : {0.01, 0.3}) {
      const TrainedClassifier twin =
          train_cs_svc(data, {.c = c, .bias = bias, .control = {.tolerance = 1e-6}});
      for (const StructuralMethod method : {StructuralMethod::block_frank_wolfe,
                                            StructuralMethod::one_slack,
                                            StructuralMethod::n_slack}) {
        const TrainedStructuralClassifier trained = train_structural_classifier(
            data,
            {.solving = {.c = c, .tolerance = 1e-4, .max_passes = 20000},
             .method = method,
             .bias = bias});
        ASSERT_EQ(trained.report.status, Status::solved) << to_string(method);
        EXPECT_LE(*trained.report.dual_objective, *twin.report.primal_objective);
        EXPECT_LE(*twin.report.dual_objective, *trained.report.primal_objective);
        const auto& a = std::get<LinearFunctions>(trained.model.functions);
        const auto& b = std::get<LinearFunctions>(twin.model.functions);
        double square = 0;
        for (std::size_t k = 0; k < a.weights.values().size(); ++k) {
          square += std::pow(a.weights.values()[k] - b.weights.values()[k], 2);
        }
        // With bias 1 an offset is a weight.
        for (std::size_t k = 0; k < 3; ++k) square += std::pow(a.offsets[k] - b.offsets[k], 2);
        EXPECT_LE(std::sqrt(square), farthest(trained.report) + farthest(twin.report));
      }
    }
  }
}

// All classes below one node, or all at the top: the loss is 0/1 and paths share nothing that
// tells classes apart. The shared node's weights cancel and stay 0.
TEST(StructuralClassifier, AFlatTreeIsNoTree) {
  const Dataset data = noisy_iris();
  StructuralClassifierOptions options{.solving = {.c = 0.02, .tolerance = 1e-4}};
  options.solving.max_passes = 20000;
  const TrainedStructuralClassifier flat = train_structural_classifier(data, options);
  for (const bool has_root : {false, true}) {
    std::vector<TaxonomyLink> links;
    for (const char* name : {"setosa", "versicolor", "virginica"}) {
      links.push_back({.node = text(name)});
      if (has_root) links.back().parent = text("iris");
    }
    const Taxonomy tree(links);
    options.tree = &tree;
    const TrainedStructuralClassifier trained = train_structural_classifier(data, options);
    EXPECT_LE(*trained.report.dual_objective, *flat.report.primal_objective);
    EXPECT_LE(*flat.report.dual_objective, *trained.report.primal_objective);
    EXPECT_EQ(trained.model.classes, flat.model.classes);
  }
}

TEST(StructuralClassifier, ATreeMachineIsOneFunctionAClass) {
  const Dataset data = noisy_iris();
  const Taxonomy tree = flower_tree();
  for (const bool inner_nodes : {false, true}) {
    for (const Rescaling rescaling : {Rescaling::margin, Rescaling::slack}) {
      const StructuralClassifierOptions options{
          .solving = {.c = 0.05, .tolerance = 1e-3, .max_passes = 20000},
          .rescaling = rescaling,
          .tree = &tree,
          .inner_nodes = inner_nodes};
      const TrainedStructuralClassifier trained = train_structural_classifier(data, options);
      EXPECT_EQ(trained.report.status, Status::solved);
      // No row has the class lily, but the tree has it.
      ASSERT_EQ(trained.model.classes.size(), inner_nodes ? 6u : 4u);
      EXPECT_NE(find_class(trained.model.classes, text("lily")), std::nullopt);
      const double objective = structural_classifier_objective(data, options, trained.weights);
      EXPECT_NEAR(objective, *trained.report.primal_objective, 1e-9 * objective);
      const HierarchyTask task(tree, 4, {.inner_nodes = inner_nodes});
      const std::vector<Label> predicted = trained.model.predict(data);
      for (std::size_t i = 0; i < data.size(); ++i) {
        EXPECT_EQ(predicted[i], tree.name(task.predict(data.examples.row(i), trained.weights)));
      }
    }
  }
}

// Losses of 2: with w = 2v the margin-rescaled objective at C is four times that of losses 1 at
// C/2, and the slack-rescaled one that of losses 1 at 2C.
TEST(StructuralClassifier, LossesScaleAsTheyMust) {
  const Dataset data = noisy_iris();
  const auto train = [&](double c, double loss, Rescaling rescaling) {
    StructuralClassifierOptions options{.solving = {.c = c, .tolerance = 1e-5, .max_passes = 20000},
                                        .rescaling = rescaling};
    options.losses = DenseMatrix(3, 3, loss);
    for (std::size_t k = 0; k < 3; ++k) options.losses(k, k) = 0;
    return train_structural_classifier(data, options).report;
  };
  const auto expect_factor = [](const SolveReport& a, const SolveReport& b, double factor) {
    EXPECT_LE(*a.dual_objective, factor * *b.primal_objective);
    EXPECT_LE(factor * *b.dual_objective, *a.primal_objective);
  };
  expect_factor(train(0.02, 2, Rescaling::margin), train(0.01, 1, Rescaling::margin), 4);
  expect_factor(train(0.01, 2, Rescaling::slack), train(0.02, 1, Rescaling::slack), 1);
}

// A mistake that costs a hundred times as much is made less often.
TEST(StructuralClassifier, DearMistakesBecomeRare) {
  const Dataset data = noisy_iris();
  const auto mistakes = [&](double cost) {
    StructuralClassifierOptions options{
        .solving = {.c = 0.1, .tolerance = 1e-4, .max_passes = 20000}};
    options.losses = DenseMatrix(3, 3, 1.0);
    for (std::size_t k = 0; k < 3; ++k) options.losses(k, k) = 0;
    options.losses(2, 1) = cost;
    const std::vector<Label> predicted =
        train_structural_classifier(data, options).model.predict(data);
    std::size_t count = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      count +=
          data.labels.at(i) == text("virginica") && predicted[i] == text("versicolor") ? 1U : 0U;
    }
    return count;
  };
  EXPECT_LT(mistakes(100), mistakes(1));
}

TEST(StructuralClassifier, ClassWeightsAreCopies) {
  const Dataset data = noisy_iris();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.size(); ++i) {
    rows.push_back(i);
    if (data.labels.at(i) == text("setosa")) rows.push_back(i);
  }
  StructuralClassifierOptions options{.solving = {.c = 0.02, .tolerance = 1e-4}};
  options.solving.max_passes = 20000;
  const SolveReport copies = train_structural_classifier(data.select(rows), options).report;
  options.class_weights.by_class = {{text("setosa"), 2.0}};
  const SolveReport weighted = train_structural_classifier(data, options).report;
  EXPECT_LE(*weighted.dual_objective, *copies.primal_objective);
  EXPECT_LE(*copies.dual_objective, *weighted.primal_objective);
}

TEST(StructuralClassifier, ThreadsAndPausesDoNotShow) {
  const Dataset data = noisy_iris();
  StructuralClassifierOptions options{.solving = {.c = 0.05, .tolerance = 1e-4}};
  options.solving.max_passes = 20000;
  options.solving.context.threads = 1;
  const TrainedStructuralClassifier whole = train_structural_classifier(data, options);
  options.solving.context.threads = 3;
  std::vector<StructuralState> states;
  options.solving.on_checkpoint = [&](const std::function<StructuralState()>& state) {
    if (states.size() < 2) states.push_back(state());
  };
  EXPECT_EQ(train_structural_classifier(data, options).weights, whole.weights);
  ASSERT_EQ(states.size(), 2u);
  options.solving.on_checkpoint = {};
  EXPECT_EQ(train_structural_classifier(data, options, &states.back()).weights, whole.weights);
}

TEST(StructuralClassifier, WrongDataAndOptionsAreNamed) {
  Dataset data = iris();
  const Taxonomy tree = flower_tree();
  const Taxonomy other(std::vector<TaxonomyLink>{{.node = text("setosa")}});
  EXPECT_NE(problem_of(data, {.tree = &other}).find("\"versicolor\" is no node of the taxonomy"),
            std::string::npos);
  Dataset inner = data;
  std::vector<Label> labels(data.size(), text("late"));
  labels.front() = text("setosa");
  inner.labels = LabelColumn::from_labels(labels);
  EXPECT_NE(problem_of(inner, {.tree = &tree}).find("\"late\" is a node"), std::string::npos);
  EXPECT_EQ(problem_of(inner, {.tree = &tree, .inner_nodes = true}), "none");
  EXPECT_NE(problem_of(data, {.losses = DenseMatrix(3, 3), .tree = &tree}).find("exclude"),
            std::string::npos);
  EXPECT_NE(problem_of(data, {.losses = DenseMatrix(2, 2)}).find("classes x classes"),
            std::string::npos);
  EXPECT_EQ(problem_of(data, {.inner_nodes = true}),
            "inner nodes can be classes where there is a tree alone");
  EXPECT_NE(problem_of(data, {.bias = std::nan("")}).find("bias"), std::string::npos);
  data.labels.clear(3);
  EXPECT_NE(problem_of(data, {}), "none");
}

// The bias of MulticlassTask is a constant column.
TEST(MulticlassTaskBias, IsAConstantColumn) {
  Rng rng(5);
  DenseMatrix x(4, 3);
  DenseMatrix wide(4, 4, 0.5);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j) wide(i, j) = x(i, j) = rng.normal();
  }
  const MulticlassTask biased(3, 3, {}, 0.5);
  const MulticlassTask plain(3, 4);
  ASSERT_EQ(biased.dimension(), plain.dimension());
  std::vector<double> w(12);
  for (double& value : w) value = rng.normal();
  for (std::size_t i = 0; i < 4; ++i) {
    const Row row(x.row(i));
    const Row same(wide.row(i));
    EXPECT_EQ(biased.predict(row, w), plain.predict(same, w));
    for (std::int32_t y = 0; y < 3; ++y) {
      EXPECT_EQ(biased.loss_augmented_argmax(row, y, w), plain.loss_augmented_argmax(same, y, w));
      EXPECT_EQ(biased.loss_scaled_argmax(row, y, w), plain.loss_scaled_argmax(same, y, w));
      FeatureVector a;
      FeatureVector b;
      biased.joint_features(row, y, a);
      plain.joint_features(same, y, b);
      EXPECT_NEAR(a.dot(w), b.dot(w), 1e-12);
    }
  }
  EXPECT_THROW(MulticlassTask(2, 2, {}, std::nan("")), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
