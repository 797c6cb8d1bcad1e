// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/dual-coordinate-descent.md
#include "maxmargin/model/linear/svr.hpp"

#include <cmath>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "model/linear/training.hpp"

namespace maxmargin {

void LinearSvrOptions::validate() const {
  require_linear_fields("LinearSvrOptions", c, bias_scale);
  require_field(std::isfinite(epsilon) && epsilon >= 0,
                "LinearSvrOptions.epsilon",
                epsilon,
                "finite and >= 0");
  require_field(!is_classification(loss),
                "LinearSvrOptions.loss",
                to_string(loss),
                "epsilon-insensitive or squared-epsilon-insensitive");
  control.validate();
}

TrainedRegressor train_linear_svr(const Dataset& data, const LinearSvrOptions& options) {
  options.validate();
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
      solve_linear(problem, linear_options(options.control, options.kkt_tolerance));
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
