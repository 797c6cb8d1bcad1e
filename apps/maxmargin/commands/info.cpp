// SPDX-License-Identifier: Apache-2.0
//
// maxmargin info: what is in a data file or a model.
#include <algorithm>
#include <iostream>
#include <limits>
#include <map>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "interrupt.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/io/table/builtin.hpp"
#include "maxmargin/io/table/npy.hpp"
#include "maxmargin/learner/kernel_check.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct InfoOptions {
  std::optional<std::string> verify = std::nullopt;
  /// Seconds since the start of the process.
  std::optional<double> time_limit = std::nullopt;
  ReportOptions report = {};
  Context context = {};
  void describe(OptionVisitor& visit) {
    visit.text({.name = "verify",
                .help = "recompute the model's certificate on the data it was trained on",
                .value = "DATA"},
               verify);
    describe_time_limit(visit, time_limit, "stop the recomputation after so long");
    visit.rule(!time_limit || verify, "--time-limit: belongs to --verify");
    report.describe(visit);
    describe_threads(visit, context.threads);
    describe_memory_limit(visit, context.memory_limit);
  }
};

/// The matrix of a kernel on the data.
struct MatrixOptions {
  bool mercer = false;
  KernelCheckOptions check = {};
  std::optional<std::string> output = std::nullopt;
  void describe(OptionVisitor& visit) {
    visit.yes_no({.name = "mercer",
                  .help = "eigenvalues of the kernel matrix: is it positive semidefinite?"},
                 mercer);
    check.describe(visit);
    visit.text({.name = "output",
                .help = "write the kernel matrix, repaired or not, as NPY",
                .value = "FILE",
                .alias = "o"},
               output);
  }
};

int show_matrix(const std::string& where,
                const OptionTexts& source,
                const MatrixOptions& matrix,
                const InfoOptions& own,
                const Context& context,
                Outputs& outputs) {
  const KernelCheck check = check_kernel(where, source, matrix.check, context);
  if (OutputFile* const file = outputs.file("output")) write_npy(check.gram.view(), *file);
  if (OutputFile* const file = outputs.file("json")) file->write(to_json(check.fields, {}));
  outputs.commit();
  if (!own.report.is_alone()) std::cout << table(check.fields);
  return 0;
}

/// Options of the matrix mean nothing without it.
MatrixOptions matrix_options(Call& call) {
  MatrixOptions matrix;
  OptionTexts given = call.take_named(describe_options(matrix));
  const bool is_asked =
      std::ranges::any_of(given, [](const auto& option) { return option.first == "mercer"; });
  if (!given.empty() && !is_asked) {
    throw UsageError(flag_of(given.front().first) + ": belongs to --mercer", "info");
  }
  call.given.insert(call.given.begin(), given.begin(), given.end());
  call.take(matrix);
  return matrix;
}

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

void add_feature_figures(const Examples& examples, ReportFields& fields) {
  fields.emplace_back("d", whole(examples.cols()));
  fields.emplace_back("storage", std::string(examples.is_dense() ? "dense" : "sparse"));
  fields.emplace_back("entries", whole(examples.entries()));
  const double cells = static_cast<double>(examples.rows()) * static_cast<double>(examples.cols());
  if (cells > 0) fields.emplace_back("density", static_cast<double>(examples.entries()) / cells);
  if (const ValueRange range = value_range(examples); range.least <= range.largest) {
    fields.emplace_back("least_value", range.least);
    fields.emplace_back("largest_value", range.largest);
  }
}

/// Of strings, whose entries are codes of their letters.
void add_string_figures(const Examples& examples, ReportFields& fields) {
  std::size_t shortest = examples.cols();
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    std::size_t length = 0;
    examples.row(i).for_each([&](std::size_t, double value) { length += value != 0 ? 1U : 0U; });
    shortest = std::min(shortest, length);
  }
  fields.emplace_back("storage", std::string("text"));
  fields.emplace_back("shortest_string", whole(shortest));
  fields.emplace_back("longest_string", whole(examples.cols()));
}

