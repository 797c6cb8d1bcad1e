// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// Cutting planes with one slack for all examples: docs/algorithms/cutting-plane.md. `start`: a
/// state of an earlier run on the same problem, to resume from. Throws InvalidArgument naming the
/// field of wrong options or of a state that does not fit.
[[nodiscard]] StructuralSolution solve_one_slack(const StructuralRisk& risk,
                                                 const StructuralOptions& options = {},
                                                 const StructuralState* start = nullptr);

}  // namespace maxmargin
