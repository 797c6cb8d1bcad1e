// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "linear_problems.hpp"
#include "solver/linear/linear.hpp"

namespace maxmargin {
namespace {

using testing::linear_case;
using testing::LinearCase;
using testing::random_linear_case;

LinearRisk l1_problem(const LinearCase& data, double c, double bias = 0) {
  LinearRisk problem = data.problem(LinearLoss::squared_hinge, c, bias);
  problem.penalty = LinearPenalty::l1;
  return problem;
}

void expect_certified(const LinearRisk& problem, const LinearSolution& solution, double tolerance) {
  ASSERT_EQ(solution.report.status, Status::solved) << solution.report.message;
  const LinearResiduals at = residuals(problem, solution.w, solution.coefficients);
  EXPECT_EQ(at.dual_violation, 0);
  EXPECT_NEAR(*solution.report.primal_objective, at.primal, 1e-10 * at.primal);
  EXPECT_NEAR(*solution.report.dual_objective, at.dual, 1e-10 * at.primal);
  EXPECT_LE(relative_gap(at.primal, at.dual), tolerance + 1e-12);
}

/// Proximal gradient steps far past convergence.
double optimum_by_gradients(const LinearCase& data, const LinearRisk& problem) {
  const std::size_t d = data.dense.cols();
  double norms = 0;
  for (const double value : data.dense.values()) norms += value * value;
  const double step = 1 / (2 * problem.c * norms);
  std::vector<double> w(d, 0.0);
  for (int k = 0; k < 100'000; ++k) {
    std::vector<double> g(d, 0.0);
    for (std::size_t i = 0; i < data.dense.rows(); ++i) {
      double s = 0;
      for (std::size_t j = 0; j < d; ++j) s += w[j] * data.dense(i, j);
      const double slack = std::max(0.0, 1 - data.targets[i] * s);
      for (std::size_t j = 0; j < d; ++j) {
        g[j] -= 2 * problem.c * slack * data.targets[i] * data.dense(i, j);
      }
    }
    double moved = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double free = w[j] - step * g[j];
      const double next = std::copysign(std::max(0.0, std::abs(free) - step), free);
      moved = std::max(moved, std::abs(next - w[j]));
      w[j] = next;
    }
    if (moved < 1e-16) break;
  }
  return testing::primal_by_formula(data, problem, w);
}

TEST(LinearL1, EverySolutionCarriesItsCertificate) {
  LinearCase data = random_linear_case(60, 12, true, 3);
  Rng rng(2);
  for (std::size_t i = 0; i < 60; ++i) data.weights.push_back(i % 5 == 0 ? 0 : rng.uniform());
  for (const double c : {0.01, 0.3, 30.0}) {
    for (const double bias : {0.0, 2.0}) {
      for (const double tolerance : {1e-2, 1e-7}) {
        LinearRisk problem = l1_problem(data, c, bias);
        expect_certified(problem, solve_linear(problem, {.tolerance = tolerance}), tolerance);
        problem.examples = data.dense.view();
        expect_certified(problem, solve_linear(problem, {.tolerance = tolerance}), tolerance);
      }
    }
  }
}

TEST(LinearL1, MatchesProximalGradients) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const LinearCase data = random_linear_case(12, 4, true, seed);
    const LinearRisk problem = l1_problem(data, 0.4);
    const double optimum = optimum_by_gradients(data, problem);
    const LinearSolution solution = solve_linear(problem, {.tolerance = 1e-10});
    EXPECT_NEAR(*solution.report.primal_objective, optimum, 1e-8 * optimum);
  }
}

/// All slopes at w = 0 are within [-1, 1] for small C.
TEST(LinearL1, SmallCLeavesEveryWeightAtZero) {
  const LinearCase data = random_linear_case(30, 6, true, 5);
  double steepest = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < 30; ++i) sum += 2 * data.targets[i] * data.dense(i, j);
    steepest = std::max(steepest, std::abs(sum));
  }
  const auto zeros = [&](double c) {
    const LinearSolution solution = solve_linear(l1_problem(data, c), {.tolerance = 1e-9});
    return std::count(solution.w.begin(), solution.w.end(), 0.0);
  };
  EXPECT_EQ(zeros(0.99 / steepest), 6);
  EXPECT_LT(zeros(1.01 / steepest), 6);
}

/// Equal columns make the Hessian singular; plain coordinate descent crawls there.
TEST(LinearL1, CopiesOfFeaturesDoNotChangeTheObjective) {
  const LinearCase data = random_linear_case(40, 5, true, 7);
  DenseMatrix copies(40, 15);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 15; ++j) copies(i, j) = data.dense(i, j % 5);
  }
  const LinearCase wide = linear_case(std::move(copies), data.targets);
  const double a = *solve_linear(l1_problem(data, 2), {.tolerance = 1e-8}).report.primal_objective;
  const LinearSolution b = solve_linear(l1_problem(wide, 2), {.tolerance = 1e-8});
  EXPECT_EQ(b.report.status, Status::solved);
  EXPECT_NEAR(*b.report.primal_objective, a, 2e-8 * a);
}

TEST(LinearL1, RestartFromTheOptimumTakesNoIterations) {
  const LinearCase data = random_linear_case(40, 8, true, 7);
  const LinearRisk problem = l1_problem(data, 1, 1);
  const LinearSolution first = solve_linear(problem, {.tolerance = 1e-6});
  const LinearSolution again = solve_linear(problem, {.tolerance = 1.001e-6}, &first);
  EXPECT_EQ(again.report.iterations, 0U);
  EXPECT_EQ(again.w, first.w);
}

TEST(LinearL1, PathLimitsAndEmptyData) {
  const LinearCase data = random_linear_case(80, 20, true, 7);
  const std::vector<double> cs{0.01, 0.1, 1};
  const auto path = solve_linear_path(l1_problem(data, 1), cs, {.tolerance = 1e-6});
  ASSERT_EQ(path.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) expect_certified(l1_problem(data, cs[k]), path[k], 1e-6);

  const LinearSolution limited =
      solve_linear(l1_problem(data, 10), {.tolerance = 1e-12, .max_iterations = 1});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  const LinearResiduals at = residuals(l1_problem(data, 10), limited.w, limited.coefficients);
  EXPECT_NEAR(*limited.report.dual_objective, at.dual, 1e-10 * at.primal);

  const LinearCase none = linear_case(DenseMatrix(0, 3), {});
  EXPECT_EQ(solve_linear(l1_problem(none, 1)).report.status, Status::solved);
}

}  // namespace
}  // namespace maxmargin
