// SPDX-License-Identifier: Apache-2.0
//
// maxmargin predict: a model's answers for new examples.
#include <array>
#include <iostream>
#include <span>

#include "cluster_measures.hpp"
#include "commands.hpp"
#include "data_source.hpp"
#include "feature_checks.hpp"
#include "kernel_rows.hpp"
#include "machine.hpp"
#include "machine_document.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "option_names.hpp"
#include "outputs.hpp"
#include "registry.hpp"
#include "structured_learners.hpp"
#include "supervised_data.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

constexpr std::array common_options = names("threads", "output", "json", "quiet");
/// Of models of rows of features.
constexpr std::array row_options =
    names("weight", "format", "label", "header", "labels", "unlabeled");
constexpr std::array clustering_options = joined(row_options, names("probabilities"));
constexpr std::array machine_options = joined(clustering_options, names("scores"));

/// Refuses what neither all models take nor this one does.
void check_options(const Arguments& arguments,
                   std::span<const std::string_view> own,
                   const std::string& learner) {
  refuse_other_options(arguments, {common_options, own}, "a model of " + learner);
}

RunReport report_for(const std::string& learner, const Dataset& data, const Arguments& arguments) {
  return {
      .kind = "learner",
      .name = learner,
      .n = data.size(),
      .d = data.features(),
      .options = {{"model", arguments.positionals.at(0)}, {"data", arguments.positionals.at(1)}}};
}

/// What the run says, and the lines for -o.
struct Predicted {
  RunReport report = {};
  std::string lines = {};
};

/// CSV with a header of cluster numbers.
std::string cluster_probabilities(const ModelDocument& model, const Prediction& prediction) {
  if (!prediction.probabilities) {
    throw UsageError("--probabilities: a clustering by " + model.learner() + " has none");
  }
  std::vector<std::string> header;
  for (std::size_t c = 0; c < prediction.probabilities->cols(); ++c) {
    header.push_back(std::to_string(c));
  }
  return csv_table(header, prediction.probabilities->view());
}

/// New points for a clustering; of a precomputed kernel the points' features are its values.
LoadedData load_points(const ModelDocument& model,
                       std::size_t features,
                       const Arguments& arguments) {
  const std::string& where = arguments.positionals.at(1);
  if (!model.has("kernel") || model.string("kernel") != "precomputed" || is_builtin(where)) {
    return load_data(where, arguments, Purpose::look, features);
  }
  ReadOptions options = read_options(arguments, Purpose::look);
  options.model_features = features;
  KernelRowsRead read = read_kernel_rows(where, std::move(options), false);
  widen_kernel_rows(read, features);
  LoadedData loaded{.data = std::move(read.data), .all_labels = std::move(read.all_labels)};
  loaded.data.examples = std::move(read.values);
  return loaded;
}

Predicted predict_clusters(const ModelDocument& model,
                           const Arguments& arguments,
                           PhaseTimer& timer) {
  check_options(arguments, clustering_options, model.learner());
  const ModelKind& kind = find_model_kind(model);
  const std::size_t features = kind.features(model);
  LoadedData loaded = load_points(model, features, arguments);
  Dataset& data = loaded.data;
  Predicted predicted{.report = report_for(model.learner(), data, arguments)};
  check_features(data, features, predicted.report.solve.warnings);
  timer.enter("predict");
  data.examples = load_scaler(model).apply(std::move(data.examples));
  const Prediction prediction = kind.predict(model, data, threads_of(arguments));
  timer.enter("measure");
  add_label_measures(loaded, prediction.clusters, predicted.report);
  predicted.lines = arguments.has("probabilities") ? cluster_probabilities(model, prediction)
                                                   : cluster_lines(prediction.clusters);
  return predicted;
}

