// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// A lower bound on the objective of the ramp: docs/algorithms/robust.md, "Stopping and what the
/// certificate proves".
namespace maxmargin {

/// 1/2 |f|^2 + sum_i cost_i min(1 - s, hinge(y_i (f_i + t))), and what is known about its optimum.
struct RampTerms {
  std::span<const std::int8_t> signs = {};
  std::span<const double> costs = {};
  /// K(x_i, x_i).
  std::span<const double> diagonal = {};
  double s = 0;
  /// Whether there is an offset t that costs nothing.
  bool bias = true;
  /// The objective of some function.
  double objective = 0;
};

/// A machine of the plain hinge: coefficients (signed), values without offset, dual objective.
struct HingeMachine {
  std::vector<double> coefficients = {};
  std::vector<double> values = {};
  double dual = 0;
  bool stopped = false;
};
/// Solves 1/2 |f|^2 + sum_i cost_i hinge(y_i (f_i + t)).
using SolveHinge = std::function<HingeMachine(std::span<const double> costs)>;

struct RampBound {
  /// >= 0.
  double value = 0;
  /// The dual points that prove it, one a round: the margins that one leaves possible state the
  /// problem of the next.
  std::vector<std::vector<double>> stages = {};
};

/// `plain` is a machine of the costs themselves. Without rounds its coefficients, scaled into the
/// first problem, are the only stage; else each round solves one.
[[nodiscard]] RampBound bound_ramp(const RampTerms& terms,
                                   const HingeMachine& plain,
                                   const SolveHinge& solve,
                                   std::size_t rounds);

/// How many stages that leaves: one even without rounds.
[[nodiscard]] constexpr std::size_t stages_of(std::size_t rounds) noexcept {
  return rounds > 0 ? rounds : 1;
}

/// Rounds when nobody says how many.
[[nodiscard]] std::size_t default_bound_rounds(std::size_t rows) noexcept;

}  // namespace maxmargin
