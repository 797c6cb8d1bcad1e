// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "solver/sdp/scaled.hpp"

/// From points near the cone to points inside it that obey their equations:
/// docs/algorithms/sdp-interior-point.md, "From an answer to a proof". Everything is in the scale
/// of ScaledSdp.
namespace maxmargin {

/// Asks whether a proof goes on, and throws Stopped if not: before every decomposition, as those of
/// large blocks take seconds.
void ask_in_proof(const Context& context);

/// C - sum y_i A_i for given C.
[[nodiscard]] BlockMatrix slack_of(const ScaledSdp& program,
                                   const BlockMatrix& cost,
                                   std::span<const double> y);

/// The least eigenvalue (entry of a nonnegative block), rounded as it comes; +inf without rows.
[[nodiscard]] double least_eigenvalue(const SdpProblem& problem,
                                      const BlockMatrix& point,
                                      std::size_t threads);

/// Moves y until C - sum y_i A_i has no eigenvalue below margin / 2, by projections on the slacks
/// without one below `margin`; empty when they do not get there. Requires margin > 0. Throws
/// Stopped, as lift_primal.
[[nodiscard]] std::optional<std::vector<double>> lift_dual(const ScaledSdp& program,
                                                           const ConstraintGram& gram,
                                                           const BlockMatrix& cost,
                                                           std::vector<double> y,
                                                           double margin,
                                                           const Context& context);

/// Moves X the same way along A(X) = 0 and <C, X>, which stay what they are.
[[nodiscard]] std::optional<BlockMatrix> lift_primal(const ScaledSdp& program,
                                                     const ConstraintGram& gram,
                                                     BlockMatrix x,
                                                     double margin,
                                                     const Context& context);

}  // namespace maxmargin
