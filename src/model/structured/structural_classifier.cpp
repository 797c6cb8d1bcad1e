// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/hierarchy.md
#include "maxmargin/model/structured/structural_classifier.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "model/structured/asked_primal.hpp"
#include "model/structured/rows.hpp"
#include "structured/tasks/hierarchy.hpp"
#include "structured/tasks/multiclass.hpp"

namespace maxmargin {

namespace {

/// Rows with their classes as numbers of the task's outputs.
template <class Task>
struct Problem {
  Task task;
  std::vector<Row> rows;
  std::vector<typename Task::Output> outputs;
  std::vector<double> weights;
};

Problem<MulticlassTask> flat_problem(const Dataset& data,
                                     const ClassificationTask& classes,
                                     const StructuralClassifierOptions& options) {
  return {.task = MulticlassTask(
              classes.classes.count(), data.features(), options.losses, options.bias),
          .rows = rows_of(data),
          .outputs = classes.classes.of_row,
          .weights = classes.weights};
}

/// The node of a class; every class must have one.
std::uint32_t node_of(const Dataset& data, const HierarchyTask& task, const Label& label) {
  const std::optional<std::uint32_t> node = task.tree().find(label);
  if (node && task.is_class(*node)) return *node;
  const std::string source = data.source.empty() ? "the data" : data.source;
  throw InvalidArgument(
      source + ": the class \"" + label.text() + "\" is " +
      (node ? "a node of the taxonomy with others below, not a leaf" : "no node of the taxonomy"));
}

Problem<HierarchyTask> tree_problem(const Dataset& data,
                                    const ClassificationTask& classes,
                                    const StructuralClassifierOptions& options) {
  Problem<HierarchyTask> problem{
      .task = HierarchyTask(*options.tree,
                            data.features(),
                            {.bias = options.bias, .inner_nodes = options.inner_nodes}),
      .rows = rows_of(data),
      .outputs = {},
      .weights = classes.weights};
  std::vector<std::uint32_t> nodes;
  for (const Label& name : classes.classes.names) {
    nodes.push_back(node_of(data, problem.task, name));
  }
  for (const std::int32_t cls : classes.classes.of_row) {
    problem.outputs.push_back(nodes[static_cast<std::size_t>(cls)]);
  }
  return problem;
}

/// Adds the weights of a class or node, of which there are `d` and a last one with a bias.
void add_block(std::span<const double> w,
               std::size_t block,
               double bias,
               std::size_t row,
               LinearFunctions& functions) {
  const std::size_t d = functions.weights.cols();
  const std::span<const double> own = w.subspan(block * (d + (bias != 0 ? 1 : 0)));
  for (std::size_t j = 0; j < d; ++j) functions.weights(row, j) += own[j];
  if (bias != 0) functions.offsets[row] += bias * own[d];
}

/// Classes in the order of their labels, with the nodes that are theirs.
std::vector<std::pair<Label, std::uint32_t>> classes_in_order(const HierarchyTask& task) {
  std::vector<std::pair<Label, std::uint32_t>> classes;
  for (std::uint32_t node = 0; node < task.tree().size(); ++node) {
    if (task.is_class(node)) classes.emplace_back(task.tree().name(node), node);
  }
  std::ranges::sort(classes, {}, &std::pair<Label, std::uint32_t>::first);
  return classes;
}

Classifier make_classifier(const Dataset& data,
                           std::vector<Label> names,
                           LinearFunctions functions) {
  Classifier model;
  model.code = direct_code(names.size());
  model.classes = std::move(names);
  model.functions = std::move(functions);
  model.feature_names = data.feature_names;
  return model;
}

Classifier flat_model(const Dataset& data,
                      const ClassificationTask& classes,
                      double bias,
                      std::span<const double> w) {
  const std::size_t count = classes.classes.count();
  LinearFunctions functions{.weights = DenseMatrix(count, data.features()),
                            .offsets = std::vector<double>(count, 0.0)};
  for (std::size_t c = 0; c < count; ++c) add_block(w, c, bias, c, functions);
  return make_classifier(data, classes.classes.names, std::move(functions));
}

Classifier tree_model(const Dataset& data,
                      const HierarchyTask& task,
                      double bias,
                      std::span<const double> w) {
  const auto classes = classes_in_order(task);
  LinearFunctions functions{.weights = DenseMatrix(classes.size(), data.features()),
                            .offsets = std::vector<double>(classes.size(), 0.0)};
  std::vector<Label> names;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    names.push_back(classes[c].first);
    for (std::uint32_t node = classes[c].second; node != Taxonomy::no_parent;
         node = task.tree().parent(node)) {
      add_block(w, node, bias, c, functions);
    }
  }
  return make_classifier(data, std::move(names), std::move(functions));
}

template <class Task>
TrainedStructuralClassifier solve(const Problem<Task>& problem,
                                  const StructuralClassifierOptions& options,
                                  const StructuralState* start) {
  const StructuralHinge<Task> risk(
      problem.task, problem.rows, problem.outputs, options.rescaling, problem.weights);
  StructuralSolution found =
      solve_structural(risk, options.method, row_solving(options.solving, options.method), start);
  return {.report = std::move(found.report),
          .oracle_calls = found.oracle_calls,
          .weights = std::move(found.w)};
}

template <class Task>
double objective(const Problem<Task>& problem,
                 const StructuralClassifierOptions& options,
                 std::span<const double> w,
                 const Context& context) {
  require(w.size() == problem.task.dimension(),
          "there must be one weight for every feature and class");
  const StructuralHinge<Task> risk(
      problem.task, problem.rows, problem.outputs, options.rescaling, problem.weights);
  return asked_primal(risk, options.solving.c, w, context);
}

ClassificationTask checked_classes(const Dataset& data,
                                   const StructuralClassifierOptions& options) {
  validate(options);
  require(options.tree == nullptr || options.losses.rows() == 0,
          "a tree of classes and costs of mistakes exclude each other: a tree has its own loss");
  require(options.tree != nullptr || !options.inner_nodes,
          "inner nodes can be classes where there is a tree alone");
  data.validate();
  return classification_task(data, options.class_weights, options.allow_one_class);
}

}  // namespace

