// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/core/report.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"

/// Solutions of semidefinite programs and the solvers by name:
/// docs/algorithms/sdp-interior-point.md, sdp-admm.md and sdp-low-rank.md.
namespace maxmargin {

/// What every solver of semidefinite programs hands back. The report's objectives, residuals and
/// lower bound are recomputed from X, y and Z by problem/sdp/residuals.hpp: `primal_objective` is
/// <C, X>, `dual_objective` b'y where C - sum y_i A_i is proven to be in the cone (else it is
/// empty, and the gap is that of `lower_bound`), `primal_residual` and `dual_residual` the relative
/// infeasibilities (the latter with what Z lacks to the cone), and `lower_bound` the certified
/// bound, which holds for every status; it is empty where nothing is proven. `solved` means that
/// proven_gap of the two is within the tolerance, too.
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

enum class SdpMethod { interior_point, admm, low_rank };
template <>
inline constexpr auto names_of<SdpMethod> =
    name_table<SdpMethod>({{"interior-point", SdpMethod::interior_point},
                           {"admm", SdpMethod::admm},
                           {"low-rank", SdpMethod::low_rank}});

/// A method and what is the same of all of them; unset: the method's own default.
struct MAXMARGIN_EXPORT SdpChoice {
  SdpMethod method = SdpMethod::interior_point;
  std::optional<double> tolerance = std::nullopt;
  std::optional<std::uint64_t> max_iterations = std::nullopt;
  /// Of the first point of low-rank.
  std::optional<std::uint64_t> seed = std::nullopt;
  void describe(OptionVisitor& visit);
  /// With the tolerance, and the seed of low-rank, that will be used.
  [[nodiscard]] SdpChoice resolved() const;
};

/// Solves with the method chosen; the context's own seed and memory limit have no use here. Throws
/// InvalidArgument for a choice that breaks a rule, and what the method throws.
[[nodiscard]] MAXMARGIN_EXPORT SdpSolution solve_sdp(const SdpProblem& problem,
                                                     const SdpChoice& choice = {},
                                                     const Context& context = {});

}  // namespace maxmargin
