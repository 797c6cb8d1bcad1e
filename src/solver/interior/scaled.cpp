// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/smo/offset_search.hpp"

namespace maxmargin {

InteriorMatrix::~InteriorMatrix() = default;

namespace interior {

namespace {

/// The power of two next to a number > 0; 1 for 0.
double power_near(double value) {
  return value > 0 && std::isfinite(value) ? std::ldexp(1.0, std::ilogb(value)) : 1.0;
}

double largest_finite(double so_far, double value) {
  return std::isfinite(value) ? std::max(so_far, std::abs(value)) : so_far;
}

}  // namespace

ScaledProblem::ScaledProblem(const SvmDual& problem, InteriorMatrix& matrix)
    : linear(problem.linear),
      lower(problem.lower),
      upper(problem.upper),
      ridge(problem.ridge),
      row(problem.row),
      group(problem.group),
      group_sum(problem.group_sum),
      matrix_(matrix),
      row_sums_(matrix.size()) {
  const std::size_t count = linear.size();
  if (ridge.empty()) ridge.assign(count, 0.0);
  if (row.empty()) {
    for (std::size_t v = 0; v < count; ++v) row.push_back(static_cast<std::uint32_t>(v));
  }
  double largest_linear = 0;
  double largest_bound = 0;
  double trace = 0;
  for (std::size_t v = 0; v < count; ++v) {
    if (!(lower[v] < upper[v])) continue;
    largest_linear = std::max(largest_linear, std::abs(linear[v]));
    largest_bound = largest_finite(largest_finite(largest_bound, lower[v]), upper[v]);
  }
  for (const double entry : matrix.diagonal()) trace += entry;
  matrix_unit_ = power_near(trace / static_cast<double>(std::max<std::size_t>(matrix.size(), 1)));
  unit_before_ = std::ldexp(1.0, std::ilogb(matrix_unit_) / 2);
  // A coefficient of this unit moves the function by the size of the linear terms.
  unit_ =
      largest_linear > 0 ? power_near(largest_linear) / matrix_unit_ : power_near(largest_bound);
  linear_unit_ = unit_ * matrix_unit_;
  std::vector<char> taken(matrix.size(), 0);
  for (std::size_t v = 0; v < count; ++v) {
    linear[v] /= linear_unit_;
    lower[v] /= unit_;
    upper[v] /= unit_;
    ridge[v] /= matrix_unit_;
    shared_rows = shared_rows || taken[row[v]] != 0;
    taken[row[v]] = 1;
  }
  for (double& sum : group_sum) sum /= unit_;
  fix_forced_groups();
}

void ScaledProblem::fix_forced_groups() {
  // A sum of n terms has a rounding of n epsilon; what a group can move by must be more than that.
  for (std::size_t g = 0; g < groups(); ++g) {
    double least = 0;
    double most = 0;
    double size_least = 0;
    double size_most = 0;
    double count = 1;
    for (std::size_t v = 0; v < variables(); ++v) {
      if (group[v] != g) continue;
      least += lower[v];
      most += upper[v];
      size_least += std::abs(lower[v]);
      size_most += std::abs(upper[v]);
      count += 1;
    }
    const double rounding = count * std::numeric_limits<double>::epsilon();
    const bool at_most = std::isfinite(most) && most - group_sum[g] <= rounding * size_most;
    const bool at_least = std::isfinite(least) && group_sum[g] - least <= rounding * size_least;
    if (!at_most && !at_least) continue;
    for (std::size_t v = 0; v < variables(); ++v) {
      if (group[v] == g) (at_most ? lower[v] : upper[v]) = at_most ? upper[v] : lower[v];
    }
  }
}

void ScaledProblem::multiply(std::span<const double> b, std::span<double> values) const {
  std::ranges::fill(row_sums_, 0.0);
  for (std::size_t v = 0; v < b.size(); ++v) row_sums_[row[v]] += b[v];
  // Half of the powers of two before and half after: neither side of the product overflows alone.
  for (double& sum : row_sums_) sum /= unit_before_;
  matrix_.multiply(row_sums_, values);
  const double unit_after = matrix_unit_ / unit_before_;
  for (double& value : values) value /= unit_after;
}

bool ScaledProblem::factor(std::span<const double> theta, const ProgressCallback& on_progress) {
  std::vector<double> own(theta.begin(), theta.end());
  for (double& value : own) value *= matrix_unit_;
  return matrix_.factor(own, on_progress);
}

void ScaledProblem::solve(std::span<double> right) const {
  matrix_.solve(right);
  for (double& value : right) value *= matrix_unit_;
}

double ScaledProblem::sum_of(std::span<const double> b, std::size_t g) const {
  double sum = 0;
  for (std::size_t v = 0; v < b.size(); ++v) {
    if (group[v] == g) sum += b[v];
  }
  return sum;
}

Measured ScaledProblem::measure(std::span<const double> b) const {
  Measured at;
  at.values.resize(rows());
  multiply(b, at.values);
  double norm = 0;
  double rest = 0;
  std::vector<OffsetSearch> searches(std::max<std::size_t>(groups(), 1));
  for (std::size_t v = 0; v < b.size(); ++v) {
    const double value = at.values[row[v]];
    norm += b[v] * value;
    rest += b[v] * (linear[v] + 0.5 * ridge[v] * b[v]);
    searches[group.empty() ? 0 : group[v]].add(
        {.centre = -value - linear[v], .lower = lower[v], .upper = upper[v], .ridge = ridge[v]});
  }
  at.dual = -0.5 * norm - rest;
  at.primal = 0.5 * norm;
  if (groups() == 0) at.primal += searches.front().cost(0.0);
  for (std::size_t g = 0; g < groups(); ++g) {
    const double offset = searches[g].best(group_sum[g]);
    at.offsets.push_back(offset);
    at.primal += searches[g].cost(offset) + offset * group_sum[g];
  }
  return at;
}

}  // namespace interior

}  // namespace maxmargin
