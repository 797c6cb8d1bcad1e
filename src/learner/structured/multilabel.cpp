// SPDX-License-Identifier: Apache-2.0
//
// multilabel: a set of labels for every row (docs/algorithms/multilabel.md).
#include "maxmargin/model/structured/multilabel.hpp"

#include <algorithm>
#include <utility>

#include "io/model/structured_file.hpp"
#include "io/structured/label_sets.hpp"
#include "learner/csv_table.hpp"
#include "learner/defined.hpp"
#include "learner/feature_checks.hpp"
#include "learner/structured/checkpoints.hpp"
#include "learner/structured/fold_measures.hpp"
#include "learner/structured/label_table.hpp"
#include "learner/structured/rows.hpp"
#include "learner/structured/sources.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/structured/multilabel.hpp"

namespace maxmargin::learning {

namespace {

using LabelSets = std::vector<std::vector<Label>>;

struct MultilabelChoice {
  MultilabelTrainingOptions machine = {};
  ScalingOptions scale = {};
  CheckpointChoice checkpoints = {};

  void describe(OptionVisitor& visit) {
    machine.describe(visit);
    describe_scaling(visit, scale);
    checkpoints.describe(visit);
  }
};

struct SetPredictionChoice {
  bool scores = false;
  void describe(OptionVisitor& visit) {
    visit.yes_no({.name = "scores", .help = "write the scores of the labels as CSV"}, scores);
  }
};

/// Both files are of one format, if they are not lists of labels alone.
struct SetEvaluationChoice {
  DataFormat format = DataFormat::svmlight;
  void describe(OptionVisitor& visit) {
    visit.name({.name = "format", .help = "format of both files"}, format, {DataFormat::svmlight});
  }
};

void add_measures(const LabelSets& truth,
                  const LabelSets& predicted,
                  std::span<const Label> known,
                  RunReport& report) {
  const MultilabelCounts counts(truth, predicted, known);
  report.metrics.emplace_back("hamming_loss", defined(hamming_loss(counts)));
  report.metrics.emplace_back("subset_accuracy", defined(subset_accuracy(counts)));
  report.metrics.emplace_back("micro_f1", defined(micro_f1(counts)));
  report.metrics.emplace_back("macro_f1", defined(macro_f1(counts)));
  std::vector<ReportFields> rows;
  for (std::size_t l = 0; l < counts.labels.size(); ++l) {
    rows.push_back(label_row("label", counts.labels[l].text(), counts.of_label[l]));
  }
  report.tables.emplace_back("labels", std::move(rows));
}

StructuredFit train(const TableData& table,
                    const MultilabelChoice& choice,
                    const StructuredInput& input) {
  if (table.data.label_sets.empty()) {
    throw FileError(name_of(table.data), "has no labels to learn from");
  }
  MultilabelTrainingOptions options = choice.machine;
  options.solving.context = input.context;
  const ScaledRows scaled(table.data, choice.scale);
  const Dataset& data = scaled.rows();
  Checkpoints checkpoints(
      choice.checkpoints, options.method, input.run, fingerprint(data), options.solving);
  TrainedMultilabel trained = train_multilabel(data, options, checkpoints.start());
  input.timer.enter("measure");
  MultilabelClassifier& model = trained.model;
  checkpoints.add_warnings(trained.report);
  RunReport own;
  add_measures(
      data.label_sets, model.predict(data.examples, input.context.threads), model.labels, own);
  own.metrics.emplace_back("oracle_calls", static_cast<double>(trained.oracle_calls));
  StructuredFit fit{.body = ModelDocument("multilabel"),
                    .report = std::move(trained.report),
                    .examples = data.size(),
                    .weights = model.task.dimension(),
                    .metrics = std::move(own.metrics)};
  model.scaler = scaled.scaler();
  add_multilabel(fit.body, model);
  return fit;
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
  warnings.push_back(name_of(data) + " has labels that the training data has not (" +
                     others.front().text() + (several ? ", ..." : "") + "): they count as errors");
}

std::string score_lines(const MultilabelClassifier& model, const DenseMatrix& scores) {
  std::vector<std::string> header;
  for (const Label& label : model.labels) header.push_back(label.text());
  return csv_table(header, scores.view());
}

Prediction predict(const ModelDocument& document,
                   const TableData& table,
                   const SetPredictionChoice& choice,
                   const Context& context,
                   PhaseTimer& timer) {
  const MultilabelClassifier model = multilabel_of(document);
  const Dataset& data = table.data;
  Prediction prediction;
  prediction.report.n = data.size();
  prediction.report.d = model.task.dimension();
  check_features(data, model.task.features(), prediction.report.solve.warnings);
  check_names(data, model.feature_names);
  timer.enter("predict");
  prediction.classes = model.labels;
  prediction.label_sets = model.predict(data.examples, context.threads);
  if (choice.scores) {
    prediction.scores = model.scores(data.examples, context.threads);
    require_finite_scores(prediction.scores, data);
    prediction.lines = score_lines(model, prediction.scores);
  } else {
    for (const std::vector<Label>& set : prediction.label_sets) {
      prediction.lines.append(to_text(set)).append("\n");
    }
  }
  timer.enter("measure");
  if (!data.label_sets.empty()) {
    warn_of_new_labels(data, model.labels, prediction.report.solve.warnings);
    add_measures(data.label_sets, prediction.label_sets, model.labels, prediction.report);
  }
  return prediction;
}

double objective(const ModelDocument& document,
                 const TableData& table,
                 const MultilabelChoice& choice,
                 const Context& context) {
  MultilabelClassifier model = multilabel_of(document);
  const ScaledRows scaled(table.data, model.scaler);
  model.scaler.reset();
  return multilabel_objective(
      model, scaled.rows(), choice.machine.solving.c, choice.machine.rescaling, context);
}

std::string no_certificate(const MultilabelChoice& choice) {
  return no_certificate_of(choice.machine.method);
}

RunReport evaluate(const std::string& truth,
                   const std::string& predicted,
                   const SetEvaluationChoice& /*choice*/,
                   const Context& context) {
  std::vector<LabelSets> sides;
  for (const std::string& path : {truth, predicted}) {
    Input input = Input::open(path);
    sides.push_back(read_label_sets(input, context.threads));
  }
  if (sides[0].size() != sides[1].size()) {
    throw FileError(predicted,
                    "holds " + std::to_string(sides[1].size()) + " sets of labels, but " + truth +
                        " holds " + std::to_string(sides[0].size()));
  }
  RunReport report{.n = sides[0].size()};
  add_measures(sides[0], sides[1], {}, report);
  return report;
}

}  // namespace

void add_multilabel(LearnerList& list) {
  using Functions =
      StructuredFunctions<TableData, MultilabelChoice, SetPredictionChoice, SetEvaluationChoice>;
  list.push_back(
      std::make_unique<
          StructuredEntry<TableData, MultilabelChoice, SetPredictionChoice, SetEvaluationChoice>>(
          LearnerInfo{.name = "multilabel",
                      .summary = "a set of labels for every row",
                      .task = Task::label_sets,
                      .data = DataKind::label_sets,
                      .formula = "min 1/2 |w|^2 + C sum_i max_y (differences(y_i, y) - "
                                 "w.(Phi(x_i, y_i) - Phi(x_i, y)))",
                      .page = "docs/algorithms/multilabel.md",
                      .example = "builtin:label-sets",
                      .class_name = "MultilabelClassifier"},
          Functions{train, predict, objective, no_certificate, evaluate, kept_features},
          measures_of_label_sets));
}

}  // namespace maxmargin::learning
