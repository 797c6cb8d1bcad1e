// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// Stochastic subgradient steps with averaging, the baseline: docs/algorithms/structural-online.md.
/// It knows no dual, so its report has a primal objective alone; it ends where that falls by less
/// than `tolerance` of itself between two looks, with solved_inaccurate. `start`,
/// `on_checkpoint`: as for the other solvers. Throws InvalidArgument naming the field.
[[nodiscard]] StructuralSolution solve_structural_subgradient(
    const StructuralRisk& risk,
    const StructuralOptions& options = {},
    const StructuralState* start = nullptr);

}  // namespace maxmargin
