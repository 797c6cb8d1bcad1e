// SPDX-License-Identifier: Apache-2.0
// Runs of solve_smo that end, or do not end, because rounding is all that is left.
#include <gtest/gtest.h>

#include "point_sets.hpp"
#include "smo_checks.hpp"
#include "solver/smo/smo.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::gram_by_formula;

/// Two clouds on either side of the plane x_0 = 0, and signs that say which.
DenseMatrix two_clouds(std::size_t n, std::uint64_t seed, std::vector<std::int8_t>& signs) {
  DenseMatrix points = gaussian_points(n, 3, seed);
  for (std::size_t i = 0; i < n; ++i) {
    signs.push_back(i % 2 == 0 ? 1 : -1);
    points(i, 0) += 5 * signs.back();
  }
  return points;
}

// The objective at zero, n C, is so large there that the objectives and a gap of a few percent are
// both rounding beside it.
TEST(SmoVerdicts, LargeCostsOfSeparableDataDoNotMakeTheOptimumZero) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    std::vector<std::int8_t> signs;
    const HeldMatrix held(gram_by_formula(Linear{}, two_clouds(200, seed, signs)));
    const std::vector<double> weights(signs.size(), 1.0);
    const auto solved = [&](double c) {
      return solve_smo(c_svc_dual(held, signs, weights, {.c = c}), {.max_iterations = 100000});
    };
    const double dual = *solved(1e6).report.dual_objective;
    for (const double c : {1e9, 1e10, 1e11}) {
      SCOPED_TRACE(c);
      const SmoSolution solution = solved(c);
      EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
      EXPECT_NEAR(solution.report.dual_objective.value_or(0), dual, 1e-3 * dual);
    }
    // The last digit of a margin, 1e-16, costs a share of the objective.
    const SmoSolution solution = solved(1e12);
    EXPECT_LE(solution.report.relative_gap().value_or(1), 5e-3) << solution.report.message;
    EXPECT_NEAR(solution.report.dual_objective.value_or(0), dual, 1e-3 * dual);
  }
}

/// A step of ramp-svc that takes all rows of one class, and some of the other, for outliers: b = 0
/// is the answer, and the objective there 0. `start` is where the step before may have ended.
SvmDual ramp_step(const SymmetricMatrix& held, std::vector<double>& start) {
  SvmDual problem{.matrix = &held, .group_sum = {0}};
  double outliers = 0;
  double kept = 0;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool negative = i % 2 == 1;
    const bool outlier = !negative && i % 6 == 4;
    problem.linear.push_back(negative ? 1 : -1);
    problem.lower.push_back(outlier ? -1 : 0);
    problem.upper.push_back(outlier ? 0 : 1);
    problem.group.push_back(0);
    outliers += outlier ? 1 : 0;
    kept += negative || outlier ? 0 : 1;
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (problem.lower[i] < 0) {
      start.push_back(-0.5);
    } else {
      start.push_back(problem.linear[i] < 0 ? 0.5 * outliers / kept : 0);
    }
  }
  return problem;
}

TEST(SmoVerdicts, AnOptimumOfZeroEndsWhereItIsLostInRounding) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const HeldMatrix held(gram_by_formula(Linear{}, gaussian_points(16, 3, seed)));
    std::vector<double> start;
    const SvmDual problem = ramp_step(held, start);
    const SmoSolution solution = solve_smo(problem, {.max_iterations = 300000}, start);
    // With coefficients that are not small what is left of |f|^2 may be rounding alone.
    EXPECT_NE(solution.report.status, Status::iteration_limit);
    EXPECT_LE(*solution.report.primal_objective, 1e-12);
    EXPECT_GE(*solution.report.dual_objective, -1e-12);
  }
}

}  // namespace
}  // namespace maxmargin
