// SPDX-License-Identifier: Apache-2.0
//
// maxmargin info: what is in a data file or a model.
#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct InfoOptions {
  std::optional<std::string> verify = std::nullopt;
  ReportOptions report = {};
  std::optional<std::size_t> threads = std::nullopt;
  void describe(OptionVisitor& visit) {
    visit.text({.name = "verify",
                .help = "recompute the model's certificate on the data it was trained on",
                .value = "DATA"},
               verify);
    report.describe(visit);
    visit.whole({.name = "threads", .help = "threads to use", .fallback = "all cores"},
                threads,
                {.least = 1});
  }
};

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
    for (std::size_t c = 0; c < classes.count(); ++c) {
      counts.emplace_back(classes.names[c], sizes[c]);
    }
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

int show_data(const Dataset& data, const InfoOptions& own) {
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
  if (own.report.json) write_file(*own.report.json, to_json(fields, {{"classes", classes}}));
  if (own.report.is_alone()) return 0;
  std::cout << table(fields);
  if (!classes.empty()) std::cout << "\nclass  rows\n" << table(classes);
  return 0;
}

/// The fields of a verification, and the exit code.
int add_verification_fields(const Verification& found, ReportFields& fields) {
  fields.emplace_back("verified", found.agrees ? ReportValue(*found.agrees) : ReportValue());
  if (found.primal) fields.emplace_back("verified_primal", *found.primal);
  if (found.dual) fields.emplace_back("verified_dual", *found.dual);
  if (!found.complaint.empty()) fields.emplace_back("complaint", found.complaint);
  if (!found.agrees) return 2;
  return *found.agrees ? 0 : 3;
}

void show_figures(const ModelFigures& figures, const InfoOptions& own) {
  if (own.report.json) write_file(*own.report.json, to_json(figures.fields, figures.groups));
  if (own.report.is_alone()) return;
  std::cout << table(figures.fields);
  for (const auto& [name, fields] : figures.groups) {
    std::cout << "\n" << name << "\n" << table(fields);
  }
}

int show_model(const Model& model,
               const std::string& where,
               const OptionTexts& source,
               const InfoOptions& own) {
  ModelFigures figures = model.learner().figures(model);
  if (!figures.fields.empty() && figures.fields.front().first == "source") {
    figures.fields.front().second = where;
  }
  int code = 0;
  if (own.verify) {
    const Context context{.threads = own.threads};
    if (!model.learner().can_verify()) {
      throw UsageError("--verify: the learner " + model.document().learner() +
                       " has no certificate to recompute");
    }
    const LearnerData data = read_data_of(model, *own.verify, source, context);
    code = add_verification_fields(model.learner().verify(model, data, context), figures.fields);
  }
  show_figures(figures, own);
  return code;
}

}  // namespace

std::vector<OptionGroup> info_groups(const Learner* /*learner*/) {
  return {group_of<InfoOptions>("Options"), {"The data", source_options(DataKind::table)}};
}

int run_info(Call& call) {
  InfoOptions own;
  call.take(own);
  const std::string& where = call.positionals.at(0);
  const Context context{.threads = own.threads};
  if (!is_builtin(where)) {
    // Opened once: a pipe can be read only once.
    Input input = Input::open(where);
    if (looks_like_foreign_model(input)) {
      return show_model(load_model(input), where, call.given, own);
    }
    if (looks_like_model(input)) {
      ModelDocument document = read_model(input);
      if (Model::is_known(document)) {
        return show_model(Model(std::move(document)), where, call.given, own);
      }
      // Projections and scalers are documents of no learner.
      if (own.verify) {
        throw UsageError("--verify: " + document.learner() + " has no certificate to recompute");
      }
      show_figures(figures_of(document), own);
      return 0;
    }
    return show_data(read_table(input, call.given, context).data, own);
  }
  return show_data(read_table(where, call.given, context).data, own);
}

}  // namespace maxmargin::tool
