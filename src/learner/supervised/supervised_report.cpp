// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/supervised_report.hpp"
#include "learner/defined.hpp"

#include <cmath>

#include "learner/supervised/machine_answers.hpp"
#include "maxmargin/metric/classification.hpp"

namespace maxmargin::learning {

namespace {

/// What the machine says of its own training rows: from the solver's values where they are known,
/// else by prediction. Nothing when that would cost as much as the training itself.
std::optional<MachineAnswer> answer_on_training_rows(const Fit& fit,
                                                     const Dataset& data,
                                                     const Context& context) {
  const auto* classifier = std::get_if<Classifier>(&fit.machine);
  if (classifier != nullptr && fit.training_values.rows() > 0 && !classifier->calibration) {
    MachineAnswer said;
    said.classes.scores = decode(classifier->code, fit.training_values.view());
    said.classes.classes = predicted_classes(said.classes.scores.view());
    return said;
  }
  constexpr double little = 2e6;  // kernel values
  const auto* expansion = std::get_if<KernelExpansion>(&functions_of(fit.machine));
  if (expansion != nullptr &&
      static_cast<double>(expansion->vectors.rows()) * static_cast<double>(data.size()) > little) {
    return std::nullopt;
  }
  return answer_of(fit.machine, data.examples, {.context = context});
}

/// Error on the rows whose labels were hidden, of these answers (indices into `names`).
std::optional<double> error_on_hidden(std::span<const std::int32_t> answers,
                                      std::span<const Label> names,
                                      const TableData& given) {
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

/// Of the difference of the errors of both answers on the rows whose labels were hidden: from the
/// differences row by row.
std::optional<double> error_of_difference(std::span<const std::int32_t> answers,
                                          std::span<const std::int32_t> others,
                                          std::span<const Label> names,
                                          const TableData& given) {
  double hidden = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::optional<Label>& truth = given.all_labels->at(i);
    if (!truth || given.data.labels.is_labelled(i)) continue;
    const int wrong = names[static_cast<std::size_t>(answers[i])] == *truth ? 0 : 1;
    const int other = names[static_cast<std::size_t>(others[i])] == *truth ? 0 : 1;
    hidden += 1;
    sum += wrong - other;
    squares += wrong == other ? 0 : 1;
  }
  if (hidden < 2) return std::nullopt;
  return std::sqrt((squares - sum * sum / hidden) / (hidden * (hidden - 1)));
}

/// Where labels were hidden: the error on those rows, of the machine and, where the learner knows
/// it, of the one trained on the labelled rows alone.
void add_transductive_errors(const Fit& fit,
                             const TableData& given,
                             const std::optional<MachineAnswer>& said,
                             RunReport& report) {
  const auto* classifier = std::get_if<Classifier>(&fit.machine);
  if (!given.all_labels || classifier == nullptr) return;
  if (said) {
    report.metrics.emplace_back("transductive_error",
                                error_on_hidden(said->classes.classes, classifier->classes, given));
  }
  if (fit.supervised_values.rows() == 0) return;
  const DenseMatrix scores = decode(classifier->code, fit.supervised_values.view());
  const std::vector<std::int32_t> supervised = predicted_classes(scores.view());
  report.metrics.emplace_back("supervised_transductive_error",
                              error_on_hidden(supervised, classifier->classes, given));
  if (!said) return;
  report.metrics.emplace_back(
      "transductive_standard_error",
      error_of_difference(said->classes.classes, supervised, classifier->classes, given));
}

}  // namespace

RunReport learner_report(const LearnerInfo& info,
                         const Dataset& data,
                         const ReportFields& options,
                         const Context& context) {
  RunReport report{
      .kind = "learner", .name = std::string(info.name), .n = data.size(), .d = data.features()};
  for (const auto& [name, value] : options) {
    // JSON has no infinity, and null would say that there is no value: -C inf is one.
    const double* real = std::get_if<double>(&value);
    const bool is_infinite = real != nullptr && std::isinf(*real);
    report.options.emplace_back(
        name, is_infinite ? ReportValue(std::string(*real > 0 ? "inf" : "-inf")) : value);
  }
  for (auto& [name, value] : option_values(context)) {
    if (name == "seed") report.options.emplace_back(name, std::move(value));
  }
  return report;
}

RunReport training_report(const LearnerInfo& info,
                          const Fit& fit,
                          const TableData& given,
                          const Context& context) {
  RunReport report = learner_report(info, given.data, fit.options, context);
  for (const auto& [name, word] : fit.facts) report.options.emplace_back(name, word);
  report.solve = fit.report;
  report.metrics = fit.metrics;
  report.tables = fit.tables;
  report.objects = fit.objects;
  const auto said = answer_on_training_rows(fit, given.data, context);
  if (said) add_machine_measures(fit.machine, info.task, *said, given.data, report);
  if (const auto* expansion = std::get_if<KernelExpansion>(&functions_of(fit.machine))) {
    report.metrics.emplace_back("support_vectors", static_cast<double>(expansion->vectors.rows()));
  }
  add_transductive_errors(fit, given, said, report);
  return report;
}

}  // namespace maxmargin::learning
