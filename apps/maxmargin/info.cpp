// SPDX-License-Identifier: Apache-2.0
//
// maxmargin info: what is in a data file or a model.
#include <algorithm>
#include <iostream>
#include <limits>

#include "commands.hpp"
#include "data_source.hpp"
#include "info_machine.hpp"
#include "machine.hpp"
#include "machine_document.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/io/foreign/model.hpp"
#include "maxmargin/io/model/model_file.hpp"
#include "maxmargin/io/run_report.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "supervised_data.hpp"
#include "terminal.hpp"
#include "verification.hpp"

namespace maxmargin::tool {

namespace {

/// More classes than these are counted, not listed: it is a regression target.
constexpr std::size_t most_listed_classes = 50;

std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

struct ValueRange {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
};

ValueRange value_range(const Examples& examples) {
  ValueRange range;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    examples.row(i).for_each([&](std::size_t /*column*/, double value) {
      range.least = std::min(range.least, value);
      range.largest = std::max(range.largest, value);
    });
  }
  return range;
}

/// Distinct labels and how many rows have each, for single- and multi-label data alike.
std::vector<std::pair<Label, std::size_t>> label_counts(const Dataset& data) {
  std::vector<std::pair<Label, std::size_t>> counts;
  if (data.label_sets.empty()) {
    const Classes classes = classes_of(data.labels);
    const std::vector<std::size_t> sizes = classes.sizes();
    for (std::size_t c = 0; c < classes.count(); ++c)
      counts.emplace_back(classes.names[c], sizes[c]);
    return counts;
  }
  std::map<Label, std::size_t> by_label;
  for (const std::vector<Label>& labels : data.label_sets) {
    for (const Label& label : labels) ++by_label[label];
  }
  return {by_label.begin(), by_label.end()};
}

/// The figures of a data set, in the order shown.
ReportFields figures(const Dataset& data) {
  ReportFields fields;
  const Examples& examples = data.examples;
  fields.emplace_back("source", data.source);
  fields.emplace_back("n", whole(data.size()));
  fields.emplace_back("d", whole(data.features()));
  fields.emplace_back("storage", std::string(examples.is_dense() ? "dense" : "sparse"));
  fields.emplace_back("entries", whole(examples.entries()));
  const double cells = static_cast<double>(data.size()) * static_cast<double>(data.features());
  if (cells > 0) fields.emplace_back("density", static_cast<double>(examples.entries()) / cells);
  if (const ValueRange range = value_range(examples); range.least <= range.largest) {
    fields.emplace_back("least_value", range.least);
    fields.emplace_back("largest_value", range.largest);
  }
  if (!data.label_sets.empty()) {
    fields.emplace_back("label_kind", std::string("sets"));
  } else if (data.has_labels()) {
    fields.emplace_back("label_kind", std::string(data.labels.all_numbers() ? "numbers" : "names"));
    fields.emplace_back("unlabelled", whole(data.size() - data.labels.labelled_count()));
  }
  if (!data.groups.empty()) {
    std::vector<std::int64_t> groups = data.groups;
    std::sort(groups.begin(), groups.end());
    const auto last = std::unique(groups.begin(), groups.end());
    fields.emplace_back("groups", static_cast<std::int64_t>(last - groups.begin()));
  }
  if (!data.weights.empty()) fields.emplace_back("weighted", true);
  return fields;
}

int show_data(const Arguments& arguments, const Dataset& data) {
  ReportFields fields = figures(data);
  const bool labelled = data.has_labels() || !data.label_sets.empty();
  ReportFields classes;
  if (labelled) {
    const auto counts = label_counts(data);
    fields.emplace_back("labels", whole(counts.size()));
    if (counts.size() <= most_listed_classes) {
      for (const auto& [label, count] : counts) classes.emplace_back(label.text(), whole(count));
    }
  }
  if (const std::optional<std::string> json = arguments.text("json")) {
    write_file(*json, to_json(fields, {{"classes", classes}}));
    if (*json == "-") return 0;
  }
  std::cout << table(fields);
  if (!classes.empty()) std::cout << "\nclass  rows\n" << table(classes);
  return 0;
}

/// Sections of a model by name and size.
std::string describe(const ModelDocument::Content& content) {
  struct Visitor {
    std::string operator()(const std::vector<std::string>& list) const {
      return std::to_string(list.size()) + " names";
    }
    std::string operator()(const std::vector<double>& list) const {
      return std::to_string(list.size()) + " numbers";
    }
    std::string operator()(const std::vector<Label>& list) const {
      return std::to_string(list.size()) + " labels";
    }
    std::string operator()(const DenseMatrix& matrix) const {
      return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
    }
    std::string operator()(const SparseMatrix& matrix) const {
      return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()) + ", " +
             std::to_string(matrix.entries()) + " entries";
    }
  };
  return std::visit(Visitor{}, content);
}

