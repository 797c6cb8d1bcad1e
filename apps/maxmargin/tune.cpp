// SPDX-License-Identifier: Apache-2.0
//
// maxmargin tune: cross-validate the points of a grid, train with the best one on all rows.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "commands.hpp"
#include "fields_csv.hpp"
#include "fit.hpp"
#include "interrupt.hpp"
#include "learner_options.hpp"
#include "machine_document.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "option_table.hpp"
#include "outputs.hpp"
#include "supervised_report.hpp"
#include "terminal.hpp"
#include "verification.hpp"

namespace maxmargin::tool {

namespace {

/// The grid of --grid, whose axes must be options with a value that the learner takes.
Grid grid_of(const Arguments& arguments, const LearnerSpec& learner) {
  const std::optional<std::string> text = arguments.text("grid");
  if (!text) throw UsageError("--grid: the values to try are missing");
  const Grid grid = [&] {
    try {
      return parse_grid(*text);
    } catch (const InvalidArgument& error) {
      throw UsageError("--grid: " + std::string(error.what()));
    }
  }();
  std::vector<std::string> known = {"scale", "tolerance"};
  for (const std::string_view option : learner.options) {
    const OptionSpec& spec = find_option(option);
    if (!spec.is_switch() && !spec.has_optional_value()) known.emplace_back(option);
  }
  for (const GridAxis& axis : grid.axes()) {
    require_choice("grid", axis.name, known);
    if (arguments.has(axis.name)) {
      throw UsageError(main_flag(axis.name) + " is given, and --grid tries values of it");
    }
    if (axis.name == "C") {
      for (const std::string& value : axis.values)
        (void)parse_cost(value, learner.takes_infinite_cost);
    }
    if (axis.name == "gamma") {
      for (const std::string& value : axis.values) (void)parse_gamma(value);
    }
  }
  return grid;
}

GridSearchOptions search_of(const Arguments& arguments) {
  GridSearchOptions options;
  if (arguments.has("one-se")) options.rule = ChoiceRule::one_standard_error;
  const std::string text = arguments.text_or("search", "grid");
  constexpr std::string_view random = "random:";
  if (text == "halving") {
    options.halving = SuccessiveHalving{};
  } else if (text.starts_with(random)) {
    const std::optional<std::int64_t> points = parse_integer(text.substr(random.size()));
    if (!points || *points < 1) {
      throw UsageError("--search " + text + ": random:N wants a whole number >= 1");
    }
    options.random_points = static_cast<std::size_t>(*points);
  } else if (text != "grid") {
    throw UsageError("--search " + text + ": must be grid, random:N or halving");
  }
  return options;
}

/// A row of what was tried.
ReportFields row_of(const GridResult& result, const Metric& metric, bool chosen) {
  ReportFields row;
  for (const auto& [name, value] : result.point.entries()) {
    const std::optional<double> number = parse_number(value);
    // JSON has no number for inf.
    const bool is_number = number && std::isfinite(*number);
    row.emplace_back(name, is_number ? ReportValue(*number) : ReportValue(value));
  }
  row.emplace_back(metric.name, result.mean);
  row.emplace_back("standard_error", result.standard_error);
  row.emplace_back("folds", whole(result.folds_run));
  row.emplace_back("train_share", result.train_share);
  row.emplace_back("chosen", chosen);
  return row;
}

std::vector<ReportFields> rows_of(const GridSearch& search, const Metric& metric) {
  std::vector<ReportFields> rows;
  for (std::size_t i = 0; i < search.results.size(); ++i) {
    rows.push_back(row_of(search.results[i], metric, search.chosen == i));
  }
  return rows;
}

/// The rows for people, best first: the point, its mean and standard error, a star at the choice.
std::string listing_of(const GridSearch& search, const Metric& metric) {
  std::vector<std::size_t> order(search.results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const GridResult& left = search.results[a];
    const GridResult& right = search.results[b];
    if (left.folds_run != right.folds_run) return left.folds_run > right.folds_run;
    if (left.train_share != right.train_share) return left.train_share > right.train_share;
    return metric.better(left.mean, right.mean);
  });
  std::vector<std::pair<std::string, std::string>> rows = {
      {"point", metric.name + " (standard error)"}};
  for (const std::size_t i : order) {
    const GridResult& result = search.results[i];
    std::string text = shown(result.mean) + " (" + shown(result.standard_error, 2) + ")";
    if (result.train_share < 1 && result.folds_run > 0) {
      text += " on " + format_number(result.train_share, 3) + " of the rows";
    }
    if (search.chosen == i) text += "  *";
    rows.emplace_back(result.point.describe(), text);
  }
  return table(rows);
}

/// What came out of the search, and of the training with the best point (if there was one).
RunReport report_of(const LearnerSpec& learner,
                    const Dataset& data,
                    const Arguments& arguments,
                    const Metric& metric,
                    const GridSearch& search,
                    const FoldTrainings& trainings,
                    const std::optional<TrainingAnswer>& answer) {
  ReportFields used;
  if (answer) {
    used = answer->options;
  } else if (search.chosen) {
    used = trainings.options_at(search.results[*search.chosen].point.describe());
  }
  RunReport report = learner_report(learner, data, arguments, std::move(used));
  report.options.emplace_back("grid", *arguments.text("grid"));
  report.options.emplace_back("folds", whole(search.results.front().of_fold.size()));
  report.options.emplace_back("search", arguments.text_or("search", "grid"));
  if (answer) add_training(learner, *answer, data, arguments, report);
  report.solve.status = worse(report.solve.status, search.status);
  trainings.add_to(report.solve);
  if (search.chosen) {
    const GridResult& best = search.results[*search.chosen];
    report.options.emplace_back("chosen", best.point.describe());
    report.metrics.emplace_back("cross_validated_" + metric.name, best.mean);
    report.metrics.emplace_back("cross_validated_standard_error", best.standard_error);
  }
  report.metrics.emplace_back("trainings", static_cast<double>(search.trainings));
  if (search.status != Status::solved) {
    report.solve.warnings.emplace_back(
        "the search was stopped: the table holds what was finished, and no model is written");
  }
  report.tables.emplace_back("table", rows_of(search, metric));
  return report;
}

}  // namespace

