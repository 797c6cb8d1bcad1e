// SPDX-License-Identifier: Apache-2.0
//
// --learner multilabel: a set of labels for every row (docs/algorithms/multilabel.md).
#include <algorithm>
#include <array>
#include <utility>

#include "checkpoints.hpp"
#include "data_source.hpp"
#include "feature_checks.hpp"
#include "label_table.hpp"
#include "learner_options.hpp"
#include "machine.hpp"
#include "maxmargin/io/model/multilabel_file.hpp"
#include "maxmargin/io/structured/label_sets.hpp"
#include "maxmargin/metric/structured/multilabel.hpp"
#include "structured_options.hpp"
#include "structured_rows.hpp"

namespace maxmargin::tool {

namespace {

using LabelSets = std::vector<std::vector<Label>>;

constexpr auto multilabel_options = joined(
    solving_options, names("rescaling", "interactions", "no-bias", "scale", "weight", "format"));
constexpr std::array multilabel_predict_options = names("scores", "format");
constexpr std::array multilabel_eval_options = names("format");

/// Rows whose labels are sets, even where each has one label alone.
Dataset load_sets(const std::string& where, const Arguments& arguments) {
  ReadOptions options = read_options(arguments, Purpose::look);
  options.multi_label = true;
  Dataset data = read_data(where, options);
  if (data.has_labels()) {
    throw FileError(where, "has one label a row: sets of labels come in svmlight files, 1,4 2:0.5");
  }
  // Empty sets alone are what a file without labels reads as.
  const auto is_empty = [](const std::vector<Label>& set) { return set.empty(); };
  if (std::ranges::all_of(data.label_sets, is_empty)) data.label_sets.clear();
  return data;
}

MultilabelTrainingOptions multilabel_options_of(const Arguments& arguments) {
  MultilabelTrainingOptions options;
  options.method = structural_method_of(arguments);
  options.solving = row_solving_of(arguments, options.method);
  options.rescaling = rescaling_of(arguments);
  options.task.bias = arguments.has("no-bias") ? 0 : 1;
  options.task.interactions = arguments.has("interactions");
  return options;
}

/// What, with the data, decides the answer but for how exact it is.
ReportFields shown_options(const MultilabelTrainingOptions& options, const Arguments& arguments) {
  ReportFields fields = shown_solving(options.method, options.solving);
  fields.emplace_back("rescaling", arguments.text_or("rescaling", "margin"));
  fields.emplace_back("interactions", options.task.interactions);
  fields.emplace_back("bias", options.task.bias != 0);
  fields.emplace_back("scale", arguments.text_or("scale", "none"));
  return fields;
}

void add_measures(const LabelSets& truth,
                  const LabelSets& predicted,
                  std::span<const Label> known,
                  StructuredPrediction& prediction) {
  const MultilabelCounts counts(truth, predicted, known);
  prediction.metrics.emplace_back("hamming_loss", defined(hamming_loss(counts)));
  prediction.metrics.emplace_back("subset_accuracy", defined(subset_accuracy(counts)));
  prediction.metrics.emplace_back("micro_f1", defined(micro_f1(counts)));
  prediction.metrics.emplace_back("macro_f1", defined(macro_f1(counts)));
  std::vector<ReportFields> rows;
  for (std::size_t l = 0; l < counts.labels.size(); ++l) {
    rows.push_back(label_row("label", counts.labels[l].text(), counts.of_label[l]));
  }
  prediction.tables.emplace_back("labels", std::move(rows));
}

StructuredTraining train_sets(const Arguments& arguments,
                              const ProgressCallback& progress,
                              PhaseTimer& timer) {
  MultilabelTrainingOptions options = multilabel_options_of(arguments);
  timer.enter("read");
  Dataset data = load_sets(arguments.positionals.at(0), arguments);
  if (data.label_sets.empty()) throw FileError(data.source, "has no labels to learn from");
  const std::optional<Scaler> scaler = scale_rows(arguments, data);
  ReportFields shown = shown_options(options, arguments);
  Checkpoints checkpoints(arguments, options.method, shown, fingerprint(data), options.solving);
  shown.emplace_back("tolerance", options.solving.tolerance);
  options.solving.on_progress = progress;
  timer.leave();
  TrainedMultilabel trained = train_multilabel(data, options, checkpoints.start());
  timer.enter("measure");
  MultilabelClassifier& model = trained.model;
  StructuredTraining result{.document = ModelDocument("multilabel"),
                            .report = std::move(trained.report),
                            .examples = data.size(),
                            .weights = model.task.dimension()};
  checkpoints.add_warnings(result.report);
  if (arguments.has("verify")) {
    result.recomputed_objective =
        multilabel_objective(model, data, options.solving.c, options.rescaling);
  }
  StructuredPrediction own;
  add_measures(
      data.label_sets, model.predict(data.examples, threads_of(arguments)), model.labels, own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  result.metrics = std::move(own.metrics);
  model.scaler = scaler;
  add_multilabel(result.document, model);
  keep_training(result.report, shown, result.document);
  result.options = std::move(shown);
  timer.leave();
  return result;
}

/// Says once which labels the training never saw.
void warn_of_new_labels(const Dataset& data,
                        std::span<const Label> known,
                        std::vector<std::string>& warnings) {
  std::vector<Label> others;
  for (const std::vector<Label>& set : data.label_sets) {
    for (const Label& label : set) {
      if (!find_class(known, label)) others.push_back(label);
    }
  }
  if (others.empty()) return;
  std::ranges::sort(others);
  const bool several = others.front() != others.back();
  warnings.push_back(data.source + " has labels that the training data has not (" +
                     others.front().text() + (several ? ", ..." : "") + "): they count as errors");
}

std::string score_lines(const MultilabelClassifier& model,
                        const Examples& examples,
                        std::optional<std::size_t> threads) {
  std::vector<std::string> header;
  for (const Label& label : model.labels) header.push_back(label.text());
  return csv_table(header, model.scores(examples, threads).view());
}

StructuredPrediction predict_sets(const ModelDocument& document,
                                  const Arguments& arguments,
                                  PhaseTimer& timer) {
  const MultilabelClassifier model = multilabel_of(document);
  const Dataset data = load_sets(arguments.positionals.at(1), arguments);
  StructuredPrediction prediction{.examples = data.size(), .weights = model.task.dimension()};
  check_features(data, model.task.features(), prediction.warnings);
  check_names(data, model.feature_names);
  timer.enter("predict");
  const LabelSets sets = model.predict(data.examples, threads_of(arguments));
  if (arguments.has("scores")) {
    prediction.lines = score_lines(model, data.examples, threads_of(arguments));
  } else {
    for (const std::vector<Label>& set : sets) prediction.lines.append(to_text(set)).append("\n");
  }
  timer.enter("measure");
  if (!data.label_sets.empty()) {
    warn_of_new_labels(data, model.labels, prediction.warnings);
    add_measures(data.label_sets, sets, model.labels, prediction);
  }
  return prediction;
}

StructuredPrediction evaluate_sets(const Arguments& arguments) {
  // Both files are of this one format, if they are not lists of labels alone.
  (void)arguments.choice_or("format", "svmlight", {"svmlight"});
  std::vector<LabelSets> sides;
  for (const std::string& path : arguments.positionals) {
    Input input = Input::open(path);
    sides.push_back(read_label_sets(input, threads_of(arguments)));
  }
  if (sides[0].size() != sides[1].size()) {
    throw FileError(arguments.positionals[1],
                    "holds " + std::to_string(sides[1].size()) + " sets of labels, but " +
                        arguments.positionals[0] + " holds " + std::to_string(sides[0].size()));
  }
  StructuredPrediction found{.examples = sides[0].size()};
  add_measures(sides[0], sides[1], {}, found);
  return found;
}

}  // namespace

const StructuredLearnerSpec& multilabel_learner() {
  static constexpr StructuredLearnerSpec spec{"multilabel",
                                              "a set of labels for every row",
                                              multilabel_options,
                                              train_sets,
                                              predict_sets,
                                              evaluate_sets,
                                              multilabel_predict_options,
                                              multilabel_eval_options};
  return spec;
}

}  // namespace maxmargin::tool
