// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

/// Sequential minimal optimisation as the thesis has it, with its signs put right: the plain twin
/// of solve_smo. f = sum_j a_j y_j K_j - b, 0 <= a_i <= bound_i, sum_i a_i y_i = 0.
namespace maxmargin::testing {

class SmoTwin {
 public:
  SmoTwin(const DenseMatrix& k, std::vector<double> y, std::vector<double> bounds)
      : k_(k), y_(std::move(y)), bounds_(std::move(bounds)), a_(y_.size(), 0.0), u_(a_) {}

  [[nodiscard]] const std::vector<double>& a() const { return a_; }
  [[nodiscard]] double threshold() const { return b_; }
  /// sum_j a_j y_j K_ij
  [[nodiscard]] double u(std::size_t i) const { return u_[i]; }
  [[nodiscard]] double error(std::size_t i) const { return u_[i] - b_ - y_[i]; }
  [[nodiscard]] double dual() const {
    double value = 0;
    for (std::size_t i = 0; i < a_.size(); ++i) value += a_[i] - 0.5 * a_[i] * y_[i] * u_[i];
    return value;
  }

  /// The new a_2 without its bounds: a_2 - y_2 (E_1 - E_2) / eta, eta = 2 K_12 - K_11 - K_22.
  [[nodiscard]] double unclipped(std::size_t first, std::size_t second) const {
    return a_[second] - y_[second] * (error(first) - error(second)) / eta(first, second);
  }
  [[nodiscard]] double eta(std::size_t first, std::size_t second) const {
    return 2 * k_(first, second) - k_(first, first) - k_(second, second);
  }
  /// Where a_2 may go while the sum and both bounds hold.
  struct Interval {
    double low;
    double high;
  };
  [[nodiscard]] Interval interval(std::size_t first, std::size_t second) const {
    const double a1 = a_[first];
    const double a2 = a_[second];
    const double c1 = bounds_[first];
    const double c2 = bounds_[second];
    if (y_[first] != y_[second]) return {std::max(0.0, a2 - a1), std::min(c2, c1 + a2 - a1)};
    return {std::max(0.0, a1 + a2 - c1), std::min(c2, a1 + a2)};
  }

  /// One step on a pair; the change of a_2.
  double step(std::size_t first, std::size_t second) {
    const auto [low, high] = interval(first, second);
    if (!(low < high)) return 0;
    const double old_1 = a_[first];
    const double old_2 = a_[second];
    const double curvature = eta(first, second);
    double next = 0;
    if (curvature < 0) {
      next = snapped(second, std::clamp(unclipped(first, second), low, high));
    } else {
      // No maximum inside: the better end, if it is better at all.
      const auto gain = [&](double t) {
        return t * y_[second] * (error(first) - error(second)) + 0.5 * curvature * t * t;
      };
      const double end = gain(low - old_2) > gain(high - old_2) ? low : high;
      next = gain(end - old_2) > 0 ? end : old_2;
    }
    if (next == old_2) return 0;
    const double s = y_[first] * y_[second];
    set(first, snapped(first, old_1 + s * (old_2 - next)));
    set(second, next);
    return next - old_2;
  }

  /// As step, and then the single threshold of Platt. Errors are those before the step.
  double platt_step(std::size_t first, std::size_t second) {
    const double e1 = error(first);
    const double e2 = error(second);
    const double old_1 = a_[first];
    const double old_2 = a_[second];
    const double moved = step(first, second);
    if (moved == 0) return 0;
    const double d1 = y_[first] * (a_[first] - old_1);
    const double d2 = y_[second] * (a_[second] - old_2);
    const double b1 = b_ + e1 + d1 * k_(first, first) + d2 * k_(first, second);
    const double b2 = b_ + e2 + d1 * k_(first, second) + d2 * k_(second, second);
    b_ = is_free(first) ? b1 : is_free(second) ? b2 : 0.5 * (b1 + b2);
    return moved;
  }

  /// Two thresholds (Keerthi): the worst pair until b_low <= b_up + 2 tolerance.
  std::uint64_t solve_keerthi(double tolerance, std::uint64_t limit) {
    for (std::uint64_t steps = 0; steps < limit; ++steps) {
      double b_up = std::numeric_limits<double>::infinity();
      double b_low = -b_up;
      std::size_t up = 0;
      std::size_t low = 0;
      for (std::size_t i = 0; i < a_.size(); ++i) {
        const double f = u_[i] - y_[i];
        const bool below = a_[i] < bounds_[i];
        const bool above = a_[i] > 0;
        if ((y_[i] > 0 ? below : above) && f < b_up) {
          b_up = f;
          up = i;
        }
        if ((y_[i] > 0 ? above : below) && f > b_low) {
          b_low = f;
          low = i;
        }
      }
      b_ = 0.5 * (b_low + b_up);
      if (b_low <= b_up + 2 * tolerance) return steps;
      if (step(low, up) == 0) return steps;
    }
    return limit;
  }

  /// One threshold (Platt): sweeps over all examples that break the conditions by more than the
  /// tolerance, with every partner in turn until one moves.
  std::uint64_t solve_platt(double tolerance, std::uint64_t limit) {
    std::uint64_t steps = 0;
    const double least = 1e-14;
    for (bool moved = true; moved && steps < limit;) {
      moved = false;
      for (std::size_t i = 0; i < a_.size() && steps < limit; ++i) {
        const double r = error(i) * y_[i];
        if (!((r < -tolerance && a_[i] < bounds_[i]) || (r > tolerance && a_[i] > 0))) continue;
        std::size_t best = i;
        for (std::size_t j = 0; j < a_.size(); ++j) {
          if (std::abs(error(j) - error(i)) > std::abs(error(best) - error(i))) best = j;
        }
        bool done = best != i && std::abs(platt_step(best, i)) > least;
        for (std::size_t j = 0; j < a_.size() && !done; ++j) {
          done = j != i && std::abs(platt_step(j, i)) > least;
        }
        moved = moved || done;
        steps += done ? 1 : 0;
      }
    }
    return steps;
  }

 private:
  /// A value that rounding alone keeps from its bound would stop the steps for good.
  [[nodiscard]] double snapped(std::size_t i, double value) const {
    const double near = 1e-13 * bounds_[i];
    return value <= near ? 0.0 : value >= bounds_[i] - near ? bounds_[i] : value;
  }
  [[nodiscard]] bool is_free(std::size_t i) const { return a_[i] > 0 && a_[i] < bounds_[i]; }
  void set(std::size_t i, double to) {
    const double change = y_[i] * (to - a_[i]);
    a_[i] = to;
    for (std::size_t j = 0; j < u_.size(); ++j) u_[j] += change * k_(i, j);
  }

  const DenseMatrix& k_;
  std::vector<double> y_;
  std::vector<double> bounds_;
  std::vector<double> a_;
  std::vector<double> u_;
  double b_ = 0;
};

}  // namespace maxmargin::testing
