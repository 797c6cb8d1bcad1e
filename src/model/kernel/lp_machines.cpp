// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/lp-svm.md
#include "model/kernel/lp_machines.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/memory_limit.hpp"
#include "kernel/gram/stoppable.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/sizes.hpp"
#include "maxmargin/core/timer.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/kernel/training.hpp"
#include "solver/default_steps.hpp"
#include "solver/linear_program.hpp"

namespace maxmargin {

namespace {

void require_room(const std::string& name,
                  std::size_t n,
                  const std::vector<TwoClassPart>& parts,
                  std::size_t limit) {
  std::size_t largest = 0;
  for (const TwoClassPart& part : parts) largest = std::max(largest, part.rows.size());
  const std::size_t matrix = checked_multiply(checked_multiply(n, n), sizeof(double));
  const std::size_t program = checked_multiply(checked_multiply(largest, largest), 64);
  require_within_limit(checked_add(matrix, program),
                       limit,
                       name + " on " + std::to_string(n) + " examples, with a linear program of " +
                           std::to_string(largest) + " of them,",
                       "train on fewer examples, use svc, or allow more memory");
}

DenseMatrix submatrix(const DenseMatrix& matrix, const std::vector<std::size_t>& rows) {
  DenseMatrix part = DenseMatrix::uninitialized(rows.size(), rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b < rows.size(); ++b) part(a, b) = matrix(rows[a], rows[b]);
  }
  return part;
}

/// The best function without coefficients: the heavier side wins, positive among equals.
LpSvmFunction constant_function(std::span<const std::int8_t> signs,
                                std::span<const double> costs,
                                bool bias) {
  double positive = 0;
  double negative = 0;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    const double weight = std::isinf(costs[i]) ? 1 : costs[i];
    (signs[i] > 0 ? positive : negative) += weight;
  }
  LpSvmFunction function{.coefficients = std::vector<double>(signs.size(), 0.0)};
  if (bias) function.offset = positive >= negative ? 1 : -1;
  return function;
}

struct Machine {
  LpSvmFunction function = {};
  MachineReport report = {};
  /// Feasible; empty: all 0.
  std::vector<double> multipliers = {};
};

/// Fills the certificate from scratch and judges the status by it.
void certify(const LpSvm& problem,
             std::span<const double> multipliers,
             double tolerance,
             Machine& machine) {
  SolveReport& report = machine.report.report;
  const LpSvmResiduals found = residuals(problem, machine.function, multipliers);
  if (std::isfinite(found.primal)) report.primal_objective = found.primal;
  report.dual_objective = found.dual;
  report.primal_residual = std::max(found.sign_violation, found.slack_violation);
  report.dual_residual = found.dual_shrinkage;
  const bool done = report.status == Status::solved || report.status == Status::solved_inaccurate;
  if (!done) return;
  const bool meets = report.primal_objective && *report.relative_gap() <= tolerance;
  report.status = meets ? Status::solved : Status::solved_inaccurate;
  report.message = meets ? "" : "the simplex method ended above the wanted gap";
}

/// Counts and |w|^2 in the kernel matrix of the problem's rows.
void measure(DenseView gram, Machine& machine) {
  const std::vector<double>& u = machine.function.coefficients;
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (u[i] == 0) continue;
    ++machine.report.support_vectors;
    for (std::size_t j = 0; j < u.size(); ++j) {
      machine.report.squared_norm += u[i] * u[j] * gram(i, j);
    }
  }
}

/// Without bias and examples on one side only the program is still right; with bias the constant
/// costs nothing.
bool is_trivial(const LpSvm& problem) {
  const auto is_first = [&](std::int8_t sign) { return sign == problem.signs.front(); };
  return problem.size() == 0 || (problem.bias && std::ranges::all_of(problem.signs, is_first));
}

