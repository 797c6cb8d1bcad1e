// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/dual_coordinate.hpp"

#include <type_traits>

#include "maxmargin/core/require.hpp"
#include "solver/linear/default_passes.hpp"
#include "solver/linear/dual_coordinate_trial.hpp"
#include "solver/linear/rows.hpp"

namespace maxmargin {

LinearSolution linear::dual_coordinate(const LinearRisk& problem,
                                       const LinearOptions& options,
                                       std::span<const double> start,
                                       const Trial& trial) {
  return linear::with_rows(problem, [&](const auto& rows) {
    const auto solve = [&](const auto& dual) {
      using Rows = std::decay_t<decltype(rows)>;
      using Dual = std::decay_t<decltype(dual)>;
      return linear::DualCoordinate<Rows, Dual>(problem, rows, dual, options, trial).run(start);
    };
    switch (problem.loss) {
      case LinearLoss::hinge:
        return solve(linear::MarginDual<false>{});
      case LinearLoss::squared_hinge:
        return solve(linear::MarginDual<true>{});
      case LinearLoss::epsilon_insensitive:
        return solve(linear::TubeDual<false>{problem.epsilon});
      default:
        return solve(linear::TubeDual<true>{problem.epsilon});
    }
  });
}

LinearSolution solve_dual_coordinate(const LinearRisk& problem,
                                     const LinearOptions& options,
                                     std::span<const double> start) {
  linear::require_solvable(problem, options, start, problem.rows());
  require_field(problem.penalty == LinearPenalty::l2,
                "penalty of dual coordinate descent",
                to_string(problem.penalty),
                "l2");
  require_field(problem.loss != LinearLoss::logistic,
                "loss of dual coordinate descent",
                to_string(problem.loss),
                "a hinge or an epsilon-insensitive loss (Newton's method takes the logistic one)");
  const LinearOptions limited = linear::with_default_passes(options, problem.examples);
  return linear::dual_coordinate(problem, limited, start, {});
}

}  // namespace maxmargin
