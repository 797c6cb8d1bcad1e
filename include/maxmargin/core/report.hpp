// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"

/// What every solve hands back beside its answer.
namespace maxmargin {

/// How a solve ended. The first and the last are success; none of them is an exception.
enum class Status {
  solved,               ///< the stopping rule holds; of learners: the gap is within the tolerance
  solved_inaccurate,    ///< a looser rule, named in the message, holds
  primal_infeasible,    ///< no feasible point; the certificate is in the solution
  dual_infeasible,      ///< unbounded below; the certificate is in the solution
  iteration_limit,      ///< best point so far
  time_limit,           ///< best point so far
  stopped_by_callback,  ///< best point so far (Ctrl-C in the tool)
  no_progress,          ///< steps no longer improve the objective
  numerical_failure,    ///< not a number, or a broken factorisation
  local_optimum         ///< of searches that are not convex: their own rule holds, no gap does
};

template <>
inline constexpr auto names_of<Status> =
    name_table<Status>({{"solved", Status::solved},
                        {"solved_inaccurate", Status::solved_inaccurate},
                        {"primal_infeasible", Status::primal_infeasible},
                        {"dual_infeasible", Status::dual_infeasible},
                        {"iteration_limit", Status::iteration_limit},
                        {"time_limit", Status::time_limit},
                        {"stopped_by_callback", Status::stopped_by_callback},
                        {"no_progress", Status::no_progress},
                        {"numerical_failure", Status::numerical_failure},
                        {"local_optimum", Status::local_optimum}});

/// Of two ends, the worse one (for learners that solve several problems).
[[nodiscard]] MAXMARGIN_EXPORT Status worse(Status a, Status b) noexcept;

/// Whether the run came to its own end: its answer is all that was asked for.
[[nodiscard]] constexpr bool is_success(Status status) noexcept {
  return status == Status::solved || status == Status::local_optimum;
}

/// Whether the callback or the clock ended the run, rather than its own rules.
[[nodiscard]] constexpr bool was_stopped(Status status) noexcept {
  return status == Status::stopped_by_callback || status == Status::time_limit;
}

/// What a bound is worth.
enum class BoundKind {
  certified,  ///< it says something of this problem
  vacuous     ///< no better than 0, which bounds every sum of losses and of squares: less than a
              ///< millionth of the objective
};

template <>
inline constexpr auto names_of<BoundKind> =
    name_table<BoundKind>({{"certified", BoundKind::certified}, {"vacuous", BoundKind::vacuous}});

/// That of the bound of a report with these objectives; empty without a bound.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<BoundKind> bound_kind(
    std::optional<double> lower_bound,
    std::optional<double> primal_objective,
    std::optional<double> dual_objective) noexcept;

/// Common part of all reports. A value that does not exist is empty, never zero.
struct MAXMARGIN_EXPORT SolveReport {
  Status status = Status::solved;
  std::string message = {};
  std::uint64_t iterations = 0;
  /// Objective of what is returned.
  std::optional<double> primal_objective = std::nullopt;
  std::optional<double> dual_objective = std::nullopt;
  /// A proven bound from below on the primal objective, where it is not a dual objective.
  std::optional<double> lower_bound = std::nullopt;
  std::optional<double> primal_residual = std::nullopt;
  std::optional<double> dual_residual = std::nullopt;
  /// Seconds by phase, in the order the phases began.
  std::vector<std::pair<std::string, double>> seconds = {};
  std::vector<std::string> warnings = {};

  /// primal - dual, or primal - lower_bound where no dual is known; empty when not finite.
  [[nodiscard]] std::optional<double> gap() const;
  /// gap / max(|primal|, |bound|), 0 when both are 0; empty where the gap is.
  [[nodiscard]] std::optional<double> relative_gap() const;
  /// What the lower bound is worth; empty without one.
  [[nodiscard]] std::optional<BoundKind> bound() const;
};

/// (primal - dual) / max(|primal|, |dual|), 0 when both are exactly 0: the tolerance of every
/// convex solver. It has no floor: data in other units are the same problem
/// (docs/design/scaling.md).
[[nodiscard]] MAXMARGIN_EXPORT double relative_gap(double primal, double dual) noexcept;

}  // namespace maxmargin
