// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// Block-coordinate Frank-Wolfe with pairwise steps on the dual of structural machines:
/// docs/algorithms/bcfw.md. `start`: a state of an earlier run on the same problem, to resume from.
/// Throws InvalidArgument naming the field of wrong options or of a state that does not fit.
[[nodiscard]] StructuralSolution solve_block_frank_wolfe(const StructuralRisk& risk,
                                                         const StructuralOptions& options = {},
                                                         const StructuralState* start = nullptr);

}  // namespace maxmargin
