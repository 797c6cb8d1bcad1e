// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

/// When the loops of interior points end and how far their steps go: the same for machines of two
/// classes and of many. docs/algorithms/interior-point.md
namespace maxmargin::interior {

/// Twice what any problem within the digits of doubles was seen to take.
inline constexpr std::uint64_t most_steps = 120;
/// Steps of most solves, for estimates.
inline constexpr double usual_steps = 30;
/// Shares of a coordinate's own step that take coefficients to their bounds, boldest first.
inline constexpr double bound_shares[] = {1.0, 1.0 / 16, 1.0 / 256, 0.0};
/// Share of the way to the nearest bound that a step takes.
inline constexpr double short_of_bound = 0.99;

/// Steps in a row that make neither gap nor complementarity at most 0.9 of the least so far: after
/// 15 of them nothing is left but rounding.
class IdleSteps {
 public:
  [[nodiscard]] double least_gap() const noexcept { return least_gap_; }
  /// Counts a step; whether it was one too many.
  [[nodiscard]] bool is_out_of_patience(double gap, double centrality) {
    // As long as the gap says nothing, the products tell.
    const bool moved =
        gap < progress_share * least_gap_ ||
        (least_gap_ > telling_gap && centrality < progress_share * least_centrality_);
    idle_ = moved ? 0 : idle_ + 1;
    least_gap_ = std::min(least_gap_, gap);
    least_centrality_ = std::min(least_centrality_, centrality);
    return idle_ >= patience;
  }

 private:
  static constexpr int patience = 15;
  static constexpr double progress_share = 0.9;
  static constexpr double telling_gap = 0.5;
  double least_gap_ = std::numeric_limits<double>::infinity();
  double least_centrality_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

/// How far a step may go until a positive number would vanish; a little beyond a whole step at
/// most.
class StepLength {
 public:
  void limit(double value, double move) {
    if (move < 0) length_ = std::min(length_, -value / move);
  }
  [[nodiscard]] double value() const noexcept { return length_; }

 private:
  double length_ = 1 / short_of_bound;
};

}  // namespace maxmargin::interior
