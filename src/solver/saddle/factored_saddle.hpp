// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/linalg/matrix.hpp"
#include "problem/saddle/factored_saddle.hpp"

/// docs/algorithms/mmc-alternating.md, "A bound from features".
namespace maxmargin {

struct FactoredSaddleOptions {
  /// Stop at this relative gap between the value of W and the bound of the features alone; > 0.
  double tolerance = 1e-3;
  /// Steps of L-BFGS in all; at least 1.
  std::size_t max_iterations = 5000;
  /// Columns of W to begin with, at least 1; more are added where they help.
  std::size_t columns = 8;
  /// Seed: of the noise in the first W. Callback: asked after every step.
  Context context = {};
  void describe(OptionVisitor& visit);
};

struct FactoredSaddleSolution {
  /// P = W W'; one row a feature.
  DenseMatrix w = {};
  /// Prove lower_bound: factored_saddle_bound finds it again.
  std::vector<double> weights = {};
  /// factored_saddle_value of w; the relaxation of K is not above it.
  double value = 0;
  /// No labelling, balanced or not, has a smaller objective.
  double lower_bound = 0;
  /// Eigenvalues of P above 1e-6 of its trace.
  std::size_t rank = 0;
  /// primal_objective is `value`; iterations are steps of L-BFGS. `solved` speaks of the features
  /// alone: what they miss of the kernel is taken off lower_bound beyond that.
  SolveReport report = {};
};

/// Solves the convex problem through W by the method of multipliers on the hinges, each convexified
/// problem by L-BFGS. The bound holds whatever the status. O(n m r) a step for r columns, O(n m^2 +
/// m^3) a round of them and once for the proof; memory about 2 n r + (20 + n / 2048) m r + 20 m^2
/// numbers. The same for any number of threads. Throws InvalidArgument for a
/// problem that does not validate and wrong options.
[[nodiscard]] FactoredSaddleSolution solve_factored_saddle(
    const FactoredSaddle& problem, const FactoredSaddleOptions& options = {});

}  // namespace maxmargin
