// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "solver/saddle_form.hpp"

/// Private to solver: docs/algorithms/saddle.md, step 4.
namespace maxmargin::saddle {

/// The augmented Lagrangian of the sides: with z the nearest to value + b/rho in [low, high],
///
///   p = rho (value + b/rho - z),   value() = (p^2 - b^2) / (2 rho), summed over the sides.
///
/// A fixed multiplier is -1 and value() = -(side - low).
class AugmentedSides {
 public:
  explicit AugmentedSides(const Form& form)
      : form_(form),
        b_(form.side_count(), 0.0),
        p_(form.side_count(), form.is_fixed() ? -1.0 : 0.0),
        values_(form.side_count(), 0.0),
        active_(form.side_count(), 0) {}

  /// At V, W = T V.
  void measure(DenseView v, DenseView w) {
    form_.side_values(v, w, values_);
    if (form_.is_fixed()) return;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const double moved = values_[k] + b_[k] / rho_;
      const double nearest = std::clamp(moved, form_.low(), form_.high());
      active_[k] = moved != nearest || form_.low() == form_.high() ? 1 : 0;
      p_[k] = rho_ * (moved - nearest);
    }
  }

  /// What the sides add to the function, and the part of it that belongs to the objective.
  [[nodiscard]] double value() const {
    if (form_.is_fixed()) return objective();
    double sum = 0;
    for (std::size_t k = 0; k < p_.size(); ++k) sum += (p_[k] * p_[k] - b_[k] * b_[k]) / (2 * rho_);
    return sum;
  }
  [[nodiscard]] double objective() const {
    return form_.is_fixed() ? form_.low() - values_.front() : 0.0;
  }

  [[nodiscard]] std::span<const double> values() const { return values_; }
  [[nodiscard]] std::span<const double> multipliers() const { return p_; }
  /// How p moves when the values move by `changes`.
  [[nodiscard]] std::vector<double> multiplier_changes(std::span<const double> changes) const {
    std::vector<double> moves(changes.size(), 0.0);
    for (std::size_t k = 0; k < moves.size(); ++k) {
      if (active_[k] != 0) moves[k] = rho_ * changes[k];
    }
    return moves;
  }

  [[nodiscard]] double penalty() const { return rho_; }
  void set_penalty(double rho) { rho_ = rho; }
  /// All b.
  void start_at(double multiplier) { std::ranges::fill(b_, multiplier); }
  /// b = p.
  void update() {
    if (!form_.is_fixed()) b_ = p_;
  }

 private:
  const Form& form_;
  double rho_ = 1;
  std::vector<double> b_;
  std::vector<double> p_;
  std::vector<double> values_;
  std::vector<char> active_;  ///< p moves with the value
};

}  // namespace maxmargin::saddle
