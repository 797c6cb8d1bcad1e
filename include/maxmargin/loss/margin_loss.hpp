// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/option.hpp"

/// Losses of the margin z = y f(x), y = +1 or -1. Each is a small value with
///
///   value(z)        the loss;
///   subgradient(z)  an element of its (Clarke) subdifferential. At a kink it is the derivative
///   from
///                   the right: the flatter side of a hinge, so a point on the margin pulls
///                   nothing;
///   conjugate(u)    sup over z of u z - value(z), where a dual problem uses it; +inf outside the
///                   domain. A dual variable alpha of a margin constraint is u = -alpha;
///   convex, lipschitz() and, where finite, smoothness() (the Lipschitz constant of the slope).
///
/// All arguments are finite; a NaN margin gives a NaN value. docs/guide/losses.md has the pictures
/// in words.
namespace maxmargin {

/// max(0, 1 - z).
struct Hinge {
  static constexpr bool convex = true;
  [[nodiscard]] static constexpr double lipschitz() noexcept { return 1; }
  [[nodiscard]] constexpr double value(double margin) const noexcept {
    return margin >= 1 ? 0 : 1 - margin;
  }
  [[nodiscard]] constexpr double subgradient(double margin) const noexcept {
    return margin >= 1 ? 0 : -1;
  }
  /// u on [-1, 0].
  [[nodiscard]] constexpr double conjugate(double u) const noexcept {
    return -1 <= u && u <= 0 ? u : std::numeric_limits<double>::infinity();
  }
};

/// max(0, 1 - z)^2, without a factor 1/2.
struct SquaredHinge {
  static constexpr bool convex = true;
  /// The slope grows without bound as z falls.
  [[nodiscard]] static constexpr double lipschitz() noexcept {
    return std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] static constexpr double smoothness() noexcept { return 2; }
  [[nodiscard]] constexpr double value(double margin) const noexcept {
    const double slack = Hinge{}.value(margin);
    return slack * slack;
  }
  [[nodiscard]] constexpr double subgradient(double margin) const noexcept {
    return -2 * Hinge{}.value(margin);
  }
  /// u + u^2/4 for u <= 0.
  [[nodiscard]] constexpr double conjugate(double u) const noexcept {
    return u <= 0 ? u + u * u / 4 : std::numeric_limits<double>::infinity();
  }
};

/// log(1 + exp(-z)), accurate for margins of any size.
struct Logistic {
  static constexpr bool convex = true;
  [[nodiscard]] static constexpr double lipschitz() noexcept { return 1; }
  [[nodiscard]] static constexpr double smoothness() noexcept { return 0.25; }
  [[nodiscard]] double value(double margin) const noexcept {
    return margin >= 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
  }
  /// -1 / (1 + exp(z)).
  [[nodiscard]] double subgradient(double margin) const noexcept {
    if (margin < 0) return -1 / (1 + std::exp(margin));
    const double e = std::exp(-margin);
    return -e / (1 + e);
  }
  /// a log a + (1 - a) log(1 - a) with a = -u in [0, 1], and 0 log 0 = 0.
  [[nodiscard]] double conjugate(double u) const noexcept {
    if (!(-1 <= u && u <= 0)) return std::numeric_limits<double>::infinity();
    const double a = -u;
    const double first = a > 0 ? a * std::log(a) : 0;
    return first + (a < 1 ? (1 - a) * std::log1p(-a) : 0);
  }
};

/// The ramp max(0, 1 - z) - max(0, s - z) = min(1 - s, max(0, 1 - z)): a hinge that stops growing
/// below z = s, so one far outlier costs at most 1 - s. Not convex; the difference of two convex
/// functions, which is what CCCP takes apart. s = 0 is Xu's robust hinge min(1, hinge).
struct Ramp {
  double s = 0;

  static constexpr bool convex = false;
  [[nodiscard]] static constexpr double lipschitz() noexcept { return 1; }
  void describe(OptionVisitor& visit) {
    constexpr NumberRule below_one{"a finite number < 1", {.most = 1}};
    visit.number({.name = "ramp", .help = "margin below which the loss stays flat"}, s, below_one);
  }
  [[nodiscard]] constexpr double value(double margin) const noexcept {
    return std::min(Hinge{}.value(margin), 1 - s);  // this order keeps a NaN
  }
  [[nodiscard]] constexpr double subgradient(double margin) const noexcept {
    return s <= margin && margin < 1 ? -1 : 0;
  }
  /// Slope of the subtracted hinge max(0, s - z): -1 where z < s. CCCP puts its tangent there.
  [[nodiscard]] constexpr double subtracted_slope(double margin) const noexcept {
    return margin < s ? -1 : 0;
  }
};

/// eta max(0, 1 - z) + (1 - eta), 0 <= eta <= 1: pay the hinge for the share eta of a point and a
/// whole error for the rest. Convex in z for fixed eta and linear in eta; its minimum over eta is
/// the ramp with s = 0. Never below Ramp{0}, hence never below ZeroOne.
struct EtaHinge {
  double eta = 1;

  static constexpr bool convex = true;
  [[nodiscard]] constexpr double lipschitz() const noexcept { return eta; }
  void describe(OptionVisitor& visit) {
    visit.number({.name = "eta", .help = "share of the loss that counts"}, eta, rules::share);
  }
  [[nodiscard]] constexpr double value(double margin) const noexcept {
    return eta * Hinge{}.value(margin) + (1 - eta);
  }
  [[nodiscard]] constexpr double subgradient(double margin) const noexcept {
    return eta * Hinge{}.subgradient(margin);
  }
  /// eta times the hinge's conjugate at u/eta, less the constant: u - (1 - eta) on [-eta, 0].
  [[nodiscard]] constexpr double conjugate(double u) const noexcept {
    return -eta <= u && u <= 0 ? u - (1 - eta) : std::numeric_limits<double>::infinity();
  }
  /// The eta with the least loss: 1 for z >= 0, else 0. (At z = 0 every eta gives 1.)
  [[nodiscard]] static constexpr double best_eta(double margin) noexcept {
    return margin >= 0 ? 1 : 0;
  }
};

/// The error count. It has no useful subgradient and no conjugate: it is what the others bound.
struct ZeroOne {
  static constexpr bool convex = false;
  /// 1 for z < 0, else 0: a margin of 0 counts as right.
  [[nodiscard]] constexpr double value(double margin) const noexcept { return margin < 0 ? 1 : 0; }
  /// Whether the sign of `score` differs from `label` (+1 or -1), with sign(0) = +1. Differs from
  /// value(label * score) in one case: label -1 and score 0 is an error.
  [[nodiscard]] static constexpr double of_score(double label, double score) noexcept {
    return (score >= 0) == (label > 0) ? 0 : 1;
  }
};

}  // namespace maxmargin
