// SPDX-License-Identifier: Apache-2.0
#include "machine_document.hpp"

#include <optional>
#include <vector>

#include "learner_options.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::tool {

namespace {

/// An option as used; those that a learner reports hold neither time nor threads.
void set_option(ModelDocument& document, const std::string& name, const ReportValue& value) {
  struct Visitor {
    ModelDocument& document;
    std::string name;
    void operator()(std::monostate /*nothing*/) const {}
    void operator()(bool truth) const { document.set_boolean(name, truth); }
    void operator()(std::int64_t whole) const { document.set_integer(name, whole); }
    void operator()(double real) const { document.set_number(name, real); }
    void operator()(const std::string& text) const { document.set_string(name, text); }
  };
  std::visit(Visitor{document, "option." + name}, value);
}

void add_machine(ModelDocument& document, const Machine& machine) {
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    add_classifier(document, *classifier);
  } else {
    add_regressor(document, std::get<Regressor>(machine));
  }
}

/// Support vectors of each class: `info` shows them, and the signs of several functions do not
/// tell.
void add_vectors_by_class(ModelDocument& document, const Machine& machine, const Dataset& data) {
  const auto* classifier = std::get_if<Classifier>(&machine);
  if (classifier == nullptr) return;
  const auto* expansion = std::get_if<KernelExpansion>(&classifier->functions);
  if (expansion == nullptr || expansion->training_rows.empty()) return;
  std::vector<double> counts(classifier->classes.size(), 0.0);
  for (const std::size_t row : expansion->training_rows) {
    const std::optional<Label> label = data.labels.at(row);
    if (!label) continue;
    if (const auto at = find_class(classifier->classes, *label)) {
      counts[static_cast<std::size_t>(*at)] += 1;
    }
  }
  document.set_numbers("training.vectors_by_class", std::move(counts));
}

}  // namespace

ModelDocument document_of(const std::string& learner, TaskKind task, const Machine& machine) {
  ModelDocument document(learner);
  document.set_string("task", std::string(to_string(task)));
  add_machine(document, machine);
  return document;
}

ModelDocument document_of(const LearnerSpec& learner,
                          const TrainingAnswer& answer,
                          const Dataset& data) {
  ModelDocument document{std::string(learner.name)};
  document.set_string("task", std::string(to_string(learner.task)));
  document.set_integer("training.examples", whole(data.size()));
  document.set_number("training.squared_radius", answer.squared_radius);
  document.set_string("training.status", std::string(to_string(answer.report.status)));
  for (const auto& [name, value] : answer.options) set_option(document, name, value);
  for (const auto& [name, value] : answer.metrics) {
    if (value) document.set_number("found." + name, *value);
  }
  add_machine_reports(document, answer.machines);
  add_machine(document, answer.machine);
  add_vectors_by_class(document, answer.machine, data);
  add_dual_point(document, answer.dual_coefficients);
  return document;
}

void LoadedMachine::widen(std::size_t features) {
  if (document) return;  // ours do
  ForeignModel foreign{.learner = learner, .machine = std::move(machine)};
  widen_features(foreign, features);
  machine = std::move(foreign.machine);
}

bool holds_machine(const ModelDocument& document) {
  return machine_kind(document) != MachineKind::none;
}

LoadedMachine machine_of(const ModelDocument& document) {
  LoadedMachine loaded{.learner = document.learner()};
  const std::string& task = document.string("task");
  if (task == to_string(TaskKind::classification)) {
    loaded.machine = classifier_of(document);
  } else if (task == to_string(TaskKind::regression)) {
    loaded.task = TaskKind::regression;
    loaded.machine = regressor_of(document);
  } else if (task == to_string(TaskKind::one_class)) {
    loaded.task = TaskKind::one_class;
    loaded.machine = regressor_of(document);
  } else {
    throw ModelFormatError(document.source(), {}, "the task " + task + " is not known");
  }
  loaded.document = document;
  return loaded;
}

LoadedMachine foreign_machine_of(Input& input) {
  ForeignModel model = read_foreign_model(input);
  LoadedMachine loaded{.learner = model.learner,
                       .machine = std::move(model.machine),
                       .calibration = std::move(model.calibration)};
  if (std::holds_alternative<Regressor>(loaded.machine)) {
    loaded.task = model.learner == "one-class" ? TaskKind::one_class : TaskKind::regression;
  }
  return loaded;
}

}  // namespace maxmargin::tool
