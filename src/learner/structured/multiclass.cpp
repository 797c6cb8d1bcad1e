// SPDX-License-Identifier: Apache-2.0
//
// multiclass: classes by the structural machine, in a tree if there is one
// (docs/algorithms/hierarchy.md).
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "io/structured/class_costs.hpp"
#include "io/structured/parent_list.hpp"
#include "io/table/label_lines.hpp"
#include "learner/feature_checks.hpp"
#include "learner/header.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/class_measures.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sources.hpp"
#include "learner/supervised/machine_answers.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/model/structured/structural_classifier.hpp"

namespace maxmargin::learning {

namespace {

/// Where the weights of a tree's nodes are kept, which the functions of the classes are sums of.
constexpr const char* node_weights = "node_weights";

/// Files that say what mistakes cost.
struct CostFiles {
  std::optional<std::string> taxonomy = std::nullopt;
  std::optional<std::string> cost_matrix = std::nullopt;

  void describe(OptionVisitor& visit) {
    visit.text({.name = "taxonomy",
                .help = "classes are leaves of this tree, lines NODE PARENT",
                .value = "FILE"},
               taxonomy);
    visit.text({.name = "cost-matrix",
                .help = "costs of mistakes, lines TRUE PREDICTED COST",
                .value = "FILE",
                .fallback = "all 1"},
               cost_matrix);
  }

  [[nodiscard]] ClassTerms read(std::vector<Label> classes, bool skip_others) const {
    ClassTerms terms;
    if (taxonomy) {
      Input input = Input::open(*taxonomy);
      terms.tree = read_parent_list(input);
    }
    if (cost_matrix) {
      Input input = Input::open(*cost_matrix);
      DenseMatrix costs = read_class_costs(input, classes, skip_others);
      terms.costs = ClassCosts{.classes = std::move(classes), .costs = std::move(costs)};
    }
    return terms;
  }
};

struct MulticlassChoice {
  StructuralClassifierOptions machine = {};
  CostFiles files = {};
  ScalingOptions scale = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    machine.describe(visit);
    files.describe(visit);
    describe_scaling(visit, scale);
    checkpoints.describe(visit);
    visit.rule(!files.taxonomy || !files.cost_matrix,
               "--taxonomy and --cost-matrix exclude each other: a tree has its own loss");
    visit.rule(files.taxonomy || !machine.inner_nodes, "--inner-nodes: belongs to --taxonomy");
  }
};

struct ClassPredictionChoice {
  bool scores = false;
  std::optional<std::uint64_t> n_best = std::nullopt;
  bool margins = false;

  void describe(OptionVisitor& visit) {
    visit.yes_no({.name = "scores", .help = "write the scores of the classes as CSV"}, scores);
    visit.whole({.name = "n-best", .help = "write the N best classes, with their scores"},
                n_best,
                {.least = 1});
    visit.yes_no(
        {.name = "margins", .help = "write how much better each label is than the best other one"},
        margins);
    visit.rule(static_cast<int>(scores) + static_cast<int>(n_best.has_value()) +
                       static_cast<int>(margins) <=
                   1,
               "--n-best, --margins and --scores exclude each other");
  }
};

struct ClassEvaluationChoice {
  CostFiles files = {};
  LabelsReading reading = {};

