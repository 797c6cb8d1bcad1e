// SPDX-License-Identifier: Apache-2.0
#include "core/settle.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

/// What rounding may do to sums of positive and negative parts, in relation to the larger of the
/// two. Verification allows as much.
constexpr double rounding = 1e-6;

/// Whether the bound could be one; brings it down to the objective where rounding is above it.
bool settle_bound(double objective, double allowed, std::optional<double>& bound) {
  if (!bound || !(*bound > objective)) return true;
  if (!std::isfinite(*bound)) return false;
  const double scale = std::max(std::abs(objective), std::abs(*bound));
  if (!(*bound - objective <= std::max(rounding * scale, allowed))) return false;
  bound = objective;
  return true;
}

}  // namespace

void settle(SolveReport& report, double allowed) {
  if (!report.primal_objective) return;
  const double objective = *report.primal_objective;
  for (std::optional<double>* bound : {&report.dual_objective, &report.lower_bound}) {
    const std::optional<double> said = *bound;
    if (settle_bound(objective, allowed, *bound)) continue;
    report.status = Status::numerical_failure;
    report.message = "rounding took the bound, " + format_number(*said) +
                     ", above the objective, " + format_number(objective) +
                     ": the values have lost the digits that the answer rests on";
    claim_nothing(report);
    return;
  }
}

void claim_nothing(SolveReport& report) {
  report.primal_objective.reset();
  report.dual_objective.reset();
  report.lower_bound.reset();
}

}  // namespace maxmargin
