// SPDX-License-Identifier: Apache-2.0
#include "eval/fold_evaluator.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/significance/significance.hpp"

namespace maxmargin {

namespace {

template <class T>
std::vector<T> gather(std::span<const T> from, std::span<const std::size_t> rows) {
  std::vector<T> chosen;
  if (from.empty()) return chosen;
  chosen.reserve(rows.size());
  for (const std::size_t row : rows) chosen.push_back(from[row]);
  return chosen;
}

}  // namespace

FoldEvaluator::FoldEvaluator(std::string_view function,
                             const Dataset& data,
                             std::span<const Fold> folds,
                             const Metric& metric,
                             std::uint64_t seed)
    : function_(function), data_(data), folds_(folds), metric_(metric), seed_(seed) {
  check_data();
  check_folds();
  if (metric.input != MetricInput::targets) classes_ = classes_of(data.labels);
}

void FoldEvaluator::refuse(const std::string& problem) const {
  throw InvalidArgument(std::string(function_) + ": " + problem);
}

void FoldEvaluator::check_data() const {
  data_.validate();
  if (!metric_.value) refuse("the metric has no function");
  if (!data_.has_labels()) refuse("the data has no labels to compare with");
  if (metric_.input == MetricInput::targets && !data_.labels.all_numbers()) {
    refuse("metric " + metric_.name + " needs real targets, the data has labels that are text");
  }
}

void FoldEvaluator::check_folds() const {
  const std::size_t n = data_.size();
  if (folds_.empty()) refuse("there are no folds");
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> trained_in(n, nowhere);
  std::vector<std::size_t> tested_in(n, nowhere);
  for (std::size_t f = 0; f < folds_.size(); ++f) {
    const std::string name = "fold " + std::to_string(f);
    if (folds_[f].train.empty()) refuse(name + " has no training rows");
    if (folds_[f].test.empty()) refuse(name + " has no test rows");
    const auto check_row = [&](std::size_t row) {
      if (row >= n) {
        refuse(name + " names row " + std::to_string(row) + " of " + std::to_string(n));
      }
    };
    for (const std::size_t row : folds_[f].train) {
      check_row(row);
      trained_in[row] = f;
    }
    for (const std::size_t row : folds_[f].test) {
      check_row(row);
      if (trained_in[row] == f) refuse(name + " trains on its test row " + std::to_string(row));
      if (tested_in[row] != nowhere) refuse("row " + std::to_string(row) + " is tested twice");
      tested_in[row] = f;
    }
  }
}

void FoldEvaluator::check_labels(std::size_t fold, std::span<const std::int32_t> labels) const {
  // Cluster numbers are names; class indices must exist.
  const bool any_number = metric_.input == MetricInput::clusters;
  const auto classes = static_cast<std::int64_t>(classes_.count());
  for (const std::int32_t label : labels) {
    if (label >= -1 && (any_number || label < classes)) continue;
    refuse("the learner predicted class " + std::to_string(label) + " in fold " +
           std::to_string(fold) + ", must be -1 or an index of the " + std::to_string(classes) +
           " classes");
  }
}

void FoldEvaluator::check_predictions(std::size_t fold, const Predictions& predictions) const {
  const std::size_t rows = folds_[fold].test.size();
  const MetricInput needed = metric_.input;
  const auto check_part = [&](MetricInput part, std::size_t length) {
    const bool optional =
        part != needed && !(part == MetricInput::labels && needed == MetricInput::clusters);
    if (length == rows || (length == 0 && optional)) return;
    refuse("the learner returned " + std::to_string(length) + " " + std::string(to_string(part)) +
           " for the " + std::to_string(rows) + " test rows of fold " + std::to_string(fold) +
           " (metric " + metric_.name + " needs " + std::string(to_string(needed)) + ")");
  };
  check_part(MetricInput::labels, predictions.labels.size());
  check_part(MetricInput::scores, predictions.scores.size());
  check_part(MetricInput::probabilities, predictions.probabilities.rows());
  check_part(MetricInput::targets, predictions.targets.size());
  if (needed == MetricInput::targets) return;  // no classes are known then
  check_labels(fold, predictions.labels);
  const std::size_t columns = predictions.probabilities.cols();
  if (predictions.probabilities.rows() > 0 && columns != classes_.count()) {
    refuse("the learner returned probabilities of " + std::to_string(columns) +
           " classes in fold " + std::to_string(fold) + ", there are " +
           std::to_string(classes_.count()));
  }
}

Predictions FoldEvaluator::predict(std::size_t fold,
                                   std::span<const std::size_t> train_rows,
                                   const FoldLearner& learner) const {
  const ManyLearner alone =
      [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
        return std::vector<Predictions>{learner(train, test, context)};
      };
  return std::move(predict_many(fold, train_rows, 1, alone).front());
}

std::vector<Predictions> FoldEvaluator::predict_many(std::size_t fold,
                                                     std::span<const std::size_t> train_rows,
                                                     std::size_t count,
                                                     const ManyLearner& learner) const {
  const Dataset train = data_.select(train_rows);
  Dataset test = data_.select(folds_[fold].test);
  test.labels = {};
  test.label_sets = {};
  std::vector<Predictions> all = learner(train,
                                         test,
                                         {.fold = fold,
                                          .seed = derive_seed(seed_, "evaluation fold", fold),
                                          .class_names = classes_.names});
  if (all.size() != count) {
    refuse("the learner returned predictions of " + std::to_string(all.size()) + " points for " +
           std::to_string(count));
  }
  for (const Predictions& predictions : all) {
    if (!predictions.unfinished) check_predictions(fold, predictions);
  }
  return all;
}

double FoldEvaluator::measure(std::span<const std::size_t> rows,
                              const Predictions& predictions) const {
  const auto truth = gather<std::int32_t>(classes_.of_row, rows);
  const auto weights = gather<double>(data_.weights, rows);
  std::vector<double> targets;
  if (metric_.input == MetricInput::targets) targets = gather(data_.labels.numbers(), rows);
  return metric_.value({.truth = truth,
                        .classes = classes_.count(),
                        .predicted = predictions.labels,
                        .scores = predictions.scores,
                        .probabilities = predictions.probabilities.view(),
                        .targets = targets,
                        .predicted_targets = predictions.targets,
                        .weights = weights});
}

FoldSummary summarise_folds(std::span<const double> values) {
  std::vector<double> defined;
  double infinite_sum = 0;
  for (const double value : values) {
    if (std::isinf(value)) infinite_sum += value;
    if (!std::isnan(value)) defined.push_back(value);
  }
  // An infinite loss in one fold is an infinite mean, of unknown spread.
  if (infinite_sum != 0) {
    return {infinite_sum, std::numeric_limits<double>::quiet_NaN(), defined.size()};
  }
  const MeanEstimate estimate = estimate_mean(defined);
  return {estimate.mean, estimate.standard_error, defined.size()};
}

}  // namespace maxmargin
