// SPDX-License-Identifier: Apache-2.0
//
// maxmargin eval: predictions or clusters against the truth.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/core/suggested_names.hpp"
#include "maxmargin/core/version.hpp"
#include "maxmargin/metric/registry.hpp"
#include "terminal.hpp"

namespace maxmargin::tool {

namespace {

struct EvalOptions {
  ReportOptions report = {};
  Context context = {};
  void describe(OptionVisitor& visit) {
    report.describe(visit);
    describe_threads(visit, context.threads);
    describe_memory_limit(visit, context.memory_limit);
  }
};

/// Of labels; learners with measures of their own have other options.
struct LabelEvalOptions {
  std::optional<std::string> metric = std::nullopt;
  void describe(OptionVisitor& visit) {
    SuggestedNames(visit, metric_names())
        .text({.name = "metric",
               .help = "measures to compute",
               .value = "NAME,...",
               .fallback = "those that fit"},
              metric);
  }
};

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

const Metric& wanted_metric(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Metric& metric : all_metrics()) {
    if (metric.name == name) return metric;
    known.push_back(metric.name);
  }
  throw UsageError("--metric " + name + ": must be a known name" + suggest_names(name, known),
                   "eval");
}

/// The metrics of --metric, or those that fit: of clusters always, of labels when every predicted
/// label is a class of the truth.
std::vector<const Metric*> wanted_metrics(const std::optional<std::string>& names,
                                          const Codes& codes) {
  std::vector<const Metric*> wanted;
  if (names) {
    for (const std::string& name : names_in("metric", *names)) {
      const Metric& metric = wanted_metric(name);
      if (std::ranges::find(wanted, &metric) != wanted.end()) {
        throw UsageError("--metric " + *names + ": names " + name + " twice", "eval");
      }
      wanted.push_back(&metric);
    }
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

int evaluate_labels(Call& call, const EvalOptions& own) {
  LabelEvalOptions label_options;
  call.take(label_options);
  const std::string& truth_path = call.positionals.at(0);
  const std::string& predicted_path = call.positionals.at(1);
  refuse_unknown_options(call.given, label_column_options(), "eval without --task");
  Outputs outputs(call, {{"json", own.report.json}});
  const LabelColumn truth = read_label_column(truth_path, call.given, own.context);
  const LabelColumn predicted = read_label_column(predicted_path, {}, own.context);
  if (truth.size() != predicted.size()) {
    throw FileError(predicted_path,
                    "holds " + std::to_string(predicted.size()) + " labels, but " + truth_path +
                        " holds " + std::to_string(truth.size()));
  }
  const Codes codes = common_codes(truth, predicted);
  Outcome outcome{.truth = codes.truth, .predicted = codes.predicted};
  const bool asked_for = label_options.metric.has_value();
  ReportFields measures;
  for (const Metric* metric : wanted_metrics(label_options.metric, codes)) {
    const bool needs_numbers =
        metric->input == MetricInput::targets || metric->input == MetricInput::scores;
    if (needs_numbers && !predicted.all_numbers()) {
      throw FileError(predicted_path, metric->name + " needs numbers");
    }
    if (metric->input == MetricInput::probabilities) {
      throw UsageError("--metric " + metric->name + ": needs probabilities, eval reads labels",
                       "eval");
    }
    if (metric->input == MetricInput::targets) {
      if (!truth.all_numbers()) throw FileError(truth_path, metric->name + " needs numbers");
      outcome.targets = truth.numbers();
      outcome.predicted_targets = predicted.numbers();
    }
    if (metric->input == MetricInput::scores) outcome.scores = predicted.numbers();
    const std::optional<double> value = value_of(*metric, outcome, asked_for);
    if (value || asked_for) {
      measures.emplace_back(metric->name, value ? ReportValue(*value) : ReportValue());
    }
  }
  if (OutputFile* const file = outputs.file("json")) {
    file->write(to_json({{"n", static_cast<std::int64_t>(truth.size())},
                         {"version", std::string(MAXMARGIN_VERSION)}},
                        {{"metrics", measures},
                         {"options", {{"truth", truth_path}, {"predicted", predicted_path}}}}));
  }
  outputs.commit();
  if (!own.report.is_alone()) std::cout << table(measures);
  return 0;
}

/// By the measures of the learner that --task names.
int evaluate_task(Call& call, const EvalOptions& own) {
  const Learner& learner = *call.learner;
  Outputs outputs(call, {{"json", own.report.json}});
  RunReport report =
      learner.evaluate(call.positionals.at(0), call.positionals.at(1), call.given, own.context);
  report.options = {{"truth", call.positionals.at(0)}, {"predicted", call.positionals.at(1)}};
  if (OutputFile* const file = outputs.file("json")) file->write(to_json(report));
  outputs.commit();
  if (!own.report.is_alone()) {
    ReportFields measures;
    for (const auto& [name, value] : report.metrics) {
      measures.emplace_back(name, value ? ReportValue(*value) : ReportValue());
    }
    std::cout << table(measures);
    for (const auto& [name, rows] : report.tables) {
      if (!rows.empty()) std::cout << '\n' << columns(rows);
    }
  }
  std::cerr << warning_lines(report.solve);
  return 0;
}

}  // namespace

std::vector<OptionGroup> eval_groups(const Learner* learner) {
  OptionGroup command{"Options", {}};
  command.options.push_back({.name = "task",
                             .help = "compare files of this learner",
                             .value = "NAME",
                             .kind = OptionKind::text});
  if (learner != nullptr) {
    add_options<EvalOptions>(command);
    return {{"Options of " + std::string(learner->info().name), learner->evaluation_options()},
            std::move(command)};
  }
  add_options<LabelEvalOptions>(command);
  add_options<EvalOptions>(command);
  return {std::move(command), {"The truth", label_column_options()}};
}

int run_eval(Call& call) {
  (void)call.take_named({{.name = "task"}});
  EvalOptions own;
  call.take(own);
  bound_memory(own.context);
  return call.learner != nullptr ? evaluate_task(call, own) : evaluate_labels(call, own);
}

}  // namespace maxmargin::tool
