// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/linear_program.hpp"

/// Linear programs solved by the simplex method of COIN-OR CLP: docs/algorithms/lp-svm.md.
namespace maxmargin {

enum class SimplexKind {
  dual,   ///< keeps the prices feasible; wins when most columns have two finite bounds
  primal  ///< keeps the point feasible
};

struct LinearProgramOptions {
  SimplexKind simplex = SimplexKind::dual;
  /// Largest violation of a bound, of x and of reduced costs, in the program as CLP scales it; in
  /// [1e-10, 1e-2].
  double tolerance = 1e-9;
  /// The relative gap and the violations (relative to the size of the numbers) recomputed from the
  /// answer must be within this for the status `solved`; above it is `solved_inaccurate`. > 0.
  double accepted = 1e-6;
  /// Pivots; unset: no limit.
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Callback: asked every 100 pivots.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// What solve_linear_program found.
struct LinearProgramSolution {
  /// A vertex, one number a column. With a limit: where the simplex stood.
  std::vector<double> x = {};
  /// One a row, the sign as in LinearProgramResiduals: >= 0 where the lower bound binds, <= 0
  /// where the upper one does.
  std::vector<double> prices = {};
  /// Status primal_infeasible: prices for infeasibility_proof. Status dual_infeasible: a direction
  /// for unboundedness_proof. Empty otherwise, and when a lower bound lies above its upper one,
  /// which proves itself.
  std::vector<double> ray = {};
  /// Objectives and violations recomputed by residuals(). A status of infeasible or unbounded is
  /// only given when the ray proves it; else it is numerical_failure.
  SolveReport report = {};
};

/// Solves the program on the calling thread; the same input gives the same bits. Memory: about four
/// copies of the matrix. Throws InvalidArgument for wrong options or a wrong program, when a cost,
/// an entry or a finite bound is above 1e20 in magnitude (CLP takes such numbers for infinite), and
/// when there are 2^31 entries or more. Exceptions of the callback pass through.
[[nodiscard]] LinearProgramSolution solve_linear_program(const LinearProgram& problem,
                                                         const LinearProgramOptions& options = {});

}  // namespace maxmargin
