// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/robust.md
#include "maxmargin/model/robust/ramp_svc.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/rng.hpp"
#include "maxmargin/core/timer.hpp"
#include "model/choose_code.hpp"
#include "model/describe.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/kernel/training.hpp"
#include "model/robust/kernel_step.hpp"
#include "model/robust/ramp_direct.hpp"
#include "model/robust/ramp_options.hpp"
#include "model/robust/result.hpp"

namespace maxmargin {

namespace {

std::vector<double> costs_of(std::span<const double> weights, double c) {
  std::vector<double> costs(weights.begin(), weights.end());
  for (double& cost : costs) cost *= c;
  return costs;
}

/// What ramp-svc and trimmed-svc share of their options.
struct RobustTraining {
  const Dataset& data;
  const Kernel& kernel;
  const TrainingControl& control;
  double c;
  bool bias;
  bool pushes_back;
  std::size_t starts;
  std::size_t max_rounds;
  /// Of the ramp; unset: trimmed.
  std::optional<double> s;
  double rho = 1;
  std::size_t bound_rounds = 0;
};

/// One machine of the code.
CodeMachine train_function(const RobustTraining& training,
                           const CodeProblem& of,
                           RobustFunction& result) {
  const Stopwatch watch;
  const std::vector<std::int8_t>& signs = of.part.signs;
  const std::size_t stages = training.s ? stages_of(training.bound_rounds) : 0;
  // |w|^2 of a kernel that is not known to be positive semidefinite may be negative: nothing bounds
  // the objective.
  const bool bounded = is_psd(training.kernel);
  if (signs.empty() || (training.bias && has_one_sign(signs))) {
    CodeMachine machine = constant_machine(signs);
    if (bounded) machine.report.report.lower_bound = 0.0;
    if (training.control.keep_dual) {
      machine.proofs.assign(1 + stages, std::vector<double>(signs.size(), 0.0));
    }
    return machine;
  }
  const std::vector<double> costs = costs_of(of.part.weights, training.c);
  const RobustLoss loss = training.s ? RobustLoss::capped(costs, *training.s)
                                     : RobustLoss::trimmed(costs, training.rho);
  SmoOptions smo = smo_options(training.control, {});
  smo.context.on_progress = of.progress;
  KernelStep step(of.matrix, signs, costs, training.bias, training.pushes_back, std::move(smo));
  RobustPoint plain;
  RobustDescent found = best_descent(
      loss,
      signs,
      [&](std::span<const double> eta, const RobustPoint* start) { return step.solve(eta, start); },
      training.starts,
      training.max_rounds,
      derive_seed(training.control.context.seed, "robust function", of.function),
      plain);
  RampBound bound;
  if (training.s && bounded && found.status != Status::numerical_failure) {
    HingeMachine hinge{.coefficients = std::move(plain.coefficients),
                       .values = std::move(plain.values)};
    for (double& value : hinge.values) value -= plain.offset;
    bound = bound_ramp(
        {.signs = signs,
         .costs = costs,
         .diagonal = of.matrix.diagonal(),
         .s = *training.s,
         .bias = training.bias,
         .objective = found.objective},
        hinge,
        [&](std::span<const double> smaller) { return step.solve_hinge(smaller); },
        was_stopped(found.status) ? 0 : training.bound_rounds);
  }
  // Nothing can be left out: the problem is convex and its dual bounds it.
  if (!training.s && training.rho >= 1) bound.value = std::max(0.0, found.fixed_dual);
  result = robust_function(found, of.function, of.part.rows, signs);
  CodeMachine machine;
  machine.report = robust_machine_report(
      found, bounded ? std::optional<double>(bound.value) : std::nullopt, watch.seconds());
  if (training.control.keep_dual) machine.proofs = proofs_of(found, bound, stages);
  machine.offset = found.point.offset;
  machine.coefficients = std::move(found.point.coefficients);
  machine.values = std::move(found.point.values);
  return machine;
}

TrainedRobustClassifier train_robust(const RobustTraining& training,
                                     const ClassificationTask& task,
                                     OutputCode code) {
  std::vector<RobustFunction> functions(code.functions);
  TrainedRobustClassifier trained;
  static_cast<TrainedClassifier&>(trained) = std::move(
      train_code({training.data, training.kernel, training.control, task, std::move(code)},
                 1,
                 [&](const CodeProblem& of) {
                   std::vector<CodeMachine> machines;
                   machines.push_back(train_function(training, of, functions[of.function]));
                   return machines;
                 })
          .front());
  finish_robust(functions, training.starts, training.control.tolerance, trained);
  trained.bound_rounds = training.bound_rounds;
  return trained;
}

}  // namespace

void describe_ramp(OptionVisitor& visit, double& s) {
  static constexpr NumberRule rule{"a finite number < 1", {.most = 1}};
  visit.number({.name = "ramp",
                .help = "margin below which the loss stays flat; smaller is nearer to the hinge",
                .value = "S"},
               s,
               rule);
}

void describe_bound_rounds(OptionVisitor& visit, std::optional<std::size_t>& bound_rounds) {
  visit.whole({.name = "bound-rounds",
               .help = "rounds that tighten the lower bound",
               .fallback = "5 up to 2000 rows, else 0"},
              bound_rounds);
}

void RampSvcOptions::describe(OptionVisitor& visit) {
  const bool direct = multiclass == MulticlassKind::direct;
  describe_cost(visit, c);
  // First, as --allow-indefinite would not help.
  visit.rule(!direct || !kernel.is_indefinite(),
             "--kernel " + kernel.indefinite_text() + ", --multiclass direct needs one that is");
  kernel.describe(visit, allow_indefinite);
  describe_ramp(visit, s);
  visit.name({.name = "solver",
              .help = "what a row beyond the ramp does in a step: push back (cccp), or nothing",
              .fallback = "cccp; alternating for --multiclass direct"},
             step);
  visit.rule(!direct || step != RampStep::cccp,
             "--solver cccp: --multiclass direct takes alternating steps");
  describe_descent(visit, restarts, max_rounds);
  describe_bound_rounds(visit, bound_rounds);
  describe_bias(visit, bias);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit,
                      multiclass,
                      code,
                      {MulticlassKind::one_vs_one,
                       MulticlassKind::one_vs_rest,
                       MulticlassKind::ecoc,
                       MulticlassKind::direct});
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
}

