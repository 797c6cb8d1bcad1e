// SPDX-License-Identifier: Apache-2.0
#include "plot_subject.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/learner/source.hpp"

namespace maxmargin::tool {

namespace {

/// Labels as groups: `outlier` is no group, other labels are numbered in their order. Rows without
/// a label have no group either, and are called so unless there are outliers.
void show_labels(const LabelColumn& labels, PlotSubject& subject) {
  const Classes classes = classes_of(labels);
  const Label outlier{std::string("outlier")};
  std::vector<std::int32_t> group_of_class;
  subject.picture.no_group_name = "unlabelled";
  for (const Label& name : classes.names) {
    const bool is_group = name != outlier;
    group_of_class.push_back(
        is_group ? static_cast<std::int32_t>(subject.picture.group_names.size()) : -1);
    if (is_group) {
      subject.picture.group_names.push_back(name.text());
    } else {
      subject.picture.no_group_name = "outlier";
    }
  }
  for (const std::int32_t c : classes.of_row) {
    subject.groups.push_back(c < 0 ? -1 : group_of_class[static_cast<std::size_t>(c)]);
  }
}

PlotSubject labelled_subject(const std::string& where,
                             const OptionTexts& source,
                             const SubjectOptions& options,
                             const Context& context) {
  PlotSubject subject{.table = read_table(where, source, context, true)};
  const Dataset& data = subject.table.data;
  if (data.holds_strings) {
    throw InvalidArgument(data.source +
                          " holds strings; a picture needs points, which convert "
                          "--project kernel-pca makes of them");
  }
  subject.picture.title = data.source;
  if (options.labels) {
    const LabelColumn labels = read_labels(*options.labels, {.context = context});
    if (labels.size() != data.size()) {
      throw FileError(*options.labels,
                      "holds " + std::to_string(labels.size()) + " labels, but " + data.source +
                          " has " + std::to_string(data.size()) + " rows");
    }
    show_labels(labels, subject);
  } else if (data.labels.labelled_count() > 0) {
    subject.picture.group_title = "class";
    show_labels(data.labels, subject);
  } else {
    subject.picture.group_title.clear();
    subject.picture.group_names = {"points"};
    subject.groups.assign(data.size(), 0);
  }
  return subject;
}

/// Which classes a function tells apart, where a name says it.
std::string name_of_function(const Classifier& machine, std::size_t function) {
  std::vector<std::string> above;
  std::vector<std::string> below;
  for (std::size_t c = 0; c < machine.classes.size(); ++c) {
    const auto sign = machine.code.sign(c, function);
    if (sign > 0) above.push_back(machine.classes[c].text());
    if (sign < 0) below.push_back(machine.classes[c].text());
  }
  if (above.size() != 1) return "function " + std::to_string(function + 1);
  return above.front() + " against " + (below.size() == 1 ? below.front() : "the rest");
}

void require_finite_values(const TableData& table, const DenseMatrix& values) {
  for (std::size_t i = 0; i < values.rows(); ++i) {
    if (std::ranges::all_of(values.row(i), [](double value) { return std::isfinite(value); })) {
      continue;
    }
    throw FileError(table.data.source,
                    "row " + std::to_string(i) + " (from 0) has no finite score");
  }
}

/// The values of the machine's functions on the rows.
void show_values(const Machine& machine, const Context& context, PlotSubject& subject) {
  const Examples& examples = subject.table.data.examples;
  const DecisionOptions options = {.context = context, .precision = ValuePrecision::exact};
  const auto* classifier = std::get_if<Classifier>(&machine);
  if (classifier == nullptr) {
    const std::vector<double> values = std::get<Regressor>(machine).predict(examples, options);
    subject.values = DenseMatrix(examples.rows(), 1);
    for (std::size_t i = 0; i < examples.rows(); ++i) subject.values(i, 0) = values[i];
    return;
  }
  subject.values = decision_values(classifier->functions, scaled_for(machine, examples), options);
  if (subject.values.cols() < 2) return;
  for (std::size_t f = 0; f < subject.values.cols(); ++f) {
    subject.function_names.push_back(name_of_function(*classifier, f));
  }
}

/// What a model of classes, or of inside and outside, says in names.
void show_machine(const Model& model, const Context& context, PlotSubject& subject) {
  const Machine& machine = model.machine();
  Picture& picture = subject.picture;
  const auto* classifier = std::get_if<Classifier>(&machine);
  picture.group_title = classifier == nullptr ? "" : "class";
  if (classifier == nullptr) {
    picture.group_names = {"inside"};
  } else {
    for (const Label& name : classifier->classes) picture.group_names.push_back(name.text());
  }
  show_values(machine, context, subject);
  require_finite_values(subject.table, subject.values);
}

PlotSubject model_subject(const std::string& where,
                          const OptionTexts& source,
                          const Model& model,
                          const Context& context) {
  const Task task = model.learner().info().task;
  if (task == Task::regress) {
    throw UsageError("--model: a regression has no groups to draw", "plot");
  }
  if (model.learner().info().data != DataKind::table) {
    throw ModelFormatError(
        model.document().source(),
        {},
        "a model of the learner " + model.document().learner() + " has no rows of features");
  }
  LearnerData data = read_new_data(model, where, source, context);
  auto* const table = std::get_if<TableData>(&data);
  const bool has_groups = table != nullptr && (task == Task::cluster || task == Task::detect ||
                                               machine_kind(model.document()) != MachineKind::none);
  if (!has_groups) {
    throw UsageError("--model: a model of " + model.document().learner() + " has no groups to draw",
                     "plot");
  }
  if (table->kernel_matrix != nullptr) {
    throw UsageError("--model: a precomputed kernel has no points to draw", "plot");
  }
  const Dataset& rows = table->data;
  const std::optional<std::size_t> wanted = model.learner().model_features(model);
  if (wanted && rows.examples.is_dense() && rows.features() != *wanted) {
    throw FileError(rows.source,
                    "has " + std::to_string(rows.features()) + " features, the model " +
                        std::to_string(*wanted));
  }
  PlotSubject subject{.table = std::move(*table)};
  Picture& picture = subject.picture;
  picture.title = subject.table.data.source + ", " + model.document().learner();
  show_model(model, subject.table.data, context, picture);
  subject.groups = picture.group_of(subject.table.data.examples);
  if (machine_kind(model.document()) != MachineKind::none) {
    show_machine(model, context, subject);
  } else {
    subject.scaler = load_scaler(model.document());
  }
  return subject;
}

}  // namespace

void SubjectOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "model", .help = "groups are what this model says", .value = "FILE"}, model);
  visit.text({.name = "labels", .help = "groups are the labels in this file", .value = "FILE"},
             labels);
  visit.rule(!model || !labels, "--model and --labels exclude each other: both say the groups");
}

PlotSubject load_subject(const std::string& where,
                         const OptionTexts& source,
                         const SubjectOptions& options,
                         const Context& context) {
  if (!options.model) return labelled_subject(where, source, options, context);
  return model_subject(where, source, load_model(*options.model), context);
}

}  // namespace maxmargin::tool
