// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/kernel/cs_svc.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/parallel.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/model/output_code.hpp"
#include "model/constant_feature.hpp"
#include "model/describe.hpp"
#include "model/kernel/training.hpp"
#include "solver/crammer_singer/crammer_singer.hpp"

namespace maxmargin {

namespace {

CrammerSinger problem_of(const ClassificationTask& task, const CsSvcOptions& options) {
  CrammerSinger problem;
  problem.class_count = task.classes.count();
  problem.classes = task.classes.of_row;
  problem.bias = options.bias;
  problem.costs.reserve(task.weights.size());
  for (const double weight : task.weights) problem.costs.push_back(options.c * weight);
  return problem;
}

DualPoint dual_point(const DenseMatrix& coefficients) {
  DualPoint by_class(coefficients.cols(), std::vector<double>(coefficients.rows()));
  for (std::size_t r = 0; r < coefficients.cols(); ++r) {
    for (std::size_t i = 0; i < coefficients.rows(); ++i) by_class[r][i] = coefficients(i, r);
  }
  return by_class;
}

DecisionFunction functions_of(const Kernel& kernel,
                              const Examples& examples,
                              const CrammerSingerSolution& solution) {
  if (std::holds_alternative<Linear>(kernel)) {
    return LinearFunctions{solution.weights, solution.offsets};
  }
  return make_expansion(kernel, examples, dual_point(solution.coefficients), solution.offsets);
}

/// Objectives and squared norm of the functions on their training set, computed in double a few
/// rows at a time. Functions have sum_i t_ir f_r(x_i) as their squared norm, the bias included.
struct ExactObjectives {
  double primal = 0;
  double dual = 0;
  double squared_norm = 0;
};

ExactObjectives exact_objectives(const CrammerSinger& problem,
                                 const DenseMatrix& coefficients,
                                 const DecisionFunction& functions,
                                 const Examples& examples,
                                 const DecisionOptions& decision_options) {
  constexpr std::size_t batch = 8192;
  double loss = 0;
  double gain = 0;
  double squared_norm = 0;
  for (std::size_t begin = 0; begin < problem.size(); begin += batch) {
    std::vector<std::size_t> rows;
    for (std::size_t i = begin; i < std::min(problem.size(), begin + batch); ++i) {
      rows.push_back(i);
    }
    const DenseMatrix values = decision_values(functions, examples.select(rows), decision_options);
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const std::size_t i = rows[b];
      const std::size_t own = problem.class_of(i);
      double slack = 0;
      for (std::size_t r = 0; r < problem.class_count; ++r) {
        if (r != own) slack = std::max(slack, 1 + values(b, r) - values(b, own));
        squared_norm += coefficients(i, r) * values(b, r);
      }
      loss += problem.costs[i] * slack;
      gain += coefficients(i, own);
    }
  }
  return {squared_norm / 2 + loss, gain - squared_norm / 2, squared_norm};
}

void count_support_vectors(const CrammerSinger& problem,
                           const DenseMatrix& coefficients,
                           MachineReport& machine) {
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (std::ranges::all_of(coefficients.row(i), [](double t) { return t == 0; })) continue;
    ++machine.support_vectors;
    if (coefficients(i, problem.class_of(i)) >= problem.costs[i]) ++machine.bounded;
  }
}

}  // namespace

void CsSvcOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  kernel.describe(visit);
  visit.rule(!kernel.is_indefinite(),
             "--kernel " + kernel.indefinite_text() + ", cs-svc needs a kernel that is");
  ConstantFeature constant(bias);
  visit.option({.name = "no-bias", .help = "a machine through the origin"}, constant);
  visit.rule(bias >= 0 && std::isfinite(bias),
             "the value of the constant feature must be a finite number >= 0");
  describe_class_weights(visit, class_weights);
  MulticlassKind multiclass = MulticlassKind::direct;
  visit.name({.name = "multiclass", .help = "all classes at once, always", .value = "KIND"},
             multiclass,
             {MulticlassKind::direct});
  describe_one_class(visit, allow_one_class);
  control.describe(visit);
  visit.switched_off({.name = "no-shrinking", .help = "look at all rows in every step"}, shrinking);
}

TrainedClassifier train_cs_svc(const Dataset& data, const CsSvcOptions& options) {
  validate(options);
  const ClassificationTask task =
      classification_task(data, options.class_weights, options.allow_one_class);
  const Kernel kernel = resolved_kernel(options.kernel, data, options.control);
  const bool linear = std::holds_alternative<Linear>(kernel);
  PhaseTimer timer;
  CrammerSinger problem = problem_of(task, options);
  std::unique_ptr<SymmetricMatrix> matrix;
  if (linear) {
    problem.points = data.examples.points();
  } else {
    matrix = kernel_matrix(kernel,
                           data.examples,
                           options.control.context.memory_bytes(),
                           thread_count(options.control.context.threads));
    problem.points = matrix.get();
  }
  // Rows are computed when they are asked for, so the kernel has no phase of its own.
  timer.enter("solve");
  const CrammerSingerSolution solution =
      solve_crammer_singer(problem,
                           {.tolerance = options.control.tolerance,
                            .max_iterations = options.control.max_iterations,
                            .shrinking = options.shrinking,
                            .context = options.control.context});
  timer.enter("measure");
  matrix.reset();
  TrainedClassifier trained;
  trained.model.classes = task.classes.names;
  trained.model.code = direct_code(problem.class_count);
  trained.model.functions = functions_of(kernel, data.examples, solution);
  trained.model.feature_names = data.feature_names;
  if (linear && options.control.keep_dual) {
    trained.dual_coefficients = dual_point(solution.coefficients);
  }
  MachineReport machine;
  machine.report = solution.report;
  const ExactObjectives objectives =
      exact_objectives(problem,
                       solution.coefficients,
                       trained.model.functions,
                       data.examples,
                       {.context = options.control.context, .precision = ValuePrecision::exact});
  machine.report.primal_objective = objectives.primal;
  machine.report.dual_objective = objectives.dual;
  machine.squared_norm = objectives.squared_norm;
  count_support_vectors(problem, solution.coefficients, machine);
  machine.report.seconds = timer.finish();
  trained.machines.push_back(machine);
  trained.report = sum_of_reports(trained.machines);
  return trained;
}

}  // namespace maxmargin
