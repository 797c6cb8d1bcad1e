// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/linear_risk.hpp"
#include "solver/linear/linear.hpp"

/// What the trainers of linear machines share.
namespace maxmargin {

/// The examples as the solvers see them.
[[nodiscard]] std::variant<SparseView, DenseView> matrix_of(const Examples& examples);

/// When the solver stops, from what the trainers were told.
[[nodiscard]] LinearOptions linear_options(const TrainingControl& control,
                                           const std::optional<double>& kkt_tolerance,
                                           ConvexMethod method = ConvexMethod::automatic);

/// Options no-bias and bias-scale.
void describe_linear_bias(OptionVisitor& visit, bool& bias, double& bias_scale);
/// Options kkt-tolerance and solver.
void describe_eps(OptionVisitor& visit,
                  const TrainingControl& control,
                  std::optional<double>& kkt_tolerance,
                  ConvexMethod& method);

/// Counts and norm of a solution; its report is moved out.
[[nodiscard]] MachineReport machine_report(LinearSolution& solution);

/// Writes a solution's weights into row `function` and its offset.
void set_function(LinearFunctions& functions,
                  std::size_t function,
                  const LinearSolution& solution,
                  double bias);

}  // namespace maxmargin
