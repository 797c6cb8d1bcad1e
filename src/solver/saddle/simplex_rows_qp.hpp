// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "maxmargin/linalg/matrix.hpp"

namespace maxmargin {

/// The nearest point of the simplex {x >= 0, sum 1}, in place. Requires at least one number.
void project_on_simplex(std::span<double> x, std::vector<double>& sorted);

/// Maximise <T, L> - 1/2 tr(L'H L) over matrices L whose rows lie in the simplex, one row after the
/// other, each to its exact maximum: docs/algorithms/mmc-multiclass.md, step 3. Keeps its point
/// from call to call. H symmetric positive semidefinite, n x n; T n x kappa.
class SimplexRowsQp {
 public:
  /// Begins with equal numbers.
  SimplexRowsQp(std::size_t n, std::size_t classes);

  /// Passes over the rows until the duality gap is at most `tolerance` or `passes` are done.
  /// Returns the gap, which bounds what is missing to the maximum. O(n^2 kappa) a pass.
  double solve(DenseView h, DenseView t, double tolerance, std::size_t passes);

  [[nodiscard]] const DenseMatrix& point() const noexcept { return lambda_; }

 private:
  /// T - H L.
  void compute_gradient(DenseView h, DenseView t);
  [[nodiscard]] double row_gap(std::size_t i) const;
  [[nodiscard]] double gap() const;
  void move_row(DenseView h, std::size_t i);

  DenseMatrix lambda_;
  DenseMatrix gradient_;
  std::vector<double> next_;
  std::vector<double> sorted_;
};

}  // namespace maxmargin
