// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "maxmargin/problem/structural/latent_risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// The state of a solver moved to a problem whose truths have changed: docs/algorithms/latent.md,
/// "Warm cuts". A stored slope is truth less rival, of its example or, for a cut, summed over all:
/// it moves by the shift of the example or by the sum of all of them, and its offset stays. Planes
/// that were replaced go, and with them all cuts. `risk` says what examples weigh; `w` is the best
/// known point of the new problem, and `objective` its objective there.
[[nodiscard]] StructuralState moved_state(StructuralState state,
                                          std::span<const CompletionChange> changes,
                                          const StructuralRisk& risk,
                                          std::span<const double> w,
                                          double objective);

}  // namespace maxmargin
