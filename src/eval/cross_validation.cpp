// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/cross_validation.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/parallel.hpp"
#include "eval/fold_evaluator.hpp"
#include "eval/measured.hpp"
#include "eval/task_runner.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A tested row and where its prediction is.
struct Place {
  std::size_t row = 0;
  std::size_t fold = 0;
  std::size_t position = 0;
};

std::vector<Place> places_by_row(std::span<const Fold> folds, std::span<const char> done) {
  std::vector<Place> places;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (!done[f]) continue;
    for (std::size_t i = 0; i < folds[f].test.size(); ++i) {
      places.push_back({folds[f].test[i], f, i});
    }
  }
  std::sort(
      places.begin(), places.end(), [](const Place& a, const Place& b) { return a.row < b.row; });
  return places;
}

/// One value for every place from the vectors that `part` picks out of the folds' predictions;
/// empty when a fold lacks that part.
template <class Part>
auto pooled_part(std::span<const Place> places,
                 std::span<const Predictions> of_fold,
                 const Part& part) {
  std::remove_cvref_t<decltype(part(of_fold[0]))> values;
  for (const Place& place : places) {
    if (part(of_fold[place.fold]).empty()) return decltype(values){};
    values.push_back(part(of_fold[place.fold])[place.position]);
  }
  return values;
}

DenseMatrix pooled_probabilities(std::span<const Place> places,
                                 std::span<const Predictions> of_fold) {
  if (places.empty()) return {};
  DenseMatrix pooled(places.size(), of_fold[places[0].fold].probabilities.cols());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const DenseMatrix& source = of_fold[places[i].fold].probabilities;
    if (source.rows() == 0 || source.cols() != pooled.cols()) return {};
    std::copy_n(source.row(places[i].position).begin(), pooled.cols(), pooled.row(i).begin());
  }
  return pooled;
}

Predictions pool(std::span<const Place> places, std::span<const Predictions> of_fold) {
  return {.labels = pooled_part(
              places, of_fold, [](const auto& p) -> auto& { return p.labels; }),
          .scores = pooled_part(
              places, of_fold, [](const auto& p) -> auto& { return p.scores; }),
          .probabilities = pooled_probabilities(places, of_fold),
          .targets = pooled_part(
              places, of_fold, [](const auto& p) -> auto& { return p.targets; })};
}

}  // namespace

CrossValidation cross_validate(const Dataset& data,
                               std::span<const Fold> folds,
                               const FoldLearner& learner,
                               const Metric& metric,
                               const CrossValidationOptions& options) {
  require(static_cast<bool>(learner), "the learner is empty");
  const FoldEvaluator evaluator("cross_validate", data, folds, metric, options.context.seed);
  std::vector<Predictions> predictions(folds.size());
  std::vector<char> done(folds.size(), 0);
  const FoldMeasurer measurer = [&](std::span<const GridPoint> /*points*/,
                                    std::size_t fold,
                                    std::span<const std::size_t> train) {
    predictions[fold] = evaluator.predict(fold, train, learner);
    if (predictions[fold].unfinished) return std::vector<std::optional<double>>(1);
    done[fold] = 1;
    return std::vector{std::optional(evaluator.measure(folds[fold].test, predictions[fold]))};
  };
  CrossValidation result = cross_validate_measured({.folds = folds}, measurer, options);
  const std::vector<Place> places = places_by_row(folds, done);
  result.tested_rows.reserve(places.size());
  for (const Place& place : places) result.tested_rows.push_back(place.row);
  result.out_of_fold = pool(places, predictions);
  result.pooled = places.empty() ? nan : evaluator.measure(result.tested_rows, result.out_of_fold);
  return result;
}

CrossValidation cross_validate_measured(const MeasuredFolds& folds,
                                        const FoldMeasurer& measurer,
                                        const CrossValidationOptions& options) {
  const std::size_t count = folds.folds.size();
  CrossValidation result;
  result.of_fold.assign(count, nan);
  result.pooled = nan;
  TaskRunner runner(thread_count(options.context.threads),
                    "cross-validation",
                    count,
                    options.context.on_progress);
  const std::vector<GridPoint> point(1);
  runner.run(count, [&](std::size_t fold) -> std::size_t {
    const std::optional<double> value = measurer(point, fold, folds.folds[fold].train).front();
    if (!value) return 0;
    result.of_fold[fold] = *value;
    return 1;
  });
  result.folds_run = static_cast<std::size_t>(runner.finished());
  result.status = runner.status();
  const FoldSummary summary = summarise_folds(result.of_fold);
  result.mean = summary.mean;
  result.standard_error = summary.standard_error;
  return result;
}

}  // namespace maxmargin
