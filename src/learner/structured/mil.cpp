// SPDX-License-Identifier: Apache-2.0
//
// mil: one label for a bag of rows (docs/algorithms/mil.md).
#include "maxmargin/model/structured/mil.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "io/table/label_lines.hpp"
#include "learner/defined.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/bags.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/class_measures.hpp"
#include "learner/structured/fingerprint.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/latent.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sources.hpp"
#include "learner/structured/start_scale.hpp"
#include "learner/supervised/machine_answers.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/metric/scores.hpp"

namespace maxmargin::learning {

void check_bags(const Dataset& data) {
  try {
    (void)bags_of(data);
  } catch (const InvalidArgument& problem) {
    throw FileError(name_of(data), problem.what());
  }
}

namespace {

struct MilChoice {
  MilOptions machine = {};
  ScalingOptions scale = {};
  StartModelChoice start_model = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    machine.describe(visit);
    start_model.describe(visit, machine.search.start == LatentStart::weights);
    describe_scaling(visit, scale);
    const StructuralMethod method = machine.search.method;
    checkpoints.describe(visit, has_checkpoints(method) ? std::string_view() : to_string(method));
  }
};

struct BagPredictionChoice {
  bool scores = false;
  bool instances = false;
  void describe(OptionVisitor& visit) {
    visit.yes_no({.name = "scores", .help = "write the score of every bag and its witness as CSV"},
                 scores);
    visit.yes_no(
        {.name = "instances",
         .help = "write the score of every row as CSV, and whether it is its bag's witness"},
        instances);
    visit.rule(!scores || !instances, "--scores and --instances exclude each other");
  }
};

struct BagEvaluationChoice {
  BagsReading reading = {};
  void describe(OptionVisitor& visit) { reading.describe(visit); }
};

/// A kernel whose width was found, as its options show it.
struct KernelShown {
  KernelChoice kernel = {};
  void describe(OptionVisitor& visit) { kernel.describe(visit); }
};

std::vector<double> values_of_rows(const Classifier& model,
                                   const Examples& examples,
                                   const Context& context) {
  const DenseMatrix values = decision_values(
      model.functions, examples, {.context = context, .precision = ValuePrecision::exact});
  std::vector<double> of_rows;
  of_rows.reserve(values.rows());
  for (std::size_t j = 0; j < values.rows(); ++j) of_rows.push_back(values(j, 0));
  return of_rows;
}

std::vector<Label> labels_of(const Classifier& model, std::span<const BagValue> bags) {
  std::vector<Label> labels;
  for (const BagValue& bag : bags) labels.push_back(model.classes[bag.value > 0 ? 1 : 0]);
  return labels;
}

LabelColumn column_of(std::span<const Label> labels) {
  LabelColumn column;
  for (const Label& label : labels) column.push_back(label);
  return column;
}

/// Measures of bags, and the area under the curve of their scores.
void add_measures(const Bags& bags,
                  const Classifier& model,
                  std::span<const BagValue> values,
                  RunReport& report) {
  report.metrics.emplace_back("bags", static_cast<double>(values.size()));
  if (bags.labels.empty()) return;
  add_class_measures(column_of(bags.labels), labels_of(model, values), {}, report);
  std::vector<std::int32_t> truth;
  std::vector<double> scores;
  for (std::size_t b = 0; b < values.size(); ++b) {
    truth.push_back(bags.labels[b] == model.classes[1] ? 1 : 0);
    scores.push_back(values[b].value);
  }
  report.metrics.emplace_back("roc_auc", defined(roc_auc(truth, scores)));
}

/// The weights of a linear model for features as this training scales them, and behind them, with
/// a bias, its constant.
std::vector<double> weights_in(const StartModelChoice& choice,
                               std::size_t features,
                               const std::optional<Scaler>& scaler,
                               const MilOptions& options) {
  constexpr std::array<std::string_view, 1> learners = {"mil"};
  const Classifier model = classifier_of(choice.load(learners).document());
  const auto* const linear = std::get_if<LinearFunctions>(&model.functions);
  if (linear == nullptr) {
    throw FileError(*choice.path, "is a model with a kernel: it has no weights to begin with");
  }
  require_start_weights(*choice.path, linear->weights.cols(), features);
  const std::span<const double> theirs = linear->weights.values();
  ScaledFunction function = rescaled(theirs.first(features), model.scaler, scaler);
  // The weight of a feature that is bias_scale in every row.
  if (options.bias) {
    function.weights.push_back((linear->offsets[0] + function.constant) / options.bias_scale);
  }
  return std::move(function.weights);
}

StructuredFit train(const TableData& table, const MilChoice& choice, const StructuredInput& input) {
  MilOptions options = choice.machine;
  options.search.solving.context = input.context;
  const ScaledRows scaled(table.data, choice.scale);
  const Dataset& data = scaled.rows();
  Fingerprint hash;
  hash.mix(fingerprint(data));
  if (choice.start_model.path) {
    options.search.start_weights =
        weights_in(choice.start_model, data.features(), scaled.scaler(), options);
    hash.mix(std::span<const double>(options.search.start_weights));
  }
  Checkpoints checkpoints(
      choice.checkpoints, options.search.method, input.run, hash.value(), options.search.solving);
  TrainedMil trained = train_mil(data, options, checkpoints.start());
  input.timer.enter("measure");
  const Bags bags = bags_of(data);
  RunReport own;
  add_measures(bags,
               trained.model,
               bag_values(values_of_rows(trained.model, data.examples, input.context), bags.begins),
               own);
  StructuredFit fit{.body = ModelDocument("mil"),
                    .examples = data.size(),
                    .weights = trained.weights,
                    .metrics = std::move(own.metrics),
                    .tables = std::move(own.tables)};
  add_search(trained.search, "accuracy", fit);
  checkpoints.add_warnings(fit.report);
  if (const auto* const expansion = std::get_if<KernelExpansion>(&trained.model.functions)) {
    for (auto& field : option_values(KernelShown{.kernel = expansion->kernel})) {
      fit.used.push_back(std::move(field));
    }
  }
  trained.model.scaler = scaled.scaler();
  add_classifier(fit.body, std::move(trained.model));
  return fit;
}

std::string bag_lines(const Dataset& data,
                      const Bags& bags,
                      const Classifier& model,
                      std::span<const BagValue> values) {
  std::string lines = "bag,label,score,witness\n";
  for (std::size_t b = 0; b < values.size(); ++b) {
    lines += std::to_string(data.groups[bags.begins[b]]) + ',' +
             label_line(model.classes[values[b].value > 0 ? 1 : 0]) + ',' +
             format_number(values[b].value) + ',' + std::to_string(values[b].witness + 1) + '\n';
  }
  return lines;
}

std::string row_lines(const Dataset& data,
                      const Bags& bags,
                      std::span<const double> of_rows,
                      std::span<const BagValue> values) {
  std::string lines = "bag,row,score,witness\n";
  for (std::size_t b = 0; b < values.size(); ++b) {
    for (std::size_t j = bags.begins[b]; j < bags.begins[b + 1]; ++j) {
      lines += std::to_string(data.groups[j]) + ',' + std::to_string(j + 1) + ',' +
               format_number(of_rows[j]) + ',' + (j == values[b].witness ? "1" : "0") + '\n';
    }
  }
  return lines;
}

Prediction predict(const ModelDocument& document,
                   const TableData& table,
                   const BagPredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const Classifier model = classifier_of(document);
  const Dataset& data = table.data;
  const Bags bags = bags_of(data);
  const std::size_t features = feature_count(model.functions);
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = features;
  check_features(data, features, prediction.report.solve.warnings);
  check_names(data, model.feature_names);
  timer.enter("predict");
  const ScaledRows scaled(data, model.scaler);
  const std::vector<double> of_rows = values_of_rows(model, scaled.rows().examples, context);
  for (std::size_t j = 0; j < of_rows.size(); ++j) require_finite_score(of_rows[j], j, data);
  const std::vector<BagValue> values = bag_values(of_rows, bags.begins);
  prediction.labels = labels_of(model, values);
  prediction.classes = model.classes;
  for (const BagValue& each : values) prediction.values.push_back(each.value);
  if (choice.instances) {
    prediction.lines = row_lines(data, bags, of_rows, values);
  } else if (choice.scores) {
    prediction.lines = bag_lines(data, bags, model, values);
  } else {
    for (const Label& label : prediction.labels) {
      prediction.lines.append(label_line(label)).append("\n");
    }
  }
  timer.enter("measure");
  add_measures(bags, model, values, prediction.report);
  return prediction;
}

double objective(const ModelDocument& document,
                 const TableData& table,
                 const MilChoice& choice,
                 const Context& context) {
  MilOptions options = choice.machine;
  options.search.solving.context = context;
  const Classifier model = classifier_of(document);
  const ScaledRows scaled(table.data, model.scaler);
  return mil_objective(model, scaled.rows(), options);
}

std::size_t features_of_rows(const ModelDocument& document) {
  return feature_count(classifier_of(document).functions);
}

/// The truth is a file of bags, the prediction one label a bag.
RunReport evaluate(const std::string& truth_path,
                   const std::string& predicted_path,
                   const BagEvaluationChoice& choice,
                   const Context& context) {
  const Dataset data = read_bags(truth_path, choice.reading, context).data;
  const Bags bags = bags_of(data);
  if (bags.labels.empty()) throw FileError(truth_path, "has bags without a label");
  const LabelColumn answers = read_labels(predicted_path, {.context = context});
  if (answers.size() != bags.size()) {
    throw FileError(predicted_path,
                    "holds " + std::to_string(answers.size()) + " labels, but " + truth_path +
                        " has " + std::to_string(bags.size()) + " bags");
  }
  std::vector<Label> predicted;
  for (std::size_t b = 0; b < answers.size(); ++b) {
    // No answer is a wrong one: no class has this name.
    predicted.push_back(answers.at(b).value_or(Label(std::string("?"))));
  }
  RunReport report{.n = data.size()};
  report.metrics.emplace_back("bags", static_cast<double>(bags.size()));
  add_class_measures(column_of(bags.labels), predicted, {}, report);
  return report;
}

}  // namespace

void add_mil(LearnerList& list) {
  using Functions =
      StructuredFunctions<TableData, MilChoice, BagPredictionChoice, BagEvaluationChoice>;
  using Entry = StructuredEntry<TableData, MilChoice, BagPredictionChoice, BagEvaluationChoice>;
  list.push_back(std::make_unique<Entry>(
      LearnerInfo{.name = "mil",
                  .summary = "bags of rows with one label each: MI-SVM and mi-SVM",
                  .task = Task::classify,
                  .data = DataKind::bags,
                  .formula = "min 1/2 |w|^2 + C sum_b max(0, 1 - y_b max over rows of w.x)",
                  .page = "docs/algorithms/mil.md",
                  .example = "builtin:bags",
                  .class_name = "MultipleInstanceClassifier",
                  .ending = Ending::search},
      Functions{train, predict, objective, nullptr, evaluate, features_of_rows},
      measures_of_bags));
}

}  // namespace maxmargin::learning
