// SPDX-License-Identifier: Apache-2.0
#include "learner/supervised/fold_runs.hpp"

#include <algorithm>

#include "core/parts_of_run.hpp"
#include "learner/part_of_run.hpp"
#include "learner/supervised/fitting.hpp"
#include "learner/supervised/machine_answers.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin::learning {

namespace {

bool asks_for_probabilities(OptionTexts options) {
  return take_shared(options, true).probabilities.has_value();
}

/// What a fold's machine says of the test rows; `trainings` is told of it. Options and the ranges
/// of all rows are looked at in the first fold alone.
Predictions predictions_of_fold(Fit& fit,
                                const FoldRun& run,
                                const Dataset& test,
                                const FoldContext& context,
                                const std::string& point,
                                FoldTrainings& trainings) {
  if (was_stopped(fit.report.status)) return {.unfinished = true};
  if (context.fold == 0) {
    warn_of_ranges(fit, run.given.data);
    trainings.keep_options(point, fit.options);
  }
  trainings.add(fit.report);
  return predictions_of(fit.machine, run.learner.info().task, test, context.class_names);
}

}  // namespace

bool are_calibrated(const OptionTexts& options, const Grid* grid) {
  if (grid != nullptr) {
    for (const GridAxis& axis : grid->axes()) {
      if (axis.name != "probabilities") continue;
      return std::ranges::all_of(axis.values, [&](const std::string& value) {
        return asks_for_probabilities({{axis.name, value}});
      });
    }
  }
  return asks_for_probabilities(options);
}

const Metric& metric_for(Task task, const std::string& name, bool has_probabilities) {
  const bool is_regression = task == Task::regress;
  const std::string wanted = !name.empty() ? name : is_regression ? "mse" : "accuracy";
  std::vector<std::string_view> fitting;
  for (const Metric& metric : all_metrics()) {
    const bool of_targets = metric.input == MetricInput::targets;
    const bool of_classes = metric.input == MetricInput::labels ||
                            metric.input == MetricInput::scores ||
                            metric.input == MetricInput::probabilities;
    if (is_regression ? of_targets : of_classes) fitting.push_back(metric.name);
  }
  if (std::ranges::find(fitting, wanted) == fitting.end()) {
    throw InvalidArgument(
        breach("metric", wanted, "a known name" + suggest_names(wanted, fitting)));
  }
  const Metric& metric = metric_by_name(wanted);
  if (metric.input == MetricInput::probabilities && !has_probabilities) {
    throw InvalidArgument("--metric " + wanted +
                          ": is of probabilities, which --probabilities alone gives");
  }
  return metric;
}

void require_measurable(const Metric& metric, Task task, const Dataset& data) {
  if (task == Task::regress) return;
  const Classes classes = classes_of(data.labels);
  const bool are_sides = std::ranges::all_of(
      classes.names, [](const Label& name) { return name == Label(1.0) || name == Label(-1.0); });
  if (task == Task::detect && !are_sides) {
    throw FileError(data.source, "labels must be 1 and -1 to measure a one-class machine");
  }
  if (metric.input == MetricInput::scores && classes.count() != 2) {
    throw InvalidArgument("--metric " + metric.name + ": needs two classes, " + data.source +
                          " has " + std::to_string(classes.count()));
  }
}

std::vector<Fold> folds_of(const Dataset& data, Task task, std::size_t k, std::uint64_t seed) {
  if (!data.groups.empty()) return grouped_folds(data.groups, k, seed);
  if (task == Task::classify) return stratified_folds(classes_of(data.labels).of_row, k, seed);
  return plain_folds(data.size(), k, seed);
}

CrossValidation run_folds(const FoldRun& run, FoldTrainings& trainings) {
  const ProgressCallback progress = called_in_turn(run.input.context.on_progress);
  const FitInput of_fold = input_of_part(run.input, run.folds.size(), progress);
  const FoldLearner at_fold =
      [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
        Fit fit = run.learner.fit(train, run.options, of_fold);
        return predictions_of_fold(fit, run, test, context, {}, trainings);
      };
  return cross_validate(
      run.given.data,
      run.folds,
      at_fold,
      run.metric,
      {.context = run.input.context.with_threads(threads_for_parts(run.input.context))
                      .with_progress(progress)});
}

GridSearch run_grid(const FoldRun& run,
                    const Grid& grid,
                    GridSearchOptions options,
                    FoldTrainings& trainings) {
  const ProgressCallback progress = called_in_turn(run.input.context.on_progress);
  const FitInput of_fold = input_of_part(run.input, run.folds.size() * grid.size(), progress);
  const GridPathLearner along_path = [&](std::span<const GridPoint> points,
                                         const Dataset& train,
                                         const Dataset& test,
                                         const FoldContext& context) {
    const OptionTexts first = at_point(run.options, points.front());
    std::vector<Fit> fits;
    if (points.size() > 1) {
      std::vector<double> c_values;
      // Checked before: every value is a number.
      for (const GridPoint& point : points) c_values.push_back(*parse_number(point.text("C")));
      fits = run.learner.fit_path(train, first, of_fold, c_values);
    } else {
      fits.push_back(run.learner.fit(train, first, of_fold));
    }
    std::vector<Predictions> predictions;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      predictions.push_back(
          predictions_of_fold(fits[i], run, test, context, points[i].describe(), trainings));
    }
    return predictions;
  };
  options.context =
      run.input.context.with_threads(threads_for_parts(run.input.context)).with_progress(progress);
  return grid_search_paths(run.given.data, run.folds, grid, "C", along_path, run.metric, options);
}

}  // namespace maxmargin::learning
