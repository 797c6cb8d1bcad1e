// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "maxmargin/core/option.hpp"

/// Losses of the residual r = f(x) - target, for regression. Members as in margin_loss.hpp; at a
/// kink the subgradient is the one of least size, so a point on the tube's wall pulls nothing.
namespace maxmargin {

/// max(0, |r| - epsilon): nothing inside the tube, its distance to the tube outside.
struct EpsilonInsensitive {
  double epsilon = 0.1;

  static constexpr bool convex = true;
  [[nodiscard]] static constexpr double lipschitz() noexcept { return 1; }
  void describe(OptionVisitor& visit) {
    visit.number(
        {.name = "epsilon", .help = "half width of the tube"}, epsilon, rules::not_negative);
  }
  [[nodiscard]] double value(double residual) const noexcept {
    const double outside = std::abs(residual) - epsilon;
    return outside <= 0 ? 0 : outside;
  }
  [[nodiscard]] double subgradient(double residual) const noexcept {
    return std::abs(residual) <= epsilon ? 0 : std::copysign(1.0, residual);
  }
  /// epsilon |u| on [-1, 1].
  [[nodiscard]] double conjugate(double u) const noexcept {
    return std::abs(u) <= 1 ? epsilon * std::abs(u) : std::numeric_limits<double>::infinity();
  }
};

/// max(0, |r| - epsilon)^2, without a factor 1/2. epsilon = 0 is the square.
struct SquaredEpsilonInsensitive {
  double epsilon = 0.1;

  static constexpr bool convex = true;
  [[nodiscard]] static constexpr double lipschitz() noexcept {
    return std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] static constexpr double smoothness() noexcept { return 2; }
  void describe(OptionVisitor& visit) {
    visit.number(
        {.name = "epsilon", .help = "half width of the tube"}, epsilon, rules::not_negative);
  }
  [[nodiscard]] double value(double residual) const noexcept {
    const double outside = EpsilonInsensitive{epsilon}.value(residual);
    return outside * outside;
  }
  [[nodiscard]] double subgradient(double residual) const noexcept {
    return std::copysign(2 * EpsilonInsensitive{epsilon}.value(residual), residual);
  }
  /// epsilon |u| + u^2/4.
  [[nodiscard]] double conjugate(double u) const noexcept {
    return epsilon * std::abs(u) + u * u / 4;
  }
};

}  // namespace maxmargin
