// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md, step 6
#include "solver/saddle/repair.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "linalg/blas.hpp"

namespace maxmargin::saddle {

namespace {

/// What a round leaves free of the interval: turning rows moves their sum in other directions, too.
constexpr double first_margin = 1e-5;
constexpr double margin_growth = 3;
constexpr std::size_t most_rounds = 10;
constexpr std::size_t bisections = 60;

/// Turns `row` within the plane of itself and the unit vector `axis` until its part along the axis
/// is `wanted`.
void turn(std::span<double> row, std::span<const double> axis, double along, double wanted) {
  axpy(-along, axis, row);
  const double across = std::sqrt(dot(row, row));
  if (!(across > 0)) return axpy(along, axis, row);  // no plane
  for (double& x : row) x *= std::sqrt(1 - wanted * wanted) / across;
  axpy(wanted, axis, row);
}

/// Balance: the largest k for which parts along the sum of at most k in size make it allowed.
double allowed_part(const Form& form,
                    std::span<const double> along,
                    double fixed,
                    double imbalance) {
  double low = 0;
  double high = 1;
  for (std::size_t step = 0; step < bisections; ++step) {
    const double k = 0.5 * (low + high);
    double sum = fixed;
    for (const double part : along) sum += std::clamp(part, -k, k);
    const double reached = form.constraint_kind() == ConstraintKind::row_sums ? k * sum : sum;
    (reached <= imbalance ? low : high) = k;
  }
  return low;
}

void turn_to_balance(const Form& form, DenseMatrix& v, DenseView w, double margin) {
  std::vector<double> axis = form.balance_sum(v.view(), w);
  const double length = std::sqrt(dot(axis, axis));
  if (!(length > 0)) return;
  for (double& x : axis) x /= length;
  const std::size_t first = form.rows().first_own();
  std::vector<double> along(v.rows() - first);
  double own = 0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    along[i] = dot(v.row(first + i), axis);
    own += along[i];
  }
  const double k = allowed_part(form, along, length - own, (1 - margin) * form.imbalance());
  for (std::size_t i = 0; i < along.size(); ++i) {
    if (std::abs(along[i]) > k) {
      turn(v.row(first + i), axis, along[i], std::clamp(along[i], -k, k));
    }
  }
}

/// Turns the rows towards the hub, all by the same share of what they lack, until enough is kept.
void turn_to_hub(const Form& form, DenseMatrix& v, double margin) {
  const std::span<const double> hub = v.row(0);
  std::vector<double> along(v.rows() - 1);
  double lacking = 0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    along[i] = dot(v.row(i + 1), hub);
    lacking += 0.5 * (1 - along[i]);
  }
  const double allowed = static_cast<double>(form.points()) - form.low();
  const double share = std::clamp((1 - margin) * allowed / lacking, 0.0, 1.0);
  for (std::size_t i = 0; i < along.size(); ++i) {
    turn(v.row(i + 1), hub, along[i], std::min(1.0, 1 - share * (1 - along[i])));
  }
}

}  // namespace

std::optional<DenseMatrix> repaired(const Form& form, DenseView v) {
  if (!form.has_constraints()) return std::nullopt;
  DenseMatrix moved(v.rows, v.cols);
  for (std::size_t i = 0; i < v.rows; ++i) std::ranges::copy(v.row(i), moved.row(i).begin());
  DenseMatrix storage;
  std::vector<double> values(form.constraint_count());
  double margin = first_margin;
  for (std::size_t round = 0; round < most_rounds; ++round, margin *= margin_growth) {
    if (form.constraint_kind() == ConstraintKind::kept) {
      turn_to_hub(form, moved, margin);
    } else {
      turn_to_balance(form, moved, form.rows().expand(moved.view(), storage), margin);
    }
    form.constraint_values(moved.view(), form.rows().expand(moved.view(), storage), values);
    if (form.excess(values) <= 0) return moved;
  }
  return std::nullopt;
}

}  // namespace maxmargin::saddle