Machine solve(const LpSvm& problem, const TrainingControl& control) {
  Machine machine{.function = constant_function(problem.signs, problem.costs, problem.bias)};
  const std::vector<double> nothing(problem.size(), 0.0);
  if (is_trivial(problem)) {
    certify(problem, nothing, control.tolerance, machine);
    return machine;
  }
  // A pivot looks at all of the kernel matrix.
  const auto n = static_cast<double>(problem.size());
  const LinearProgramSolution solution = solve_linear_program(
      dual_program(problem),
      {.simplex = SimplexKind::dual,
       .max_iterations = control.max_iterations.value_or(default_steps(2 * n * n)),
       .context = control.context});
  machine.report.report.seconds = solution.report.seconds;
  machine.report.report.iterations = solution.report.iterations;
  machine.report.report.status = solution.report.status;
  machine.report.report.message = solution.report.message;
  if (solution.report.status == Status::dual_infeasible) {
    machine.report.report.status = Status::primal_infeasible;
    machine.report.report.message =
        "no function of this kernel has a margin of 1 on every example (C = infinity): a balanced "
        "mixture of the examples proves it to within " +
        format_number(inseparability_violation(problem, solution.ray), 2) + "; choose a finite C";
    return machine;
  }
  if (solution.report.status == Status::numerical_failure || solution.x.empty()) {
    certify(problem, nothing, control.tolerance, machine);
    return machine;
  }
  const LpSvmFunction found = function_of_prices(problem, solution.prices);
  // A run that was cut short may stand at a function worse than a constant.
  if (residuals(problem, found, nothing).primal <=
      residuals(problem, machine.function, nothing).primal) {
    machine.function = found;
  }
  certify(problem, solution.x, control.tolerance, machine);
  machine.multipliers = feasible_multipliers(problem, solution.x);
  return machine;
}

/// Places the coefficients of all functions over the rows that any of them uses.
KernelExpansion expansion_of(const Kernel& kernel,
                             const Examples& examples,
                             const std::vector<TwoClassPart>& parts,
                             const std::vector<Machine>& machines) {
  std::vector<std::vector<double>> coefficients(parts.size(),
                                                std::vector<double>(examples.rows(), 0.0));
  std::vector<double> offsets;
  for (std::size_t f = 0; f < parts.size(); ++f) {
    for (std::size_t k = 0; k < parts[f].rows.size(); ++k) {
      coefficients[f][parts[f].rows[k]] = machines[f].function.coefficients[k];
    }
    offsets.push_back(machines[f].function.offset);
  }
  return make_expansion(kernel, examples, coefficients, std::move(offsets));
}

/// The multipliers of every function over all rows.
DualPoint dual_point(std::size_t rows,
                     const std::vector<TwoClassPart>& parts,
                     const std::vector<Machine>& machines) {
  DualPoint point(parts.size(), std::vector<double>(rows, 0.0));
  for (std::size_t f = 0; f < parts.size(); ++f) {
    const std::vector<double>& multipliers = machines[f].multipliers;
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      point[f][parts[f].rows[k]] = multipliers[k];
    }
  }
  return point;
}

/// For a part whose time never came: the best constant, whose objective needs no kernel, and zeros
/// as its multipliers.
Machine untrained_part(const LpTraining& training, const TwoClassPart& part, Status end) {
  std::vector<double> costs = part.weights;
  for (double& cost : costs) cost *= training.c;
  Machine machine{.function = constant_function(part.signs, costs, training.bias)};
  double loss = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double slack = std::max(0.0, 1 - part.signs[i] * machine.function.offset);
    if (slack > 0) loss += costs[i] * slack;
  }
  SolveReport& report = machine.report.report;
  report.status = end;
  if (std::isfinite(loss)) report.primal_objective = loss;
  report.dual_objective = 0.0;
  return machine;
}

/// A power of two near the matrix's largest entry: a simplex method has tolerances of its own,
/// which are for numbers near 1.
double unit_of(DenseView kernel) {
  double largest = 0;
  for (std::size_t i = 0; i < kernel.rows; ++i) {
    for (const double value : kernel.row(i)) largest = std::max(largest, std::abs(value));
  }
  return largest > 0 && std::isfinite(largest) ? std::exp2(std::floor(std::log2(largest))) : 1.0;
}

