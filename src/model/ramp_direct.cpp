// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Several classes"
#include "model/ramp_direct.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/cs_svc.hpp"
#include "maxmargin/model/decision_function.hpp"
#include "model/robust_result.hpp"

namespace maxmargin {

namespace {

/// The own score of every row less the best other: 1 minus it is the loss of Crammer and Singer.
std::vector<double> direct_margins(const TrainedClassifier& trained,
                                   const Examples& examples,
                                   std::span<const std::int32_t> classes,
                                   const TrainingControl& control) {
  const DenseMatrix scores =
      decision_values(trained.model.functions,
                      examples,
                      {.threads = control.threads, .precision = ValuePrecision::exact});
  std::vector<double> margins(classes.size());
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const auto own = static_cast<std::size_t>(classes[i]);
    double other = -std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < scores.cols(); ++r) {
      if (r != own) other = std::max(other, scores(i, r));
    }
    // With one class nothing competes and nothing is lost.
    margins[i] = scores.cols() > 1 ? scores(i, own) - other : 1.0;
  }
  return margins;
}

}  // namespace

TrainedRobustClassifier train_direct_ramp(const Dataset& data, const RampSvcOptions& options) {
  const Stopwatch watch;
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  std::vector<double> costs = task.weights;
  for (double& cost : costs) cost *= options.c;
  Dataset weighted = data;
  CsSvcOptions machine{.c = options.c,
                       .kernel = options.kernel,
                       .bias = options.bias ? 1.0 : 0.0,
                       .allow_one_class = options.allow_one_class,
                       .control = options.control};
  machine.control.keep_dual = false;
  // Weights 0 leave an example out. Class weights are part of task.weights already.
  const SolveStep solve = [&](std::span<const double> eta, const RobustPoint*) {
    weighted.weights = task.weights;
    for (std::size_t i = 0; i < eta.size(); ++i) weighted.weights[i] *= eta[i];
    const auto trained = std::make_shared<TrainedClassifier>(train_cs_svc(weighted, machine));
    return RobustPoint{
        .values = direct_margins(*trained, data.examples, task.classes.of_row, options.control),
        .squared_norm = trained->machines.front().squared_norm,
        .dual = *trained->report.dual_objective,
        .status = trained->report.status,
        .message = trained->report.message,
        .iterations = trained->report.iterations,
        .machine = trained};
  };
  const std::vector<std::int8_t> signs(data.size(), 1);
  const std::size_t starts = options.starts.value_or(default_starts(data.size()));
  RobustPoint plain;
  RobustDescent found = best_descent(RobustLoss::capped(costs, options.s),
                                     signs,
                                     solve,
                                     starts,
                                     options.max_rounds,
                                     derive_seed(options.control.seed, "robust function", 0),
                                     plain);
  TrainedRobustClassifier trained;
  static_cast<TrainedClassifier&>(trained) = std::move(*found.point.machine);
  // |w|^2 >= 0 and losses >= 0 is all that is known of other choices of outliers.
  trained.machines.front().report = robust_report(
      found, is_psd(options.kernel) ? std::optional<double>(0.0) : std::nullopt, watch.seconds());
  trained.report = sum_of_reports(trained.machines);
  std::vector<std::size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  finish_robust({robust_function(found, 0, rows, signs)}, starts, trained);
  return trained;
}

}  // namespace maxmargin
