// SPDX-License-Identifier: Apache-2.0
#include "core/settle.hpp"

#include <algorithm>
#include <cmath>
#include <string>

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

/// What holds of a run that is not within the tolerance, and that a violation was to end.
std::string message_of_gap(double gap, double tolerance, std::optional<double> violation) {
  const std::string first =
      violation ? "the violation is within " + format_number(*violation) + "; " : "";
  return first + "the relative gap is " + format_number(gap) + ", wanted " +
         format_number(tolerance);
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

void settle_end(SolveReport& report,
                Ending ending,
                double tolerance,
                std::optional<double> violation) {
  if (report.status != Status::solved) return;
  const std::optional<double> gap = report.relative_gap();
  if (gap && *gap <= tolerance) return;
  if (!gap && ending != Ending::search) {
    const bool has_both = report.primal_objective && (report.dual_objective || report.lower_bound);
    if (ending != Ending::gap || !has_both) return;
    report.status = Status::numerical_failure;
    report.message = "the gap of the objectives is not finite";
    claim_nothing(report);
    return;
  }
  if (ending != Ending::gap) {
    report.status = Status::local_optimum;
    return;
  }
  report.status = Status::solved_inaccurate;
  report.message = message_of_gap(*gap, tolerance, violation);
}

void claim_nothing(SolveReport& report) {
  report.primal_objective.reset();
  report.dual_objective.reset();
  report.lower_bound.reset();
}

}  // namespace maxmargin
