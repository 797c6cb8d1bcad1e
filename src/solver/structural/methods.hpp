// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

/// The solvers of structural machines, behind solve_structural.
namespace maxmargin {

/// Cutting planes with one slack for all examples: docs/algorithms/cutting-plane.md. `start`: a
/// state of an earlier run on the same problem, to resume from. Throws InvalidArgument naming the
/// field of wrong options or of a state that does not fit.
[[nodiscard]] StructuralSolution solve_one_slack(const StructuralRisk& risk,
                                                 const StructuralOptions& options = {},
                                                 const StructuralState* start = nullptr);

/// Cutting planes with a working set for every example: docs/algorithms/cutting-plane.md, "n
/// slacks". Few passes, hence for oracles that are costly. `start`: a state of an earlier run on
/// the same problem, to resume from. Throws InvalidArgument naming the field of wrong options or of
/// a state that does not fit.
[[nodiscard]] StructuralSolution solve_n_slack(const StructuralRisk& risk,
                                               const StructuralOptions& options = {},
                                               const StructuralState* start = nullptr);

/// Block-coordinate Frank-Wolfe with pairwise steps on the dual of structural machines:
/// docs/algorithms/bcfw.md. `start`: a state of an earlier run on the same problem, to resume from.
/// Throws InvalidArgument naming the field of wrong options or of a state that does not fit.
[[nodiscard]] StructuralSolution solve_block_frank_wolfe(const StructuralRisk& risk,
                                                         const StructuralOptions& options = {},
                                                         const StructuralState* start = nullptr);

/// Stochastic subgradient steps with averaging, the baseline: docs/algorithms/structural-online.md.
/// It knows no dual, so its report has a primal objective alone; it ends where that falls by less
/// than `tolerance` of itself between two looks, with solved_inaccurate. `start`,
/// `on_checkpoint`: as for the other solvers. Throws InvalidArgument naming the field.
[[nodiscard]] StructuralSolution solve_structural_subgradient(
    const StructuralRisk& risk,
    const StructuralOptions& options = {},
    const StructuralState* start = nullptr);

/// MIRA: after every example the smallest change of w that makes its largest plane 0, at most C
/// times its slope; the mean of all w: docs/algorithms/structural-online.md. `c` bounds a step,
/// `max_passes` is the number of passes, unless a pass changes nothing. The report's
/// primal_objective is sum_i a_i loss_i as the last pass met it, each before its step; there is no
/// dual. `tolerance`, `threads` and what concerns planes and checkpoints are not used. Throws
/// InvalidArgument naming the field.
[[nodiscard]] StructuralSolution solve_structural_mira(const StructuralRisk& risk,
                                                       const StructuralOptions& options = {});

}  // namespace maxmargin
