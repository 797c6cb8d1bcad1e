// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md
#include "maxmargin/model/kernel/svr.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "model/describe.hpp"
#include "model/kernel/proof.hpp"
#include "model/kernel/training.hpp"
#include "solver/interior/kernel_machine.hpp"

namespace maxmargin {

namespace {

std::unique_ptr<SymmetricMatrix> matrix_of(const Kernel& kernel,
                                           const Dataset& data,
                                           const KernelMachineOptions& options) {
  return kernel_matrix(kernel,
                       data.examples,
                       options.control.context.memory_bytes(),
                       thread_count(options.control.context.threads),
                       1,
                       options.solver);
}

SmoSolution solve(const SvmDual& problem, const KernelMachineOptions& options) {
  return solve_machine(problem,
                       method_for(options.solver, options.allow_indefinite),
                       smo_options(options.control, {options.shrinking, options.kkt_tolerance}));
}

/// One machine that answers scale x f + offset.
TrainedRegressor regressor(const Kernel& kernel,
                           const Dataset& data,
                           const SvmDual& problem,
                           SmoSolution solution,
                           double offset,
                           double scale = 1) {
  TrainedRegressor trained;
  std::vector<double> coefficients = row_coefficients(problem, solution.coefficients);
  for (double& coefficient : coefficients) coefficient *= scale;
  trained.model.function =
      make_expansion(kernel, data.examples, {std::move(coefficients)}, {offset});
  trained.model.feature_names = data.feature_names;
  trained.machines = {machine_report(problem, solution)};
  trained.report = trained.machines.front().report;
  if (lacks_proof(kernel)) take_back_proof(trained.machines, trained.report);
  return trained;
}

/// Weights of data whose labels do not matter.
std::vector<double> weights_without_labels(const Dataset& data) {
  data.validate();
  require(data.size() > 0,
          (data.source.empty() ? "" : data.source + ": ") + "no examples to train on");
  if (data.weights.empty()) return std::vector<double>(data.size(), 1.0);
  require(std::ranges::any_of(data.weights, [](double weight) { return weight > 0; }),
          (data.source.empty() ? "" : data.source + ": ") + "all weights are zero");
  return data.weights;
}

}  // namespace

void KernelMachineOptions::describe(OptionVisitor& visit) {
  kernel.describe(visit, allow_indefinite);
  control.describe(visit);
  describe_smo(visit, control, shrinking, kkt_tolerance, solver);
}

void SvrOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  visit.number({.name = "epsilon",
                .help = "half width of the tube in which errors are free; larger is flatter",
                .value = "WIDTH"},
               epsilon,
               rules::not_negative);
  describe_bias(visit, bias);
  machine.describe(visit);
}

void NuSvrOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  visit.number({.name = "nu",
                .help = "share of rows outside the tube at most, of support vectors at least",
                .value = "SHARE"},
               nu,
               rules::share_above_zero);
  machine.describe(visit);
}

void OneClassOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "nu",
                .help = "share of rows outside at most, of support vectors at least",
                .value = "SHARE"},
               nu,
               rules::share_above_zero);
  machine.describe(visit);
}

void SvddOptions::describe(OptionVisitor& visit) {
  visit.number({.name = "nu",
                .help = "share of rows outside the sphere at most; 0 leaves none outside",
                .value = "SHARE"},
               nu,
               rules::share_below_one);
  machine.describe(visit);
}

TrainedRegressor train_svr(const Dataset& data, const SvrOptions& options) {
  validate(options);
  const RegressionTask task = regression_task(data);
  const Kernel kernel =
      resolved_kernel(options.machine.kernel, data, options.machine.control, options.bias);
  const auto matrix = matrix_of(kernel, data, options.machine);
  const SvmDual problem =
      svr_dual(*matrix, task.targets, task.weights, options.c, options.epsilon, options.bias);
  SmoSolution solution = solve(problem, options.machine);
  const double offset = options.bias ? solution.offsets.front() : 0.0;
  return regressor(kernel, data, problem, std::move(solution), offset);
}

TrainedNuSvr train_nu_svr(const Dataset& data, const NuSvrOptions& options) {
  validate(options);
  const RegressionTask task = regression_task(data);
  const Kernel kernel =
      resolved_kernel(options.machine.kernel, data, options.machine.control, true);
  const auto matrix = matrix_of(kernel, data, options.machine);
  const SvmDual problem = nu_svr_dual(*matrix, task.targets, task.weights, options.c, options.nu);
  SmoSolution solution = solve(problem, options.machine);
  // Offsets b + epsilon and b - epsilon.
  const double b = 0.5 * (solution.offsets[0] + solution.offsets[1]);
  const double epsilon = 0.5 * (solution.offsets[0] - solution.offsets[1]);
  return {.fit = regressor(kernel, data, problem, std::move(solution), b), .epsilon = epsilon};
}

TrainedRegressor train_one_class(const Dataset& data, const OneClassOptions& options) {
  validate(options);
  const std::vector<double> weights = weights_without_labels(data);
  const Kernel kernel = resolved_kernel(options.machine.kernel, data, options.machine.control);
  const auto matrix = matrix_of(kernel, data, options.machine);
  const SvmDual problem = one_class_dual(*matrix, weights, options.nu);
  SmoSolution solution = solve(problem, options.machine);
  const double offset = solution.offsets.front();
  return regressor(kernel, data, problem, std::move(solution), offset);
}

TrainedSvdd train_svdd(const Dataset& data, const SvddOptions& options) {
  validate(options);
  const std::vector<double> weights = weights_without_labels(data);
  const Kernel kernel =
      resolved_kernel(options.machine.kernel, data, options.machine.control, true);
  const auto matrix = matrix_of(kernel, data, options.machine);
  const SvmDual problem = svdd_dual(*matrix, weights, options.nu);
  SmoSolution solution = solve(problem, options.machine);
  const double offset = 2 * solution.offsets.front();
  // The problem solved is half of the sphere's.
  for (std::optional<double>* value :
       {&solution.report.primal_objective, &solution.report.dual_objective}) {
    if (*value) **value *= 2;
  }
  TrainedSvdd trained;
  trained.fit = regressor(kernel, data, problem, std::move(solution), offset, 2.0);
  std::get<KernelExpansion>(trained.fit.model.function).minus_self = true;
  trained.squared_radius = trained.fit.machines.front().squared_norm + offset;
  return trained;
}

}  // namespace maxmargin