  void describe(OptionVisitor& visit) {
    files.describe(visit);
    reading.describe(visit);
  }
};

/// Both as text, to tell them apart.
std::string text_of(const ClassTerms& terms) {
  std::string text;
  if (terms.tree) text = to_text(*terms.tree);
  if (terms.costs) {
    for (const double cost : terms.costs->costs.values()) text += format_number(cost) + " ";
  }
  return text;
}

/// Tree and costs, by which predictions are measured.
void keep_terms(const ClassTerms& terms, ModelDocument& document) {
  if (terms.tree) {
    std::vector<std::string> lines;
    const std::string text = to_text(*terms.tree);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    document.set_strings("taxonomy", std::move(lines));
  }
  if (terms.costs) document.set_dense("costs", terms.costs->costs);
}

ClassTerms kept_terms(const ModelDocument& document, const std::vector<Label>& classes) {
  ClassTerms terms;
  if (document.has("taxonomy")) {
    std::string text;
    for (const std::string& line : document.strings("taxonomy")) text.append(line).append("\n");
    Input input = Input::from_memory(document.source() + ", taxonomy", text);
    terms.tree = read_parent_list(input);
  }
  if (document.has("costs")) {
    terms.costs = ClassCosts{.classes = classes, .costs = document.dense("costs")};
    if (terms.costs->costs.rows() != classes.size() ||
        terms.costs->costs.cols() != classes.size()) {
      throw ModelFormatError(document.source(), {}, "costs has not one row and column a class");
    }
    const auto is_cost = [](double cost) { return std::isfinite(cost) && cost >= 0; };
    if (!std::ranges::all_of(std::as_const(terms.costs->costs).values(), is_cost)) {
      throw ModelFormatError(document.source(), {}, "costs holds a number that is no cost");
    }
  }
  return terms;
}

std::vector<Label> labels_of(const Classifier& model, const ClassifierAnswer& answer) {
  std::vector<Label> labels;
  labels.reserve(answer.classes.size());
  for (const std::int32_t c : answer.classes) {
    labels.push_back(model.classes[static_cast<std::size_t>(c)]);
  }
  return labels;
}

/// The options that the machine is trained or verified with. `terms` must outlive them.
StructuralClassifierOptions options_of(const MulticlassChoice& choice,
                                       const ClassTerms& terms,
                                       const Context& context) {
  StructuralClassifierOptions options = choice.machine;
  options.solving.context = context;
  if (terms.tree) options.tree = &*terms.tree;
  if (terms.costs) options.losses = terms.costs->costs;
  return options;
}

StructuredFit train(const TableData& table,
                    const MulticlassChoice& choice,
                    const StructuredInput& input) {
  const ClassTerms terms = choice.files.read(classes_of(table.data.labels).names, false);
  StructuralClassifierOptions options = options_of(choice, terms, input.context);
  const ScaledRows scaled(table.data, choice.scale);
  const Dataset& data = scaled.rows();
  Checkpoints checkpoints(choice.checkpoints,
                          options.method,
                          input.run,
                          fingerprint(data, text_of(terms)),
                          options.solving);
  TrainedStructuralClassifier trained =
      train_structural_classifier(data, options, checkpoints.start());
  input.timer.enter("measure");
  checkpoints.add_warnings(trained.report);
  RunReport own;
  const ClassifierAnswer answer = trained.model.answer(data.examples, {.context = input.context});
  add_class_measures(data.labels, labels_of(trained.model, answer), terms, own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  StructuredFit fit{.body = ModelDocument("multiclass"),
                    .report = std::move(trained.report),
                    .examples = data.size(),
                    .weights = trained.weights.size(),
                    .metrics = std::move(own.metrics)};
  if (!terms.tree) fit.used.emplace_back("inner_nodes", std::monostate{});
  trained.model.scaler = scaled.scaler();
  add_classifier(fit.body, std::move(trained.model));
  keep_terms(terms, fit.body);
  if (terms.tree && input.keep_certificate) {
    fit.body.set_numbers(node_weights, std::move(trained.weights));
  }
  return fit;
}

/// Says once which classes the training never saw.
void warn_of_new_classes(const Dataset& data,
                         std::span<const Label> known,
                         std::vector<std::string>& warnings) {
  std::string others;
  for (const Label& name : classes_of(data.labels).names) {
    if (find_class(known, name)) continue;
    if (!others.empty()) {
      others += ", ...";
      break;
    }
    others = name.text();
  }
  if (others.empty()) return;
  warnings.push_back(name_of(data) + " has labels that the training data has not (" + others +
                     "): they count as errors");
}

/// Numbers of the classes by the score of a row, largest first; ties in the order of classes.
std::vector<std::size_t> by_score(std::span<const double> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t c) { return scores[c]; });
  return order;
}

/// The best classes of every row, each behind a line with its rank and score.
std::string best_lines(const Classifier& model, const ClassifierAnswer& answer, std::size_t best) {
  std::string lines;
  for (std::size_t i = 0; i < answer.scores.rows(); ++i) {
    const std::span<const double> scores = answer.scores.row(i);
    const std::vector<std::size_t> order = by_score(scores);
    for (std::size_t r = 0; r < std::min(best, order.size()); ++r) {
      lines.append("# row ").append(std::to_string(i + 1)).append(" rank ");
      lines.append(std::to_string(r + 1)).append(" score = ");
      lines.append(format_number(scores[order[r]])).append("\n");
      lines.append(label_line(model.classes[order[r]])).append("\n");
    }
  }
  return lines;
}

/// How much better the class of every row is than the best other one, and the class.
std::string margin_lines(const Classifier& model, const ClassifierAnswer& answer) {
  std::string lines;
  for (std::size_t i = 0; i < answer.scores.rows(); ++i) {
    const std::span<const double> scores = answer.scores.row(i);
    const std::vector<std::size_t> order = by_score(scores);
    const double margin = order.size() > 1 ? scores[order[0]] - scores[order[1]] : 0.0;
    lines.append(format_number(margin)).append("\t");
    lines.append(label_line(model.classes[order[0]])).append("\n");
  }
  return lines;
}

