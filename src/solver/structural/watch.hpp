// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maxmargin/core/timer.hpp"
#include "maxmargin/problem/structural/risk.hpp"
#include "maxmargin/solver/structural/solution.hpp"

namespace maxmargin {

/// What all solvers of a StructuralRisk keep: the best w and the best bound seen, the answers of
/// the callback, and from them the report.
class StructuralWatch {
 public:
  /// `solver` names the states that it writes and takes. Throws InvalidArgument for a weight of an
  /// example that is negative or not finite.
  StructuralWatch(const StructuralRisk& risk,
                  const StructuralOptions& options,
                  std::string_view solver);

  /// Asks the callback; false from the first time that it says no.
  [[nodiscard]] bool goes_on();
  [[nodiscard]] bool was_stopped() const { return answer_ != Continue::yes; }
  /// A point and its objective.
  void saw(double primal, std::span<const double> w);
  /// A bound from below.
  void proved(double dual);
  /// For a run that was stopped before it saw an objective: that of w, so that it has a gap. Gives
  /// up when that takes longer than the run did, and than a second.
  void see_late(std::span<const double> w);
  /// An objective was not a number.
  [[nodiscard]] bool has_failed() const { return failed_; }
  /// Whether the gap is within the tolerance.
  [[nodiscard]] bool is_closed() const;
  [[nodiscard]] std::optional<double> best_primal() const { return best_primal_; }
  [[nodiscard]] double dual() const { return dual_; }
  /// P - D; infinite before the first point.
  [[nodiscard]] double gap() const;
  /// The gap at which the run may end; 0 before the first point.
  [[nodiscard]] double wanted_gap() const;

  /// Time is spent on this from here on.
  void enter(std::string_view phase) { timer_.enter(phase); }

  /// State with everything but planes, w and numbers.
  [[nodiscard]] StructuralState state() const;
  /// Throws InvalidArgument for a state of another solver or another problem.
  void restore(const StructuralState& state);

  /// `status` unless the run was stopped or has failed; `last_w` when no objective was seen.
  [[nodiscard]] StructuralSolution finish(Status status, std::span<const double> last_w);

  std::uint64_t passes = 0;
  std::uint64_t oracle_calls = 0;

 private:
  /// The objective of an inexact risk is an estimate from below, and a bound may be above it: then
  /// the estimate of that point says nothing, and any other point is better.
  [[nodiscard]] bool is_disproved() const;

  const StructuralRisk& risk_;
  const StructuralOptions& options_;
  std::string solver_;
  PhaseTimer timer_;
  Stopwatch since_;
  Continue answer_ = Continue::yes;
  bool failed_ = false;
  std::optional<double> best_primal_;
  std::vector<double> best_w_;
  double dual_ = 0;  ///< D(0) = 0
};

/// Calls of the oracle at once of a solver that uses all its threads.
[[nodiscard]] std::size_t calls_at_once(const StructuralRisk& risk,
                                        const StructuralOptions& options);

/// Throws InvalidArgument for a memory limit below `vectors` vectors of the dimension and `calls`
/// calls of the oracle at once.
void require_memory(const StructuralRisk& risk,
                    const StructuralOptions& options,
                    std::size_t vectors,
                    std::size_t calls);

/// Throws InvalidArgument for a memory limit below `vectors` vectors of the dimension, the oracle's
/// calls on all threads and a little for planes. Returns how much planes may take: the same for any
/// number of threads.
[[nodiscard]] std::size_t bytes_for_planes(const StructuralRisk& risk,
                                           const StructuralOptions& options,
                                           std::size_t vectors);

/// Sum of squares, in the order of the numbers.
[[nodiscard]] double squared_norm(std::span<const double> w);

}  // namespace maxmargin
