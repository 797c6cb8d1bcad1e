// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/model_document.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learner/header.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::learning {

namespace {

/// Support vectors of each class: reports show them, and the signs of several functions do not
/// tell.
std::optional<std::vector<double>> vectors_by_class(const Machine& machine, const Dataset& data) {
  const auto* classifier = std::get_if<Classifier>(&machine);
  if (classifier == nullptr) return std::nullopt;
  const auto* expansion = std::get_if<KernelExpansion>(&classifier->functions);
  if (expansion == nullptr || expansion->training_rows.empty()) return std::nullopt;
  std::vector<double> counts(classifier->classes.size(), 0.0);
  for (const std::size_t row : expansion->training_rows) {
    const std::optional<Label> label = data.labels.at(row);
    if (!label) continue;
    if (const auto at = find_class(classifier->classes, *label)) {
      counts[static_cast<std::size_t>(*at)] += 1;
    }
  }
  return counts;
}

}  // namespace

ModelDocument document_of(const Learner& learner,
                          Fit& fit,
                          const Dataset& data,
                          std::uint64_t seed) {
  ModelDocument document =
      document_with_header(learner, fit.options, seed, data.size(), fit.report);
  document.set_number("training.squared_radius", fit.squared_radius);
  for (const auto& [name, value] : fit.metrics) {
    if (value) document.set_number("found." + name, *value);
  }
  for (const auto& [name, word] : fit.facts) document.set_string("found." + name, word);
  add_machine_reports(document, fit.machines);
  std::optional<std::vector<double>> counts = vectors_by_class(fit.machine, data);
  if (auto* classifier = std::get_if<Classifier>(&fit.machine)) {
    add_classifier(document, std::move(*classifier));
  } else {
    add_regressor(document, std::move(std::get<Regressor>(fit.machine)));
  }
  if (counts) document.set_numbers("training.vectors_by_class", std::move(*counts));
  add_dual_point(document, fit.dual_coefficients);
  return document;
}

const Machine& machine_of(const Model& model, Task task) {
  const Machine& machine = model.machine();
  const bool classifies = task == Task::classify;
  if (std::holds_alternative<Classifier>(machine) == classifies) return machine;
  throw ModelFormatError(
      model.document().source(),
      {},
      std::string("the model's 'machine' must be '") + (classifies ? "classifier'" : "regressor'"));
}

}  // namespace maxmargin::learning
