// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "maxmargin/core/progress.hpp"
#include "solver/smo/smo.hpp"

/// What every answer of solve_smo must satisfy.
namespace maxmargin::testing {

/// Ends a run after so many calls: a test fails instead of hanging.
inline ProgressCallback at_most(int calls) {
  auto left = std::make_shared<int>(calls);
  return [left](const Progress&) { return --*left >= 0 ? Continue::yes : Continue::stop; };
}

/// The largest difference of scores within a group (of a score alone, without groups) along which
/// the dual still grows, from the coefficients alone.
inline double kkt_violation(const SvmDual& problem,
                            const DenseMatrix& k,
                            std::span<const double> b) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool groups = !problem.group.empty();
  std::vector<double> top(groups ? problem.group_sum.size() : 1, groups ? -infinity : 0.0);
  std::vector<double> bottom(top.size(), groups ? infinity : 0.0);
  for (std::size_t v = 0; v < b.size(); ++v) {
    double score = -problem.linear[v];
    for (std::size_t w = 0; w < b.size(); ++w) {
      score -= b[w] * k(problem.row_of(v), problem.row_of(w));
    }
    if (!problem.ridge.empty()) score -= problem.ridge[v] * b[v];
    const std::size_t g = groups ? problem.group[v] : 0;
    if (b[v] < problem.upper[v]) top[g] = std::max(top[g], score);
    if (b[v] > problem.lower[v]) bottom[g] = std::min(bottom[g], score);
  }
  if (!groups) return std::max(top[0], -bottom[0]);
  double worst = 0;
  for (std::size_t g = 0; g < top.size(); ++g) worst = std::max(worst, top[g] - bottom[g]);
  return std::isfinite(worst) ? worst : 0;
}

/// The point is feasible, the objectives are those of the point, and the gap is honest. Values come
/// from running sums, so they agree with fresh ones to rounding: `digits` of the larger one.
inline void expect_honest(const SvmDual& problem,
                          const SmoSolution& solution,
                          double digits = 1e-9) {
  const SvmDualResiduals fresh = residuals(problem, solution.coefficients);
  double mass = 1;
  for (const double b : solution.coefficients) mass += std::abs(b);
  EXPECT_EQ(fresh.bound_violation, 0);
  EXPECT_LE(fresh.sum_violation, 1e-13 * mass * 10);
  ASSERT_TRUE(solution.report.primal_objective && solution.report.dual_objective);
  const double primal = *solution.report.primal_objective;
  const double dual = *solution.report.dual_objective;
  const double scale = std::max({std::abs(dual), std::abs(primal), 1e-3});
  EXPECT_NEAR(fresh.dual, dual, digits * scale);
  EXPECT_GE(primal, dual - digits * scale);
  if (std::isfinite(primal)) {
    EXPECT_NEAR(fresh.primal, primal, digits * scale);
    EXPECT_LE(fresh.primal - fresh.dual, *solution.report.gap() + 2 * digits * scale);
  }
}

/// The same, and the gap that was asked for is reached.
inline void expect_solved(const SvmDual& problem,
                          const SmoSolution& solution,
                          double tolerance,
                          double digits = 1e-9) {
  EXPECT_EQ(solution.report.status, Status::solved)
      << to_string(solution.report.status) << " " << solution.report.message;
  expect_honest(problem, solution, digits);
  EXPECT_LE(*solution.report.relative_gap(), tolerance);
}

}  // namespace maxmargin::testing
