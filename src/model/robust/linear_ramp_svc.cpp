// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md, "Linear machines"
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/parallel.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/linear/training.hpp"
#include "model/robust/ramp_options.hpp"
#include "model/robust/result.hpp"

namespace maxmargin {

namespace {

/// The convex problems of one function: rows of eta 0 have no weight.
class LinearStep {
 public:
  LinearStep(const Examples& examples,
             std::span<const std::int8_t> signs,
             std::span<const double> costs,
             double bias,
             LinearOptions options)
      : examples_(examples),
        targets_(signs.begin(), signs.end()),
        costs_(costs),
        bias_(bias),
        options_(std::move(options)) {}

  [[nodiscard]] RobustPoint solve(std::span<const double> eta, const RobustPoint* start) const {
    std::vector<double> weights(costs_.begin(), costs_.end());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= eta[i];
    LinearSolution solution = run(weights,
                                  start != nullptr ? std::span<const double>(start->coefficients)
                                                   : std::span<const double>());
    RobustPoint point{.values = values_of(solution.w),
                      .dual = solution.report.dual_objective.value_or(0.0),
                      .status = solution.report.status,
                      .message = std::move(solution.report.message),
                      .iterations = solution.report.iterations};
    for (const double w : solution.w) point.squared_norm += w * w;
    point.coefficients = std::move(solution.coefficients);
    point.weights = std::move(solution.w);
    return point;
  }

  [[nodiscard]] HingeMachine solve_hinge(std::span<const double> costs) const {
    LinearSolution solution = run(costs, {});
    // Zero proves zero; that is what a failure leaves.
    const bool failed = solution.report.status == Status::numerical_failure;
    if (failed) {
      std::ranges::fill(solution.w, 0.0);
      std::ranges::fill(solution.coefficients, 0.0);
    }
    HingeMachine machine{.values = values_of(solution.w),
                         .dual = failed ? 0.0 : *solution.report.dual_objective,
                         .stopped = is_over(solution.report.status)};
    machine.coefficients = std::move(solution.coefficients);
    return machine;
  }

  /// |x_i|^2 with the constant feature.
  [[nodiscard]] std::vector<double> diagonal() const {
    std::vector<double> squares(examples_.rows(), bias_ * bias_);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      examples_.row(i).for_each([&](std::size_t, double value) { squares[i] += value * value; });
    }
    return squares;
  }

 private:
  [[nodiscard]] LinearSolution run(std::span<const double> weights,
                                   std::span<const double> start) const {
    const LinearRisk problem{.examples = matrix_of(examples_),
                             .targets = targets_,
                             .weights = weights,
                             .c = 1,
                             .bias = bias_};
    return solve_dual_coordinate(problem, options_, start);
  }

  [[nodiscard]] std::vector<double> values_of(std::span<const double> w) const {
    std::vector<double> values(examples_.rows(), bias_ != 0 ? bias_ * w.back() : 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      examples_.row(i).for_each([&](std::size_t j, double value) { values[i] += w[j] * value; });
    }
    return values;
  }

