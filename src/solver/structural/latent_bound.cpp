// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/latent_bound.hpp"

#include <algorithm>

namespace maxmargin {

namespace {

/// The bound is weak as a rule: more exactness is not worth its time.
constexpr double bound_gap = 0.01;

}  // namespace

ConvexPartBound convex_part_bound(const ConvexPart& part, const LatentOptions& options) {
  if (part.examples() == 0) return {};
  StructuralOptions solving = options.solving;
  solving.tolerance = std::max(solving.tolerance, bound_gap);
  solving.on_checkpoint = {};
  const StructuralMethod method =
      has_gap(options.method) ? options.method : StructuralMethod::one_slack;
  const StructuralSolution found = solve_structural(part, method, solving);
  return {.bound = std::max(0.0, found.report.dual_objective.value_or(0.0)),
          .status = found.report.status,
          .oracle_calls = found.oracle_calls};
}

}  // namespace maxmargin
