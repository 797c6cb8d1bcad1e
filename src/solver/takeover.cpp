// SPDX-License-Identifier: Apache-2.0
#include "solver/takeover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace maxmargin {

namespace {

/// Infinite where rounding has made the objectives mean nothing. Both gaps are of one problem: in
/// relation to its own objective a point that is far off may have the smaller one.
double gap_of(const SolveReport& report) {
  const auto gap = report.gap();
  const bool means_something = gap && report.status != Status::numerical_failure;
  return means_something ? std::abs(*gap) : std::numeric_limits<double>::infinity();
}

/// Phases that both runs have.
void add_seconds(const SolveReport& other, SolveReport& kept) {
  const std::size_t phases = std::min(other.seconds.size(), kept.seconds.size());
  for (std::size_t k = 0; k < phases; ++k) kept.seconds[k].second += other.seconds[k].second;
}

}  // namespace

bool take_second(const TakenOver& first_run, SolveReport& first, SolveReport& second) {
  const bool is_second = second.status == Status::solved || gap_of(second) < gap_of(first);
  const Status end = second.status;
  if (!is_second && first_run.gave_up && (was_stopped(end) || end == Status::iteration_limit)) {
    first.status = end;
    first.message = second.message;
  }
  SolveReport& kept = is_second ? second : first;
  SolveReport& other = is_second ? first : second;
  kept.iterations += other.iterations;
  add_seconds(other, kept);
  const std::string method(first_run.method);
  kept.warnings.push_back(is_second ? std::string(first_run.warning)
                                    : "the interior point method was tried after " + method +
                                          " and came no nearer: the answer is that of " + method);
  return is_second;
}

}  // namespace maxmargin
