// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "solver/saddle/form.hpp"
#include "solver/saddle/unit_box_qp.hpp"
#include "solver/saddle/unit_rows.hpp"

/// Private to solver: docs/algorithms/saddle.md, steps 2 to 4.
namespace maxmargin::saddle {

/// The point of an interval near t, kept off its ends by a barrier: the z that makes
///
///   rho/2 (t - z)^2 - nu log(z - low) - nu log(high - z)
///
/// least (an infinite end has no barrier). Its slope in t is between 0 and 1 and smooth, so that
/// Newton's method sees no kink where a constraint becomes active.
struct NearPoint {
  double z = 0;
  double slope = 0;    ///< dz/dt
  double barrier = 0;  ///< -nu log(z - low) - nu log(high - z)
};

[[nodiscard]] inline NearPoint near_point(
    double t, double low, double high, double rho, double nu) {
  if (low == high) return {.z = low};
  const bool has_low = std::isfinite(low);
  const bool has_high = std::isfinite(high);
  const auto curvature = [&](double z) {
    return rho + (has_low ? nu / ((z - low) * (z - low)) : 0.0) +
           (has_high ? nu / ((high - z) * (high - z)) : 0.0);
  };
  // The derivative increases with z: Newton's steps, halving where they leave the bracket.
  const double reach = std::sqrt(2 * nu / rho);
  double left = has_low ? low : std::min(t, high) - reach;
  double right = has_high ? high : std::max(t, low) + reach;
  // Not std::clamp: rounding may put the ends one bit across each other.
  const double off = 0.5 * std::min(reach, right - left);
  double z = std::min(std::max(t, left + off), right - off);
  constexpr std::size_t most_steps = 100;
  for (std::size_t k = 0; k < most_steps; ++k) {
    const double derivative =
        rho * (z - t) - (has_low ? nu / (z - low) : 0.0) + (has_high ? nu / (high - z) : 0.0);
    (derivative > 0 ? right : left) = z;
    double next = z - derivative / curvature(z);
    if (!(next > left && next < right)) next = 0.5 * (left + right);
    const bool done =
        std::abs(next - z) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(z);
    if (done || next == left || next == right) break;
    z = next;
  }
  return {.z = z,
          .slope = rho / curvature(z),
          .barrier =
              -nu * ((has_low ? std::log(z - low) : 0.0) + (has_high ? std::log(high - z) : 0.0))};
}

/// The augmented Lagrangian of the constraints: with z near value + b/rho in [low, high]
/// (near_point),
///
///   p = rho (value + b/rho - z),   value() = (p^2 - b^2) / (2 rho) + barrier, summed over the
///   constraints.
///
/// A fixed multiplier is -1 and value() = -(g - low).
class AugmentedConstraints {
 public:
  explicit AugmentedConstraints(const Form& form)
      : form_(form),
        b_(form.constraint_count(), 0.0),
        p_(form.constraint_count(), form.is_fixed() ? -1.0 : 0.0),
        values_(form.constraint_count(), 0.0),
        near_(form.constraint_count(), {.slope = 1}) {}

  /// At V, W = T V.
  void measure(DenseView v, DenseView w) {
    form_.constraint_values(v, w, values_);
    if (form_.is_fixed()) return;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const double moved = values_[k] + b_[k] / rho_;
      near_[k] = near_point(moved, form_.low(), form_.high(), rho_, nu_);
      p_[k] = rho_ * (moved - near_[k].z);
    }
  }

  /// What the constraints add to the function, and the part of it that belongs to the objective.
  [[nodiscard]] double value() const {
    if (form_.is_fixed()) return objective();
    double sum = 0;
    for (std::size_t k = 0; k < p_.size(); ++k) {
      sum += (p_[k] * p_[k] - b_[k] * b_[k]) / (2 * rho_) + near_[k].barrier;
    }
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
      moves[k] = rho_ * (1 - near_[k].slope) * changes[k];
    }
    return moves;
  }

  [[nodiscard]] double penalty() const { return rho_; }
  void set_penalty(double rho) { rho_ = rho; }
  void set_barrier(double nu) { nu_ = nu; }
  /// All b.
  void start_at(double multiplier) { std::ranges::fill(b_, multiplier); }
  /// b = p.
  void update() {
    if (!form_.is_fixed()) b_ = p_;
  }

 private:
  const Form& form_;
  double rho_ = 1;
  double nu_ = 1e-2;
  std::vector<double> b_;
  std::vector<double> p_;
  std::vector<double> values_;
  std::vector<NearPoint> near_;
};

/// The objective of a form plus the augmented Lagrangian of its constraints, as a function of V.
/// The gradient is 2 (B(p) + L(l, p) - T'A T) V with A = 1/2 c K o l l'.
class Function final : public UnitRowsFunction {
 public:
  /// `form` must outlive the object. When `on_progress`, asked within evaluations, says to stop,
  /// they end early: omega() is still no less than it should be, and the certificate still one.
  Function(const Form& form, std::size_t threads, ProgressCallback on_progress);

  double evaluate(DenseView v, MutableDenseView gradient) override;
  void hessian_product(DenseView direction, MutableDenseView product) override;

  /// All of these at the point of the last evaluation.
  /// Just above the objective: the value at l and the gap that the inner problem is known to.
  [[nodiscard]] double omega() const { return omega_; }
  /// lambda, y with S V = 0 row by row, and the multipliers p.
  [[nodiscard]] Certificate certificate() const;
  /// How far the constraints are out of their intervals, in points.
  [[nodiscard]] double excess() const { return form_.excess(constraints_.values()); }
  /// The largest s <= 1 with which s times the point and 1 - s times the anchor is feasible, within
  /// `slack` points.
  [[nodiscard]] double feasible_share(double slack) const {
    return form_.feasible_share(constraints_.values(), anchor_sides_, slack);
  }
  /// A bound from above on the objective at v. Takes the place of omega() and of lambda.
  [[nodiscard]] double omega_at(DenseView v);
  /// A bound from above on the objective at the anchor, a few percent off. Before the first
  /// evaluation alone.
  [[nodiscard]] double anchor_omega();

  /// Smooths omega by a barrier within the maximum (UnitBoxQp), and the constraints by one of the
  /// same size. Takes effect at the next evaluation.
  void set_barrier(double mu) {
    mu_ = mu;
    constraints_.set_barrier(mu);
  }

  [[nodiscard]] AugmentedConstraints& constraints() { return constraints_; }

 private:
  void fit_storage(std::size_t columns);
  /// H = c K o W W', its diagonal a little larger.
  void form_matrix(DenseView w);
  void measure_omega(DenseView w);
  /// Where a matrix of points goes that is to be pulled back to `rows`.
  [[nodiscard]] MutableDenseView point_target(MutableDenseView rows) {
    return form_.rows().is_identity() ? rows : points_.view();
  }

  const Form& form_;
  std::size_t threads_;
  double mu_;
  UnitBoxQp qp_;
  AugmentedConstraints constraints_;
  std::vector<double> anchor_sides_;
  DenseMatrix h_;
  DenseMatrix v_;         ///< the point
  DenseMatrix w_;         ///< T V, unless that is V
  DenseMatrix moved_;     ///< T times a direction, likewise
  DenseMatrix points_;    ///< what is to be pulled back, likewise
  DenseMatrix weighted_;  ///< c K Diag(l) W
  DenseMatrix image_;     ///< c K Diag(l) T X
  DenseMatrix scratch_;
  std::vector<double> linear_;  ///< a
  std::vector<double> lambda_;
  std::vector<double> diagonal_;
  double omega_ = 0;
};

}  // namespace maxmargin::saddle
