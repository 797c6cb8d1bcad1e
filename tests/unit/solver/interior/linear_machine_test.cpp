// SPDX-License-Identifier: Apache-2.0
#include "solver/interior/linear_machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "linear_problems.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/linear/linear.hpp"

namespace maxmargin {
namespace {

using testing::linear_case;
using testing::LinearCase;
using testing::random_linear_case;

constexpr LinearLoss losses[] = {LinearLoss::hinge,
                                 LinearLoss::squared_hinge,
                                 LinearLoss::epsilon_insensitive,
                                 LinearLoss::squared_epsilon_insensitive};

LinearSolution by_interior_point(const LinearRisk& problem,
                                 double tolerance = 1e-3,
                                 const Context& context = {}) {
  return solve_linear(
      problem,
      {.tolerance = tolerance, .method = ConvexMethod::interior_point, .context = context});
}

/// Ends a run after so many calls: a test fails instead of hanging.
ProgressCallback at_most(int calls) {
  auto left = std::make_shared<int>(calls);
  return [left](const Progress&) { return --*left >= 0 ? Continue::yes : Continue::stop; };
}

/// What is reported is what the problem's own checker finds, feasible to the last digit.
void expect_honest(const LinearRisk& problem, const LinearSolution& solution) {
  const LinearResiduals at = residuals(problem, solution.w, solution.coefficients);
  EXPECT_EQ(at.dual_violation, 0);
  ASSERT_TRUE(solution.report.primal_objective && solution.report.dual_objective);
  EXPECT_DOUBLE_EQ(*solution.report.primal_objective, at.primal);
  EXPECT_DOUBLE_EQ(*solution.report.dual_objective, at.dual);
  const double rounding = 1e-12 * std::abs(at.primal);
  EXPECT_GE(at.primal, at.dual - rounding);
}

void expect_solved(const LinearRisk& problem, const LinearSolution& solution, double tolerance) {
  EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
  expect_honest(problem, solution);
  EXPECT_LE(*solution.report.relative_gap(), tolerance);
}

/// Two features that differ a thousandfold in size, as in plain tables: what ended no run before.
LinearCase unscaled_table(std::size_t n, bool classification) {
  Rng rng(8, "unscaled");
  DenseMatrix x(n, 2);
  std::vector<double> targets(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    x(i, 0) = 50 + 10 * rng.normal() + 5 * side;
    x(i, 1) = 50'000 + 15'000 * rng.normal() + 9'000 * side;
    targets[i] = classification ? side : 0.1 * x(i, 0) + 1e-4 * x(i, 1) + rng.normal();
  }
  return linear_case(std::move(x), std::move(targets));
}

TEST(InteriorLinear, EndsOnUnscaledTables) {
  for (const LinearLoss loss : losses) {
    SCOPED_TRACE(to_string(loss));
    const LinearCase data = unscaled_table(300, is_classification(loss));
    const LinearRisk problem = data.problem(loss, 1, 1);
    const LinearSolution solution = by_interior_point(problem, 1e-6);
    expect_solved(problem, solution, 1e-6);
    EXPECT_LE(solution.report.iterations, 60U);
  }
}

TEST(InteriorLinear, TakesOverFromSlowCoordinates) {
  const LinearCase data = unscaled_table(300, true);
  const LinearRisk problem = data.problem(LinearLoss::hinge, 1, 1);
  // 20,000 calls are some ten times what it takes.
  const LinearSolution solution =
      solve_linear(problem, {.context = {.on_progress = at_most(500'000)}});
  expect_solved(problem, solution, 1e-3);
  ASSERT_EQ(solution.report.warnings.size(), 1U);
  EXPECT_NE(solution.report.warnings[0].find("interior point"), std::string::npos);
}

// Its first points are far worse than that of the coordinates.
TEST(InteriorLinear, ATakeoverThatIsStoppedHandsOutNothingWorse) {
  const LinearCase data = unscaled_table(300, true);
  const LinearRisk problem = data.problem(LinearLoss::hinge, 1, 1);
  const auto limited = [&](std::uint64_t iterations) {
    return solve_linear(problem, {.max_iterations = iterations});
  };
  const std::uint64_t whole = solve_linear(problem, {}).report.iterations;
  ASSERT_GT(whole, 60U);
  const double before = *limited(whole - 60).report.primal_objective;
  for (std::uint64_t left = 30; left > 0; --left) {
    const LinearSolution solution = limited(whole - left);
    EXPECT_NE(solution.report.status, Status::no_progress);
    expect_honest(problem, solution);
    EXPECT_LE(*solution.report.primal_objective, 2 * before) << left;
    EXPECT_GE(*solution.report.dual_objective, 0) << left;
    EXPECT_LE(solution.report.iterations, whole - left);
  }
}

TEST(InteriorLinear, DoesNotTakeOverFromQuickCoordinates) {
  for (const LinearLoss loss : losses) {
    const LinearCase data = random_linear_case(400, 8, is_classification(loss), 3);
    const LinearRisk problem = data.problem(loss, 1, 1);
    const LinearSolution automatic = solve_linear(problem, {.tolerance = 1e-5});
    const LinearSolution first =
        solve_linear(problem, {.tolerance = 1e-5, .method = ConvexMethod::first_order});
    EXPECT_TRUE(automatic.report.warnings.empty());
    EXPECT_EQ(automatic.w, first.w);
    EXPECT_EQ(automatic.report.iterations, first.report.iterations);
  }
}

TEST(InteriorLinear, AgreesWithFirstOrderMethods) {
  for (const LinearLoss loss : losses) {
    SCOPED_TRACE(to_string(loss));
    for (const std::size_t d : {5U, 90U}) {  // by columns, and by rows
      LinearCase data = random_linear_case(80, d, is_classification(loss), 5);
      Rng rng(5, "weights");
      for (std::size_t i = 0; i < 80; ++i) {
        data.weights.push_back(i % 9 == 0 ? 0.0 : rng.uniform(0.2, 3.0));
      }
      for (const double bias : {0.0, 2.0}) {
        const LinearRisk problem = data.problem(loss, 0.7, bias);
        const LinearSolution one = by_interior_point(problem, 1e-8);
        expect_solved(problem, one, 1e-8);
        const LinearSolution other =
            solve_linear(problem, {.tolerance = 1e-8, .method = ConvexMethod::first_order});
        ASSERT_EQ(other.report.status, Status::solved);
        const double size = std::abs(*other.report.primal_objective);
        EXPECT_NEAR(*one.report.primal_objective, *other.report.primal_objective, 2e-8 * size);
        for (std::size_t i = 0; i < 80; i += 9) EXPECT_EQ(one.coefficients[i], 0);
      }
    }
  }
}

TEST(InteriorLinear, TwoPointsByHand) {
  // x = +-r: w = min(2 C r, 1/r), as a = min(C, 1/(2 r^2)).
  for (const double r : {1e-6, 1e-2, 1.0, 1e3, 1e6}) {
    for (const double c : {1e-10, 1e-3, 1.0, 1e10}) {
      DenseMatrix x(2, 1);
      x(0, 0) = r;
      x(1, 0) = -r;
      const LinearCase data = linear_case(std::move(x), {1, -1});
      const LinearSolution solution = by_interior_point(data.problem(LinearLoss::hinge, c), 1e-9);
      expect_solved(data.problem(LinearLoss::hinge, c), solution, 1e-9);
      const double w = std::min(2 * c * r, 1 / r);
      EXPECT_NEAR(solution.w[0], w, 1e-4 * w) << "r " << r << ", C " << c;
    }
  }
}

TEST(InteriorLinear, DataTimesAPowerOfTwoTakesTheSameSteps) {
  for (const LinearLoss loss : losses) {
    SCOPED_TRACE(to_string(loss));
    for (const std::size_t n : {40U, 7U}) {  // by columns, and by rows
      const LinearCase data = random_linear_case(n, 8, is_classification(loss), 21);
      const LinearSolution plain = by_interior_point(data.problem(loss, 1, 1));
      for (const int k : {-100, -60, -20, -1, 1, 20, 60, 100}) {
        DenseMatrix scaled(n, 8);
        for (std::size_t e = 0; e < n * 8; ++e) {
          scaled.data()[e] = std::ldexp(data.dense.data()[e], k);
        }
        const LinearCase other = linear_case(std::move(scaled), data.targets);
        const LinearSolution solution =
            by_interior_point(other.problem(loss, std::ldexp(1.0, -2 * k), std::ldexp(1.0, k)));
        EXPECT_EQ(solution.report.iterations, plain.report.iterations) << "2^" << k;
        for (std::size_t i = 0; i < n; ++i) {
          EXPECT_EQ(std::ldexp(solution.coefficients[i], 2 * k), plain.coefficients[i]);
        }
        for (std::size_t j = 0; j < plain.w.size(); ++j) {
          EXPECT_EQ(std::ldexp(solution.w[j], k), plain.w[j]);
        }
      }
    }
  }
}

TEST(InteriorLinear, BitsDoNotDependOnThreads) {
  const LinearCase data = random_linear_case(5000, 20, true, 23);
  const LinearRisk problem = data.problem(LinearLoss::hinge, 1, 1);
  const LinearSolution one = by_interior_point(problem, 1e-6, {.threads = 1});
  for (const std::size_t threads : {2U, 4U}) {
    const LinearSolution other = by_interior_point(problem, 1e-6, {.threads = threads});
    EXPECT_EQ(other.w, one.w);
    EXPECT_EQ(other.coefficients, one.coefficients);
  }
}

TEST(InteriorLinear, UglyProblemsEndWithHonestGaps) {
  Rng rng(31, "ugly");
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const LinearLoss loss = losses[trial % 4];
    const std::size_t n = 2 + static_cast<std::size_t>(trial) % 9;
    LinearCase data = random_linear_case(n, 3, is_classification(loss), 100 + std::uint64_t(trial));
    for (std::size_t i = 0; i < n; ++i) {
      data.dense(i, 1) = 3;                          // constant
      data.dense(i, 2) *= trial % 3 == 0 ? 1e8 : 1;  // huge
      if (i % 2 == 1) {                              // copies with opposite signs
        for (std::size_t j = 0; j < 3; ++j) data.dense(i, j) = data.dense(i - 1, j);
        if (is_classification(loss)) data.targets[i] = -data.targets[i - 1];
      }
      if (trial % 5 == 0) data.weights.push_back(std::pow(10.0, rng.uniform(-14, 14)));
    }
    data = LinearCase{.dense = data.dense,
                      .sparse = to_sparse(data.dense.view()),
                      .targets = data.targets,
                      .weights = data.weights};
    const double c = std::pow(10.0, rng.uniform(-10, 10));
    const LinearRisk problem = data.problem(loss, c, trial % 2);
    const LinearSolution solution = by_interior_point(problem);
    expect_honest(problem, solution);
    EXPECT_LE(solution.report.iterations, 120U);
    if (solution.report.status == Status::solved) {
      EXPECT_LE(*solution.report.relative_gap(), 1e-3);
    }
  }
}

TEST(InteriorLinear, DegenerateProblems) {
  // No rows that count, and rows of zeros.
  LinearCase none = random_linear_case(4, 2, true, 1);
  none.weights = {0, 0, 0, 0};
  const LinearSolution nothing = by_interior_point(none.problem(LinearLoss::hinge));
  EXPECT_EQ(nothing.report.status, Status::solved);
  EXPECT_EQ(nothing.w, std::vector<double>(2, 0.0));
  const LinearCase zeros = linear_case(DenseMatrix(3, 2), {1, -1, 1});
  for (const LinearLoss loss : losses) {
    const LinearSolution solution = by_interior_point(zeros.problem(loss));
    EXPECT_EQ(solution.report.status, Status::solved);
    EXPECT_EQ(solution.w, std::vector<double>(2, 0.0));
  }
}

TEST(InteriorLinear, StopsWhenTold) {
  const LinearCase data = unscaled_table(300, true);
  const LinearRisk problem = data.problem(LinearLoss::hinge, 1, 1);
  const LinearSolution stopped = by_interior_point(problem, 1e-9, {.on_progress = at_most(5)});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  expect_honest(problem, stopped);
  const LinearSolution limited = solve_linear(
      problem, {.tolerance = 1e-9, .max_iterations = 4, .method = ConvexMethod::interior_point});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 4U);
  expect_honest(problem, limited);
}

TEST(InteriorLinear, StopsBeforeTheFirstStepWithAPoint) {
  const LinearCase data = random_linear_case(600, 700, true, 25);  // by rows
  const LinearRisk problem = data.problem(LinearLoss::hinge, 1, 1);
  const LinearSolution stopped = by_interior_point(problem, 1e-6, {.on_progress = at_most(0)});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  expect_honest(problem, stopped);
}

TEST(InteriorLinear, RefusesWhatItCannotSolve) {
  const LinearCase data = random_linear_case(10, 2, true, 1);
  EXPECT_THROW(static_cast<void>(by_interior_point(data.problem(LinearLoss::logistic))),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(
                   solve_linear(data.problem(LinearLoss::hinge),
                                {.kkt_tolerance = 0.1, .method = ConvexMethod::interior_point})),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
