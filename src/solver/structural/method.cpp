// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/structural/method.hpp"

#include <array>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "solver/structural/block_frank_wolfe.hpp"
#include "solver/structural/mira.hpp"
#include "solver/structural/n_slack.hpp"
#include "solver/structural/one_slack.hpp"
#include "solver/structural/subgradient.hpp"

namespace maxmargin {

namespace {

constexpr std::array all_methods = {StructuralMethod::block_frank_wolfe,
                                    StructuralMethod::one_slack,
                                    StructuralMethod::n_slack,
                                    StructuralMethod::subgradient,
                                    StructuralMethod::mira};

}  // namespace

std::string_view to_string(StructuralMethod method) noexcept {
  switch (method) {
    case StructuralMethod::block_frank_wolfe:
      return "bcfw";
    case StructuralMethod::one_slack:
      return "one-slack";
    case StructuralMethod::n_slack:
      return "n-slack";
    case StructuralMethod::subgradient:
      return "subgradient";
    case StructuralMethod::mira:
      return "mira";
  }
  return "unknown";
}

StructuralMethod parse_structural_method(std::string_view name) {
  std::string known;
  for (const StructuralMethod method : all_methods) {
    if (to_string(method) == name) return method;
    known += (known.empty() ? "" : ", ") + std::string(to_string(method));
  }
  throw InvalidArgument("structural method " + std::string(name) + ": must be one of " + known);
}

bool has_checkpoints(StructuralMethod method) noexcept { return method != StructuralMethod::mira; }

StructuralSolution solve_structural(const StructuralRisk& risk,
                                    StructuralMethod method,
                                    const StructuralOptions& options,
                                    const StructuralState* start) {
  require(
      start == nullptr || has_checkpoints(method),
      "solve_structural: runs of " + std::string(to_string(method)) + " cannot be gone on with");
  switch (method) {
    case StructuralMethod::block_frank_wolfe:
      return solve_block_frank_wolfe(risk, options, start);
    case StructuralMethod::one_slack:
      return solve_one_slack(risk, options, start);
    case StructuralMethod::n_slack:
      return solve_n_slack(risk, options, start);
    case StructuralMethod::subgradient:
      return solve_structural_subgradient(risk, options, start);
    case StructuralMethod::mira:
      return solve_structural_mira(risk, options);
  }
  throw InternalError("unknown structural method");
}

}  // namespace maxmargin
