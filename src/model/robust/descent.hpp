// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/report.hpp"
#include "maxmargin/model/classifier.hpp"

/// Descent in a function and in how much each example counts: docs/algorithms/robust.md.
namespace maxmargin {

/// The robust losses as minima over eta in [0, 1]^n of losses that are convex in the margins:
///
///   capped (s):     sum_i cost_i [ eta_i hinge(z_i) + (1 - eta_i) (1 - s) ]
///   trimmed (rho):  sum_i cost_i eta_i hinge(z_i),   sum_i cost_i eta_i >= rho sum_i cost_i
class RobustLoss {
 public:
  [[nodiscard]] static RobustLoss capped(std::vector<double> costs, double s);
  [[nodiscard]] static RobustLoss trimmed(std::vector<double> costs, double rho);

  [[nodiscard]] std::span<const double> costs() const { return costs_; }
  /// The eta with the least loss at these margins. Capped: 1 from z = s upwards, else 0. Trimmed:
  /// the largest margins, ties by the lowest index, as far as the budget goes. An example without
  /// cost has eta 1.
  [[nodiscard]] std::vector<double> best_eta(std::span<const double> margins) const;
  /// The loss at these margins and their best eta.
  [[nodiscard]] double value(std::span<const double> margins, std::span<const double> eta) const;
  /// The part of the loss at a fixed eta that no function changes.
  [[nodiscard]] double constant(std::span<const double> eta) const;

 private:
  std::vector<double> costs_;
  /// One of the two is set.
  std::optional<double> s_ = std::nullopt;
  std::optional<double> rho_ = std::nullopt;
};

/// A solution of the convex problem that belongs to some eta.
struct RobustPoint {
  /// Of the function, one a row.
  std::vector<double> coefficients = {};
  double offset = 0;
  /// Of the function on every row, with the offset.
  std::vector<double> values = {};
  double squared_norm = 0;
  /// The dual objective of the coefficients, without RobustLoss::constant. Means nothing after a
  /// numerical failure.
  double dual = 0;
  Status status = Status::solved;
  std::string message = {};
  std::uint64_t iterations = 0;
  /// Weights of a linear function; empty for kernels.
  std::vector<double> weights = {};
  /// The whole machine, of solvers that have more of it than the above.
  std::shared_ptr<TrainedClassifier> machine = nullptr;
};

/// Whether a solve ended in a way after which there is nothing more to try.
[[nodiscard]] constexpr bool is_over(Status status) noexcept {
  return was_stopped(status) || status == Status::numerical_failure;
}

/// Solves the convex problem of eta, from `start` where there is one.
using SolveStep = std::function<RobustPoint(std::span<const double> eta, const RobustPoint* start)>;

/// Where a descent ended.
struct RobustDescent {
  /// After a numerical failure no number below is meant to be shown.
  RobustPoint point = {};
  /// best_eta of the point.
  std::vector<double> eta = {};
  double objective = 0;
  /// A lower bound of the convex problem of `eta`, and coefficients that prove it.
  double fixed_dual = 0;
  std::vector<double> proof = {};
  std::vector<double> objectives = {};
  std::size_t rounds = 0;
  std::uint64_t iterations = 0;
  Status status = Status::solved;
  std::string message = {};
};

/// Alternates between the function of an eta and the best eta of a function, until eta repeats or
/// the objective no longer falls; the objective never rises. Begins with the function of `eta`.
[[nodiscard]] RobustDescent descend(const RobustLoss& loss,
                                    std::span<const std::int8_t> signs,
                                    const SolveStep& solve,
                                    std::vector<double> eta,
                                    const RobustPoint* start,
                                    std::size_t max_rounds);

/// The best of several descents: the first from eta = 1, the others from a random half of the
/// examples. `plain` receives the solution at eta = 1.
[[nodiscard]] RobustDescent best_descent(const RobustLoss& loss,
                                         std::span<const std::int8_t> signs,
                                         const SolveStep& solve,
                                         std::size_t starts,
                                         std::size_t max_rounds,
                                         std::uint64_t seed,
                                         RobustPoint& plain);

/// Descents when nobody says how many.
[[nodiscard]] std::size_t default_starts(std::size_t rows) noexcept;

}  // namespace maxmargin
