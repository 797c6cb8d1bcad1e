// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/structural-online.md, "MIRA"
#include "solver/structural/methods.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/core/rng.hpp"
#include "solver/structural/oracle_range.hpp"
#include "solver/structural/watch.hpp"

namespace maxmargin {

StructuralSolution solve_structural_mira(const StructuralRisk& risk,
                                         const StructuralOptions& given) {
  validate(given);
  StructuralOptions options = given;
  options.max_passes = given.passes(online_passes);
  require_memory(risk, options, 3, 1);
  StructuralWatch watch(risk, options, "mira");
  watch.enter("passes");
  std::vector<double> w(risk.dimension(), 0.0);
  // Each change times the number of examples before it: the mean is w less this over the number.
  std::vector<double> late_sum(risk.dimension(), 0.0);
  double seen = 0;
  std::optional<double> met;
  Status status = Status::iteration_limit;
  StructuralPlane plane;
  while (watch.passes < options.passes() && status == Status::iteration_limit) {
    ++watch.passes;
    Rng rng(options.context.seed, "mira", watch.passes);
    double loss = 0;
    bool has_changed = false;
    for (const std::size_t i : rng.permutation(risk.examples())) {
      if (!watch.goes_on()) break;
      ask_oracle(risk, {&i, 1}, w, 1, [&](std::size_t, StructuralPlane& found) {
        std::swap(plane, found);
      });
      ++watch.oracle_calls;
      const double value = plane.offset - plane.slope.dot(w);
      const double square = plane.slope.squared_norm();
      const double weight = risk.weight(i);
      // What is not a number goes on, to be seen in the loss.
      if (!(value <= 0)) loss += weight * value;
      if (value > 0 && square > 0 && weight > 0) {
        const double size = std::min(options.c * weight, value / square);
        plane.slope.add_to(size, w);
        plane.slope.add_to(size * seen, late_sum);
        has_changed = true;
      }
      seen += 1;
    }
    if (watch.was_stopped()) break;
    met = loss;
    if (!has_changed) status = Status::solved;
    if (!std::isfinite(loss)) status = Status::numerical_failure;
  }
  if (seen > 0) {
    for (std::size_t j = 0; j < w.size(); ++j) w[j] -= late_sum[j] / seen;
  }
  StructuralSolution solution = watch.finish(status, w);
  solution.report.primal_objective = met;
  solution.report.dual_objective = std::nullopt;
  return solution;
}

}  // namespace maxmargin