Prediction predict(const ModelDocument& document,
                   const TableData& table,
                   const ClassPredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const Machine machine = classifier_of(document);
  const auto& model = std::get<Classifier>(machine);
  const ClassTerms terms = kept_terms(document, model.classes);
  const std::size_t features = features_of(machine);
  const Dataset& data = table.data;
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = model.classes.size() * features;
  check_features(data, features, prediction.report.solve.warnings);
  check_names(data, model.feature_names);
  timer.enter("predict");
  MachineAnswer answer =
      answer_of(machine, data.examples, {.context = context, .precision = ValuePrecision::exact});
  require_finite_scores(answer.classes.scores, data);
  prediction.labels = labels_of(model, answer.classes);
  prediction.lines = choice.scores    ? score_table(machine, answer)
                     : choice.n_best  ? best_lines(model, answer.classes, *choice.n_best)
                     : choice.margins ? margin_lines(model, answer.classes)
                                      : answer_lines(machine, Task::classify, answer);
  prediction.classes = model.classes;
  prediction.scores = std::move(answer.classes.scores);
  timer.enter("measure");
  if (data.has_labels()) {
    warn_of_new_classes(data, model.classes, prediction.report.solve.warnings);
    add_class_measures(data.labels, prediction.labels, terms, prediction.report);
  }
  return prediction;
}

/// What the solver found: of every class one after the other, the bias last.
std::vector<double> weights_of(const Classifier& model, double bias) {
  const auto& functions = std::get<LinearFunctions>(model.functions);
  std::vector<double> weights;
  for (std::size_t c = 0; c < functions.weights.rows(); ++c) {
    const std::span<const double> own = functions.weights.row(c);
    weights.insert(weights.end(), own.begin(), own.end());
    if (bias != 0) weights.push_back(functions.offsets[c] / bias);
  }
  return weights;
}

double objective(const ModelDocument& document,
                 const TableData& table,
                 const MulticlassChoice& choice,
                 const Context& context) {
  const Classifier model = classifier_of(document);
  const ClassTerms terms = kept_terms(document, model.classes);
  const StructuralClassifierOptions options = options_of(choice, terms, context);
  if (terms.tree && !document.has(node_weights)) {
    throw NothingToVerify(
        "the model was written without the weights of the tree's nodes; train with --verify to "
        "keep them");
  }
  const ScaledRows scaled(table.data, model.scaler);
  return structural_classifier_objective(
      scaled.rows(),
      options,
      terms.tree ? document.numbers(node_weights) : weights_of(model, options.bias),
      context);
}

/// A few roundings of every score, times the cost of its row.
double doubt(const ModelDocument& document,
             const TableData& table,
             const MulticlassChoice& choice) {
  const Classifier model = classifier_of(document);
  const auto* functions = std::get_if<LinearFunctions>(&model.functions);
  if (functions == nullptr) return 0;
  double length = 0;
  for (const double w : functions->weights.values()) length += w * w;
  for (const double offset : functions->offsets) length += offset * offset;
  const ScaledRows scaled(table.data, model.scaler);
  const Dataset& rows = scaled.rows();
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double square = 1;
    for (const double x : rows.examples.values(i)) square += x * x;
    sum += (rows.weights.empty() ? 1.0 : rows.weights[i]) * std::sqrt(square);
  }
  constexpr double unit = 16 * std::numeric_limits<double>::epsilon();
  return unit * choice.machine.solving.c * sum * std::sqrt(length);
}

std::string no_certificate(const MulticlassChoice& choice) {
  return no_certificate_of(choice.machine.method);
}

RunReport evaluate(const std::string& truth_path,
                   const std::string& predicted_path,
                   const ClassEvaluationChoice& choice,
                   const Context& context) {
  const LabelColumn truth = read_truth(truth_path, choice.reading, context);
  const LabelColumn answers = read_labels(predicted_path, {.context = context});
  if (truth.size() != answers.size()) {
    throw FileError(predicted_path,
                    "holds " + std::to_string(answers.size()) + " labels, but " + truth_path +
                        " holds " + std::to_string(truth.size()));
  }
  std::vector<Label> predicted;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    // No answer is a wrong one: no class has this name.
    predicted.push_back(answers.at(i).value_or(Label(std::string("?"))));
  }
  std::vector<Label> classes = classes_of(truth).names;
  classes.insert(classes.end(), predicted.begin(), predicted.end());
  std::ranges::sort(classes);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  RunReport report{.n = truth.size()};
  add_class_measures(truth, predicted, choice.files.read(std::move(classes), true), report);
  return report;
}

}  // namespace

void add_multiclass(LearnerList& list) {
  using Functions = StructuredFunctions<TableData,
                                        MulticlassChoice,
                                        ClassPredictionChoice,
                                        ClassEvaluationChoice>;
  list.push_back(std::make_unique<StructuredEntry<TableData,
                                                  MulticlassChoice,
                                                  ClassPredictionChoice,
                                                  ClassEvaluationChoice>>(
      LearnerInfo{.name = "multiclass",
                  .summary = "classes by a structural machine: tree or costs of mistakes",
                  .task = Task::classify,
                  .data = DataKind::table,
                  .formula = "min 1/2 |w|^2 + C sum_i max_y (loss(y_i, y) - w_(y_i).x_i + w_y.x_i)",
                  .page = "docs/algorithms/hierarchy.md",
                  .example = "builtin:iris",
                  .class_name = "StructuralClassifier"},
      Functions{train, predict, objective, no_certificate, evaluate, kept_features, doubt},
      measures_of_classes));
}

}  // namespace maxmargin::learning
