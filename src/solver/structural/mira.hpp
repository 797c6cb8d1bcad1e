// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// MIRA: after every example the smallest change of w that makes its largest plane 0, at most C
/// times its slope; the mean of all w: docs/algorithms/structural-online.md. `c` bounds a step,
/// `max_passes` is the number of passes, unless a pass changes nothing. The report's
/// primal_objective is sum_i a_i loss_i as the last pass met it, each before its step; there is no
/// dual. `tolerance`, `threads` and what concerns planes and checkpoints are not used. Throws
/// InvalidArgument naming the field.
[[nodiscard]] StructuralSolution solve_structural_mira(const StructuralRisk& risk,
                                                       const StructuralOptions& options = {});

}  // namespace maxmargin
