// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/tune.hpp"

#include <algorithm>
#include <cmath>

#include "core/own_values.hpp"
#include "learner/data_checks.hpp"
#include "learner/defined.hpp"
#include "learner/supervised/fitting.hpp"
#include "learner/supervised/fold_runs.hpp"
#include "learner/supervised/supervised_report.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/suggest.hpp"
#include "maxmargin/core/suggested_names.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/metric/registry.hpp"
#include "model/labelled_rows.hpp"

namespace maxmargin {

using namespace learning;

namespace {

constexpr std::string_view random_prefix = "random:";

/// grid, halving or random:N.
bool is_search(std::string_view text) {
  if (text == "grid" || text == "halving") return true;
  if (!text.starts_with(random_prefix)) return false;
  const auto points = parse_whole(text.substr(random_prefix.size()));
  return points && *points >= 1;
}

/// Axes of several texts are tried together.
class GridValue final : public OptionValue {
 public:
  explicit GridValue(std::string& grid) : grid_(grid) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return "NAME=VALUE,...;NAME=..."; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text.empty()) return false;
    grid_.append(grid_.empty() ? "" : ";").append(text);
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override {
    return grid_.empty() ? OptionScalar{} : OptionScalar(grid_);
  }

 private:
  std::string& grid_;
};

class SearchValue final : public OptionValue {
 public:
  explicit SearchValue(std::string& search) : search_(search) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "grid, halving, or random:N with a whole number N >= 1";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    if (!is_search(text)) return false;
    search_ = text;
    return true;
  }
  [[nodiscard]] std::vector<std::string_view> names() const override {
    return {"grid", "halving", random_prefix};
  }
  [[nodiscard]] bool holds() const override { return is_search(search_); }
  [[nodiscard]] OptionScalar scalar() const override { return search_; }

 private:
  std::string& search_;
};

GridSearchOptions search_of(const TuneOptions& options) {
  GridSearchOptions search;
  if (options.one_se) search.rule = ChoiceRule::one_standard_error;
  if (options.search == "halving") search.halving = SuccessiveHalving{};
  if (options.search.starts_with(random_prefix)) {
    search.random_points = static_cast<std::size_t>(
        *parse_whole(std::string_view(options.search).substr(random_prefix.size())));
  }
  return search;
}

const SupervisedLearner& measured_learner(const Learner& learner, const OptionTexts& options) {
  const auto* found = dynamic_cast<const SupervisedLearner*>(&effective_learner(learner, options));
  if (found != nullptr) return *found;
  const std::string what =
      learner.info().task == Task::cluster
          ? "clusters are no labels to compare with"
          : "learners of structured outputs have no training that folds could share";
  throw InvalidArgument("the learner " + std::string(learner.info().name) +
                        " cannot be tuned or measured on folds: " + what);
}

/// Every value of every axis is one that the learner takes; the first is also that of the others'.
void check_values(const SupervisedLearner& learner, const OptionTexts& given, const Grid& grid) {
  OptionTexts first = given;
  for (const GridAxis& axis : grid.axes()) first.emplace_back(axis.name, axis.values.front());
  for (const GridAxis& axis : grid.axes()) {
    for (const std::string& value : axis.values) {
      OptionTexts options = first;
      options.emplace_back(axis.name, value);
      learner.check_options(options);
    }
  }
}

/// What is wrong with a grid, as words of the option: "grid: ...".
template <class Making>
Grid flagged(const Making& make) {
  try {
    return make();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument("--" + std::string(error.what()));
  }
}

/// The option's own name, where an alias of it may be given. Parameters of an expression
/// (rbf.gamma) are known once the expression is.
std::string option_of_axis(const std::string& name, const std::vector<OptionDescription>& options) {
  std::vector<std::string_view> known;
  for (const OptionDescription& option : options) {
    if (is_named(option, name)) return option.name;
    known.push_back(option.name);
  }
  if (name.find('.') != std::string::npos) return name;
  throw InvalidArgument(breach("grid", name, "a known name" + suggest_names(name, known)));
}

/// The grid, whose axes must be options that the learner takes.
Grid grid_of(const std::string& text, const SupervisedLearner& learner, const OptionTexts& given) {
  if (text.empty()) throw InvalidArgument("--grid: the values to try are missing");
  const Grid grid = flagged([&] { return parse_grid(text); });
  const std::vector<OptionDescription> options = learner.options();
  std::vector<GridAxis> axes(grid.axes().begin(), grid.axes().end());
  for (GridAxis& axis : axes) {
    axis.name = option_of_axis(axis.name, options);
    const bool is_given = std::ranges::any_of(
        given, [&](const auto& each) { return option_of_axis(each.first, options) == axis.name; });
    if (is_given) {
      throw InvalidArgument(flag_of(axis.name) + " is given, and --grid tries values of it");
    }
  }
  Grid named = flagged([&] { return Grid(std::move(axes)); });
  check_values(learner, given, named);
  return named;
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
  row.emplace_back("folds", static_cast<std::int64_t>(result.folds_run));
  row.emplace_back("train_share", result.train_share);
  row.emplace_back("chosen", chosen);
  return row;
}

