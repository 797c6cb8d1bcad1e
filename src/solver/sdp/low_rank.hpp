// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "maxmargin/solver/sdp/solution.hpp"

/// The solver of semidefinite programs whose solutions have low rank: docs/algorithms/
/// sdp-low-rank.md.
namespace maxmargin {

struct SdpLowRankOptions {
  /// Stop when the relative gap |primal - dual| / (1 + |primal| + |dual|), the relative primal
  /// infeasibility, and what C - sum y_i A_i lacks to the cone are at most this; in [1e-9, 1e-1].
  double tolerance = 1e-6;
  /// Gradient steps over all rounds. At least 1.
  std::uint64_t max_iterations = 100000;
  /// Columns of the factor of every block at the start; unset: sqrt(2 m) + 1, where m counts the
  /// constraints of the block. Columns come and go later. At least 1.
  std::optional<std::size_t> rank = std::nullopt;
  /// Seed: of the start. Callback: asked every 20 gradient steps and before the eigenvalues of
  /// every round.
  Context context = {};
  void describe(OptionVisitor& visit);
};

/// X = R R' block by block (x_j = r_j^2 in nonnegative blocks), the equations by an augmented
/// Lagrangian, R by L-BFGS with an exact line search. The multipliers y prove optimality when
/// C - sum y_i A_i has no negative eigenvalue; while it has, its eigenvectors become new columns of
/// R, which leaves any saddle point (Burer and Monteiro 2003; Journee and others 2010).
///
/// Cost of a step: a product of the sparse matrix of all entries in use with R. Memory: about
/// 20 n r numbers besides the data; the final check needs n^2. Use it when m is well below n^2/2.
///
/// Throws InvalidArgument for wrong options and a start of another shape (`x` alone is used for R,
/// with a small random column beside it, and `y` for the multipliers).
[[nodiscard]] SdpSolution solve_sdp_low_rank(const SdpProblem& problem,
                                             const SdpLowRankOptions& options = {},
                                             const SdpStart* start = nullptr);

}  // namespace maxmargin