/// The figures of a data set, in the order shown.
ReportFields figures(const Dataset& data) {
  ReportFields fields;
  const Examples& examples = data.examples;
  fields.emplace_back("source", data.source);
  fields.emplace_back("n", whole(data.size()));
  if (data.holds_strings) {
    add_string_figures(examples, fields);
  } else {
    add_feature_figures(examples, fields);
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

int show_data(const Dataset& data, const InfoOptions& own, Outputs& outputs) {
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
  if (OutputFile* const file = outputs.file("json")) {
    file->write(to_json(fields, {{"classes", classes}}));
  }
  outputs.commit();
  if (own.report.is_alone()) return 0;
  std::cout << table(fields);
  if (!classes.empty()) std::cout << "\nclass  rows\n" << table(classes);
  return 0;
}

/// The fields of a verification, and the exit code.
int add_verification_fields(const Verification& found, ReportFields& fields) {
  fields.emplace_back("verified", found.agrees ? ReportValue(*found.agrees) : ReportValue());
  if (!found.complaint.empty()) fields.emplace_back("verify_reason", found.complaint);
  if (found.primal) fields.emplace_back("verified_primal", *found.primal);
  if (found.dual) fields.emplace_back("verified_dual", *found.dual);
  return found.agrees == false ? 3 : verification_was_stopped() ? 2 : 0;
}

void show_figures(const ModelFigures& figures, const InfoOptions& own, Outputs& outputs) {
  if (OutputFile* const file = outputs.file("json")) {
    file->write(to_json(figures.fields, figures.groups));
  }
  outputs.commit();
  if (own.report.is_alone()) return;
  std::cout << table(figures.fields);
  for (const auto& [name, fields] : figures.groups) {
    std::cout << "\n" << name << "\n" << table(fields);
  }
}

int show_model(const Model& model, Call& call, const InfoOptions& own, Outputs& outputs) {
  ModelFigures figures = model.learner().figures(model);
  if (!figures.fields.empty() && figures.fields.front().first == "source") {
    figures.fields.front().second = call.positionals.at(0);
  }
  int code = 0;
  if (own.verify) {
    const OptionTexts source = call.take_named(source_options(model.learner().info().data));
    call.refuse_rest("data for a model of " + std::string(model.learner().info().name));
    const LearnerData data = read_data_of(model, *own.verify, source, own.context);
    const Verification found = [&] {
      const SolveScope scope;
      const Context asked = own.context.with_progress(interruptible({}, own.time_limit));
      return model.learner().verify(model, data, asked);
    }();
    code = add_verification_fields(found, figures.fields);
  }
  call.refuse_rest("a model without --verify");
  show_figures(figures, own, outputs);
  return code;
}

/// Projections and scalers are documents of no learner.
int show_document(const ModelDocument& document,
                  Call& call,
                  const InfoOptions& own,
                  Outputs& outputs) {
  call.refuse_rest("a model of " + document.learner());
  ModelFigures figures = figures_of(document);
  const Verification nothing{.complaint = document.learner() + " has no certificate to recompute"};
  if (own.verify) (void)add_verification_fields(nothing, figures.fields);
  show_figures(figures, own, outputs);
  return 0;
}

}  // namespace

std::vector<OptionGroup> info_groups(const Learner* /*learner*/) {
  return {group_of<InfoOptions>("Options"),
          group_of_all_sources(),
          group_of<MatrixOptions>("The kernel matrix of the data")};
}

int run_info(Call& call) {
  InfoOptions own;
  call.take(own);
  bound_memory(own.context);
  const std::string& where = call.positionals.at(0);
  const Context& context = own.context;
  const MatrixOptions matrix = matrix_options(call);
  Outputs outputs(call, {{"output", matrix.output}, {"json", own.report.json}});
  if (matrix.mercer) {
    if (own.verify) throw UsageError("--mercer is of data, --verify of a model", call.topic());
    return show_matrix(where, call.given, matrix, own, context, outputs);
  }
  // Opened once: a pipe can be read only once.
  std::optional<Input> input;
  if (!is_builtin(where)) {
    input = Input::open(where);
    if (looks_like_foreign_model(*input)) return show_model(load_model(*input), call, own, outputs);
    if (looks_like_model(*input)) {
      ModelDocument document = read_model(*input);
      if (!Model::is_known(document)) return show_document(document, call, own, outputs);
      return show_model(Model(std::move(document)), call, own, outputs);
    }
  }
  if (own.verify) {
    throw UsageError("--verify: " + where + " is data, only a model has a certificate",
                     call.topic());
  }
  const TableData read =
      input ? read_table(*input, call.given, context) : read_table(where, call.given, context);
  return show_data(read.data, own, outputs);
}

}  // namespace maxmargin::tool
