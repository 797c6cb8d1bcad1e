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

/// How a solve ended. Only the first is full success; none of them is an exception.
enum class Status {
  solved,               ///< the stopping rule holds
  solved_inaccurate,    ///< a looser rule, named in the message, holds
  primal_infeasible,    ///< no feasible point; the certificate is in the solution
  dual_infeasible,      ///< unbounded below; the certificate is in the solution
  iteration_limit,      ///< best point so far
  time_limit,           ///< best point so far
  stopped_by_callback,  ///< best point so far (Ctrl-C in the tool)
  no_progress,          ///< steps no longer improve the objective
  numerical_failure     ///< not a number, or a broken factorisation
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
                        {"numerical_failure", Status::numerical_failure}});

/// Of two ends, the worse one (for learners that solve several problems).
[[nodiscard]] MAXMARGIN_EXPORT Status worse(Status a, Status b) noexcept;

/// Whether the callback or the clock ended the run, rather than its own rules.
[[nodiscard]] constexpr bool was_stopped(Status status) noexcept {
  return status == Status::stopped_by_callback || status == Status::time_limit;
}

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
  /// gap / max(|primal|, |bound|, 1e-12); empty where the gap is.
  [[nodiscard]] std::optional<double> relative_gap() const;
};

/// (primal - dual) / max(|primal|, |dual|, 1e-12): the tolerance of every convex solver.
[[nodiscard]] MAXMARGIN_EXPORT double relative_gap(double primal, double dual) noexcept;

}  // namespace maxmargin
