// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"
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

/// "bcfw", "one-slack", "n-slack", "subgradient", "mira".
[[nodiscard]] MAXMARGIN_EXPORT std::string_view to_string(StructuralMethod method) noexcept;
/// Throws InvalidArgument for another name.
[[nodiscard]] MAXMARGIN_EXPORT StructuralMethod parse_structural_method(std::string_view name);
/// Whether runs of the method can be saved and gone on with.
[[nodiscard]] MAXMARGIN_EXPORT bool has_checkpoints(StructuralMethod method) noexcept;

/// Trains by that method. `start` as for the solvers; throws InvalidArgument when the method has no
/// checkpoints.
[[nodiscard]] MAXMARGIN_EXPORT StructuralSolution
solve_structural(const StructuralRisk& risk,
                 StructuralMethod method,
                 const StructuralOptions& options = {},
                 const StructuralState* start = nullptr);

}  // namespace maxmargin