/// Adds what came out of the search behind what is known of the training.
void add_search(const FoldRun& run,
                const TuneOptions& options,
                const FoldTrainings& trainings,
                Tuning& tuning) {
  RunReport& report = tuning.report;
  const GridSearch& search = tuning.search;
  report.options.emplace_back("grid", options.grid);
  report.options.emplace_back("folds",
                              static_cast<std::int64_t>(search.results.front().of_fold.size()));
  report.options.emplace_back("search", options.search);
  report.solve.status = worse(report.solve.status, search.status);
  trainings.add_to(report.solve);
  if (search.chosen) {
    const GridResult& best = search.results[*search.chosen];
    report.options.emplace_back("chosen", best.point.describe());
    report.metrics.emplace_back("cross_validated_" + run.metric.name, best.mean);
    report.metrics.emplace_back("cross_validated_standard_error", best.standard_error);
  }
  report.metrics.emplace_back("trainings", static_cast<double>(search.trainings));
  if (search.status != Status::solved) {
    report.solve.warnings.emplace_back(
        "the search was stopped: the table holds what was finished, and no model is written");
  }
  report.tables.emplace_back("table", tuning.table);
}

/// Checks everything but the options of the learner and readies a run of its trainings.
FoldRun fold_run(const SupervisedLearner& learner,
                 const TableData& data,
                 const TrainingRequest& request,
                 const FoldOptions& options,
                 const FitInput& input,
                 const Grid* grid = nullptr) {
  const Task task = learner.info().task;
  const Metric& metric = metric_for(task, options.metric, are_calibrated(request.options, grid));
  // Here the rows have the numbers that they have in the file.
  if (task != Task::detect && !learner.info().learns_from_unlabelled) {
    require_all_labelled(data.data);
  }
  require_measurable(metric, task, data.data);
  return {.learner = learner,
          .given = data,
          .options = request.options,
          .input = input,
          .metric = metric,
          .folds = folds_of(
              data.data, task, static_cast<std::size_t>(options.folds), request.context.seed)};
}

}  // namespace

void FoldOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "folds", .help = "parts of the cross-validation", .value = "K"},
              folds,
              {.least = 2});
  std::vector<std::string_view> names;
  for (const Metric& each : all_metrics()) names.push_back(each.name);
  SuggestedNames(visit, std::move(names))
      .text({.name = "metric",
             .help = "what is measured on the rows left out",
             .value = "NAME",
             .fallback = "accuracy; mse for regression"},
            metric);
}

void TuneOptions::describe(OptionVisitor& visit) {
  GridValue axes(grid);
  visit.option(
      {.name = "grid",
       .help = "values to try, as in C=0.1,1,10;gamma=0.01,0.1; several add up; values with "
               "commas in {}",
       .value = "AXES"},
      axes);
  folds.describe(visit);
  SearchValue value(search);
  visit.option(
      {.name = "search", .help = "points to try: grid, random:N or halving", .value = "KIND"},
      value);
  visit.yes_no(
      {.name = "one-se", .help = "take the first point within a standard error of the best"},
      one_se);
}

LearnerFolds cross_validate_learner(const Learner& learner,
                                    const TableData& data,
                                    const TrainingRequest& request,
                                    const FoldOptions& options) {
  validate(options);
  const SupervisedLearner& measured = measured_learner(learner, request.options);
  measured.check_options(request.options);
  check_data(data);
  const FitInput input = fit_input(data, request);
  const FoldRun run = fold_run(measured, data, request, options, input);
  const Metric& metric = run.metric;
  FoldTrainings trainings;
  const Stopwatch watch;
  LearnerFolds result{.metric = metric.name, .found = run_folds(run, trainings)};
  const CrossValidation& found = result.found;
  RunReport& report = result.report;
  report = learner_report(measured.info(), data.data, trainings.options_at({}), request.context);
  report.options.emplace_back("folds", static_cast<std::int64_t>(found.of_fold.size()));
  report.solve.status = found.status;
  trainings.add_to(report.solve);
  report.solve.iterations = found.folds_run;
  report.metrics = {{metric.name, defined(found.mean)},
                    {metric.name + "_standard_error", defined(found.standard_error)},
                    {metric.name + "_pooled", defined(found.pooled)}};
  std::vector<ReportFields> rows;
  for (std::size_t f = 0; f < found.of_fold.size(); ++f) {
    rows.push_back({{"fold", static_cast<std::int64_t>(f)}, {metric.name, found.of_fold[f]}});
  }
  report.tables.emplace_back("folds", std::move(rows));
  report.solve.seconds.emplace_back("cross-validate", watch.seconds());
  return result;
}

Tuning tune(const Learner& learner,
            const TableData& data,
            const TrainingRequest& request,
            const TuneOptions& options) {
  validate(options);
  const SupervisedLearner& measured = measured_learner(learner, request.options);
  measured.check_options(request.options);
  check_data(data);
  const Grid grid = grid_of(options.grid, measured, request.options);
  const FitInput input = fit_input(data, request);
  const FoldRun run = fold_run(measured, data, request, options.folds, input, &grid);
  FoldTrainings trainings;
  const Stopwatch watch;
  Tuning tuning{.metric = run.metric.name};
  tuning.search = run_grid(run, grid, search_of(options), trainings);
  const double seconds = watch.seconds();
  const GridSearch& search = tuning.search;
  for (std::size_t i = 0; i < search.results.size(); ++i) {
    tuning.table.push_back(row_of(search.results[i], run.metric, search.chosen == i));
  }
  if (search.chosen) tuning.chosen = search.results[*search.chosen].point.describe();
  if (search.chosen && search.status == Status::solved && options.train_best) {
    TrainingRequest at_best = request;
    at_best.options = at_point(request.options, search.results[*search.chosen].point);
    tuning.best = measured.train_on(data, at_best);
    tuning.report = tuning.best->report;
  } else {
    tuning.report = learner_report(
        measured.info(), data.data, trainings.options_at(tuning.chosen), request.context);
  }
  add_search(run, options, trainings, tuning);
  tuning.report.solve.seconds.emplace_back("search", seconds);
  return tuning;
}

}  // namespace maxmargin
