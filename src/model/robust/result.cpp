// SPDX-License-Identifier: Apache-2.0
#include "model/robust/result.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/settle.hpp"

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

RobustFunction robust_function(const RobustDescent& found,
                               std::size_t function,
                               std::span<const std::size_t> rows,
                               std::span<const std::int8_t> signs) {
  RobustFunction result{.objectives = found.objectives, .rounds = found.rounds};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (found.eta[k] >= 1) continue;
    result.outliers.push_back({.row = rows[k],
                               .function = function,
                               .eta = found.eta[k],
                               .margin = signs[k] * found.point.values[k]});
  }
  return result;
}

std::vector<std::vector<double>> proofs_of(RobustDescent& found,
                                           RampBound& bound,
                                           std::size_t stages) {
  bound.stages.resize(stages, std::vector<double>(found.proof.size(), 0.0));
  std::vector<std::vector<double>> proofs;
  proofs.push_back(std::move(found.proof));
  for (std::vector<double>& stage : bound.stages) proofs.push_back(std::move(stage));
  return proofs;
}

MachineReport robust_machine_report(const RobustDescent& found,
                                    std::optional<double> lower_bound,
                                    double seconds) {
  MachineReport report;
  report.report = robust_report(found, lower_bound, seconds);
  report.squared_norm = found.point.squared_norm;
  for (const double b : found.point.coefficients) report.support_vectors += b != 0 ? 1U : 0U;
  return report;
}

void finish_robust(const std::vector<RobustFunction>& functions,
                   std::size_t starts,
                   double tolerance,
                   TrainedRobustClassifier& trained) {
  for (const RobustFunction& function : functions) {
    trained.outliers.insert(
        trained.outliers.end(), function.outliers.begin(), function.outliers.end());
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
  settle_end(report, Ending::search, tolerance);
}

}  // namespace maxmargin
