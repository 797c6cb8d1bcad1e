// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"

namespace maxmargin {

/// What every solver of semidefinite programs hands back. The report's objectives, residuals and
/// lower bound are recomputed from X, y and Z by problem/sdp/residuals.hpp: `primal_objective` is
/// <C, X>, `dual_objective` b'y where C - sum y_i A_i is proven to be in the cone (else it is
/// empty, and the gap is that of `lower_bound`), `primal_residual` and `dual_residual` the relative
/// infeasibilities (the latter with what Z lacks to the cone), and `lower_bound` the certified
/// bound, which holds for every status; it is empty where nothing is proven.
struct SdpSolution {
  BlockMatrix x = {};
  std::vector<double> y = {};
  /// In the cone; C - sum y_i A_i up to the dual residual.
  BlockMatrix z = {};
  /// Status primal_infeasible: multipliers that infeasibility_proof proves. Without an answer
  /// perhaps multipliers that come near, as the message says. Empty otherwise.
  std::vector<double> dual_ray = {};
  /// Status dual_infeasible: the same for unboundedness_proof.
  BlockMatrix primal_ray = {};
  SolveReport report = {};
};

/// Where a solver may begin: the solution of a nearby program. Parts that are empty are chosen by
/// the solver; a part of another shape is an InvalidArgument. x and z are read as (x + x') / 2.
struct SdpStart {
  BlockMatrix x = {};
  std::vector<double> y = {};
  BlockMatrix z = {};
};

}  // namespace maxmargin
