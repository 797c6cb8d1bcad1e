// SPDX-License-Identifier: Apache-2.0
#include "eval/semi_comparison.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/core/options.hpp"
#include "maxmargin/data/splits.hpp"

namespace maxmargin {

namespace {

/// Test rows whose class, by its name, the machine says.
std::size_t right_answers(const TrainedClassifier& trained,
                          const Dataset& data,
                          const std::vector<std::size_t>& rows) {
  const DenseMatrix scores = decode(trained.model.code, trained.training_values.view());
  const std::vector<std::int32_t> said = predicted_classes(scores.view());
  std::size_t right = 0;
  for (const std::size_t row : rows) {
    const Label& answer = trained.model.classes[static_cast<std::size_t>(said[row])];
    right += data.labels.at(row) == answer ? 1U : 0U;
  }
  return right;
}

}  // namespace

void SemiComparisonOptions::describe(OptionVisitor& visit) {
  visit.whole(
      {.name = "folds", .help = "parts of the cross-validation; more take longer and vary less"},
      folds,
      {.least = 2});
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
  const std::vector<Fold> folds = stratified_folds(
      classes.of_row, std::min(options.folds, found.labelled), options.context.seed);
  std::size_t supervised = 0;
  std::size_t semi_supervised = 0;
  Dataset hidden = data;
  const auto stopped = [&found] {
    if (was_stopped(found.status)) found.reason = "stopped before the cross-validation was done";
    return was_stopped(found.status);
  };
  for (const Fold& fold : folds) {
    const Continue answer = options.context.ask({.phase = "compare"});
    if (answer != Continue::yes) found.status = status_of(answer);
    if (stopped()) return found;
    hidden.labels = data.labels;
    for (const std::size_t row : fold.test) hidden.labels.clear(row);
    const TrainedSemiSupervised trained = train(hidden);
    found.status = worse(found.status, trained.semi_supervised.report.status);
    if (stopped()) return found;
    supervised += right_answers(trained.supervised, data, fold.test);
    semi_supervised += right_answers(trained.semi_supervised, data, fold.test);
  }
  const auto total = static_cast<double>(found.labelled);
  found.supervised = static_cast<double>(supervised) / total;
  found.semi_supervised = static_cast<double>(semi_supervised) / total;
  return found;
}

}  // namespace maxmargin
