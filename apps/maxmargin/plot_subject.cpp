// SPDX-License-Identifier: Apache-2.0
#include "plot_subject.hpp"

#include <memory>

#include "machine.hpp"
#include "machine_document.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "registry.hpp"

namespace maxmargin::tool {

namespace {

/// The data; --labels is what to colour by here, not a part of it.
LoadedData load_points(const Arguments& arguments, std::optional<std::size_t> features = {}) {
  Arguments of_data = arguments;
  of_data.given.erase("labels");
  return load_data(
      arguments.positionals.at(0), of_data, features ? Purpose::look : Purpose::cluster, features);
}

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

PlotSubject labelled_subject(const Arguments& arguments) {
  PlotSubject subject{.loaded = load_points(arguments)};
  const Dataset& data = subject.loaded.data;
  subject.picture.title = data.source;
  const std::optional<std::string> file = arguments.text("labels");
  if (file) {
    const LabelColumn labels = read_labels(*file, {.threads = threads_of(arguments)});
    if (labels.size() != data.size()) {
      throw FileError(*file,
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

PlotSubject clustering_subject(ModelDocument document, const Arguments& arguments) {
  const auto model = std::make_shared<const ModelDocument>(std::move(document));
  const ModelKind& kind = find_model_kind(*model);
  PlotSubject subject{.loaded = load_points(arguments, kind.features(*model))};
  const Dataset& data = subject.loaded.data;
  const auto scaler = std::make_shared<const Scaler>(load_scaler(*model));
  Picture& picture = subject.picture;
  picture.title = data.source + ", " + model->learner();
  picture.threads = threads_of(arguments);
  picture.group_of = [model, scaler, &kind, threads = picture.threads](const Examples& points) {
    return kind.predict(*model, Dataset{.examples = scaler->apply(points)}, threads).clusters;
  };
  if (kind.support_vectors != nullptr) {
    picture.support_vectors =
        rows_among(scaler->apply(data.examples), kind.support_vectors(*model));
  }
  subject.groups = picture.group_of(data.examples);
  subject.scaler = *scaler;
  return subject;
}

/// The rows as the machine sees them.
Examples scaled_for(const Machine& machine, const Examples& examples) {
  const std::optional<Scaler>& scaler =
      std::visit([](const auto& m) -> const std::optional<Scaler>& { return m.scaler; }, machine);
  return scaler ? scaler->apply(examples) : examples;
}

/// The support vectors among the rows, as the machine sees them.
std::vector<std::size_t> support_rows(const Machine& machine, const Examples& examples) {
  const auto* sums = std::get_if<KernelExpansion>(&functions_of(machine));
  if (sums == nullptr) return {};
  return rows_among(scaled_for(machine, examples), sums->vectors);
}

/// Which classes a function tells apart, where a name says it.
std::string name_of_function(const Classifier& machine, std::size_t function) {
  std::vector<std::string> above;
  std::vector<std::string> below;
  for (std::size_t c = 0; c < machine.classes.size(); ++c) {
    const int sign = machine.code.sign(c, function);
    if (sign > 0) above.push_back(machine.classes[c].text());
    if (sign < 0) below.push_back(machine.classes[c].text());
  }
  if (above.size() != 1) return "function " + std::to_string(function + 1);
  return above.front() + " against " + (below.size() == 1 ? below.front() : "the rest");
}

/// The values of the machine's functions on the rows.
void show_values(const Machine& machine, bool one_class, PlotSubject& subject) {
  const Examples& examples = subject.loaded.data.examples;
  const DecisionOptions options = {.threads = subject.picture.threads,
                                   .precision = ValuePrecision::exact};
  if (one_class) {
    const MachineAnswer answer = answer_of(machine, examples, options);
    subject.values = DenseMatrix(examples.rows(), 1);
    for (std::size_t i = 0; i < examples.rows(); ++i) subject.values(i, 0) = answer.values[i];
    return;
  }
  subject.values = decision_values(functions_of(machine), scaled_for(machine, examples), options);
  if (subject.values.cols() < 2) return;
  for (std::size_t f = 0; f < subject.values.cols(); ++f) {
    subject.function_names.push_back(name_of_function(std::get<Classifier>(machine), f));
  }
}

PlotSubject machine_subject(LoadedMachine read, const Arguments& arguments) {
  if (read.task == TaskKind::regression) {
    throw UsageError("--model: a regression has no classes to draw");
  }
  const Kernel* kernel = kernel_of(read.machine);
  if (kernel != nullptr && std::holds_alternative<Precomputed>(*kernel)) {
    throw UsageError("--model: a precomputed kernel says nothing of other points");
  }
  PlotSubject subject{.loaded = load_points(arguments, features_of(read.machine))};
  const Dataset& data = subject.loaded.data;
  read.widen(data.features());
  const bool one_class = read.task == TaskKind::one_class;
  Picture& picture = subject.picture;
  picture.title = data.source + ", " + read.learner;
  picture.group_title = one_class ? "" : "class";
  picture.threads = threads_of(arguments);
  if (one_class) {
    picture.group_names = {"inside"};
  } else {
    for (const Label& name : std::get<Classifier>(read.machine).classes) {
      picture.group_names.push_back(name.text());
    }
  }
  picture.support_vectors = support_rows(read.machine, data.examples);
  const auto machine = std::make_shared<const Machine>(std::move(read.machine));
  picture.group_of = [machine, one_class, threads = picture.threads](const Examples& points) {
    MachineAnswer answer = answer_of(*machine, points, {.threads = threads});
    if (!one_class) return std::move(answer.classes.classes);
    std::vector<std::int32_t> sides;
    for (const double value : answer.values) sides.push_back(value >= 0 ? 0 : -1);
    return sides;
  };
  subject.groups = picture.group_of(data.examples);
  show_values(*machine, one_class, subject);
  return subject;
}

}  // namespace

PlotSubject load_subject(const Arguments& arguments) {
  const std::optional<std::string> path = arguments.text("model");
  if (!path) return labelled_subject(arguments);
  if (arguments.has("labels")) {
    throw UsageError("--model and --labels exclude each other: both say the groups");
  }
  Input input = Input::open(*path);
  if (looks_like_foreign_model(input)) {
    return machine_subject(foreign_machine_of(input), arguments);
  }
  ModelDocument document = read_model(input);
  if (holds_machine(document)) return machine_subject(machine_of(document), arguments);
  return clustering_subject(std::move(document), arguments);
}

}  // namespace maxmargin::tool
