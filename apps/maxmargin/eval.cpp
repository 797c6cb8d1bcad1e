// SPDX-License-Identifier: Apache-2.0
//
// maxmargin eval: predictions or clusters against the truth.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <sstream>

#include "commands.hpp"
#include "data_source.hpp"
#include "maxmargin/core/version.hpp"
#include "maxmargin/io/stream/output.hpp"
#include "maxmargin/io/table/read_labels.hpp"
#include "maxmargin/metric/registry.hpp"
#include "option_names.hpp"
#include "structured_learners.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

/// Without --task.
constexpr std::array plain_options =
    names("metric", "format", "label", "header", "labels", "unlabeled", "threads", "json");

/// Truth and prediction as class numbers over one list of names. `outlier` is no class.
struct Codes {
  std::vector<std::int32_t> truth = {};
  std::vector<std::int32_t> predicted = {};
  /// Every predicted label is a class of the truth.
  bool same_names = true;
};

Codes common_codes(const LabelColumn& truth, const LabelColumn& predicted) {
  const Classes truth_classes = classes_of(truth);
  const Classes predicted_classes = classes_of(predicted);
  const Label outlier{std::string("outlier")};
  Codes codes;
  // Predicted names that are no class of the truth are numbered after those, in their own order.
  std::vector<std::int32_t> code_of;
  for (const Label& name : predicted_classes.names) {
    const std::optional<std::int32_t> known = find_class(truth_classes.names, name);
    if (name == outlier && !known) {
      code_of.push_back(-1);
    } else {
      codes.same_names = codes.same_names && known;
      code_of.push_back(
          known.value_or(static_cast<std::int32_t>(truth_classes.count() + code_of.size())));
    }
  }
  codes.truth = truth_classes.of_row;
  for (const std::int32_t c : predicted_classes.of_row) {
    codes.predicted.push_back(c < 0 ? -1 : code_of[static_cast<std::size_t>(c)]);
  }
  return codes;
}

/// The metrics of --metric, or those that fit: of clusters always, of labels when every predicted
/// label is a class of the truth.
std::vector<const Metric*> wanted_metrics(const Arguments& arguments, const Codes& codes) {
  std::vector<const Metric*> wanted;
  if (const std::optional<std::string> names = arguments.text("metric")) {
    std::vector<std::string> known;
    for (const Metric& metric : all_metrics()) known.push_back(metric.name);
    std::istringstream list(*names);
    for (std::string name; std::getline(list, name, ',');) {
      require_choice("metric", name, known);
      wanted.push_back(&metric_by_name(name));
    }
    if (wanted.empty()) throw UsageError("--metric: must name a metric");
    return wanted;
  }
  for (const Metric& metric : all_metrics()) {
    const bool fits = metric.input == MetricInput::clusters ||
                      (metric.input == MetricInput::labels && codes.same_names);
    if (fits) wanted.push_back(&metric);
  }
  return wanted;
}

/// A metric that does not apply to these labels (F1 of three classes) is left out when nobody
/// asked for it by name.
std::optional<double> value_of(const Metric& metric, const Outcome& outcome, bool asked_for) {
  try {
    const double value = metric.value(outcome);
    return std::isnan(value) ? std::nullopt : std::optional(value);
  } catch (const InvalidArgument&) {
    if (asked_for) throw;
    return std::nullopt;
  }
}

}  // namespace

int run_eval(const Arguments& arguments) {
  if (const std::optional<std::string> task = arguments.text("task")) {
    std::vector<std::string> names;
    for (const StructuredLearnerSpec& learner : structured_learners()) {
      names.emplace_back(learner.name);
    }
    require_choice("task", *task, names);
    return run_structured_eval(*structured_learner_named(*task), arguments);
  }
  refuse_other_options(arguments, {plain_options}, "eval without --task");
  const std::string& truth_path = arguments.positionals.at(0);
  const std::string& predicted_path = arguments.positionals.at(1);
  const LabelColumn truth = read_labels(truth_path, read_options(arguments, Purpose::look));
  const LabelColumn predicted = read_labels(predicted_path, {.threads = threads_of(arguments)});
  if (truth.size() != predicted.size()) {
    throw FileError(predicted_path,
                    "holds " + std::to_string(predicted.size()) + " labels, but " + truth_path +
                        " holds " + std::to_string(truth.size()));
  }
  const Codes codes = common_codes(truth, predicted);
  Outcome outcome{.truth = codes.truth, .predicted = codes.predicted};
  const bool asked_for = arguments.has("metric");
  ReportFields measures;
  for (const Metric* metric : wanted_metrics(arguments, codes)) {
    const bool needs_numbers =
        metric->input == MetricInput::targets || metric->input == MetricInput::scores;
    if (needs_numbers && !predicted.all_numbers()) {
      throw FileError(predicted_path, metric->name + " needs numbers");
    }
    if (metric->input == MetricInput::probabilities) {
      throw UsageError("--metric " + metric->name + ": needs probabilities, eval reads labels");
    }
    if (metric->input == MetricInput::targets) {
      if (!truth.all_numbers()) throw FileError(truth_path, metric->name + " needs numbers");
      outcome.targets = truth.numbers();
      outcome.predicted_targets = predicted.numbers();
    }
    if (metric->input == MetricInput::scores) outcome.scores = predicted.numbers();
    const std::optional<double> value = value_of(*metric, outcome, asked_for);
    if (value || asked_for) {
      measures.emplace_back(metric->name,
                            value ? ReportValue(*value) : ReportValue(std::monostate{}));
    }
  }
  const std::optional<std::string> json = arguments.text("json");
  if (json) {
    write_file(*json,
               to_json({{"n", static_cast<std::int64_t>(truth.size())},
                        {"version", std::string(MAXMARGIN_VERSION)}},
                       {{"metrics", measures},
                        {"options", {{"truth", truth_path}, {"predicted", predicted_path}}}}));
  }
  if (json != "-") std::cout << table(measures);
  return 0;
}

}  // namespace maxmargin::tool
