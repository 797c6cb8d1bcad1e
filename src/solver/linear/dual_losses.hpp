// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "core/always_inline.hpp"

/// The losses of dual coordinate descent: what one coordinate's slope, best value and share of the
/// duality gap are, given the score s = w.x_i. docs/algorithms/dual-coordinate-descent.md steps
/// 3 to 5.
namespace maxmargin::linear {

/// What the solver keeps of one row, together in memory because it is used together.
struct Coordinate {
  double b = 0;          ///< the coefficient
  double target = 0;     ///< y_i
  double upper = 0;      ///< |b| <= upper; infinite for squared losses
  double ridge = 0;      ///< 1/(2 C_i) for squared losses, else 0
  double curvature = 0;  ///< |x_i|^2 + ridge, > 0
};

/// Coefficients at a bound whose slope is beyond these stay there for now.
struct ShrinkRule {
  double low = 0;
  double high = 0;
};

/// One look at a coordinate.
struct Step {
  double projected = 0;  ///< slope of -D along the feasible directions; 0 at the optimum
  bool settled = false;  ///< at a bound, and far from leaving it
  double b = 0;          ///< the best value of this coordinate
  double gain = 0;       ///< by how much moving there raises D
};

/// Hinge and squared hinge: a = y b in [0, upper].
template <bool squared>
struct MarginDual {
  [[nodiscard]] MAXMARGIN_INLINE Step step(const Coordinate& v,
                                           double score,
                                           const ShrinkRule& rule) const {
    const double a = v.target * v.b;
    const double slope = v.target * score - 1 + (squared ? v.ridge * a : 0.0);
    Step result;
    result.projected = slope;
    if (a == 0) {
      result.projected = std::min(slope, 0.0);
      result.settled = slope > rule.high;
    } else if (!squared && a == v.upper) {
      result.projected = std::max(slope, 0.0);
      result.settled = slope < rule.low;
    }
    double next = std::max(a - slope / v.curvature, 0.0);
    if (!squared) next = std::min(next, v.upper);
    const double move = next - a;
    result.b = v.target * next;
    result.gain = -move * (slope + v.curvature * move / 2);
    return result;
  }

  /// The loss times C_i.
  [[nodiscard]] MAXMARGIN_INLINE double loss(const Coordinate& v, double score) const {
    const double slack = std::max(1 - v.target * score, 0.0);
    return squared ? slack * slack / (2 * v.ridge) : v.upper * slack;
  }
  /// The part of D beside -1/2 |w|^2.
  [[nodiscard]] MAXMARGIN_INLINE double dual_term(const Coordinate& v) const {
    const double a = v.target * v.b;
    return squared ? a - v.ridge * a * a / 2 : a;
  }
  /// The nearest feasible coefficient.
  [[nodiscard]] double feasible(const Coordinate& v, double b) const {
    return v.target * std::clamp(v.target * b, 0.0, v.upper);
  }
};

/// The two losses of regression: |b| <= upper.
template <bool squared>
struct TubeDual {
  double epsilon = 0;

  [[nodiscard]] MAXMARGIN_INLINE Step step(const Coordinate& v,
                                           double score,
                                           const ShrinkRule& rule) const {
    const double slope = score - v.target + (squared ? v.ridge * v.b : 0.0);
    const double up = slope + epsilon;    // along growing b >= 0
    const double down = slope - epsilon;  // along growing b <= 0
    const double limit = std::max(rule.high, -rule.low);
    Step result;
    if (v.b == 0) {
      result.projected = up < 0 ? up : std::max(down, 0.0);
      result.settled = up > limit && down < -limit;
    } else if (v.b > 0) {
      const bool full = !squared && v.b == v.upper;
      result.projected = full ? std::max(up, 0.0) : up;
      result.settled = full && up < -limit;
    } else {
      const bool full = !squared && v.b == -v.upper;
      result.projected = full ? std::min(down, 0.0) : down;
      result.settled = full && down > limit;
    }
    const double reach = v.curvature * v.b;
    double next = 0;
    if (up < reach) {
      next = v.b - up / v.curvature;
    } else if (down > reach) {
      next = v.b - down / v.curvature;
    }
    if (!squared) next = std::clamp(next, -v.upper, v.upper);
    const double move = next - v.b;
    result.b = next;
    result.gain =
        -move * (slope + v.curvature * move / 2) - epsilon * (std::abs(next) - std::abs(v.b));
    return result;
  }

  [[nodiscard]] MAXMARGIN_INLINE double loss(const Coordinate& v, double score) const {
    const double outside = std::max(std::abs(score - v.target) - epsilon, 0.0);
    return squared ? outside * outside / (2 * v.ridge) : v.upper * outside;
  }
  [[nodiscard]] MAXMARGIN_INLINE double dual_term(const Coordinate& v) const {
    const double linear = v.b * v.target - epsilon * std::abs(v.b);
    return squared ? linear - v.ridge * v.b * v.b / 2 : linear;
  }
  [[nodiscard]] double feasible(const Coordinate& v, double b) const {
    return std::clamp(b, -v.upper, v.upper);
  }
};

}  // namespace maxmargin::linear
