// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linalg/block_cholesky.hpp"
#include "maxmargin/core/progress.hpp"
#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin::crammer_singer {

/// The linear system of an interior point step of a direct multi-class machine, by way of the
/// weights of all classes (docs/algorithms/crammer-singer.md, interior points): with
/// theta = s/z, P_a = diag(theta_a) - theta_a theta_a' / sum(theta_a) and v_ar = dw_r.x_a,
///
///   (I + sum_a P_a (x) x_a x_a') dw = - sum_a (P_a q_a + theta_a m_a / sum(theta_a)) (x) x_a,
///   ds_a = P_a (q_a + v_a) + theta_a m_a / sum(theta_a).
class ClassNormal {
 public:
  ClassNormal(DenseMatrix rows, std::size_t classes, std::size_t threads);

  [[nodiscard]] double squared_norm(std::size_t a) const { return squared_norms_[a]; }
  /// Classes x columns: sum_a t_ar x_a.
  [[nodiscard]] DenseMatrix combine(const DenseMatrix& t) const;
  /// The same in more digits: on raw features the sums are far smaller than their terms.
  [[nodiscard]] DenseMatrix combine_exactly(const DenseMatrix& t) const;
  /// values_ar = w_r.x_a.
  void apply(const DenseMatrix& w, DenseMatrix& values) const;

  /// False when rounding leaves no positive definite matrix, or when it is told to stop.
  [[nodiscard]] bool factor(DenseMatrix theta, const ProgressCallback& on_progress);
  /// ds, and the change of the floors (multipliers of the examples' sums).
  void solve(const DenseMatrix& q,
             std::span<const double> missing,
             DenseMatrix& ds,
             std::span<double> dfloors) const;

 private:
  /// Empty when it is told to stop.
  [[nodiscard]] std::optional<DenseMatrix> normal_matrix(const ProgressCallback& on_progress) const;
  /// P_a v_a for all rows.
  [[nodiscard]] DenseMatrix project(const DenseMatrix& v) const;

  DenseMatrix rows_;
  std::size_t classes_;
  std::size_t threads_;
  std::vector<double> squared_norms_;
  DenseMatrix theta_;
  std::vector<double> sums_;  ///< of theta, one a row
  double relax_ = 0;          ///< share by which the diagonal had to grow
  std::optional<BlockCholesky> factor_ = std::nullopt;
};

}  // namespace maxmargin::crammer_singer
