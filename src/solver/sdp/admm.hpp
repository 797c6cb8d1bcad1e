// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "maxmargin/solver/sdp/solution.hpp"

/// The first-order solver of semidefinite programs with many constraints:
/// docs/algorithms/sdp-admm.md.
namespace maxmargin {

struct SdpAdmmOptions {
  /// Stop when the relative gap |primal - dual| / (1 + |primal| + |dual|) and both relative
  /// infeasibilities are at most this; in [1e-10, 1e-1].
  double tolerance = 1e-6;
  /// Projections on the cone. At least 1.
  std::uint64_t max_iterations = 20000;
  /// Over-relaxation of the multiplier step, in (0, 1.618). Above 1 is usually faster.
  double relaxation = 1.6;
  /// Penalty of the dual equations at the start, in the scaled program; it adapts. > 0.
  double penalty = 1.0;
  /// Callback: asked every 10 iterations.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// Alternating directions on the dual's augmented Lagrangian (Wen, Goldfarb and Yin 2010): a linear
/// solve with A A' for y, an exact projection on the cone for Z and X. X and Z are in the cone
/// throughout; the equations hold in the limit.
///
/// Cost of an iteration: an eigendecomposition of every block and a solve with A A', which is
/// factored once by connected components (entrywise constraints do not meet, so theirs is
/// diagonal); components above 4,000 constraints go by conjugate gradients. Memory: about 10 n^2
/// numbers and the factors. Convergence is linear at best: 1e-4 to 1e-6 comes cheap, more does not.
///
/// Throws InvalidArgument for wrong options and a start of another shape.
[[nodiscard]] SdpSolution solve_sdp_admm(const SdpProblem& problem,
                                         const SdpAdmmOptions& options = {},
                                         const SdpStart* start = nullptr);

}  // namespace maxmargin