/// From the units of the solve, in which the kernel was divided by `unit` and C multiplied with it.
void restore_unit(Machine& machine, double unit) {
  SolveReport& report = machine.report.report;
  for (std::optional<double>* value : {&report.primal_objective, &report.dual_objective}) {
    if (*value) **value /= unit;
  }
  for (double& coefficient : machine.function.coefficients) coefficient /= unit;
  for (double& multiplier : machine.multipliers) multiplier /= unit;
}

/// `kernel` is the kernel matrix of the part's rows.
Machine train_part(const LpTraining& training, const TwoClassPart& part, DenseView kernel) {
  DenseMatrix shaped = DenseMatrix::uninitialized(kernel.rows, kernel.cols);
  for (std::size_t i = 0; i < kernel.rows; ++i) {
    std::ranges::copy(kernel.row(i), shaped.row(i).begin());
  }
  std::vector<double> divisors;
  if (training.shape) divisors = training.shape(shaped);
  const double unit = unit_of(shaped.view());
  for (double& value : shaped.values()) value /= unit;
  std::vector<double> costs = part.weights;
  for (double& cost : costs) cost *= training.c * unit;
  const LpSvm problem{.gram = shaped.view(),
                      .signs = part.signs,
                      .costs = std::move(costs),
                      .form = training.form,
                      .bias = training.bias};
  Machine machine = solve(problem, training.control);
  restore_unit(machine, unit);
  for (std::size_t j = 0; j < divisors.size(); ++j) {
    machine.function.coefficients[j] /= divisors[j];
  }
  measure(kernel, machine);
  return machine;
}

}  // namespace

TrainedClassifier train_lp_machines(LpTraining training) {
  const Dataset& data = training.data;
  const TrainingControl& control = training.control;
  TrainedClassifier trained;
  trained.model.classes = training.task.classes.names;
  trained.model.code = std::move(training.code);
  trained.model.feature_names = data.feature_names;
  const OutputCode& code = trained.model.code;
  std::vector<TwoClassPart> parts;
  for (std::size_t f = 0; f < code.functions; ++f) {
    parts.push_back(part_of(code, f, training.task));
    drop_weightless(parts.back());
  }
  require_room(training.name, data.size(), parts, control.context.memory_bytes());

  PhaseTimer timer;
  timer.enter("kernel");
  const StoppableGram kernel_matrix =
      gram_unless_stopped(training.kernel, data.examples, control.context);
  const auto kernel_seconds = timer.finish();
  std::vector<Machine> machines;
  Status end = Status::solved;
  if (kernel_matrix.answer != Continue::yes) end = status_of(kernel_matrix.answer);
  for (const TwoClassPart& part : parts) {
    if (was_stopped(end)) {
      machines.push_back(untrained_part(training, part, end));
    } else {
      const DenseMatrix& all = kernel_matrix.matrix;
      const bool whole = part.rows.size() == data.size();
      const DenseMatrix own = whole ? DenseMatrix() : submatrix(all, part.rows);
      machines.push_back(train_part(training, part, whole ? all.view() : own.view()));
      const Status status = machines.back().report.report.status;
      if (was_stopped(status)) end = status;
    }
    trained.machines.push_back(machines.back().report);
  }
  trained.model.functions = expansion_of(training.kernel, data.examples, parts, machines);
  if (control.keep_dual) trained.dual_coefficients = dual_point(data.size(), parts, machines);
  trained.report = sum_of_reports(trained.machines);
  trained.report.seconds.insert(
      trained.report.seconds.begin(), kernel_seconds.begin(), kernel_seconds.end());
  if (!is_psd(training.kernel)) {
    trained.report.warnings.push_back(
        "the kernel " + kernel_name(training.kernel) +
        " is not known to be positive semidefinite; the linear program does not need that, but |w| "
        "need not be a norm");
  }
  return trained;
}

}  // namespace maxmargin
