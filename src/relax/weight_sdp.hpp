// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/problem/sdp/sdp.hpp"
#include "problem/saddle/weight_saddle.hpp"

/// Weight saddles as the semidefinite programs they were published as, for the solvers of any
/// semidefinite program and for files: docs/algorithms/robust.md. It has n (n + 1) / 2 + 3 n
/// constraints, so it serves some dozens of examples; solve_weight_saddle takes more.
namespace maxmargin {

/// The minimum of the saddle is that of the program plus `constant`.
struct WeightSdp {
  SdpProblem program = {};
  double constant = 0;
};

/// Blocks: [1 eta'; eta M], [c Q o M, u; u', 2 t] with u = eta + mu - nu, and (mu, nu) >= 0; the
/// cost is t + e'nu (- e'eta for the robust hinge). By the Schur complement the least t + e'nu at a
/// given (eta, M) is omega(eta, M). Throws InvalidArgument for a problem that does not validate.
[[nodiscard]] WeightSdp build_weight_sdp(const WeightSaddle& problem);

/// eta at a point X of that program.
[[nodiscard]] std::vector<double> weights_of_sdp(const BlockMatrix& x);

}  // namespace maxmargin
