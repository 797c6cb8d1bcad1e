// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"
#include "problem/saddle/weight_saddle.hpp"
#include "solver/saddle/rows.hpp"

/// Private to solver: what the relaxations have in common, docs/algorithms/saddle.md.
namespace maxmargin::saddle {

/// Numbers that prove a bound: see LabelCertificate and WeightCertificate.
struct Certificate {
  std::vector<double> lambda = {};       ///< one a point
  std::vector<double> diagonal = {};     ///< one a row
  std::vector<double> multipliers = {};  ///< one a constraint
};

/// The constraints of a problem: functions of G, linear in it, that must lie in intervals.
enum class ConstraintKind {
  none,
  row_sums,  ///< w_i.z for every point, z = W'e - m v_0: the balance of rows
  total,     ///< |z|^2
  kept       ///< e'eta
};

/// The problem: minimise over unit rows V, with W = T V and G = V V',
///
///   max over 0 <= l <= 1 of  a'l - 1/2 l'(c K o W W') l,  constraints in their intervals,
///
/// where a = e, or a = eta with eta_i = (1 + v_0.v_i) / 2 (then row i + 1 is point i's). With
/// multipliers p of the constraints the part of the Lagrangian that is not quadratic in l is
///
///   const(l, p) + <B(p) + L(l, p), G>
///
/// with B(p) = T'(p e' + e p')T / 2 (row sums) or p T'e e'T (total). L is what involves the hub:
/// for weights (l_i + p) / 4 at (0, i) and (i, 0), for labels what the centre m adds. A multiplier
/// that is `fixed` (the robust hinge: p = -1 at e'eta >= n) makes its constraint a part of the
/// objective.
class Form {
 public:
  /// Of valid problems, which must outlive it.
  explicit Form(const LabelSaddle& problem);
  explicit Form(const WeightSaddle& problem);

  [[nodiscard]] DenseView kernel() const noexcept { return kernel_; }
  [[nodiscard]] double c() const noexcept { return c_; }
  [[nodiscard]] const PointRows& rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t points() const noexcept { return rows_.points(); }
  [[nodiscard]] ConstraintKind constraint_kind() const noexcept { return constraint_kind_; }
  [[nodiscard]] bool is_fixed() const noexcept { return is_fixed_; }
  /// Constraints that the minimiser has to bring into their intervals.
  [[nodiscard]] bool has_constraints() const noexcept {
    return constraint_kind_ != ConstraintKind::none && !is_fixed_;
  }
  /// All examples must be kept: the anchor is the only feasible point.
  [[nodiscard]] bool is_forced() const noexcept {
    return constraint_kind_ == ConstraintKind::kept && !is_fixed_ &&
           low_ >= static_cast<double>(points());
  }
  /// How many constraints; they share one interval [low, high].
  [[nodiscard]] std::size_t constraint_count() const noexcept;
  [[nodiscard]] double low() const noexcept { return low_; }
  [[nodiscard]] double high() const noexcept { return high_; }
  /// What the balance allows, in points.
  [[nodiscard]] double imbalance() const noexcept { return imbalance_; }

  /// result = c K Diag(weights) x, x one row a point; `scratch` is fitted.
  void multiply(std::span<const double> weights,
                DenseView x,
                MutableDenseView result,
                DenseMatrix& scratch,
                std::size_t threads) const;

  /// a at V, and how it changes with V in the direction x.
  void linear(DenseView v, std::span<double> a) const;
  void linear_change(DenseView v, DenseView x, std::span<double> change) const;

  /// Values of the constraints at V (W = T V), and how they change in the direction x (y = T x).
  void constraint_values(DenseView v, DenseView w, std::span<double> values) const;
  void constraint_changes(
      DenseView v, DenseView w, DenseView x, DenseView y, std::span<double> changes) const;

  /// What B(p) + L(l, p) makes of x, y = T x, in two parts: factor times it is T' times what is
  /// added to `points`, plus what is added to `rows`.
  void add_point_part(std::span<const double> p,
                      double factor,
                      DenseView x,
                      DenseView y,
                      MutableDenseView points) const;
  void add_row_part(std::span<const double> l,
                    std::span<const double> p,
                    double factor,
                    DenseView x,
                    DenseView y,
                    MutableDenseView rows) const;
  /// Entries: of B(p) between the points i and j, of L between the hub and the row
  /// of point i, and of L in the corner.
  [[nodiscard]] double point_entry(std::span<const double> p, std::size_t i, std::size_t j) const;
  [[nodiscard]] double row_entry(std::span<const double> l,
                                 std::span<const double> p,
                                 std::size_t i) const;
  [[nodiscard]] double corner_entry(std::span<const double> p) const;
  /// At least the sizes of the terms of the last.
  [[nodiscard]] double corner_size(std::span<const double> p) const;

  /// Terms of const(l, p) less the largest that multipliers p allow, one after the other; `take` is
  /// called with each.
  template <class Take>
  void for_each_constant(const Certificate& certificate, Take take) const {
    for (const double l : certificate.lambda) take(has_weights_ ? 0.5 * l : l);
    for (const double p : certificate.multipliers) {
      if (has_weights_) take(0.5 * p * static_cast<double>(points()));
      if (p != 0) take(-p * (p > 0 ? high_ : low_));
    }
  }

  /// How far the values are out of their interval, in points.
  [[nodiscard]] double excess(std::span<const double> values) const;
  /// The largest s <= 1 for which s values + (1 - s) anchor lie in the interval. Where that leaves
  /// hardly anything but the anchor it counts as reaching `slack` points further than it.
  [[nodiscard]] double feasible_share(std::span<const double> values,
                                      std::span<const double> anchor,
                                      double slack) const;
  /// A first penalty of the constraints where the objective has this value.
  [[nodiscard]] double first_penalty(double value) const;

  /// A feasible matrix that does not depend on K, the anchor: its entry for two points. Labels: M
  /// with every sum as near to 0 as can be, all free labels alike; weights: all ones. a = e there.
  [[nodiscard]] double anchor_entry(std::size_t i, std::size_t j) const;
  /// Constraints of the anchor.
  [[nodiscard]] std::vector<double> anchor_constraints() const;

  /// z of rows x with y = T x.
  [[nodiscard]] std::vector<double> balance_sum(DenseView x, DenseView y) const;

 private:
  DenseView kernel_;
  double c_;
  PointRows rows_;
  ConstraintKind constraint_kind_ = ConstraintKind::none;
  bool has_weights_ = false;
  bool is_fixed_ = false;
  double low_ = 0;
  double high_ = 0;
  double imbalance_ = 0;
  double centre_ = 0;           ///< m
  double least_imbalance_ = 0;  ///< of any labelling with the labels given
  double to_hub_ = 0;           ///< of a free row in the anchor, with the hub
  double to_other_ = 1;         ///< and with another free row
};

}  // namespace maxmargin::saddle
