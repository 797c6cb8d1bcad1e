// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/structural/solution.hpp"

#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {

void StructuralOptions::describe(OptionVisitor& visit, std::string_view default_passes) {
  visit.number({.name = "C",
                .help = "weight of the losses: larger fits the training data closer",
                .value = "C",
                .alias = "c"},
               c,
               rules::positive);
  visit.number(
      {.name = "tolerance", .help = "relative duality gap at which a solve stops", .value = "GAP"},
      tolerance,
      rules::share_inside);
  visit.whole({.name = "max-iterations",
               .help = "upper limit on passes over the data",
               .fallback = default_passes},
              max_passes,
              {.least = 1});
  visit.threads(context.threads);
  visit.rule(idle_turns >= 1, "cuts must be kept for at least one turn without weight");
}

void describe_method(OptionVisitor& visit, StructuralMethod& method) {
  visit.name({.name = "solver", .help = "how weights are found; subgradient and mira have no gap"},
             method);
}

bool has_gap(StructuralMethod method) noexcept {
  return method != StructuralMethod::subgradient && method != StructuralMethod::mira;
}

bool has_objective(StructuralMethod method) noexcept { return method != StructuralMethod::mira; }

bool has_checkpoints(StructuralMethod method) noexcept { return method != StructuralMethod::mira; }

StructuralSolution solve_structural(const StructuralRisk& risk,
                                    StructuralMethod method,
                                    const StructuralOptions& options,
                                    const StructuralState* start) {
  require(start == nullptr || has_checkpoints(method),
          "solve_structural: runs of " + std::string(to_string(method)) + " cannot be resumed");
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