  const Examples& examples_;
  std::vector<double> targets_;
  std::span<const double> costs_;
  double bias_;
  LinearOptions options_;
};

/// What stays of one function: nothing in it is as long as the data but the proofs, which are kept
/// with TrainingControl::keep_dual alone.
struct LinearMachine {
  std::vector<double> weights = {};
  MachineReport report = {};
  RobustFunction function = {};
  std::vector<std::vector<double>> proofs = {};
};

LinearMachine train_function(const Dataset& data,
                             const LinearRampSvcOptions& options,
                             const TwoClassPart& part,
                             std::size_t index,
                             std::size_t bound_rounds,
                             const ProgressCallback& progress) {
  const Stopwatch watch;
  const std::size_t n = data.size();
  const double bias = options.bias ? options.bias_scale : 0.0;
  // Rows of no side stay, without a cost: the features need not be copied.
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<std::int8_t> signs(n, 1);
  std::vector<double> costs(n, 0.0);
  for (std::size_t k = 0; k < part.rows.size(); ++k) {
    signs[part.rows[k]] = part.signs[k];
    costs[part.rows[k]] = options.c * part.weights[k];
  }
  LinearOptions solver = linear_options(options.control, std::nullopt);
  solver.context.on_progress = progress;
  const LinearStep step(data.examples, signs, costs, bias, std::move(solver));
  RobustPoint plain;
  RobustDescent found = best_descent(
      RobustLoss::capped(costs, options.s),
      signs,
      [&](std::span<const double> eta, const RobustPoint* start) { return step.solve(eta, start); },
      options.restarts.value_or(default_starts(n)),
      options.max_rounds,
      derive_seed(options.control.context.seed, "robust function", index),
      plain);
  RampBound bound;
  if (found.status != Status::numerical_failure) {
    bound = bound_ramp(
        {.signs = signs,
         .costs = costs,
         .diagonal = step.diagonal(),
         .s = options.s,
         .bias = false,
         .objective = found.objective},
        {.coefficients = std::move(plain.coefficients), .values = std::move(plain.values)},
        [&](std::span<const double> smaller) { return step.solve_hinge(smaller); },
        was_stopped(found.status) ? 0 : bound_rounds);
  }
  LinearMachine machine{.report = robust_machine_report(found, bound.value, watch.seconds()),
                        .function = robust_function(found, index, rows, signs)};
  if (options.control.keep_dual) machine.proofs = proofs_of(found, bound, stages_of(bound_rounds));
  machine.weights = std::move(found.point.weights);
  return machine;
}

}  // namespace

void LinearRampSvcOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  describe_ramp(visit, s);
  describe_descent(visit, restarts, max_rounds);
  describe_bound_rounds(visit, bound_rounds);
  describe_linear_bias(visit, bias, bias_scale);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
}

TrainedRobustClassifier train_linear_ramp_svc(const Dataset& data,
                                              const LinearRampSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  TrainedRobustClassifier trained;
  trained.model.classes = task.classes.names;
  trained.model.code = choose_code(
      options.multiclass, options.code, task.classes.count(), options.control.context.seed);
  trained.model.feature_names = data.feature_names;
  const std::size_t count = trained.model.code.functions;
  require_memory_for_numbers(count, data.features() + 1, "the weights of linear machines");
  trained.bound_rounds = options.bound_rounds.value_or(default_bound_rounds(data.size()));
  const std::size_t points = 1 + stages_of(trained.bound_rounds);
  if (options.control.keep_dual) {
    require_memory_for_numbers(points * count, data.size(), "the dual points of linear machines");
  }
  std::vector<LinearMachine> machines(count);
  std::mutex progress_mutex;
  const ProgressCallback progress =
      one_at_a_time(options.control.context.on_progress, progress_mutex);
  parallel_chunks(
      thread_count(options.control.context.threads),
      count,
      1,
      [&](std::size_t f, std::size_t, std::size_t) {
        machines[f] = train_function(
            data, options, part_of(trained.model.code, f, task), f, trained.bound_rounds, progress);
      });
  LinearFunctions functions{.weights = DenseMatrix(count, data.features()),
                            .offsets = std::vector<double>(count)};
  std::vector<RobustFunction> robust;
  if (options.control.keep_dual) trained.dual_coefficients.resize(points * count);
  for (std::size_t f = 0; f < count; ++f) {
    LinearMachine& machine = machines[f];
    set_function(
        functions, f, {.w = std::move(machine.weights)}, options.bias ? options.bias_scale : 0.0);
    trained.machines.push_back(std::move(machine.report));
    for (std::size_t p = 0; p < machine.proofs.size(); ++p) {
      trained.dual_coefficients[p * count + f] = std::move(machine.proofs[p]);
    }
    robust.push_back(std::move(machine.function));
  }
  trained.model.functions = std::move(functions);
  trained.report = sum_of_reports(trained.machines);
  finish_robust(robust,
                options.restarts.value_or(default_starts(data.size())),
                options.control.tolerance,
                trained);
  return trained;
}

}  // namespace maxmargin
