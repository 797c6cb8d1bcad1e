// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solver/saddle/constraints.hpp"
#include "solver/saddle/form.hpp"
#include "solver/saddle/unit_box_qp.hpp"
#include "solver/saddle/unit_rows.hpp"

/// Private to solver: docs/algorithms/saddle.md, steps 2 to 4.
namespace maxmargin::saddle {

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
