// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Several classes"
#include "model/robust/ramp_direct.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/model/kernel/cs_svc.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"
#include "model/robust/result.hpp"

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
                      {.context = control.context, .precision = ValuePrecision::exact});
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

/// The dual point of the machine, class after class.
std::vector<double> flat_dual(const TrainedClassifier& trained, std::size_t rows) {
  const std::size_t classes = function_count(trained.model.functions);
  std::vector<double> flat(classes * rows, 0.0);
  if (const auto* expansion = std::get_if<KernelExpansion>(&trained.model.functions)) {
    for (std::size_t k = 0; k < expansion->training_rows.size(); ++k) {
      for (std::size_t r = 0; r < classes; ++r) {
        flat[r * rows + expansion->training_rows[k]] = expansion->coefficients(k, r);
      }
    }
    return flat;
  }
  for (std::size_t r = 0; r < classes; ++r) {
    std::ranges::copy(trained.dual_coefficients[r],
                      flat.begin() + static_cast<std::ptrdiff_t>(r * rows));
  }
  return flat;
}

/// Trains Crammer and Singer's machine on one data set again and again, with other weights.
class DirectTrainer {
 public:
  DirectTrainer(const Dataset& data,
                const ClassificationTask& task,
                const Kernel& kernel,
                const RampSvcOptions& options)
      : data_(data),
        task_(task),
        weighted_(data),
        machine_{.c = options.c,
                 .kernel = kernel,
                 .bias = options.bias ? 1.0 : 0.0,
                 .allow_one_class = options.allow_one_class,
                 .control = options.control} {
    machine_.control.keep_dual = true;
  }

  /// SolveStep of descend(): weights 0 leave an example out. Class weights are part of the task's
  /// weights already.
  [[nodiscard]] RobustPoint solve(std::span<const double> shares) {
    weighted_.weights = task_.weights;
    for (std::size_t i = 0; i < shares.size(); ++i) weighted_.weights[i] *= shares[i];
    const auto trained = std::make_shared<TrainedClassifier>(train_cs_svc(weighted_, machine_));
    return {
        .coefficients = flat_dual(*trained, data_.size()),
        .values = direct_margins(*trained, data_.examples, task_.classes.of_row, machine_.control),
        .squared_norm = trained->machines.front().squared_norm,
        .dual = *trained->report.dual_objective,
        .status = trained->report.status,
        .message = trained->report.message,
        .iterations = trained->report.iterations,
        .machine = trained};
  }

  /// SolveHinge of bound_ramp(), for costs that are shares of the task's.
  [[nodiscard]] HingeMachine solve_hinge(std::span<const double> costs) {
    std::vector<double> shares(costs.begin(), costs.end());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double whole = machine_.c * task_.weights[i];
      shares[i] = whole > 0 ? shares[i] / whole : 0.0;
    }
    RobustPoint point = solve(shares);
    return {.coefficients = std::move(point.coefficients),
            .values = std::move(point.values),
            .dual = point.dual,
            .stopped = is_over(point.status)};
  }

 private:
  const Dataset& data_;
  const ClassificationTask& task_;
  Dataset weighted_;
  CsSvcOptions machine_;
};

/// The squares of how far margins can move with the functions: a difference of two of them has at
/// most sqrt(2) times the norm of all.
std::vector<double> reaches(const Dataset& data,
                            const Kernel& kernel,
                            const RampSvcOptions& options) {
  std::vector<double> squares =
      kernel_diagonal(kernel, data.examples, GramOptions{.context = options.control.context});
  for (double& square : squares) square = 2 * (square + (options.bias ? 1.0 : 0.0));
  return squares;
}

/// One vector a class and dual point, for verify_ramp_svc.
DualPoint dual_points(RobustDescent& found,
                      RampBound& bound,
                      std::size_t rows,
                      std::size_t stages) {
  std::vector<double>& first = found.proof;
  const std::size_t numbers = found.point.coefficients.size();
  // After a stop there may be no machine for the returned outliers: zeros prove something, too.
  if (first.size() != numbers) first.assign(numbers, 0.0);
  DualPoint points;
  const auto append = [&](const std::vector<double>& flat) {
    for (std::size_t begin = 0; begin < flat.size(); begin += rows) {
      const auto from = flat.begin() + static_cast<std::ptrdiff_t>(begin);
      points.emplace_back(from, from + static_cast<std::ptrdiff_t>(rows));
    }
  };
  append(first);
  bound.stages.resize(stages, std::vector<double>(numbers, 0.0));
  for (const std::vector<double>& stage : bound.stages) append(stage);
  return points;
}

}  // namespace

TrainedRobustClassifier train_direct_ramp(const Dataset& data,
                                          const ClassificationTask& task,
                                          const Kernel& kernel,
                                          const RampSvcOptions& options) {
  const Stopwatch watch;
  std::vector<double> costs = task.weights;
  for (double& cost : costs) cost *= options.c;
  const std::vector<std::int8_t> signs(data.size(), 1);
  const std::size_t starts = options.restarts.value_or(default_starts(data.size()));
  const std::size_t bound_rounds = options.bound_rounds.value_or(default_bound_rounds(data.size()));
  DirectTrainer trainer(data, task, kernel, options);
  RobustPoint plain;
  RobustDescent found = best_descent(
      RobustLoss::capped(costs, options.s),
      signs,
      [&](std::span<const double> eta, const RobustPoint*) { return trainer.solve(eta); },
      starts,
      options.max_rounds,
      derive_seed(options.control.context.seed, "robust function", 0),
      plain);
  // Without a round of its own the bound is what |w|^2 >= 0 and losses >= 0 say.
  RampBound bound;
  const bool bounded = is_psd(kernel);
  if (bounded && bound_rounds > 0 && !is_over(found.status)) {
    const std::vector<double> squares = reaches(data, kernel, options);
    bound = bound_ramp(
        {.signs = signs,
         .costs = costs,
         .diagonal = squares,
         .s = options.s,
         .bias = false,
         .objective = found.objective},
        {},
        [&](std::span<const double> smaller) { return trainer.solve_hinge(smaller); },
        bound_rounds);
  }
  TrainedRobustClassifier trained;
  static_cast<TrainedClassifier&>(trained) = std::move(*found.point.machine);
  trained.dual_coefficients = options.control.keep_dual
                                  ? dual_points(found, bound, data.size(), stages_of(bound_rounds))
                                  : DualPoint{};
  trained.machines.front().report = robust_report(
      found, bounded ? std::optional<double>(bound.value) : std::nullopt, watch.seconds());
  trained.report = sum_of_reports(trained.machines);
  std::vector<std::size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  finish_robust(
      {robust_function(found, 0, rows, signs)}, starts, options.control.tolerance, trained);
  trained.bound_rounds = bound_rounds;
  return trained;
}

}  // namespace maxmargin
