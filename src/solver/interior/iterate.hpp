// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "solver/interior/newton.hpp"
#include "solver/interior/scaled.hpp"

namespace maxmargin::interior {

/// A point strictly between the bounds with the multipliers of these, and the step that moves it
/// (docs/algorithms/interior-point.md, steps 1 and 3 to 7).
class Iterate {
 public:
  explicit Iterate(const ScaledProblem& problem);

  [[nodiscard]] std::span<const double> b() const noexcept { return b_; }
  /// Finite bounds of variables that can move.
  [[nodiscard]] std::size_t bounds() const noexcept { return bounds_; }
  /// mu: the mean product of a distance from a bound and its multiplier.
  [[nodiscard]] double centrality() const { return centrality_after(nullptr, 0); }

  /// Where no row pays a loss, whatever is well above the least multiple with that property is too
  /// long: moves to a multiple of 2 to 4 times that one, a power of two times b, and `at` with it.
  void shrink(Measured& at);
  /// One step from here, where the problem measures `at`, to no less than `least_share` of mu.
  /// False when rounding leaves no positive definite matrix or no way to go, or when it is told to
  /// stop.
  [[nodiscard]] bool step(NewtonSystem& system,
                          const Measured& at,
                          double least_share,
                          const ProgressCallback& on_progress);

 private:
  /// A direction of everything that moves.
  struct Direction {
    std::vector<double> b;
    std::vector<double> offsets;
    std::vector<double> low;   ///< of low_
    std::vector<double> high;  ///< of high_
  };
  /// What a direction is to change the products of distances and multipliers by.
  struct Products {
    std::vector<double> low;
    std::vector<double> high;
  };

  [[nodiscard]] bool has_low(std::size_t v) const { return std::isfinite(problem_->lower[v]); }
  [[nodiscard]] bool has_high(std::size_t v) const { return std::isfinite(problem_->upper[v]); }
  [[nodiscard]] double shortest_multiple(const Measured& at) const;
  [[nodiscard]] double centrality_after(const Direction* along, double length) const;
  [[nodiscard]] Products towards(double target, const Direction* affine) const;
  [[nodiscard]] Direction direction(const NewtonSystem& system,
                                    const Measured& at,
                                    const Products& change) const;
  [[nodiscard]] double longest(const Direction& along) const;
  [[nodiscard]] bool pull_in(Products& change,
                             const Direction& along,
                             double length,
                             double target) const;
  void move(const Direction& along, double length);

  const ScaledProblem* problem_;  ///< a pointer, so that points can be assigned
  std::size_t bounds_ = 0;
  std::vector<double> b_;
  std::vector<double> offsets_;
  std::vector<double> below_;  ///< b - lower, kept by itself as it gets far smaller than b
  std::vector<double> above_;  ///< upper - b
  std::vector<double> low_;    ///< multipliers of the lower bounds
  std::vector<double> high_;   ///< and of the upper ones
};

}  // namespace maxmargin::interior
