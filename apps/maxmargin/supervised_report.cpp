// SPDX-License-Identifier: Apache-2.0
#include "supervised_report.hpp"

#include <cmath>

#include "data_source.hpp"
#include "machine.hpp"
#include "machine_document.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/metric/transduction.hpp"
#include "verification.hpp"

namespace maxmargin::tool {

RunReport learner_report(const LearnerSpec& learner,
                         const Dataset& data,
                         const Arguments& arguments,
                         ReportFields learner_options) {
  RunReport report{.kind = "learner",
                   .name = std::string(learner.name),
                   .n = data.size(),
                   .d = data.features(),
                   .options = {{"data", arguments.positionals.at(0)}}};
  for (auto& [name, value] : learner_options) {
    // JSON has no infinity, and null would say that there is no value: -C inf is one.
    const double* real = std::get_if<double>(&value);
    if (real != nullptr && std::isinf(*real)) value = std::string(*real > 0 ? "inf" : "-inf");
    report.options.emplace_back(std::move(name), std::move(value));
  }
  report.options.emplace_back("scale", arguments.text_or("scale", "none"));
  report.options.emplace_back("threads",
                              static_cast<std::int64_t>(thread_count(threads_of(arguments))));
  const std::optional<double> limit = arguments.positive("time-limit");
  report.options.emplace_back("time_limit",
                              limit ? ReportValue(*limit) : ReportValue(std::monostate{}));
  if (const std::optional<std::string> memory = arguments.text("memory-limit")) {
    report.options.emplace_back("memory_limit", *memory);
  }
  return report;
}

namespace {

std::optional<double> defined(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

RunReport fold_report(const LearnerSpec& learner,
                      const Dataset& data,
                      const Arguments& arguments,
                      const Metric& metric,
                      const CrossValidation& found,
                      const FoldTrainings& trainings) {
  RunReport report = learner_report(learner, data, arguments, trainings.options_at({}));
  report.options.emplace_back("folds", static_cast<std::int64_t>(found.of_fold.size()));
  report.solve.status = found.status;
  trainings.add_to(report.solve);
  report.solve.iterations = found.folds_run;
  report.metrics = {{metric.name, defined(found.mean)},
                    {metric.name + "_standard_error", defined(found.standard_error)},
                    {metric.name + "_pooled", defined(found.pooled)}};
  std::vector<ReportFields> rows;
  for (std::size_t f = 0; f < found.of_fold.size(); ++f) {
    rows.push_back({{"fold", static_cast<std::int64_t>(f)}, {metric.name, found.of_fold[f]}});
  }
  report.tables.emplace_back("folds", std::move(rows));
  return report;
}

namespace {

/// What the machine says of its own training rows: from the solver's values where they are known,
/// else by prediction. Nothing when that would cost as much as the training itself.
std::optional<MachineAnswer> answer_on_training_rows(const TrainingAnswer& answer,
                                                     const Dataset& data,
                                                     const Arguments& arguments) {
  const auto* classifier = std::get_if<Classifier>(&answer.machine);
  if (classifier != nullptr && answer.training_values.rows() > 0 && !classifier->calibration) {
    MachineAnswer said;
    said.classes.scores = decode(classifier->code, answer.training_values.view());
    said.classes.classes = predicted_classes(said.classes.scores.view());
    return said;
  }
  constexpr double little = 2e6;  // kernel values
  const auto* expansion = std::get_if<KernelExpansion>(&functions_of(answer.machine));
  if (expansion != nullptr &&
      static_cast<double>(expansion->vectors.rows()) * static_cast<double>(data.size()) > little) {
    return std::nullopt;
  }
  return answer_of(answer.machine, data.examples, {.threads = threads_of(arguments)});
}

}  // namespace

void add_training(const LearnerSpec& learner,
                  const TrainingAnswer& answer,
                  const Dataset& data,
                  const Arguments& arguments,
                  RunReport& report) {
  report.solve = answer.report;
  report.metrics = answer.metrics;
  report.tables = answer.tables;
  report.objects = answer.objects;
  if (const auto said = answer_on_training_rows(answer, data, arguments)) {
    add_machine_measures(answer.machine, learner.task, *said, data, report);
  }
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions_of(answer.machine))) {
    report.metrics.emplace_back("support_vectors", static_cast<double>(expansion->vectors.rows()));
  }
}

namespace {

/// Error on the rows whose labels were hidden, of these answers (indices into `names`).
std::optional<double> error_on_hidden(std::span<const std::int32_t> answers,
                                      std::span<const Label> names,
                                      const SupervisedData& given) {
  const Classes truth = classes_of(*given.all_labels);
  std::vector<std::int32_t> known = truth.of_row;
  std::vector<std::int32_t> predicted(answers.size(), -1);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!given.data.labels.is_labelled(i)) known[i] = -1;
    const Label& answer = names[static_cast<std::size_t>(answers[i])];
    predicted[i] = find_class(truth.names, answer).value_or(-1);
  }
  return defined(transductive_error(truth.of_row, predicted, known));
}

}  // namespace

void add_transductive_errors(const TrainingAnswer& answer,
                             const SupervisedData& given,
                             const Arguments& arguments,
                             RunReport& report) {
  const auto* classifier = std::get_if<Classifier>(&answer.machine);
  if (!given.all_labels || classifier == nullptr) return;
  if (const auto said = answer_on_training_rows(answer, given.data, arguments)) {
    report.metrics.emplace_back("transductive_error",
                                error_on_hidden(said->classes.classes, classifier->classes, given));
  }
  if (answer.supervised_values.rows() == 0) return;
  const DenseMatrix scores = decode(classifier->code, answer.supervised_values.view());
  report.metrics.emplace_back(
      "supervised_transductive_error",
      error_on_hidden(predicted_classes(scores.view()), classifier->classes, given));
}

void add_verification(const ModelDocument& document,
                      const SupervisedData& given,
                      const Arguments& arguments,
                      RunReport& report) {
  if (report.solve.status == Status::primal_infeasible) {
    report.solve.warnings.emplace_back(
        "--verify: the status is primal_infeasible, so there is no machine to verify");
    return;
  }
  const Verification found = verify_machine(machine_of(document), given, threads_of(arguments));
  report.verified = found.agrees;
  if (!found.agrees) report.solve.warnings.push_back("--verify: " + found.complaint);
}

ModelFormat model_format_of(const Arguments& arguments) {
  const std::string name = arguments.choice_or("model-format", "text", {"text", "binary"});
  return name == "binary" ? ModelFormat::binary : ModelFormat::text;
}

}  // namespace maxmargin::tool
