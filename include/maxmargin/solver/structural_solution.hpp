// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "maxmargin/core/report.hpp"

namespace maxmargin {

/// What solvers of a StructuralRisk are told alike.
struct StructuralOptions {
  /// C, of the sum of losses; finite and > 0.
  double c = 1;
  /// Relative duality gap; > 0.
  double tolerance = 1e-2;
  /// Passes over all examples; at least 1.
  std::size_t max_passes = 1000;
  std::uint64_t seed = 0;
  /// Unset: all cores. The answer does not depend on it.
  std::optional<std::size_t> threads = std::nullopt;
  /// Asked between passes and within them.
  ProgressCallback on_progress = {};
};

/// What they hand back.
struct StructuralSolution {
  std::vector<double> w = {};
  /// Calls of largest_plane.
  std::uint64_t oracle_calls = 0;
  /// primal_objective is P(w) (an estimate where the risk is not exact), dual_objective D, which
  /// bounds the least P from below; iterations are passes.
  SolveReport report = {};
};

}  // namespace maxmargin
