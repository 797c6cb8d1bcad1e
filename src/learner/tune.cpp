// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/tune.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/own_values.hpp"
#include "learner/data_checks.hpp"
#include "learner/defined.hpp"
#include "learner/part_of_run.hpp"
#include "learner/structured/fold_runs.hpp"
#include "learner/structured/measure_terms.hpp"
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

/// Every value of every axis is one that the learner takes; the first is also that of the others'.
void check_values(const Learner& learner, const OptionTexts& given, const Grid& grid) {
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
Grid grid_of(const std::string& text, const Learner& learner, const OptionTexts& given) {
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

/// Points of a grid are compared by one measure.
void refuse_terms(const Grid& grid, const Learner& learner, std::string_view measure) {
  const auto terms = measure_terms(learner.info().name, measure);
  for (const GridAxis& axis : grid.axes()) {
    if (std::ranges::find(terms, axis.name) == terms.end()) continue;
    throw InvalidArgument("--grid: " + flag_of(axis.name) + " says what " + std::string(measure) +
                          " measures, so points with other values of it cannot be compared");
  }
}

/// A mean over no fold says nothing.
[[noreturn]] void refuse_unmeasured(std::string_view measure) {
  throw InvalidArgument("no fold has the measure " + std::string(measure) +
                        ": it is undefined for what was predicted there");
}

/// A row of what was tried.
ReportFields row_of(const GridResult& result, const std::string& measure, bool chosen) {
  ReportFields row;
  for (const auto& [name, value] : result.point.entries()) {
    const std::optional<double> number = parse_number(value);
    // JSON has no number for inf.
    const bool is_number = number && std::isfinite(*number);
    row.emplace_back(name, is_number ? ReportValue(*number) : ReportValue(value));
  }
  row.emplace_back(measure, result.mean);
  row.emplace_back("standard_error", result.standard_error);
  row.emplace_back("folds", static_cast<std::int64_t>(result.folds_run));
  row.emplace_back("train_share", result.train_share);
  row.emplace_back("chosen", chosen);
  return row;
}

/// Adds what came out of the search behind what is known of the training.
void add_search(const TuneOptions& options, const FoldTrainings& trainings, Tuning& tuning) {
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
    report.metrics.emplace_back("cross_validated_" + tuning.metric, best.mean);
    report.metrics.emplace_back("cross_validated_standard_error", best.standard_error);
  }
  report.metrics.emplace_back("trainings", static_cast<double>(search.trainings));
  if (search.status != Status::solved) {
    report.solve.warnings.emplace_back(
        "the search was stopped: the table holds what was finished, and no model is written");
  }
  report.tables.emplace_back("table", tuning.table);
}

/// A learner with data, options and folds, of whichever family.
class Measured {
 public:
  Measured() = default;
  virtual ~Measured() = default;
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

  [[nodiscard]] virtual FoldMeasure measure() const = 0;
  [[nodiscard]] virtual CrossValidation folds(FoldTrainings& trainings) const = 0;
  [[nodiscard]] virtual GridSearch search(const Grid& grid,
                                          const GridSearchOptions& options,
                                          FoldTrainings& trainings) const = 0;
  /// Of no training in particular; `options` as one of them used them.
  [[nodiscard]] virtual RunReport report(const ReportFields& options) const = 0;
  [[nodiscard]] virtual Training train(const TrainingRequest& request) const = 0;
};

class MeasuredRows final : public Measured {
 public:
  MeasuredRows(const SupervisedLearner& learner,
               const TableData& data,
               const TrainingRequest& request,
               const FoldOptions& options,
               const Grid* grid)
      : learner_(learner),
        data_(data),
        request_(request),
        input_(fit_input(data, request)),
        run_(run(options, grid)) {}

  [[nodiscard]] FoldMeasure measure() const override {
    return {run_.metric.name, run_.metric.larger_is_better};
  }
  [[nodiscard]] CrossValidation folds(FoldTrainings& trainings) const override {
    return run_folds(run_, trainings);
  }
  [[nodiscard]] GridSearch search(const Grid& grid,
                                  const GridSearchOptions& options,
                                  FoldTrainings& trainings) const override {
    return run_grid(run_, grid, options, trainings);
  }
  [[nodiscard]] RunReport report(const ReportFields& options) const override {
    return learner_report(learner_.info(), data_.data, options, request_.context);
  }
  [[nodiscard]] Training train(const TrainingRequest& request) const override {
    return learner_.train_on(data_, request);
  }

 private:
  /// Checks everything but the options of the learner.
  [[nodiscard]] FoldRun run(const FoldOptions& options, const Grid* grid) const {
    const Task task = learner_.info().task;
    const Metric& metric = metric_for(task, options.metric, are_calibrated(request_.options, grid));
    // Here the rows have the numbers that they have in the file.
    if (task != Task::detect && !learner_.info().learns_from_unlabelled) {
      require_all_labelled(data_.data);
    }
    require_measurable(metric, task, data_.data);
    return {.learner = learner_,
            .given = data_,
            .options = request_.options,
            .input = input_,
            .metric = metric,
            .folds = folds_of(
                data_.data, task, static_cast<std::size_t>(options.folds), request_.context.seed)};
  }

  const SupervisedLearner& learner_;
  const TableData& data_;
  const TrainingRequest& request_;
  FitInput input_;
  FoldRun run_;
};

class MeasuredStructures final : public Measured {
 public:
  MeasuredStructures(const StructuredLearner& learner,
                     const LearnerData& data,
                     const TrainingRequest& request,
                     const FoldOptions& options)
      : learner_(learner),
        data_(data),
        options_(options_without_files(request.options)),
        measure_(fold_measure_for(learner, options.metric)),
        examples_(data, learner.info().data),
        run_{.learner = learner,
             .examples = examples_,
             .options = options_,
             .context = request.context,
             .measure = measure_,
             .folds =
                 examples_.folds(static_cast<std::size_t>(options.folds), request.context.seed)} {}

  [[nodiscard]] FoldMeasure measure() const override { return measure_; }
  [[nodiscard]] CrossValidation folds(FoldTrainings& trainings) const override {
    return run_folds(run_, trainings);
  }
  [[nodiscard]] GridSearch search(const Grid& grid,
                                  const GridSearchOptions& options,
                                  FoldTrainings& trainings) const override {
    return run_grid(run_, grid, options, trainings);
  }
  [[nodiscard]] RunReport report(const ReportFields& options) const override {
    return {.kind = "learner",
            .name = std::string(learner_.info().name),
            .n = examples_in(data_),
            .options = options};
  }
  [[nodiscard]] Training train(const TrainingRequest& request) const override {
    return learner_.train(data_, request);
  }

 private:
  const StructuredLearner& learner_;
  const LearnerData& data_;
  OptionTexts options_;
  FoldMeasure measure_;
  ExampleList examples_;
  StructuredFoldRun run_;
};

/// The learner that these options lead to. Throws InvalidArgument where it has no folds.
const Learner& measured_learner(const Learner& learner, const OptionTexts& options) {
  const Learner& found = effective_learner(learner, options);
  if (found.has_folds()) return found;
  throw InvalidArgument("the learner " + std::string(learner.info().name) +
                        " cannot be tuned or measured on folds: clusters are no labels to compare "
                        "with");
}

/// Of a learner that has folds, whose options are checked; everything else is checked here.
std::unique_ptr<Measured> measured_on(const Learner& learner,
                                      const TableData& data,
                                      const TrainingRequest& request,
                                      const FoldOptions& options,
                                      const Grid* grid) {
  check_data(data);
  return std::make_unique<MeasuredRows>(
      dynamic_cast<const SupervisedLearner&>(learner), data, request, options, grid);
}
std::unique_ptr<Measured> measured_on(const Learner& learner,
                                      const LearnerData& data,
                                      const TrainingRequest& request,
                                      const FoldOptions& options,
                                      const Grid* grid) {
  if (const auto* structured = dynamic_cast<const StructuredLearner*>(&learner)) {
    return std::make_unique<MeasuredStructures>(*structured, data, request, options);
  }
  return measured_on(learner, table_of(data, learner.info()), request, options, grid);
}

template <class Data>
LearnerFolds cross_validate_on(const Learner& learner,
                               const Data& data,
                               const TrainingRequest& request,
                               const FoldOptions& options) {
  validate(options);
  const Learner& own = measured_learner(learner, request.options);
  own.check_options(request.options);
  const std::unique_ptr<Measured> measured = measured_on(own, data, request, options, nullptr);
  const std::string name(measured->measure().name);
  FoldTrainings trainings;
  const Stopwatch watch;
  LearnerFolds result{.metric = name, .found = measured->folds(trainings)};
  const CrossValidation& found = result.found;
  if (found.status == Status::solved && std::isnan(found.mean)) refuse_unmeasured(name);
  RunReport& report = result.report;
  report = measured->report(trainings.options_at({}));
  report.options.emplace_back("folds", static_cast<std::int64_t>(found.of_fold.size()));
  report.solve.status = found.status;
  trainings.add_to(report.solve);
  report.solve.iterations = found.folds_run;
  report.metrics = {{name, defined(found.mean)},
                    {name + "_standard_error", defined(found.standard_error)}};
  // Answers with measures of their own are not pooled.
  if (fold_measures(own).empty()) {
    report.metrics.emplace_back(name + "_pooled", defined(found.pooled));
  }
  std::vector<ReportFields> rows;
  for (std::size_t f = 0; f < found.of_fold.size(); ++f) {
    rows.push_back({{"fold", static_cast<std::int64_t>(f)}, {name, found.of_fold[f]}});
  }
  report.tables.emplace_back("folds", std::move(rows));
  report.solve.seconds.emplace_back("cross-validate", watch.seconds());
  return result;
}

template <class Data>
Tuning tune_on(const Learner& learner,
               const Data& data,
               const TrainingRequest& request,
               const TuneOptions& options) {
  validate(options);
  const Learner& own = measured_learner(learner, request.options);
  own.check_options(request.options);
  const Grid grid = grid_of(options.grid, own, request.options);
  const std::unique_ptr<Measured> measured = measured_on(own, data, request, options.folds, &grid);
  const FoldMeasure measure = measured->measure();
  refuse_terms(grid, own, measure.name);
  FoldTrainings trainings;
  const Stopwatch watch;
  Tuning tuning{.metric = std::string(measure.name), .larger_is_better = measure.larger_is_better};
  tuning.search = measured->search(grid, search_of(options), trainings);
  const double seconds = watch.seconds();
  const GridSearch& search = tuning.search;
  if (!search.chosen && search.status == Status::solved) refuse_unmeasured(measure.name);
  for (std::size_t i = 0; i < search.results.size(); ++i) {
    tuning.table.push_back(row_of(search.results[i], tuning.metric, search.chosen == i));
  }
  if (search.chosen) tuning.chosen = search.results[*search.chosen].point.describe();
  if (search.chosen && search.status == Status::solved && options.train_best) {
    TrainingRequest at_best = request;
    at_best.options = at_point(request.options, search.results[*search.chosen].point);
    tuning.best = measured->train(at_best);
    tuning.report = tuning.best->report;
  } else {
    tuning.report = measured->report(trainings.options_at(tuning.chosen));
  }
  add_search(options, trainings, tuning);
  tuning.report.solve.seconds.emplace_back("search", seconds);
  return tuning;
}

/// Does the learner of these options take its rows as structured data?
bool is_structured(const Learner& learner, const OptionTexts& options) {
  return dynamic_cast<const StructuredLearner*>(&effective_learner(learner, options)) != nullptr;
}

}  // namespace