/// The answers of a supervised machine, as --scores and --probabilities want them.
Predicted predict_machine(LoadedMachine loaded, const Arguments& arguments, PhaseTimer& timer) {
  check_options(arguments, machine_options, loaded.learner);
  const bool scores = arguments.has("scores");
  const bool probabilities = arguments.has("probabilities");
  if (scores && probabilities) throw UsageError("--scores and --probabilities exclude each other");
  if (arguments.text_or("probabilities", "true") != "true") {
    throw UsageError("--probabilities has no value here: the model says how they are made");
  }
  if (probabilities && loaded.calibration) {
    std::get<Classifier>(loaded.machine).calibration = std::move(loaded.calibration);
  }
  const Kernel* kernel = kernel_of(loaded.machine);
  const bool precomputed = kernel != nullptr && std::holds_alternative<Precomputed>(*kernel);
  std::optional<std::size_t> trained_on;
  if (loaded.document && loaded.document->has("training.examples")) {
    trained_on = static_cast<std::size_t>(loaded.document->integer("training.examples"));
  }
  const SupervisedData given = load_new_data(
      arguments.positionals.at(1), arguments, features_of(loaded.machine), precomputed, trained_on);
  loaded.widen(given.data.features());
  Predicted predicted{.report = report_for(loaded.learner, given.data, arguments)};
  if (precomputed) {
    std::get<KernelExpansion>(functions_of(loaded.machine)).kernel =
        Precomputed{given.kernel_matrix};
  } else {
    check_features(given.data, features_of(loaded.machine), predicted.report.solve.warnings);
    check_names(given.data, feature_names_of(loaded.machine));
  }
  timer.enter("predict");
  // Labels do not depend on the precision; numbers that are shown do.
  const bool labels_alone = loaded.task == TaskKind::classification && !scores && !probabilities;
  const MachineAnswer answer =
      answer_of(loaded.machine,
                given.data.examples,
                {.threads = threads_of(arguments),
                 .precision = labels_alone ? ValuePrecision::fast : ValuePrecision::exact});
  timer.enter("measure");
  add_machine_measures(loaded.machine, loaded.task, answer, given.data, predicted.report);
  predicted.lines = scores          ? score_table(loaded.machine, answer)
                    : probabilities ? probability_table(loaded.machine, answer)
                                    : answer_lines(loaded.machine, loaded.task, answer);
  return predicted;
}

Predicted predict_structured(const StructuredLearnerSpec& learner,
                             const ModelDocument& model,
                             const Arguments& arguments,
                             PhaseTimer& timer) {
  check_options(arguments, learner.predict_options, model.learner());
  StructuredPrediction prediction = learner.predict(model, arguments, timer);
  return {.report = structured_prediction_report(model, prediction, arguments),
          .lines = std::move(prediction.lines)};
}

Predicted predict_with(Input& input, const Arguments& arguments, PhaseTimer& timer) {
  if (looks_like_foreign_model(input)) {
    return predict_machine(foreign_machine_of(input), arguments, timer);
  }
  const ModelDocument model = read_model(input);
  if (const StructuredLearnerSpec* learner = structured_learner_named(model.learner())) {
    return predict_structured(*learner, model, arguments, timer);
  }
  if (!holds_machine(model)) return predict_clusters(model, arguments, timer);
  return predict_machine(machine_of(model), arguments, timer);
}

}  // namespace

int run_predict(const Arguments& arguments) {
  Outputs outputs;
  const std::optional<std::string> json = arguments.text("json");
  if (json) outputs.open("json", *json);
  if (arguments.has("output") || json != "-") {
    outputs.open("output", arguments.text_or("output", "-"));
  }

  PhaseTimer timer;
  timer.enter("read");
  Input input = Input::open(arguments.positionals.at(0));
  Predicted predicted = predict_with(input, arguments, timer);
  predicted.report.solve.seconds = timer.finish();

  if (OutputFile* file = outputs.file("output")) file->write(predicted.lines);
  if (OutputFile* file = outputs.file("json")) file->write(to_json(predicted.report));
  outputs.commit();
  if (!arguments.has("quiet")) std::cerr << summary(predicted.report);
  return 0;
}

}  // namespace maxmargin::tool
