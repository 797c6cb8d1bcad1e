// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "maxmargin/core/context.hpp"
#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "maxmargin/solver/sdp/solution.hpp"

/// The solvers of semidefinite programs by name: docs/algorithms/sdp-interior-point.md, sdp-admm.md
/// and sdp-low-rank.md.
namespace maxmargin {

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
