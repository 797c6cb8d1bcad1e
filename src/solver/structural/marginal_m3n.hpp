// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "problem/structural/chain_m3n.hpp"

namespace maxmargin {

struct MarginalM3nOptions {
  /// Relative duality gap; > 0. Small ones are cheap here.
  double tolerance = 1e-8;
  /// Steps of the interior-point method; at least 1.
  std::size_t max_iterations = 100;
  /// Callback: asked before every step.
  Context context = {};

  void describe(OptionVisitor& visit);
};

struct MarginalM3nSolution {
  std::vector<double> w = {};
  /// One a sequence, feasible to rounding; of a sequence of cost 0: all 0.
  std::vector<ChainMarginals> marginals = {};
  /// primal_objective is P(w), dual_objective D of the marginals.
  SolveReport report = {};
};

/// An interior-point method on the marginals: docs/algorithms/m3n.md. For small problems, to check
/// other solvers by. Throws InvalidArgument for wrong problems and options, and when its matrices
/// do not fit the memory.
[[nodiscard]] MarginalM3nSolution solve_marginal_m3n(const ChainM3n& problem,
                                                     const MarginalM3nOptions& options = {});

}  // namespace maxmargin