std::span<const FoldMeasure> fold_measures(const Learner& learner) {
  const auto* structured = dynamic_cast<const StructuredLearner*>(&learner);
  return structured == nullptr ? std::span<const FoldMeasure>() : structured->measures();
}

void say_measures(const Learner& learner, std::vector<OptionDescription>& options) {
  const std::span<const FoldMeasure> measures = fold_measures(learner);
  const auto at = std::ranges::find(options, "metric", &OptionDescription::name);
  if (measures.empty() || at == options.end()) return;
  at->names.clear();
  for (const FoldMeasure& each : measures) at->names.emplace_back(each.name);
  at->fallback = measures.front().name;
}

void FoldOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "folds", .help = "parts of the cross-validation", .value = "K"},
              folds,
              {.least = 2});
  std::vector<std::string_view> names;
  for (const Metric& each : all_metrics()) names.push_back(each.name);
  SuggestedNames(visit, std::move(names))
      .text({.name = "metric",
             .help = "what is measured on the examples left out",
             .value = "NAME",
             .fallback = "accuracy; mse for regression; structured learners have their own"},
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
                                    const LearnerData& data,
                                    const TrainingRequest& request,
                                    const FoldOptions& options) {
  return cross_validate_on(learner, data, request, options);
}

LearnerFolds cross_validate_learner(const Learner& learner,
                                    const TableData& data,
                                    const TrainingRequest& request,
                                    const FoldOptions& options) {
  if (!is_structured(learner, request.options)) {
    return cross_validate_on(learner, data, request, options);
  }
  return cross_validate_on(learner, LearnerData(data), request, options);
}

Tuning tune(const Learner& learner,
            const LearnerData& data,
            const TrainingRequest& request,
            const TuneOptions& options) {
  return tune_on(learner, data, request, options);
}

Tuning tune(const Learner& learner,
            const TableData& data,
            const TrainingRequest& request,
            const TuneOptions& options) {
  if (!is_structured(learner, request.options)) return tune_on(learner, data, request, options);
  return tune_on(learner, LearnerData(data), request, options);
}

}  // namespace maxmargin
