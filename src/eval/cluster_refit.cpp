// SPDX-License-Identifier: Apache-2.0
#include "eval/cluster_refit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/parts_of_run.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "maxmargin/metric/registry.hpp"
#include "maxmargin/metric/scores.hpp"
#include "maxmargin/model/kernel/svc.hpp"

namespace maxmargin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The clustered rows, labelled by their clusters.
Dataset clustered_rows(const Dataset& data, std::span<const std::int32_t> clusters) {
  std::vector<std::size_t> rows;
  std::vector<double> labels;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    require_field(clusters[i] >= -1, "a cluster number", clusters[i], ">= -1");
    if (clusters[i] < 0) continue;
    rows.push_back(i);
    labels.push_back(clusters[i]);
  }
  Dataset parts{.examples = data.examples, .weights = data.weights, .source = data.source};
  parts = parts.select(rows);
  parts.labels = LabelColumn::from_numbers(std::move(labels));
  return parts;
}

SvcOptions machine_options(const ClusterRefitOptions& options) {
  return {.c = options.c,
          .kernel = options.kernel,
          .allow_indefinite = options.allow_indefinite,
          .allow_one_class = true,  // a fold may lack a cluster
          // Without the memory limit, which decides in what precision kernel rows are held.
          .control = {.context = {.threads = options.context.threads,
                                  .seed = options.context.seed,
                                  .on_progress = options.context.on_progress}}};
}

/// Answers in terms of the clusters of all rows; those that a fold's machine never saw are missing.
/// The options must have a callback that may be called from several threads.
FoldLearner refit_learner(const ClusterRefitOptions& options) {
  return [machine = machine_options(options)](
             const Dataset& train, const Dataset& test, const FoldContext& context) {
    const TrainedClassifier trained = train_svc(train, machine);
    Predictions predictions;
    predictions.unfinished = was_stopped(trained.report.status);
    if (predictions.unfinished) return predictions;
    for (const Label& label : trained.model.predict(test)) {
      predictions.labels.push_back(find_class(context.class_names, label).value_or(-1));
    }
    return predictions;
  };
}

double least_fisher_ratio(const Classifier& model, DenseView values, const Classes& clusters) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < model.code.functions; ++f) {
    std::vector<double> projections(values.rows);
    std::vector<std::int32_t> side(values.rows);
    for (std::size_t i = 0; i < values.rows; ++i) {
      projections[i] = values(i, f);
      const int sign = model.code.sign(static_cast<std::size_t>(clusters.of_row[i]), f);
      side[i] = sign == 0 ? -1 : sign > 0 ? 1 : 0;
    }
    const double ratio = fisher_ratio(projections, side);
    if (std::isnan(ratio)) return nan;
    least = std::min(least, ratio);
  }
  return least;
}

}  // namespace

void ClusterRefitOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "C", .help = "weight of the losses; larger fits the rows closer"},
               c,
               rules::positive);
  visit.whole(
      {.name = "folds", .help = "parts of the cross-validation; more take longer and vary less"},
      folds,
      {.least = 2});
  visit.yes_no(
      {.name = "allow-indefinite", .help = "accept a kernel that is not positive semidefinite"},
      allow_indefinite);
  visit.check([this] { validate(kernel); });
}

ClusterRefit refit_clusters(const Dataset& data,
                            std::span<const std::int32_t> clusters,
                            const ClusterRefitOptions& given) {
  validate(given);
  ClusterRefitOptions options = given;
  options.context = shared_by_threads(given.context);  // folds run side by side
  require(clusters.size() == data.size(),
          std::to_string(clusters.size()) + " labels for " + std::to_string(data.size()) + " rows");
  const Dataset rows = clustered_rows(data, clusters);
  const Classes classes = classes_of(rows.labels);
  ClusterRefit refit{.train_error = nan, .test_error = nan, .fisher_ratio = nan};
  if (classes.count() < 2) return refit;

  const TrainedClassifier trained = train_svc(rows, machine_options(options));
  refit.status = trained.report.status;
  if (was_stopped(refit.status)) return refit;
  const DenseMatrix values =
      decision_values(trained.model.functions,
                      rows.examples,
                      {.context = options.context, .precision = ValuePrecision::exact});
  const std::vector<std::int32_t> predicted =
      predicted_classes(decode(trained.model.code, values.view()).view());
  const Metric& error = metric_by_name("error");
  refit.train_error =
      error.value({.truth = classes.of_row, .predicted = predicted, .weights = rows.weights});
  refit.fisher_ratio = least_fisher_ratio(trained.model, values.view(), classes);

  const std::vector<Fold> folds =
      stratified_folds(classes.of_row, std::min(options.folds, rows.size()), options.context.seed);
  const CrossValidation tested =
      cross_validate(rows, folds, refit_learner(options), error, {.context = options.context});
  refit.status = worse(refit.status, tested.status);
  if (tested.status == Status::solved) refit.test_error = tested.pooled;
  return refit;
}

}  // namespace maxmargin
