// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/interior-point.md
#include "solver/interior/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace maxmargin::interior {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double largest(std::span<const double> values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

NewtonSystem::NewtonSystem(ScaledProblem& problem)
    : problem_(problem), theta_(problem.rows()), softest_(problem.rows()) {}

bool NewtonSystem::stands(std::size_t v) const noexcept { return std::isinf(d_[v]); }

bool NewtonSystem::factor(std::span<const double> d, const ProgressCallback& on_progress) {
  d_.assign(d.begin(), d.end());
  std::ranges::fill(theta_, 0.0);
  std::vector<double> least(theta_.size(), infinity);
  for (std::size_t v = 0; v < d_.size(); ++v) {
    const std::uint32_t row = problem_.row[v];
    theta_[row] += 1 / d_[v];
    if (d_[v] < least[row]) {
      least[row] = d_[v];
      softest_[row] = static_cast<std::uint32_t>(v);
    }
  }
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    theta_[i] = problem_.shared_rows ? 1 / theta_[i] : least[i];
  }
  return problem_.factor(theta_, on_progress) && factor_sums();
}

void NewtonSystem::solve_variables(std::span<double> v) const {
  // Of the variables on one row only the sum meets K: n equations in these sums.
  std::vector<double> rows(theta_.size(), 0.0);
  if (!problem_.shared_rows) {
    for (std::size_t k = 0; k < v.size(); ++k) rows[problem_.row[k]] = stands(k) ? 0.0 : v[k];
    problem_.solve(rows);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = stands(k) ? 0.0 : rows[problem_.row[k]];
    return;
  }
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (!stands(k)) rows[problem_.row[k]] += v[k] / d_[k];
  }
  std::vector<double> values(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = std::isinf(theta_[i]) ? 0.0 : rows[i] * theta_[i];
    values[i] = rows[i];
  }
  problem_.solve(rows);
  // K times the sums, by their own equation.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isinf(theta_[i])) values[i] -= theta_[i] * rows[i];
  }
  std::vector<double> taken(rows.size(), 0.0);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const std::uint32_t row = problem_.row[k];
    if (stands(k)) {
      v[k] = 0;
    } else if (softest_[row] != k) {
      v[k] = (v[k] - values[row]) / d_[k];
      taken[row] += v[k];
    }
  }
  // The variable of least d would lose most digits in such a quotient: it gets what is left.
  for (std::size_t k = 0; k < v.size(); ++k) {
    const std::uint32_t row = problem_.row[k];
    if (!stands(k) && softest_[row] == k) v[k] = rows[row] - taken[row];
  }
}

bool NewtonSystem::factor_sums() {
  const std::size_t groups = problem_.groups();
  through_.assign(groups, std::vector<double>(d_.size(), 0.0));
  DenseMatrix sums(groups, groups);
  for (std::size_t g = 0; g < groups; ++g) {
    bool moves = false;
    for (std::size_t v = 0; v < d_.size(); ++v) {
      if (problem_.group[v] != g || stands(v)) continue;
      through_[g][v] = 1;
      moves = true;
    }
    solve_variables(through_[g]);
    for (std::size_t h = 0; h < groups; ++h) sums(g, h) = problem_.sum_of(through_[g], h);
    if (!moves) sums(g, g) = 1;
  }
  // Far apart in size as the groups may be, each is measured by itself.
  constexpr double any_pivot = 0;
  std::optional<Cholesky> factor;
  for (std::size_t g = 0; g < groups; ++g) {
    for (std::size_t h = 0; h < groups; ++h) {
      if (!std::isfinite(sums(g, h))) return false;
    }
  }
  factor = Cholesky::factor(sums.view(), any_pivot);
  if (!factor) return false;
  sums_ = std::move(*factor);
  return true;
}

void NewtonSystem::solve(std::span<const double> slopes,
                         std::span<const double> sums,
                         std::span<double> db,
                         std::span<double> dt) const {
  constexpr int rounds = 4;
  constexpr double rounding = 1e-12;
  std::ranges::fill(db, 0.0);
  std::ranges::fill(dt, 0.0);
  std::vector<double> left(slopes.begin(), slopes.end());
  for (std::size_t v = 0; v < left.size(); ++v) {
    if (stands(v)) left[v] = 0;
  }
  std::vector<double> left_sums(sums.begin(), sums.end());
  std::vector<double> values(problem_.rows());
  const double wanted = rounding * largest(left);
  double before = infinity;
  std::vector<double> best(db.begin(), db.end());
  std::vector<double> best_offsets(dt.begin(), dt.end());
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> step = left;
    solve_variables(step);
    std::vector<double> offsets(left_sums.size());
    for (std::size_t g = 0; g < offsets.size(); ++g) {
      offsets[g] = problem_.sum_of(step, g) - left_sums[g];
    }
    if (!offsets.empty()) sums_.solve(offsets);
    for (std::size_t g = 0; g < offsets.size(); ++g) {
      for (std::size_t v = 0; v < step.size(); ++v) step[v] -= offsets[g] * through_[g][v];
      dt[g] += offsets[g];
    }
    for (std::size_t v = 0; v < step.size(); ++v) db[v] += step[v];
    problem_.multiply(db, values);
    for (std::size_t v = 0; v < left.size(); ++v) {
      if (stands(v)) continue;
      const double offset = problem_.group.empty() ? 0.0 : dt[problem_.group[v]];
      left[v] = slopes[v] - values[problem_.row[v]] - d_[v] * db[v] - offset;
    }
    for (std::size_t g = 0; g < left_sums.size(); ++g) {
      left_sums[g] = sums[g] - problem_.sum_of(db, g);
    }
    const double now = largest(left);
    if (!(now < before)) break;
    std::ranges::copy(db, best.begin());
    std::ranges::copy(dt, best_offsets.begin());
    if (now <= wanted) break;
    before = now;
  }
  std::ranges::copy(best, db.begin());
  std::ranges::copy(best_offsets, dt.begin());
}

}  // namespace maxmargin::interior
