// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/problem/sdp/sdp.hpp"

namespace maxmargin {

/// Whether a ray that meets A(X) = 0 to rounding has a neighbour in the cone that meets it exactly
/// and falls, proven for the numbers as stored. X is symmetric, and `slope` (below 0) is no less
/// than <C, X>. False says nothing.
///
/// The neighbour lies on the face of X, the matrices that vanish where X has rows of zeros. There
/// X + A'(A A')^-1 (-A(X)) meets the equations, and differs by at most |A(X)| / sqrt(lambda_min(A
/// A')). That must be less than the least eigenvalue of X on its face, and than what |C| can turn.
[[nodiscard]] bool has_exact_neighbour(const SdpProblem& problem,
                                       const BlockMatrix& x,
                                       double slope);

}  // namespace maxmargin
