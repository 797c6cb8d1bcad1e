// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/report.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

namespace {

/// 0 is best. Limits rank below proven infeasibility, which ranks below broken numerics.
int badness(Status status) noexcept {
  switch (status) {
    case Status::solved:
      return 0;
    case Status::local_optimum:
      return 1;
    case Status::solved_inaccurate:
      return 2;
    case Status::no_progress:
      return 3;
    case Status::iteration_limit:
      return 4;
    case Status::time_limit:
      return 5;
    case Status::stopped_by_callback:
      return 6;
    case Status::primal_infeasible:
      return 7;
    case Status::dual_infeasible:
      return 8;
    case Status::numerical_failure:
      return 9;
  }
  return 10;
}

}  // namespace

Status worse(Status a, Status b) noexcept { return badness(b) > badness(a) ? b : a; }

double relative_gap(double primal, double dual) noexcept {
  const double size = std::max(std::abs(primal), std::abs(dual));
  return size == 0 ? 0.0 : (primal - dual) / size;
}

std::optional<double> SolveReport::gap() const {
  const std::optional<double> bound = dual_objective ? dual_objective : lower_bound;
  if (!primal_objective || !bound) return std::nullopt;
  const double found = *primal_objective - *bound;
  return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

std::optional<double> SolveReport::relative_gap() const {
  if (!gap()) return std::nullopt;
  const std::optional<double> bound = dual_objective ? dual_objective : lower_bound;
  return maxmargin::relative_gap(*primal_objective, *bound);
}

std::optional<BoundKind> bound_kind(std::optional<double> lower_bound,
                                    std::optional<double> primal_objective,
                                    std::optional<double> dual_objective) noexcept {
  if (!lower_bound) return std::nullopt;
  // Beside a dual objective it is that of a program, of which nothing is known beforehand.
  if (dual_objective) return BoundKind::certified;
  constexpr double nothing = 1e-6;
  const bool says_more = *lower_bound > nothing * std::abs(primal_objective.value_or(0));
  return says_more ? BoundKind::certified : BoundKind::vacuous;
}

std::optional<BoundKind> SolveReport::bound() const {
  return bound_kind(lower_bound, primal_objective, dual_objective);
}

}  // namespace maxmargin