RampStep RampSvcOptions::step_used() const {
  return step.value_or(multiclass == MulticlassKind::direct ? RampStep::alternating
                                                            : RampStep::cccp);
}

TrainedRobustClassifier train_ramp_svc(const Dataset& data, const RampSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  // The bias of the direct machine is a feature, which is not free.
  const bool direct = options.multiclass == MulticlassKind::direct;
  const Kernel kernel =
      resolved_kernel(options.kernel, data, options.control, options.bias && !direct);
  if (direct) {
    return train_direct_ramp(data, task, kernel, options);
  }
  return train_robust(
      {.data = data,
       .kernel = kernel,
       .control = options.control,
       .c = options.c,
       .bias = options.bias,
       .pushes_back = options.step_used() == RampStep::cccp,
       .starts = options.restarts.value_or(default_starts(data.size())),
       .max_rounds = options.max_rounds,
       .s = options.s,
       .bound_rounds = options.bound_rounds.value_or(default_bound_rounds(data.size()))},
      task,
      choose_code(
          options.multiclass, options.code, task.classes.count(), options.control.context.seed));
}

void TrimmedSvcOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  kernel.describe(visit, allow_indefinite);
  visit.number({.name = "rho",
                .help = "share of the rows that counts; 1 is the plain machine",
                .value = "SHARE"},
               rho,
               rules::share_above_zero);
  describe_descent(visit, restarts, max_rounds);
  describe_bias(visit, bias);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
}

TrainedRobustClassifier train_trimmed_svc(const Dataset& data, const TrimmedSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control, options.bias);
  return train_robust(
      {.data = data,
       .kernel = kernel,
       .control = options.control,
       .c = options.c,
       .bias = options.bias,
       .pushes_back = false,
       .starts = options.rho < 1 ? options.restarts.value_or(default_starts(data.size())) : 1,
       .max_rounds = options.max_rounds,
       .s = std::nullopt,
       .rho = options.rho},
      task,
      choose_code(
          options.multiclass, options.code, task.classes.count(), options.control.context.seed));
}

}  // namespace maxmargin
