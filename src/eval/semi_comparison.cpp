// SPDX-License-Identifier: Apache-2.0
#include "eval/semi_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/data/splits.hpp"

namespace maxmargin {

namespace {

/// A difference of so many standard errors needs no repeats.
constexpr double plain_errors = 4;

/// Of one labelled row: how often a machine that was trained without its label was right.
struct Right {
  double supervised = 0;
  double semi_supervised = 0;
};

/// Of the test rows of a fold.
void count_right(const TrainedClassifier& trained,
                 const Dataset& data,
                 const std::vector<std::size_t>& rows,
                 double Right::*count,
                 std::vector<Right>& right) {
  const DenseMatrix scores = decode(trained.model.code, trained.training_values.view());
  const std::vector<std::int32_t> said = predicted_classes(scores.view());
  for (const std::size_t row : rows) {
    const Label& answer = trained.model.classes[static_cast<std::size_t>(said[row])];
    if (data.labels.at(row) == answer) right[row].*count += 1;
  }
}

/// Means over the labelled rows, each of which was tested `times` times.
void summarise(const Dataset& data,
               const std::vector<Right>& right,
               std::size_t times,
               SemiComparison& found) {
  const auto n = static_cast<double>(found.labelled);
  const auto tests = static_cast<double>(times);
  double supervised = 0;
  double semi_supervised = 0;
  double squares = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!data.labels.at(i)) continue;
    supervised += right[i].supervised;
    semi_supervised += right[i].semi_supervised;
    const double difference = (right[i].semi_supervised - right[i].supervised) / tests;
    squares += difference * difference;
  }
  found.supervised = supervised / (n * tests);
  found.semi_supervised = semi_supervised / (n * tests);
  const double mean = *found.semi_supervised - *found.supervised;
  // One row more that says nothing of either: few rows that agree by chance are no certainty.
  const double variance = std::max(0.0, squares / n - mean * mean) + 1 / (n * tests * tests);
  found.standard_error = std::sqrt(variance / (n - 1));
}

/// What was found before a stop is of some folds alone.
SemiComparison without_figures(SemiComparison found) {
  found.supervised = found.semi_supervised = found.standard_error = std::nullopt;
  return found;
}

}  // namespace

void SemiComparisonOptions::describe(OptionVisitor& visit) {
  visit.whole(
      {.name = "folds", .help = "parts of the cross-validation; more take longer and vary less"},
      folds,
      {.least = 2});
  visit.whole(
      {.name = "repeats", .help = "times that the rows are parted anew"}, repeats, {.least = 1});
}

SemiVerdict SemiComparison::verdict() const {
  if (!supervised) return SemiVerdict::cannot_tell;
  const double difference = *semi_supervised - *supervised;
  if (!(std::abs(difference) > telling_errors * *standard_error)) return SemiVerdict::cannot_tell;
  return difference > 0 ? SemiVerdict::help : SemiVerdict::do_not_help;
}

SemiComparison compare_semi_supervised(
    const Dataset& data,
    const std::function<TrainedSemiSupervised(const Dataset&)>& train,
    const SemiComparisonOptions& options) {
  validate(options);
  SemiComparison found;
  const Classes classes = classes_of(data.labels);
  const std::vector<std::size_t> sizes = classes.sizes();
  found.labelled = data.labels.labelled_count();
  if (sizes.size() < 2 || std::ranges::any_of(sizes, [](std::size_t n) { return n < 2; })) {
    found.reason = "a class has a single labelled row, so no cross-validation can hide it";
    return found;
  }
  std::vector<Right> right(data.size());
  Dataset hidden = data;
  // Whatever else came before: a training that was stopped is half a machine.
  const auto stopped = [&found](Status status) {
    if (was_stopped(status)) found.reason = "stopped before the cross-validation was done";
    return was_stopped(status);
  };
  const std::size_t parts = std::min(options.folds, found.labelled);
  // Rows that are left out one by one are left out alike every time.
  const std::size_t repeats = parts == found.labelled ? 1 : options.repeats;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<Fold> folds = stratified_folds(
        classes.of_row, parts, derive_seed(options.context.seed, "semi comparison", repeat));
    for (const Fold& fold : folds) {
      const Continue answer = options.context.ask({.phase = "compare"});
      if (answer != Continue::yes) {
        found.status = worse(found.status, status_of(answer));
        if (stopped(status_of(answer))) return without_figures(found);
      }
      hidden.labels = data.labels;
      for (const std::size_t row : fold.test) hidden.labels.clear(row);
      const TrainedSemiSupervised trained = train(hidden);
      const Status supervised = trained.supervised.report.status;
      const Status semi_supervised = trained.semi_supervised.report.status;
      found.status = worse(found.status, worse(supervised, semi_supervised));
      if (stopped(supervised) || stopped(semi_supervised)) return without_figures(found);
      count_right(trained.supervised, data, fold.test, &Right::supervised, right);
      count_right(trained.semi_supervised, data, fold.test, &Right::semi_supervised, right);
    }
    summarise(data, right, repeat + 1, found);
    const bool all_alike = std::ranges::all_of(
        right, [](const Right& each) { return each.supervised == each.semi_supervised; });
    const double difference = std::abs(*found.semi_supervised - *found.supervised);
    if (all_alike || difference > plain_errors * *found.standard_error) break;
  }
  return found;
}

}  // namespace maxmargin
