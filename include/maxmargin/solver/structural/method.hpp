// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

class StructuralRisk;

/// How a structural machine is trained.
enum class StructuralMethod {
  block_frank_wolfe,  ///< docs/algorithms/bcfw.md
  one_slack,          ///< docs/algorithms/cutting-plane.md
  n_slack,            ///< the same, a slack for every example
  subgradient,        ///< docs/algorithms/structural-online.md; no gap
  mira                ///< there too; no gap
};

template <>
inline constexpr auto names_of<StructuralMethod> =
    name_table<StructuralMethod>({{"bcfw", StructuralMethod::block_frank_wolfe},
                                  {"one-slack", StructuralMethod::one_slack},
                                  {"n-slack", StructuralMethod::n_slack},
                                  {"subgradient", StructuralMethod::subgradient},
                                  {"mira", StructuralMethod::mira}});

/// Option solver.
MAXMARGIN_EXPORT void describe_method(OptionVisitor& visit, StructuralMethod& method);
/// Whether the method ends by a duality gap.
[[nodiscard]] MAXMARGIN_EXPORT bool has_gap(StructuralMethod method) noexcept;
/// Whether the method's objective is that of the weights it hands back. mira reports the losses
/// that its last pass met.
[[nodiscard]] MAXMARGIN_EXPORT bool has_objective(StructuralMethod method) noexcept;
/// Whether runs of the method can be saved and resumed.
[[nodiscard]] MAXMARGIN_EXPORT bool has_checkpoints(StructuralMethod method) noexcept;

/// Trains by that method. `start` as for the solvers; throws InvalidArgument when the method has no
/// checkpoints.
[[nodiscard]] MAXMARGIN_EXPORT StructuralSolution
solve_structural(const StructuralRisk& risk,
                 StructuralMethod method,
                 const StructuralOptions& options = {},
                 const StructuralState* start = nullptr);

}  // namespace maxmargin
