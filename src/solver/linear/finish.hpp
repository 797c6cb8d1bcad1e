// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "maxmargin/core/report.hpp"
#include "maxmargin/core/timer.hpp"
#include "solver/linear/linear.hpp"

/// What the linear solvers share at their ends.
namespace maxmargin::linear {

/// 1/2 |w|^2.
[[nodiscard]] double half_squared_norm(std::span<const double> w);

/// Writes status, iterations, times and, unless solved, a sentence into the report. `unit` names
/// the iterations.
void close_report(SolveReport& report,
                  Status status,
                  std::uint64_t iterations,
                  std::string_view unit,
                  double tolerance,
                  PhaseTimer& timer);

/// Throws InvalidArgument unless problem and options are valid, `start` is empty or has `length`
/// elements that are all finite, and the solver's row numbers can hold the rows.
void require_solvable(const LinearRisk& problem,
                      const LinearOptions& options,
                      std::span<const double> start,
                      std::size_t length);

}  // namespace maxmargin::linear
