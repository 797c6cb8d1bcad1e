// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solver/smo/state.hpp"

namespace maxmargin {

/// How far a point is from optimal, and the scores that say so.
struct SmoViolation {
  /// Of every group: the largest score of a variable that can grow and the least of one that can
  /// fall. Without groups: 0 and 0 take their parts.
  std::vector<double> top = {};
  std::vector<double> bottom = {};
  /// Largest top - bottom (without groups: largest |score| of a variable that can move).
  double largest = 0;
  /// Is every score a finite number? One that is not fails all comparisons and shows nowhere else.
  bool finite = true;
};

/// Chooses the variables of the outer level (docs/algorithms/smo.md, step 3).
class SmoWorkingSet {
 public:
  SmoWorkingSet(std::size_t variables, std::size_t capacity);

  /// Only these variables are looked at from now on; empty: all.
  void restrict_to(std::vector<std::uint32_t> variables);

  [[nodiscard]] SmoViolation violation(const SmoState& state);
  /// The variables looked at that could be part of a step: all but those at a bound with a score
  /// beyond that of every possible partner. Call after violation() on the same state.
  [[nodiscard]] std::vector<std::uint32_t> still_active(const SmoState& state,
                                                        const SmoViolation& violation) const;
  /// Up to `fresh` variables that violate most, and the latest of the previous working sets, up to
  /// the capacity; sorted by group, then by number. Call after violation() on the same state.
  [[nodiscard]] const std::vector<std::size_t>& choose(const SmoState& state,
                                                       const SmoViolation& violation,
                                                       std::size_t fresh);

 private:
  struct Candidate {
    double urgency;
    std::uint32_t variable;
  };
  /// Could the variable be part of a step: can it move towards a score beyond its own?
  [[nodiscard]] bool could_step(const SmoState& state,
                                const SmoViolation& violation,
                                std::size_t v) const;
  template <class Body>
  void for_each_active(const Body& body) const;
  void take_most_urgent(std::vector<Candidate>& candidates, std::size_t count);

  std::size_t variables_;
  std::size_t capacity_;
  std::vector<std::uint32_t> active_;
  std::vector<double> scores_;
  std::vector<std::size_t> set_;
  std::vector<std::size_t> latest_;  ///< members by age, the latest first
  std::vector<char> member_;
};

}  // namespace maxmargin
