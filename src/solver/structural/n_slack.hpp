// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// Cutting planes with a working set for every example: docs/algorithms/cutting-plane.md, "n
/// slacks". Few passes, hence for oracles that are costly. `start`: a state of an earlier run on
/// the same problem, to resume from. Throws InvalidArgument naming the field of wrong options or of
/// a state that does not fit.
[[nodiscard]] StructuralSolution solve_n_slack(const StructuralRisk& risk,
                                               const StructuralOptions& options = {},
                                               const StructuralState* start = nullptr);

}  // namespace maxmargin
