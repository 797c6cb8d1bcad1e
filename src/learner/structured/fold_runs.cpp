// SPDX-License-Identifier: Apache-2.0
#include "learner/structured/fold_runs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "core/parts_of_run.hpp"
#include "eval/measured.hpp"
#include "learner/option_texts.hpp"
#include "learner/part_of_run.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin::learning {

namespace {

/// Is `reported` the measure, or the measure at some K?
bool is_measure(std::string_view reported, std::string_view measure) {
  if (reported == measure) return true;
  return measure.ends_with("_at") && reported.starts_with(measure) &&
         reported.substr(measure.size()).starts_with('_');
}

/// NaN where the answers have no such measure.
double value_of(const RunReport& report, const FoldMeasure& measure) {
  for (const auto& [name, value] : report.metrics) {
    if (is_measure(name, measure.name) && value) return *value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// One training and its measure.
class Measurer {
 public:
  Measurer(const StructuredFoldRun& run, const Context& context, FoldTrainings& trainings)
      : run_(run), context_(context), trainings_(trainings) {}

  /// Nothing where the training was stopped.
  [[nodiscard]] std::optional<double> value(const GridPoint& point,
                                            std::size_t fold,
                                            const LearnerData& train,
                                            const LearnerData& test) const {
    const Training trained = run_.learner.train(
        train, {.options = at_point(run_.options, point), .context = context_, .is_part = true});
    if (was_stopped(trained.report.solve.status)) return std::nullopt;
    const Prediction answers =
        run_.learner.predict(*trained.model, test, {}, context_.with_progress(ProgressCallback()));
    if (fold == 0) trainings_.keep_options(point.describe(), trained.report.options);
    trainings_.add(trained.report.solve);
    return value_of(answers.report, run_.measure);
  }

  [[nodiscard]] std::vector<std::optional<double>> values(std::span<const GridPoint> points,
                                                          std::size_t fold,
                                                          std::span<const std::size_t> part) const {
    const LearnerData train = run_.examples.select(part);
    const LearnerData test = run_.examples.select(run_.folds[fold].test);
    std::vector<std::optional<double>> found;
    for (const GridPoint& point : points) found.push_back(value(point, fold, train, test));
    return found;
  }

 private:
  const StructuredFoldRun& run_;
  const Context& context_;
  FoldTrainings& trainings_;
};

MeasuredFolds measured(const StructuredFoldRun& run) {
  return {.folds = run.folds,
          .classes = run.examples.classes(),
          .larger_is_better = run.measure.larger_is_better};
}

}  // namespace

FoldMeasure fold_measure_for(const StructuredLearner& learner, const std::string& name) {
  const std::span<const FoldMeasure> measures = learner.measures();
  if (name.empty()) return measures.front();
  const auto at = std::ranges::find(measures, name, &FoldMeasure::name);
  if (at != measures.end()) return *at;
  std::vector<std::string_view> known;
  for (const FoldMeasure& each : measures) known.push_back(each.name);
  throw InvalidArgument(breach("metric", name, "a known name" + suggest_names(name, known)));
}

CrossValidation run_folds(const StructuredFoldRun& run, FoldTrainings& trainings) {
  const ProgressCallback progress = called_in_turn(run.context.on_progress);
  const Context of_fold = context_of_part(run.context, run.folds.size(), progress);
  const Measurer measurer(run, of_fold, trainings);
  return cross_validate_measured(
      measured(run),
      [&](std::span<const GridPoint> points, std::size_t fold, std::span<const std::size_t> train) {
        return measurer.values(points, fold, train);
      },
      {.context =
           run.context.with_threads(threads_for_parts(run.context)).with_progress(progress)});
}

GridSearch run_grid(const StructuredFoldRun& run,
                    const Grid& grid,
                    GridSearchOptions options,
                    FoldTrainings& trainings) {
  const ProgressCallback progress = called_in_turn(run.context.on_progress);
  const Context of_fold = context_of_part(run.context, run.folds.size() * grid.size(), progress);
  const Measurer measurer(run, of_fold, trainings);
  options.context =
      run.context.with_threads(threads_for_parts(run.context)).with_progress(progress);
  return grid_search_measured(
      measured(run),
      grid,
      {},
      [&](std::span<const GridPoint> points, std::size_t fold, std::span<const std::size_t> train) {
        return measurer.values(points, fold, train);
      },
      options);
}

}  // namespace maxmargin::learning
