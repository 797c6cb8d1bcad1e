// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/problem/label_saddle.hpp"
#include "maxmargin/solver/unit_box_qp.hpp"
#include "maxmargin/solver/unit_rows.hpp"

/// Private to solver: docs/algorithms/mmc.md, steps 2 to 4.
namespace maxmargin::label_saddle {

/// omega(V V') plus the augmented Lagrangian of the balance, as a function of V:
///
///   none   omega(V V')
///   rows   + sum_i (p_i^2 - b_i^2) / (2 rho),  p_i = b_i + rho (c_i - the nearest to c_i + b_i/rho
///          in [-eps, eps]),  c = V (V'e)
///   total  + (p^2 - b^2) / (2 rho),  p = max(0, b + rho (|V'e|^2 - eps^2))
///
/// The gradient is 2 (B(p) - A) V with A = 1/2 c K o l l' and B as in LabelCertificate.
class Function final : public UnitRowsFunction {
 public:
  /// `problem` must outlive the object and hold a valid problem. When `on_progress`, asked within
  /// evaluations, says to stop, they end early: omega() is still no less than omega(M), and the
  /// certificate still one.
  Function(const LabelSaddle& problem, std::size_t threads, ProgressCallback on_progress);

  double evaluate(DenseView v, MutableDenseView gradient) override;
  void hessian_product(DenseView direction, MutableDenseView product) override;

  /// All of these at the point of the last evaluation.
  /// Just above omega(M): the value at l and the gap that the inner problem is known to.
  [[nodiscard]] double omega() const { return omega_; }
  /// lambda, y with S V = 0 row by row, and the multipliers p.
  [[nodiscard]] LabelCertificate certificate(DenseView v) const;
  /// Largest excess of |c_i|, or of |V'e|, over the imbalance allowed.
  [[nodiscard]] double excess() const;
  /// The largest s <= 1 with which s M + (1 - s) M0 has this imbalance at most (the balance is
  /// linear in M, and M0 e = 0): M0 = (n I - e e') / (n - 1), every label as far as can be from
  /// every other.
  [[nodiscard]] double balanced_share(double imbalance) const;
  /// A bound from above on omega(M0), a few percent off. Before the first evaluation alone.
  [[nodiscard]] double spread_omega();

  /// Smooths omega by a barrier within the maximum (UnitBoxQp). Takes effect at the next
  /// evaluation.
  void set_barrier(double mu) { mu_ = mu; }

  [[nodiscard]] double penalty() const { return rho_; }
  void set_penalty(double rho) { rho_ = rho; }
  /// b = p.
  void update_multipliers() { multipliers_ = p_; }

 private:
  void form_matrix(DenseView v);
  void measure_omega();
  /// result = c K Diag(weights) x.
  void multiply(std::span<const double> weights, DenseView x, MutableDenseView result);
  void measure_balance(DenseView v);
  [[nodiscard]] double balance_value() const;
  void add_balance_gradient(DenseView v, MutableDenseView gradient) const;
  void add_balance_product(DenseView direction, MutableDenseView product) const;

  const LabelSaddle& problem_;
  std::size_t threads_;
  std::size_t n_;
  double mu_;
  UnitBoxQp qp_;
  DenseMatrix h_;         ///< c K o V V', its diagonal a little larger
  DenseMatrix v_;         ///< the point
  DenseMatrix weighted_;  ///< c K Diag(l) V
  DenseMatrix scratch_;   ///< Diag(weights) x
  DenseMatrix image_;
  std::vector<double> lambda_;
  double omega_ = 0;
  // Balance.
  double rho_ = 1;
  std::vector<double> multipliers_;  ///< b
  std::vector<double> p_;
  std::vector<char> active_;  ///< p moves with c
  std::vector<double> sum_;   ///< V'e
  std::vector<double> rows_;  ///< c, for `rows`
};

}  // namespace maxmargin::label_saddle
