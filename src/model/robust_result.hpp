// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/model/robust.hpp"
#include "model/code_trainer.hpp"
#include "model/ramp_bound.hpp"
#include "model/robust_descent.hpp"

/// From descents to what robust learners hand back.
namespace maxmargin {

/// What one function of the code left out, on the rows of its problem.
struct RobustFunction {
  std::vector<std::size_t> rows = {};
  std::vector<std::int8_t> signs = {};
  std::vector<double> eta = {};
  std::vector<double> values = {};
  std::vector<double> objectives = {};
  std::size_t rounds = 0;
};

/// The machine of a descent: its report, and as proofs the dual point of its eta and `stages` of
/// the bound. Moves what it needs out of both.
[[nodiscard]] CodeMachine robust_machine(RobustDescent& found,
                                         RampBound& bound,
                                         std::size_t stages,
                                         double seconds,
                                         RobustFunction& result);

/// Report of the descent: status, robust objective, dual of its eta, lower bound.
[[nodiscard]] SolveReport robust_report(const RobustDescent& found,
                                        std::optional<double> lower_bound,
                                        double seconds);

/// Collects outliers, rounds and objectives, and turns the sum of the reports into one of a problem
/// that is not convex.
void finish_robust(const std::vector<RobustFunction>& functions,
                   std::size_t starts,
                   TrainedRobustClassifier& trained);

}  // namespace maxmargin
