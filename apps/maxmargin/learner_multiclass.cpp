// SPDX-License-Identifier: Apache-2.0
//
// --learner multiclass: classes by the structural machine, in a tree if there is one
// (docs/algorithms/hierarchy.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "checkpoints.hpp"
#include "class_measures.hpp"
#include "data_source.hpp"
#include "feature_checks.hpp"
#include "learner_options.hpp"
#include "machine.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/structured/class_costs.hpp"
#include "maxmargin/io/structured/parent_list.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/model/structured/structural_classifier.hpp"
#include "structured_options.hpp"
#include "structured_rows.hpp"
#include "supervised_data.hpp"

namespace maxmargin::tool {

namespace {

constexpr auto multiclass_options = joined(solving_options,
                                           names("rescaling",
                                                 "taxonomy",
                                                 "inner-nodes",
                                                 "cost-matrix",
                                                 "class-weight",
                                                 "no-bias",
                                                 "allow-one-class",
                                                 "scale",
                                                 "weight",
                                                 "format",
                                                 "label",
                                                 "header",
                                                 "labels",
                                                 "unlabeled"));
/// Which labels of a file.
constexpr std::array label_options = names("format", "label", "header", "labels", "unlabeled");
constexpr std::array multiclass_predict_options =
    joined(label_options, names("scores", "n-best", "margins"));
constexpr std::array multiclass_eval_options =
    joined(label_options, names("taxonomy", "cost-matrix"));

std::optional<Taxonomy> taxonomy_of(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.text("taxonomy");
  if (!path) return std::nullopt;
  Input input = Input::open(*path);
  return read_parent_list(input);
}

ClassTerms terms_of(const Arguments& arguments, std::vector<Label> classes, bool skip_others) {
  ClassTerms terms{.tree = taxonomy_of(arguments)};
  if (const std::optional<std::string> path = arguments.text("cost-matrix")) {
    Input input = Input::open(*path);
    DenseMatrix costs = read_class_costs(input, classes, skip_others);
    terms.costs = ClassCosts{.classes = std::move(classes), .costs = std::move(costs)};
  }
  return terms;
}

void check_options(const Arguments& arguments) {
  if (arguments.has("taxonomy") && arguments.has("cost-matrix")) {
    throw UsageError("--taxonomy and --cost-matrix exclude each other: a tree has its own loss");
  }
  if (arguments.has("inner-nodes") && !arguments.has("taxonomy")) {
    throw UsageError("--inner-nodes: belongs to --taxonomy");
  }
}

StructuralClassifierOptions classifier_options(const Arguments& arguments,
                                               const ClassTerms& terms) {
  StructuralClassifierOptions options;
  options.method = structural_method_of(arguments);
  options.solving = row_solving_of(arguments, options.method);
  options.rescaling = rescaling_of(arguments);
  options.bias = arguments.has("no-bias") ? 0 : 1;
  options.class_weights = class_weights_of(TrainingInput{.arguments = arguments});
  options.allow_one_class = arguments.has("allow-one-class");
  if (terms.tree) options.tree = &*terms.tree;
  if (terms.costs) options.losses = terms.costs->costs;
  options.inner_nodes = arguments.has("inner-nodes");
  return options;
}

/// What, with the data, decides the answer but for how exact it is.
ReportFields shown_options(const StructuralClassifierOptions& options,
                           const ClassTerms& terms,
                           const Arguments& arguments) {
  ReportFields fields = shown_solving(options.method, options.solving);
  fields.emplace_back("rescaling", arguments.text_or("rescaling", "margin"));
  fields.emplace_back("bias", options.bias != 0);
  fields.emplace_back("scale", arguments.text_or("scale", "none"));
  if (terms.tree) {
    fields.emplace_back("taxonomy", *arguments.text("taxonomy"));
    fields.emplace_back("inner_nodes", options.inner_nodes);
  }
  if (terms.costs) fields.emplace_back("cost_matrix", *arguments.text("cost-matrix"));
  if (const auto weights = arguments.text("class-weight")) {
    fields.emplace_back("class_weight", *weights);
  }
  return fields;
}

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

StructuredTraining train_classes(const Arguments& arguments,
                                 const ProgressCallback& progress,
                                 PhaseTimer& timer) {
  check_options(arguments);
  timer.enter("read");
  Dataset data = load_training_data(arguments.positionals.at(0), arguments).data;
  const ClassTerms terms = terms_of(arguments, classes_of(data.labels).names, false);
  StructuralClassifierOptions options = classifier_options(arguments, terms);
  const std::optional<Scaler> scaler = scale_rows(arguments, data);
  ReportFields shown = shown_options(options, terms, arguments);
  Checkpoints checkpoints(
      arguments, options.method, shown, fingerprint(data, text_of(terms)), options.solving);
  shown.emplace_back("tolerance", options.solving.tolerance);
  options.solving.on_progress = progress;
  timer.leave();
  TrainedStructuralClassifier trained =
      train_structural_classifier(data, options, checkpoints.start());
  timer.enter("measure");
  Classifier& model = trained.model;
  StructuredTraining result{.document = ModelDocument("multiclass"),
                            .report = std::move(trained.report),
                            .examples = data.size(),
                            .weights = trained.weights.size()};
  checkpoints.add_warnings(result.report);
  if (arguments.has("verify")) {
    result.recomputed_objective = structural_classifier_objective(data, options, trained.weights);
  }
  StructuredPrediction own;
  const ClassifierAnswer answer = model.answer(data.examples, {.threads = threads_of(arguments)});
  add_class_measures(data.labels, labels_of(model, answer), terms, own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  result.metrics = std::move(own.metrics);
  model.scaler = scaler;
  // `info`, `plot` and `convert` see the classifier that it is.
  result.document.set_string("task", "classification");
  add_classifier(result.document, std::move(model));
  keep_terms(terms, result.document);
  keep_training(result.report, shown, result.document);
  result.options = std::move(shown);
  timer.leave();
  return result;
}

/// Says once which classes the training never saw.
void warn_of_new_classes(const Dataset& data,
                         std::span<const Label> known,
                         std::vector<std::string>& warnings) {
  std::string others;
  for (const Label& name : classes_of(data.labels).names) {
    if (find_class(known, name)) continue;
    others = others.empty() ? name.text() : others + ", ...";
    if (others.ends_with(", ...")) break;
  }
  if (others.empty()) return;
  warnings.push_back(data.source + " has labels that the training data has not (" + others +
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
      lines += "# row " + std::to_string(i + 1) + " rank " + std::to_string(r + 1) +
               " score = " + format_number(scores[order[r]]) + "\n" +
               model.classes[order[r]].text() + "\n";
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
    lines += format_number(margin) + "\t" + model.classes[order[0]].text() + "\n";
  }
  return lines;
}

StructuredPrediction predict_classes(const ModelDocument& document,
                                     const Arguments& arguments,
                                     PhaseTimer& timer) {
  if (arguments.has("n-best") + arguments.has("margins") + arguments.has("scores") > 1) {
    throw UsageError("--n-best, --margins and --scores exclude each other");
  }
  const Machine machine = classifier_of(document);
  const Classifier& model = std::get<Classifier>(machine);
  const ClassTerms terms = kept_terms(document, model.classes);
  const std::size_t features = features_of(machine);
  const Dataset data = load_new_data(arguments.positionals.at(1), arguments, features, false).data;
  StructuredPrediction prediction{.examples = data.size(),
                                  .weights = model.classes.size() * features};
  check_features(data, features, prediction.warnings);
  check_names(data, model.feature_names);
  timer.enter("predict");
  const MachineAnswer answer =
      answer_of(machine,
                data.examples,
                {.threads = threads_of(arguments), .precision = ValuePrecision::exact});
  const std::optional<std::uint64_t> best = arguments.whole("n-best", 1);
  prediction.lines = arguments.has("scores") ? score_table(machine, answer)
                     : best                  ? best_lines(model, answer.classes, *best)
                     : arguments.has("margins")
                         ? margin_lines(model, answer.classes)
                         : answer_lines(machine, TaskKind::classification, answer);
  timer.enter("measure");
  if (data.has_labels()) {
    warn_of_new_classes(data, model.classes, prediction.warnings);
    add_class_measures(data.labels, labels_of(model, answer.classes), terms, prediction);
  }
  return prediction;
}

StructuredPrediction evaluate_classes(const Arguments& arguments) {
  const std::string& truth_path = arguments.positionals.at(0);
  const std::string& predicted_path = arguments.positionals.at(1);
  const LabelColumn truth = read_labels(truth_path, read_options(arguments, Purpose::look));
  const LabelColumn answers = read_labels(predicted_path, {.threads = threads_of(arguments)});
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
  StructuredPrediction found{.examples = truth.size()};
  add_class_measures(truth, predicted, terms_of(arguments, std::move(classes), true), found);
  return found;
}

}  // namespace

const StructuredLearnerSpec& multiclass_learner() {
  static constexpr StructuredLearnerSpec spec{
      "multiclass",
      "classes by the structural machine, with a tree or costs of mistakes",
      multiclass_options,
      train_classes,
      predict_classes,
      evaluate_classes,
      multiclass_predict_options,
      multiclass_eval_options};
  return spec;
}

}  // namespace maxmargin::tool
