// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/model/robust/robust.hpp"
#include "model/kernel/code_trainer.hpp"
#include "model/robust/descent.hpp"
#include "model/robust/ramp_bound.hpp"

/// From descents to what robust learners hand back.
namespace maxmargin {

/// What stays of the descent of one function of the code.
struct RobustFunction {
  std::vector<Outlier> outliers = {};
  std::vector<double> objectives = {};
  std::size_t rounds = 0;
};

/// Outliers, objectives and rounds. `rows` are those of the problem, in the training data; the
/// examples of the problem and `signs` are one each.
[[nodiscard]] RobustFunction robust_function(const RobustDescent& found,
                                             std::size_t function,
                                             std::span<const std::size_t> rows,
                                             std::span<const std::int8_t> signs);

/// The dual point of the descent's eta and `stages` of the bound, moved out of both.
[[nodiscard]] std::vector<std::vector<double>> proofs_of(RobustDescent& found,
                                                         RampBound& bound,
                                                         std::size_t stages);

/// Report, support vectors and norm of the machine of a descent.
[[nodiscard]] MachineReport robust_machine_report(const RobustDescent& found,
                                                  std::optional<double> lower_bound,
                                                  double seconds);

/// Report of the descent: status, robust objective, dual of its eta, lower bound.
[[nodiscard]] SolveReport robust_report(const RobustDescent& found,
                                        std::optional<double> lower_bound,
                                        double seconds);

/// Collects outliers, rounds and objectives, and turns the sum of the reports into one of a problem
/// that is not convex, held to the tolerance.
void finish_robust(const std::vector<RobustFunction>& functions,
                   std::size_t starts,
                   double tolerance,
                   TrainedRobustClassifier& trained);

}  // namespace maxmargin
