// SPDX-License-Identifier: Apache-2.0
#include "model/linear/training.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "maxmargin/core/require.hpp"
#include "model/describe.hpp"
#include "model/tolerances.hpp"

namespace maxmargin {

std::variant<SparseView, DenseView> matrix_of(const Examples& examples) {
  if (examples.is_dense()) return examples.dense();
  return examples.sparse();
}

LinearOptions linear_options(const TrainingControl& control,
                             const std::optional<double>& kkt_tolerance,
                             ConvexMethod method) {
  return {.tolerance = control.tolerance,
          .kkt_tolerance = kkt_tolerance,
          .max_iterations = control.max_iterations,
          .shrinking = true,
          .method = method,
          .context = control.context};
}

void describe_linear_bias(OptionVisitor& visit, bool& bias, double& bias_scale) {
  describe_bias(visit, bias);
  visit.number({.name = "bias-scale",
                .help = "value of the feature that stands for the bias; larger penalises it less",
                .value = "VALUE"},
               bias_scale,
               rules::positive);
}

void describe_eps(OptionVisitor& visit,
                  const TrainingControl& control,
                  std::optional<double>& kkt_tolerance,
                  ConvexMethod& method) {
  visit.number({.name = "kkt-tolerance",
                .help = "stop at this KKT violation (LIBLINEAR's eps) instead of the gap",
                .value = "EPS",
                .fallback = "none"},
               kkt_tolerance,
               rules::positive);
  refuse_both_tolerances(visit, control, kkt_tolerance);
  describe_method(visit, method, kkt_tolerance);
}

MachineReport machine_report(LinearSolution& solution) {
  MachineReport machine;
  machine.report = std::move(solution.report);
  machine.support_vectors = solution.support_vectors;
  machine.bounded = solution.bounded;
  for (const double weight : solution.w) machine.squared_norm += weight * weight;
  return machine;
}

void set_function(LinearFunctions& functions,
                  std::size_t function,
                  const LinearSolution& solution,
                  double bias) {
  const auto row = functions.weights.row(function);
  std::copy_n(solution.w.begin(), row.size(), row.begin());
  functions.offsets[function] = bias != 0 ? bias * solution.w.back() : 0.0;
}

}  // namespace maxmargin
