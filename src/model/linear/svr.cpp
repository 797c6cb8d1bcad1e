// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/dual-coordinate-descent.md
#include "maxmargin/model/linear/svr.hpp"

#include <cmath>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "model/describe.hpp"
#include "model/linear/training.hpp"

namespace maxmargin {

void LinearSvrOptions::describe(OptionVisitor& visit) {
  describe_cost(visit, c);
  visit.number({.name = "epsilon",
                .help = "half width of the tube in which errors are free; larger is flatter",
                .value = "WIDTH"},
               epsilon,
               rules::not_negative);
  visit.name({.name = "loss", .help = "loss of rows outside the tube"},
             loss,
             {LinearLoss::epsilon_insensitive, LinearLoss::squared_epsilon_insensitive});
  describe_linear_bias(visit, bias, bias_scale);
  control.describe(visit);
  describe_eps(visit, control, kkt_tolerance, solver);
}

TrainedRegressor train_linear_svr(const Dataset& data, const LinearSvrOptions& options) {
  validate(options);
  const RegressionTask task = regression_task(data);
  const LinearRisk problem{.examples = matrix_of(data.examples),
                           .targets = task.targets,
                           .weights = task.weights,
                           .c = options.c,
                           .loss = options.loss,
                           .penalty = LinearPenalty::l2,
                           .epsilon = options.epsilon,
                           .bias = options.bias ? options.bias_scale : 0.0};
  LinearSolution solution =
      solve_linear(problem, linear_options(options.control, options.kkt_tolerance, options.solver));
  LinearFunctions function{.weights = DenseMatrix(1, data.features()), .offsets = {0.0}};
  set_function(function, 0, solution, problem.bias);
  TrainedRegressor trained;
  trained.model.function = std::move(function);
  trained.model.feature_names = data.feature_names;
  trained.machines = {machine_report(solution)};
  trained.report = trained.machines.front().report;
  if (options.control.keep_dual) trained.dual_coefficients = {std::move(solution.coefficients)};
  return trained;
}

}  // namespace maxmargin
