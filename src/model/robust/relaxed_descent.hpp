// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "maxmargin/core/context.hpp"
#include "maxmargin/model/training.hpp"
#include "model/robust/descent.hpp"
#include "solver/saddle/weight_saddle.hpp"

/// A relaxation over all choices of examples, and descents from what it suggests:
/// docs/algorithms/robust.md, "From the relaxation to a machine".
namespace maxmargin {

/// Steps of a convex problem from the best choice on: few features and a large C can ask for
/// hundreds of millions.
inline constexpr std::uint64_t most_machine_steps = 5000000;

/// One two-class problem without bias.
struct RelaxedProblem {
  /// Q_ij = y_i y_j K_ij, positive semidefinite: with it all examples have the label 1.
  DenseView matrix = {};
  /// Of every example.
  double cost = 1;
  /// The share kept; unset: the robust hinge.
  std::optional<double> rho = std::nullopt;
  std::size_t restarts = 20;
  std::size_t max_rounds = 100;
  const TrainingControl& control;
  /// That of the control with the seed and the callback of this problem.
  Context context = {};
  /// The descents of ramp-svc or trimmed-svc on the same objective, in the terms of this problem:
  /// their answer is among those that the best is taken from.
  std::function<RobustDescent()> plain_descents = nullptr;
};

struct RelaxedDescent {
  /// The best of the descents; values are margins. Its status is that of the machines.
  RobustDescent found = {};
  /// In the units of WeightSaddle: times the cost it is ours. Without the unit rows. With rho = 1,
  /// where there is nothing to choose, it comes from the machine and has no certificate.
  WeightSaddleSolution relaxed = {};
  /// Different choices tried, and where the best one came from.
  std::size_t roundings = 0;
  std::string winner = {};
};

/// What the problem's relaxation is solved with.
[[nodiscard]] WeightSaddleSolution relax_weights(const RelaxedProblem& problem);

/// For a problem of n examples whose time never came: the function that is zero, with a bound of
/// zero. Costs O(n).
[[nodiscard]] RelaxedDescent stopped_descent(std::size_t n,
                                             double cost,
                                             const std::optional<double>& rho,
                                             Status status);

/// Solves the relaxation, rounds it in several ways and descends from each.
[[nodiscard]] RelaxedDescent descend_from_relaxation(const RelaxedProblem& problem);

}  // namespace maxmargin
