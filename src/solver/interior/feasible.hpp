// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "solver/interior/scaled.hpp"

/// From an interior point to one that is feasible to the last digit and has its coefficients at
/// their bounds where they belong (docs/algorithms/interior-point.md, step 8).
namespace maxmargin::interior {

/// `b` with every coefficient moved to a bound to which `share` of a step along it alone would
/// take it; at.values and at.offsets belong to `b`. With share 0 nothing moves.
[[nodiscard]] std::vector<double> moved_to_bounds(const ScaledProblem& problem,
                                                  std::span<const double> b,
                                                  const Measured& at,
                                                  double share);

/// `b` times a little more than 1, by `share`: where losses are rounding beside their costs, rows
/// that should just pay nothing do so then. Empty when that leaves the bounds or misses a sum.
[[nodiscard]] std::vector<double> grown(const ScaledProblem& problem,
                                        std::span<const double> b,
                                        double share);

/// Where both sides of a tube hold a coefficient, takes from both what they have in common:
/// function and sums stay, and the dual grows by twice the tube's width times that.
void cancel_sides(const ScaledProblem& problem, std::span<double> b);

/// Moves coefficients between their bounds so that the groups' sums hold, up to the rounding of one
/// addition.
void restore_sums(const ScaledProblem& problem, std::span<double> b);

}  // namespace maxmargin::interior