int run_tune(const Arguments& arguments) {
  const LearnerSpec& learner = find_learner(arguments);
  const Grid grid = grid_of(arguments, learner);
  if (arguments.has("verify")) require_verifiable(std::string(learner.name));
  const Metric& metric = metric_of(arguments, learner.task);
  const GridSearchOptions options = search_of(arguments);
  const std::size_t k = arguments.whole("folds", 2).value_or(5);
  const bool quiet = arguments.has("quiet");
  Outputs outputs;
  for (const std::string_view option : {"output", "table", "json"}) {
    if (const std::optional<std::string> path = arguments.text(option)) {
      outputs.open(option, *path);
    }
  }
  PhaseTimer timer;
  timer.enter("read");
  const SupervisedData loaded = load_training_data(arguments.positionals.at(0), arguments);
  const Dataset& data = loaded.data;
  require_measurable(metric, learner.task, data);
  const auto folds = folds_of(arguments, data, learner.task, k);
  TrainingInput input = training_input(
      arguments, loaded, interruptible(progress_line(quiet), arguments.positive("time-limit")));

  std::optional<TrainingAnswer> answer;
  FoldTrainings trainings;
  timer.enter("search");
  const GridSearch search = [&] {
    const SolveScope scope;
    GridSearch found = search_grid(learner, data, input, folds, grid, metric, options, trainings);
    timer.leave();
    if (found.chosen && found.status == Status::solved && arguments.has("output")) {
      input.arguments = at_point(arguments, found.results[*found.chosen].point);
      answer = fit_machine(learner, data, input);
    }
    return found;
  }();
  end_progress_line();

  timer.enter("measure");
  RunReport report = report_of(learner, data, arguments, metric, search, trainings, answer);
  if (!answer) {
    outputs.drop("output");
  } else {
    const ModelDocument document = document_of(learner, *answer, data);
    if (arguments.has("verify")) add_verification(document, loaded, arguments, report);
    write_model(document, *outputs.file("output"), model_format_of(arguments));
  }
  if (OutputFile* file = outputs.file("table")) file->write(csv_of(rows_of(search, metric)));
  for (auto& phase : timer.finish()) report.solve.seconds.push_back(std::move(phase));
  if (OutputFile* file = outputs.file("json")) file->write(to_json(report));
  if (arguments.text("json") != "-") std::cout << listing_of(search, metric);
  outputs.commit();
  if (!quiet) std::cerr << summary(report);
  if (report.verified == false) return 3;
  return report.solve.status == Status::solved ? 0 : 2;
}

}  // namespace maxmargin::tool
