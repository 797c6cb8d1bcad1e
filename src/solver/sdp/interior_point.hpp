// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "maxmargin/solver/sdp/solution.hpp"

/// The accuracy reference among the solvers of semidefinite programs:
/// docs/algorithms/sdp-interior-point.md.
namespace maxmargin {

struct SdpInteriorPointOptions {
  /// Stop when the relative gap |primal - dual| / (1 + |primal| + |dual|) and both relative
  /// infeasibilities are at most this; in [1e-12, 1e-1]. (A program's value may be 0, so the gap
  /// is not measured by the values alone.)
  double tolerance = 1e-8;
  /// Predictor-corrector steps. At least 1.
  std::uint64_t max_iterations = 200;
  /// Callback: asked before every step.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Primal-dual path following from an infeasible start, with the direction of Helmberg, Kojima and
/// Monteiro and Mehrotra's predictor and corrector. Constraints that depend linearly on others are
/// left out (their multiplier is 0), or prove infeasibility when their right-hand sides disagree.
///
/// Cost of a step: m^3/3 for the factor of the m x m Schur complement, and m^2 and n^3 terms that
/// depend on how sparse the A_i are; memory m^2 + about 15 n^2 numbers. For m up to a few thousand.
/// With `start`, X and Z are mixed with a multiple of the identity to lie well inside the cone.
///
/// Throws InvalidArgument for wrong options, a start of another shape, and a Schur complement that
/// does not fit the machine's memory.
[[nodiscard]] SdpSolution solve_sdp_interior_point(const SdpProblem& problem,
                                                   const SdpInteriorPointOptions& options = {},
                                                   const SdpStart* start = nullptr);

}  // namespace maxmargin