int show_machine(const Arguments& arguments, const LoadedMachine& loaded) {
  MachineFigures figures = figures_of(loaded, arguments.positionals.at(0));
  int code = 0;
  const std::optional<std::string> where = arguments.text("verify-data");
  const bool exists =
      !loaded.document || !loaded.document->has("training.status") ||
      loaded.document->string("training.status") != to_string(Status::primal_infeasible);
  if (where && !exists) {
    figures.fields.emplace_back("verified", std::monostate{});
    figures.fields.emplace_back("complaint", std::string("no machine meets the constraints"));
    code = 2;
  } else if (where) {
    const Kernel* kernel = kernel_of(loaded.machine);
    const bool precomputed = kernel != nullptr && std::holds_alternative<Precomputed>(*kernel);
    Arguments as_trained = arguments;
    if (precomputed) as_trained.given["kernel"] = "precomputed";
    const Verification found =
        verify_machine(loaded, load_training_data(*where, as_trained), threads_of(arguments));
    figures.fields.emplace_back("verified", found.agrees);
    figures.fields.emplace_back("verified_primal", found.primal);
    figures.fields.emplace_back("verified_dual", found.dual);
    if (!found.agrees) {
      figures.fields.emplace_back("complaint", found.complaint);
      code = 3;
    }
  }
  if (const std::optional<std::string> json = arguments.text("json")) {
    write_file(*json, to_json(figures.fields, figures.groups));
    if (*json == "-") return code;
  }
  std::cout << table(figures.fields);
  for (const auto& [name, fields] : figures.groups)
    std::cout << "\n" << name << "\n" << table(fields);
  return code;
}

int show_model(const Arguments& arguments, Input& input) {
  const ModelDocument model = read_model(input);
  if (holds_machine(model)) return show_machine(arguments, machine_of(model));
  if (arguments.has("verify-data")) {
    throw UsageError("--verify: info recomputes no certificate of the learner " + model.learner() +
                     "; train may");
  }
  ReportFields fields;
  fields.emplace_back("source", model.source());
  fields.emplace_back("learner", model.learner());
  for (const ModelDocument::Field& field : model.fields()) {
    fields.emplace_back(
        field.name, std::visit([](const auto& value) { return ReportValue(value); }, field.value));
  }
  for (const ModelDocument::Section& section : model.sections()) {
    fields.emplace_back(section.name, describe(section.content));
  }
  if (const std::optional<std::string> json = arguments.text("json")) {
    write_file(*json, to_json(fields));
    if (*json == "-") return 0;
  }
  std::cout << table(fields);
  return 0;
}

}  // namespace

int run_info(const Arguments& arguments) {
  const std::string& where = arguments.positionals.at(0);
  if (is_builtin(where)) {
    return show_data(arguments, load_data(where, arguments, Purpose::look).data);
  }
  // Opened once: a pipe can be read only once.
  Input input = Input::open(where);
  if (looks_like_model(input)) return show_model(arguments, input);
  if (looks_like_foreign_model(input)) return show_machine(arguments, foreign_machine_of(input));
  return show_data(arguments, load_data(input, arguments, Purpose::look).data);
}

}  // namespace maxmargin::tool
