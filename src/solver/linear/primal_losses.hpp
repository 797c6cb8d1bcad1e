// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "core/always_inline.hpp"
#include "maxmargin/loss/margin_loss.hpp"

/// The smooth losses of Newton's method, times C_i, as functions of the score s, with two
/// derivatives; and the dual's term at the coefficient b = -slope, D beside -1/2 |w|^2.
namespace maxmargin::linear {

/// Of C_i loss(s, y_i).
struct Derivatives {
  double value = 0;
  double slope = 0;
  double curvature = 0;
};

struct SquaredMarginPrimal {
  [[nodiscard]] MAXMARGIN_INLINE Derivatives at(double score, double target, double c) const {
    const double slack = std::max(1 - target * score, 0.0);
    return {c * slack * slack, -2 * c * slack * target, slack > 0 ? 2 * c : 0.0};
  }
  [[nodiscard]] double dual_term(double b, double target, double c) const {
    return target * b - b * b / (4 * c);
  }
};

struct SquaredTubePrimal {
  double epsilon = 0;

  [[nodiscard]] MAXMARGIN_INLINE Derivatives at(double score, double target, double c) const {
    const double residual = score - target;
    const double outside = std::max(std::abs(residual) - epsilon, 0.0);
    return {
        c * outside * outside, 2 * c * std::copysign(outside, residual), outside > 0 ? 2 * c : 0.0};
  }
  [[nodiscard]] double dual_term(double b, double target, double c) const {
    return target * b - epsilon * std::abs(b) - b * b / (4 * c);
  }
};

struct LogisticPrimal {
  [[nodiscard]] MAXMARGIN_INLINE Derivatives at(double score, double target, double c) const {
    const double margin = target * score;
    const double small = std::exp(-std::abs(margin));
    const double near = 1 / (1 + small);  // probability of the likelier side
    const double far = small / (1 + small);
    const double miss = margin >= 0 ? far : near;
    return {c * (std::log1p(small) + std::max(-margin, 0.0)), -c * target * miss, c * near * far};
  }
  [[nodiscard]] double dual_term(double b, double target, double c) const {
    return -c * Logistic{}.conjugate(-std::clamp(target * b / c, 0.0, 1.0));
  }
};

}  // namespace maxmargin::linear
