// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/smo.md
#include "maxmargin/model/kernel/svr.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "model/kernel/training.hpp"

namespace maxmargin {

namespace {

std::unique_ptr<SymmetricMatrix> matrix_of(const Dataset& data,
                                           const KernelMachineOptions& options) {
  return kernel_matrix(options.kernel,
                       data.examples,
                       options.control.memory_bytes(),
                       thread_count(options.control.threads));
}

SmoOptions smo_of(const KernelMachineOptions& options) {
  return smo_options(options.control, {options.shrinking, options.kkt_tolerance});
}

/// One machine that answers scale x f + offset.
TrainedRegressor regressor(const Dataset& data,
                           const KernelMachineOptions& options,
                           const SvmDual& problem,
                           SmoSolution solution,
                           double offset,
                           double scale = 1) {
  TrainedRegressor trained;
  std::vector<double> coefficients = row_coefficients(problem, solution.coefficients);
  for (double& coefficient : coefficients) coefficient *= scale;
  trained.model.function =
      make_expansion(options.kernel, data.examples, {std::move(coefficients)}, {offset});
  trained.model.feature_names = data.feature_names;
  trained.machines = {machine_report(problem, solution)};
  trained.report = trained.machines.front().report;
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

void KernelMachineOptions::validate() const {
  require_definite(kernel, allow_indefinite);
  control.validate();
}

void SvrOptions::validate() const {
  require_field(c > 0 && std::isfinite(c), "SvrOptions.c", c, "finite and > 0");
  require_field(
      epsilon >= 0 && std::isfinite(epsilon), "SvrOptions.epsilon", epsilon, "finite and >= 0");
  machine.validate();
}

void NuSvrOptions::validate() const {
  require_field(c > 0 && std::isfinite(c), "NuSvrOptions.c", c, "finite and > 0");
  require_field(nu > 0 && nu <= 1, "NuSvrOptions.nu", nu, "in (0, 1]");
  machine.validate();
}

void OneClassOptions::validate() const {
  require_field(nu > 0 && nu <= 1, "OneClassOptions.nu", nu, "in (0, 1]");
  machine.validate();
}

void SvddOptions::validate() const {
  require_field(nu >= 0 && nu < 1, "SvddOptions.nu", nu, "in [0, 1)");
  machine.validate();
}

TrainedRegressor train_svr(const Dataset& data, const SvrOptions& options) {
  options.validate();
  const RegressionTask task = regression_task(data);
  const auto matrix = matrix_of(data, options.machine);
  const SvmDual problem =
      svr_dual(*matrix, task.targets, task.weights, options.c, options.epsilon, options.bias);
  SmoSolution solution = solve_smo(problem, smo_of(options.machine));
  const double offset = options.bias ? solution.offsets.front() : 0.0;
  return regressor(data, options.machine, problem, std::move(solution), offset);
}

TrainedNuSvr train_nu_svr(const Dataset& data, const NuSvrOptions& options) {
  options.validate();
  const RegressionTask task = regression_task(data);
  const auto matrix = matrix_of(data, options.machine);
  const SvmDual problem = nu_svr_dual(*matrix, task.targets, task.weights, options.c, options.nu);
  SmoSolution solution = solve_smo(problem, smo_of(options.machine));
  // Offsets b + epsilon and b - epsilon.
  const double b = 0.5 * (solution.offsets[0] + solution.offsets[1]);
  const double epsilon = 0.5 * (solution.offsets[0] - solution.offsets[1]);
  return {.fit = regressor(data, options.machine, problem, std::move(solution), b),
          .epsilon = epsilon};
}

TrainedRegressor train_one_class(const Dataset& data, const OneClassOptions& options) {
  options.validate();
  const std::vector<double> weights = weights_without_labels(data);
  const auto matrix = matrix_of(data, options.machine);
  const SvmDual problem = one_class_dual(*matrix, weights, options.nu);
  SmoSolution solution = solve_smo(problem, smo_of(options.machine));
  const double offset = solution.offsets.front();
  return regressor(data, options.machine, problem, std::move(solution), offset);
}

TrainedSvdd train_svdd(const Dataset& data, const SvddOptions& options) {
  options.validate();
  const std::vector<double> weights = weights_without_labels(data);
  const auto matrix = matrix_of(data, options.machine);
  const SvmDual problem = svdd_dual(*matrix, weights, options.nu);
  SmoSolution solution = solve_smo(problem, smo_of(options.machine));
  const double offset = 2 * solution.offsets.front();
  // The problem solved is half of the sphere's.
  for (std::optional<double>* value :
       {&solution.report.primal_objective, &solution.report.dual_objective}) {
    if (*value) **value *= 2;
  }
  TrainedSvdd trained;
  trained.fit = regressor(data, options.machine, problem, std::move(solution), offset, 2.0);
  std::get<KernelExpansion>(trained.fit.model.function).minus_self = true;
  trained.squared_radius = trained.fit.machines.front().squared_norm + offset;
  return trained;
}

}  // namespace maxmargin
