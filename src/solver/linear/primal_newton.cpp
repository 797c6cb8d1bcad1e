// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/primal_newton.hpp"

#include <type_traits>

#include "maxmargin/core/require.hpp"
#include "solver/linear/rows.hpp"

namespace maxmargin {

LinearSolution solve_primal_newton(const LinearRisk& problem,
                                   const LinearOptions& options,
                                   std::span<const double> start) {
  linear::require_solvable(problem, options, start, problem.components());
  require_field(problem.penalty == LinearPenalty::l2,
                "penalty of Newton's method",
                to_string(problem.penalty),
                "l2");
  require_field(is_smooth(problem.loss),
                "loss of Newton's method",
                to_string(problem.loss),
                "squared or logistic");
  return linear::with_rows(problem, [&](const auto& rows) {
    const auto solve = [&](const auto& loss) {
      using Rows = std::decay_t<decltype(rows)>;
      using Loss = std::decay_t<decltype(loss)>;
      return linear::PrimalNewton<Rows, Loss>(problem, rows, loss, options).run(start);
    };
    switch (problem.loss) {
      case LinearLoss::squared_hinge:
        return solve(linear::SquaredMarginPrimal{});
      case LinearLoss::logistic:
        return solve(linear::LogisticPrimal{});
      default:
        return solve(linear::SquaredTubePrimal{problem.epsilon});
    }
  });
}

}  // namespace maxmargin