void StructuralClassifierOptions::describe(OptionVisitor& visit) {
  solving.describe(visit, row_passes_words);
  describe_method(visit, method);
  describe_rescaling(visit, rescaling);
  describe_constant(visit, bias);
  describe_class_weights(visit, class_weights);
  visit.yes_no({.name = "allow-one-class", .help = "train though all labels are the same"},
               allow_one_class);
  visit.yes_no({.name = "inner-nodes", .help = "inner nodes of the tree are classes, too"},
               inner_nodes);
}

TrainedStructuralClassifier train_structural_classifier(const Dataset& data,
                                                        const StructuralClassifierOptions& options,
                                                        const StructuralState* start) {
  const ClassificationTask classes = checked_classes(data, options);
  if (options.tree == nullptr) {
    const Problem<MulticlassTask> problem = flat_problem(data, classes, options);
    TrainedStructuralClassifier trained = solve(problem, options, start);
    trained.model = flat_model(data, classes, options.bias, trained.weights);
    return trained;
  }
  const Problem<HierarchyTask> problem = tree_problem(data, classes, options);
  TrainedStructuralClassifier trained = solve(problem, options, start);
  trained.model = tree_model(data, problem.task, options.bias, trained.weights);
  return trained;
}

double structural_classifier_objective(const Dataset& data,
                                       const StructuralClassifierOptions& options,
                                       std::span<const double> weights,
                                       const Context& context) {
  const ClassificationTask classes = checked_classes(data, options);
  return options.tree == nullptr
             ? objective(flat_problem(data, classes, options), options, weights, context)
             : objective(tree_problem(data, classes, options), options, weights, context);
}

}  // namespace maxmargin
