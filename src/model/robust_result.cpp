// SPDX-License-Identifier: Apache-2.0
#include "model/robust_result.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace maxmargin {

std::size_t TrainedRobustClassifier::outlier_rows() const {
  std::size_t count = 0;
  for (std::size_t k = 0; k < outliers.size(); ++k) {
    if (k == 0 || outliers[k].row != outliers[k - 1].row) ++count;
  }
  return count;
}

SolveReport robust_report(const RobustDescent& found,
                          std::optional<double> lower_bound,
                          double seconds) {
  SolveReport report;
  report.status = found.status;
  report.message = found.message;
  report.iterations = found.iterations;
  if (found.status != Status::numerical_failure) {
    report.primal_objective = found.objective;
    report.dual_objective = found.fixed_dual;
    report.lower_bound = lower_bound;
  }
  report.seconds = {{"solve", seconds}};
  return report;
}

CodeMachine robust_machine(RobustDescent& found,
                           RampBound& bound,
                           std::size_t stages,
                           double seconds,
                           RobustFunction& result) {
  CodeMachine machine;
  machine.report.report = robust_report(found, bound.value, seconds);
  machine.report.squared_norm = found.point.squared_norm;
  for (const double b : found.point.coefficients)
    machine.report.support_vectors += b != 0 ? 1U : 0U;
  machine.offset = found.point.offset;
  machine.proofs.push_back(std::move(found.proof));
  bound.stages.resize(stages, std::vector<double>(found.point.coefficients.size(), 0.0));
  for (std::vector<double>& stage : bound.stages) machine.proofs.push_back(std::move(stage));
  result.eta = std::move(found.eta);
  result.values = found.point.values;
  result.objectives = std::move(found.objectives);
  result.rounds = found.rounds;
  machine.coefficients = std::move(found.point.coefficients);
  machine.values = std::move(found.point.values);
  return machine;
}

void finish_robust(const std::vector<RobustFunction>& functions,
                   std::size_t starts,
                   TrainedRobustClassifier& trained) {
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const RobustFunction& function = functions[f];
    for (std::size_t k = 0; k < function.rows.size(); ++k) {
      if (function.eta[k] >= 1) continue;
      trained.outliers.push_back({.row = function.rows[k],
                                  .function = f,
                                  .eta = function.eta[k],
                                  .margin = function.signs[k] * function.values[k]});
    }
    trained.rounds += function.rounds;
    trained.objectives.insert(
        trained.objectives.end(), function.objectives.begin(), function.objectives.end());
  }
  std::ranges::sort(trained.outliers, [](const Outlier& a, const Outlier& b) {
    return std::tie(a.row, a.function) < std::tie(b.row, b.function);
  });
  trained.starts = starts;
  SolveReport& report = trained.report;
  trained.stationary_gap = report.primal_objective && report.dual_objective
                               ? relative_gap(*report.primal_objective, *report.dual_objective)
                               : std::numeric_limits<double>::quiet_NaN();
  // The sum of the duals belongs to the outliers as chosen; it bounds no other choice.
  report.dual_objective = std::nullopt;
}

}  // namespace maxmargin
