// SPDX-License-Identifier: Apache-2.0
#include "supervised_report.hpp"

#include "data_source.hpp"
#include "machine.hpp"
#include "machine_document.hpp"
#include "maxmargin/core/parallel.hpp"
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
  for (auto& field : learner_options) report.options.push_back(std::move(field));
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
  if (const auto said = answer_on_training_rows(answer, data, arguments)) {
    add_machine_measures(answer.machine, learner.task, *said, data, report);
  }
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions_of(answer.machine))) {
    report.metrics.emplace_back("support_vectors", static_cast<double>(expansion->vectors.rows()));
  }
}

void add_verification(const ModelDocument& document,
                      const SupervisedData& given,
                      const Arguments& arguments,
                      RunReport& report) {
  const Verification found = verify_machine(machine_of(document), given, threads_of(arguments));
  report.verified = found.agrees;
  if (!found.agrees) report.solve.warnings.push_back("--verify: " + found.complaint);
}

ModelFormat model_format_of(const Arguments& arguments) {
  const std::string name = arguments.choice_or("model-format", "text", {"text", "binary"});
  return name == "binary" ? ModelFormat::binary : ModelFormat::text;
}

}  // namespace maxmargin::tool
