// SPDX-License-Identifier: Apache-2.0
#include "model/linear/training.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

std::variant<SparseView, DenseView> matrix_of(const Examples& examples) {
  if (examples.is_dense()) return examples.dense().view();
  return examples.sparse().view();
}

LinearOptions linear_options(const TrainingControl& control,
                             const std::optional<double>& kkt_tolerance) {
  return {.tolerance = control.tolerance,
          .kkt_tolerance = kkt_tolerance,
          .max_iterations = control.max_iterations,
          .shrinking = true,
          .seed = control.seed,
          .on_progress = control.on_progress};
}

void require_linear_fields(std::string_view type, double c, double bias_scale) {
  const std::string prefix(type);
  require_field(std::isfinite(c) && c > 0, prefix + ".c", c, "finite and > 0");
  require_field(std::isfinite(bias_scale) && bias_scale > 0,
                prefix + ".bias_scale",
                bias_scale,
                "finite and > 0");
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
