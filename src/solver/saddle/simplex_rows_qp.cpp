// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/mmc-multiclass.md, step 3.
#include "solver/saddle/simplex_rows_qp.hpp"

#include <algorithm>
#include <functional>

#include "linalg/blas.hpp"

namespace maxmargin {

void project_on_simplex(std::span<double> x, std::vector<double>& sorted) {
  // The point moves along (1, ..., 1) with x: with the largest number at 0 the shift is in [-1, 0),
  // and what is far below it does not matter, however large the numbers are.
  const double largest = *std::ranges::max_element(x);
  for (double& value : x) value -= largest;
  sorted.assign(x.begin(), x.end());
  std::ranges::sort(sorted, std::greater<>());
  // x_r - shift is positive for the first `count` of the sorted numbers, and their sum is 1.
  double sum = 0;
  double shift = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] <= candidate) break;
    shift = candidate;
  }
  for (double& value : x) value = std::max(0.0, value - shift);
}

SimplexRowsQp::SimplexRowsQp(std::size_t n, std::size_t classes)
    : lambda_(n, classes, 1 / static_cast<double>(classes)),
      gradient_(n, classes),
      next_(classes),
      sorted_(classes) {}

void SimplexRowsQp::compute_gradient(DenseView h, DenseView t) {
  for (std::size_t i = 0; i < t.rows; ++i) std::ranges::copy(t.row(i), gradient_.row(i).begin());
  gemm(Transpose::no, Transpose::no, -1.0, h, lambda_.view(), 1.0, gradient_.view());
}

double SimplexRowsQp::row_gap(std::size_t i) const {
  const std::span<const double> gradient = gradient_.row(i);
  const std::span<const double> lambda = lambda_.row(i);
  double best = gradient.front();
  double here = 0;
  for (std::size_t r = 0; r < gradient.size(); ++r) {
    best = std::max(best, gradient[r]);
    here += lambda[r] * gradient[r];
  }
  return best - here;
}

double SimplexRowsQp::gap() const {
  double sum = 0;
  for (std::size_t i = 0; i < lambda_.rows(); ++i) sum += row_gap(i);
  return sum;
}

void SimplexRowsQp::move_row(DenseView h, std::size_t i) {
  const std::span<double> lambda = lambda_.row(i);
  const std::span<const double> gradient = gradient_.row(i);
  const std::size_t classes = lambda.size();
  const double curvature = h(i, i);
  if (curvature > 0) {
    // Less the largest slope, which the projection does not see: a curvature of next to nothing
    // may give -infinity then, but nothing that is not a number.
    const double steepest = *std::ranges::max_element(gradient);
    for (std::size_t r = 0; r < classes; ++r) {
      next_[r] = lambda[r] + (gradient[r] - steepest) / curvature;
    }
    project_on_simplex(next_, sorted_);
  } else {
    // A row of zeros, as H is semidefinite: the best corner.
    std::ranges::fill(next_, 0.0);
    next_[static_cast<std::size_t>(std::ranges::max_element(gradient) - gradient.begin())] = 1;
  }
  bool moved = false;
  for (std::size_t r = 0; r < classes; ++r) {
    next_[r] -= lambda[r];
    moved = moved || next_[r] != 0;
  }
  if (!moved) return;
  for (std::size_t r = 0; r < classes; ++r) lambda[r] += next_[r];
  const std::span<const double> column = h.row(i);
  double* entry = gradient_.data();
  for (const double weight : column) {
    for (std::size_t r = 0; r < classes; ++r) *entry++ -= weight * next_[r];
  }
}

double SimplexRowsQp::solve(DenseView h, DenseView t, double tolerance, std::size_t passes) {
  compute_gradient(h, t);
  double missing = gap();
  const auto rows = static_cast<double>(lambda_.rows());
  for (std::size_t pass = 0; pass < passes && missing > tolerance; ++pass) {
    for (std::size_t i = 0; i < lambda_.rows(); ++i) {
      // Rows that hold less than their part of what is allowed may stay.
      if (row_gap(i) > 0.1 * tolerance / rows) move_row(h, i);
    }
    missing = gap();
  }
  return missing;
}

}  // namespace maxmargin
