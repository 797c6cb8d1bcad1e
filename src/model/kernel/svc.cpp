// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md, docs/algorithms/multiclass-reductions.md
#include "maxmargin/model/kernel/svc.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "model/choose_code.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/kernel/hard_margin.hpp"
#include "model/kernel/training.hpp"
#include "solver/interior/kernel_machine.hpp"

namespace maxmargin {

namespace {

std::vector<TrainedClassifier> train_path(const Dataset& data,
                                          const SvcOptions& options,
                                          std::span<const double> c_values) {
  validate(options);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control, options.bias);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const auto solve = [&](const CodeProblem& of) {
    const std::vector<std::int8_t>& signs = of.part.signs;
    std::vector<CodeMachine> machines;
    std::vector<double> start;
    SmoOptions smo = smo_options(options.control, {options.shrinking, options.kkt_tolerance});
    smo.context.on_progress = of.progress;
    for (const double c : c_values) {
      if (signs.empty() || (options.bias && has_one_sign(signs))) {
        machines.push_back(constant_machine(signs));
        continue;
      }
      const SvmDual problem = c_svc_dual(of.matrix,
                                         signs,
                                         of.part.weights,
                                         {.c = c, .slacks = options.slacks, .bias = options.bias});
      SmoSolution solution =
          solve_machine(problem, method_for(options.solver, options.allow_indefinite), smo, start);
      start = solution.coefficients;
      machines.push_back(machine_of(problem, std::move(solution)));
      if (!std::isinf(c)) continue;
      machines.back() = with_narrow_margin(
          std::move(machines.back()), kernel, data.examples, of, options.bias, options.control);
    }
    return machines;
  };
  return train_code(
      {data,
       kernel,
       options.control,
       task,
       choose_code(
           options.multiclass, options.code, task.classes.count(), options.control.context.seed),
       options.solver},
      c_values.size(),
      solve);
}

}  // namespace

void SvcOptions::describe(OptionVisitor& visit) {
  visit.number(
      {.name = "C",
       .help = "weight of the losses; larger fits the training rows closer, inf is the hard margin",
       .alias = "c"},
      c,
      rules::positive_or_infinite);
  kernel.describe(visit, allow_indefinite);
  visit.name({.name = "loss", .help = "loss of rows within the margin"}, slacks);
  visit.switched_off({.name = "no-bias", .help = "a machine through the origin"}, bias);
  describe_class_weights(visit, class_weights);
  // direct is cs-svc, another problem: train_svc refuses it, the table of learners goes there.
  describe_multiclass(visit,
                      multiclass,
                      code,
                      {MulticlassKind::one_vs_one,
                       MulticlassKind::one_vs_rest,
                       MulticlassKind::ecoc,
                       MulticlassKind::direct});
  visit.yes_no({.name = "allow-one-class", .help = "train though all labels are the same"},
               allow_one_class);
  control.describe(visit);
  describe_smo(visit, control, shrinking, kkt_tolerance, solver);
}

TrainedClassifier train_svc(const Dataset& data, const SvcOptions& options) {
  return std::move(train_path(data, options, {&options.c, 1}).front());
}

std::vector<TrainedClassifier> train_svc_path(const Dataset& data,
                                              const SvcOptions& options,
                                              std::span<const double> c_values) {
  for (const double c : c_values) {
    if (!rules::positive_or_infinite.holds(c)) {
      throw InvalidArgument(breach("C", format_number(c), rules::positive_or_infinite.words));
    }
  }
  require(std::ranges::is_sorted(c_values), "the values of C must rise along a path");
  return train_path(data, options, c_values);
}

void NuSvcOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "nu",
                .help = "share of margin errors at most, of support vectors at least",
                .value = "SHARE"},
               nu,
               rules::share_above_zero);
  kernel.describe(visit, allow_indefinite);
  describe_class_weights(visit, class_weights);
  describe_multiclass(visit, multiclass, code);
  control.describe(visit);
  describe_smo(visit, control, shrinking, kkt_tolerance, solver);
}

TrainedClassifier train_nu_svc(const Dataset& data, const NuSvcOptions& options) {
  validate(options);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control, true);
  const ClassificationTask task = classification_task(data, options.class_weights);
  const auto solve = [&](const CodeProblem& of) {
    SmoOptions smo = smo_options(options.control, {options.shrinking, options.kkt_tolerance});
    smo.context.on_progress = of.progress;
    const SvmDual problem = nu_svc_dual(of.matrix, of.part.signs, of.part.weights, options.nu);
    SmoSolution solution =
        solve_machine(problem, method_for(options.solver, options.allow_indefinite), smo);
    // Offsets b - rho and b + rho. Divided by rho, the margin is at 1 as in every other machine.
    const double b = 0.5 * (solution.offsets[0] + solution.offsets[1]);
    const double rho = 0.5 * (solution.offsets[1] - solution.offsets[0]);
    const double scale = rho > 0 ? 1 / rho : 1.0;
    CodeMachine machine = machine_of(problem, std::move(solution));
    for (double& coefficient : machine.coefficients) coefficient *= scale;
    for (double& value : machine.values) value = (value - machine.offset + b) * scale;
    machine.offset = b * scale;
    machine.report.squared_norm *= scale * scale;
    return std::vector<CodeMachine>{std::move(machine)};
  };
  return std::move(train_code({data,
                               kernel,
                               options.control,
                               task,
                               choose_code(options.multiclass,
                                           options.code,
                                           task.classes.count(),
                                           options.control.context.seed),
                               options.solver},
                              1,
                              solve)
                       .front());
}

}  // namespace maxmargin
