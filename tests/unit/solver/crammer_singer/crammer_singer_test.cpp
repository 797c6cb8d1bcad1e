// SPDX-License-Identifier: Apache-2.0
#include "solver/crammer_singer/crammer_singer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"
#include "simplex_ascent.hpp"

namespace maxmargin {
namespace {

/// Overlapping clouds, one a class, with costs between 0.5 and 1.5 times `cost`.
struct Clouds {
  DenseMatrix points;
  std::vector<std::int32_t> classes;
  std::vector<double> costs;

  Clouds(std::size_t n, std::size_t d, std::size_t k, double cost, std::uint64_t seed)
      : points(gaussian_points(n, d, seed)) {
    Rng rng(seed + 1000);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t cls = i % k;
      points(i, cls % d) += 2;
      points(i, (cls + 1) % d) -= cls >= d ? 2 : 0;
      classes.push_back(static_cast<std::int32_t>(cls));
      costs.push_back(cost * rng.uniform(0.5, 1.5));
    }
  }
  [[nodiscard]] CrammerSinger linear(std::size_t k, double bias = 0) const {
    return {.points = PointRows(points.view()),
            .class_count = k,
            .classes = classes,
            .costs = costs,
            .bias = bias};
  }
  [[nodiscard]] CrammerSinger kernel(const SymmetricMatrix& matrix,
                                     std::size_t k,
                                     double bias = 0) const {
    CrammerSinger problem = linear(k, bias);
    problem.points = &matrix;
    return problem;
  }
};

/// What is wrong with a solution, from the problem's own residuals.
[[nodiscard]] std::vector<std::string> violations(const CrammerSinger& problem,
                                                  const CrammerSingerSolution& solution,
                                                  double tolerance) {
  std::vector<std::string> wrong;
  const CrammerSingerResiduals found = residuals(problem, solution.coefficients.view());
  const double scale = std::max(std::abs(found.primal), 1e-12);
  double largest_cost = 0;
  for (const double cost : problem.costs) largest_cost = std::max(largest_cost, cost);
  if (solution.report.status != Status::solved) wrong.emplace_back("status");
  if (found.bound_violation > 0) wrong.emplace_back("bound");
  if (found.sum_violation > 1e-13 * largest_cost) wrong.emplace_back("sum");
  if (relative_gap(found.primal, found.dual) > tolerance * (1 + 1e-6) + 1e-13) {
    wrong.emplace_back("gap");
  }
  if (found.primal < found.dual - 1e-12 * scale) wrong.emplace_back("weak duality");
  if (std::abs(found.primal - *solution.report.primal_objective) > 1e-10 * scale) {
    wrong.emplace_back("reported primal");
  }
  if (std::abs(found.dual - *solution.report.dual_objective) > 1e-10 * scale) {
    wrong.emplace_back("reported dual");
  }
  return wrong;
}

TEST(CrammerSingerSolver, ReachesTheGapItReports) {
  for (const double cost : {0.01, 1.0, 10.0}) {
    for (const double tolerance : {1e-2, 1e-5}) {
      for (const double bias : {0.0, 1.0}) {
        const Clouds clouds(30, 3, 4, cost, 1);
        const CrammerSinger linear = clouds.linear(4, bias);
        EXPECT_TRUE(
            violations(linear, solve_crammer_singer(linear, {.tolerance = tolerance}), tolerance)
                .empty());
        const HeldMatrix matrix(gram(Rbf{.gamma = 0.5}, clouds.points));
        const CrammerSinger kernel = clouds.kernel(matrix, 4, bias);
        EXPECT_TRUE(
            violations(kernel, solve_crammer_singer(kernel, {.tolerance = tolerance}), tolerance)
                .empty());
      }
    }
  }
}

TEST(CrammerSingerSolver, TheCheckerRejectsAWrongAnswer) {
  const Clouds clouds(30, 3, 3, 1, 2);
  const CrammerSinger problem = clouds.linear(3);
  CrammerSingerSolution solution = solve_crammer_singer(problem, {.tolerance = 1e-4});
  solution.coefficients(0, 0) += 0.5;
  EXPECT_FALSE(violations(problem, solution, 1e-4).empty());
}

TEST(CrammerSingerSolver, LinearAndKernelSolversAgree) {
  for (const double bias : {0.0, 0.7}) {
    const Clouds clouds(80, 4, 5, 0.5, 3);
    const HeldMatrix matrix(gram(Linear{}, clouds.points));
    const CrammerSingerOptions options{.tolerance = 1e-8};
    const CrammerSingerSolution a = solve_crammer_singer(clouds.linear(5, bias), options);
    const CrammerSingerSolution b = solve_crammer_singer(clouds.kernel(matrix, 5, bias), options);
    EXPECT_EQ(a.report.status, Status::solved);
    EXPECT_EQ(b.report.status, Status::solved);
    const double objective = *a.report.primal_objective;
    EXPECT_NEAR(objective, *b.report.primal_objective, 1e-8 * objective);
    // Strong convexity: |w_a - w*|^2 <= 2 gap, and the same for b.
    const double radius = 2 * std::sqrt(2 * 1e-8 * objective);
    for (std::size_t r = 0; r < 5; ++r) {
      for (std::size_t j = 0; j < 4; ++j) {
        double weight = 0;
        for (std::size_t i = 0; i < 80; ++i) weight += b.coefficients(i, r) * clouds.points(i, j);
        EXPECT_NEAR(a.weights(r, j), weight, radius);
      }
      EXPECT_NEAR(a.offsets[r], b.offsets[r], bias * radius + 1e-12);
    }
  }
}

/// Equal costs, so that Xu's form applies: omega = P / C.
TEST(CrammerSingerSolver, AgreesWithProjectedGradient) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    Clouds clouds(10, 2, 3, 1, seed);
    clouds.costs.assign(10, 2.0);
    const DenseMatrix kernel = gram(Rbf{}, clouds.points);
    const HeldMatrix matrix(kernel);
    const CrammerSingerSolution solution =
        solve_crammer_singer(clouds.kernel(matrix, 3), {.tolerance = 1e-10});
    const DenseMatrix d = indicator(clouds.classes, 3);
    const double omega = xu_omega(equivalence(d), d, kernel, 0.5);
    EXPECT_NEAR(*solution.report.dual_objective / 2, omega, 1e-6 * omega);
  }
}

// seed-xu, golden values MC: RBF with sigma^2 = 1 on a line
TEST(CrammerSingerSolver, ReproducesTheGoldenValues) {
  const DenseMatrix points = matrix(1, {0, 0.4, 2, 2.5, 5, 5.3});
  const HeldMatrix kernel(gram(Rbf{.gamma = 1}, points));
  for (const auto& [beta, omega] : {std::pair{0.5, 0.549347642}, std::pair{5.0, 4.357366069}}) {
    CrammerSinger problem{.points = &kernel, .class_count = 3, .classes = {0, 0, 1, 1, 2, 2}};
    problem.costs.assign(6, 1 / beta);
    const CrammerSingerSolution solution = solve_crammer_singer(problem, {.tolerance = 1e-11});
    EXPECT_NEAR(beta * *solution.report.primal_objective, omega, 1e-9);
    EXPECT_NEAR(beta * *solution.report.dual_objective, omega, 1e-9);
  }
}

// seed-xu fact 13, with its golden value: data A, beta = 2 against the two-class beta = 1
TEST(CrammerSingerSolver, TwoClassesAreTheBinaryMachineAtTwiceTheCost) {
  const DenseMatrix points = matrix(2, {1, 0, 2, 1, 1.5, -1, -1, 0.5, -2, -0.5, -1.5, 1});
  CrammerSinger problem{
      .points = PointRows(points.view()), .class_count = 2, .classes = {1, 1, 1, 0, 1, 0}};
  problem.costs.assign(6, 0.5);
  const CrammerSingerSolution solution = solve_crammer_singer(problem, {.tolerance = 1e-11});
  EXPECT_NEAR(2 * *solution.report.primal_objective, 2.90625, 1e-9);
}

// seed-xu fact 12
TEST(CrammerSingerSolver, WeightsSumToZeroAndLambdasToOne) {
  const Clouds clouds(50, 3, 4, 2, 4);
  const CrammerSingerSolution solution =
      solve_crammer_singer(clouds.linear(4), {.tolerance = 1e-6});
  for (std::size_t j = 0; j < 3; ++j) {
    double sum = 0;
    for (std::size_t r = 0; r < 4; ++r) sum += solution.weights(r, j);
    EXPECT_NEAR(sum, 0, 1e-12);
  }
  for (std::size_t i = 0; i < 50; ++i) {
    double sum = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      const double own = static_cast<std::size_t>(clouds.classes[i]) == r ? 1 : 0;
      const double lambda = own - solution.coefficients(i, r) / clouds.costs[i];
      EXPECT_GE(lambda, 0);
      sum += lambda;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

TEST(CrammerSingerSolver, RestartFromTheOptimumTakesNoSteps) {
  const Clouds clouds(60, 3, 3, 1, 5);
  const HeldMatrix matrix(gram(Rbf{}, clouds.points));
  for (const CrammerSinger& problem : {clouds.linear(3), clouds.kernel(matrix, 3)}) {
    const CrammerSingerSolution first = solve_crammer_singer(problem, {.tolerance = 1e-5});
    EXPECT_GT(first.report.iterations, 0u);
    const CrammerSingerSolution again =
        solve_crammer_singer(problem, {.tolerance = 1e-5}, first.coefficients.view());
    EXPECT_EQ(again.report.iterations, 0u);
    EXPECT_EQ(again.report.status, Status::solved);
  }
}

TEST(CrammerSingerSolver, AWeightOfTwoIsACopy) {
  const Clouds clouds(24, 3, 3, 1, 6);
  DenseMatrix doubled(25, 3);
  std::ranges::copy(clouds.points.values(), doubled.values().begin());
  std::ranges::copy(clouds.points.row(7), doubled.row(24).begin());
  CrammerSinger weighted = clouds.linear(3);
  weighted.costs[7] *= 2;
  CrammerSinger copied = clouds.linear(3);
  copied.points = PointRows(doubled.view());
  copied.classes.push_back(copied.classes[7]);
  copied.costs.push_back(copied.costs[7]);
  const CrammerSingerOptions options{.tolerance = 1e-9};
  const double a = *solve_crammer_singer(weighted, options).report.primal_objective;
  const double b = *solve_crammer_singer(copied, options).report.primal_objective;
  EXPECT_NEAR(a, b, 1e-9 * a);
}

TEST(CrammerSingerSolver, ScalingExamplesAndCostsScalesTheObjective) {
  const Clouds clouds(40, 3, 3, 1, 7);
  Clouds scaled = clouds;
  for (double& x : scaled.points.values()) x *= 4;
  for (double& cost : scaled.costs) cost /= 16;
  const CrammerSingerOptions options{.tolerance = 1e-9};
  const double a = *solve_crammer_singer(clouds.linear(3), options).report.primal_objective;
  const double b = *solve_crammer_singer(scaled.linear(3), options).report.primal_objective;
  EXPECT_NEAR(a / 16, b, 1e-9 * b);
}

TEST(CrammerSingerSolver, IsTheSameForAnyThreadCountAndWithoutShrinking) {
  const Clouds clouds(600, 4, 4, 0.05, 8);
  const HeldMatrix matrix(gram(Rbf{.gamma = 0.2}, clouds.points));
  for (const CrammerSinger& problem : {clouds.linear(4), clouds.kernel(matrix, 4)}) {
    const CrammerSingerSolution one = solve_crammer_singer(problem, {.context = {.threads = 1}});
    for (const std::size_t threads : {2u, 4u}) {
      const CrammerSingerSolution several =
          solve_crammer_singer(problem, {.context = {.threads = threads}});
      EXPECT_TRUE(std::ranges::equal(one.coefficients.values(), several.coefficients.values()));
      EXPECT_EQ(one.report.primal_objective, several.report.primal_objective);
    }
    const CrammerSingerSolution whole =
        solve_crammer_singer(problem, {.tolerance = 1e-4, .shrinking = false});
    EXPECT_TRUE(violations(problem, whole, 1e-4).empty());
  }
}

TEST(CrammerSingerSolver, EmptyRowsAndFreeExamplesAreInTheDual) {
  DenseMatrix points = gaussian_points(6, 2, 9);
  points(2, 0) = 0;
  points(2, 1) = 0;
  const HeldMatrix matrix(gram(Linear{}, points));
  CrammerSinger problem{.points = PointRows(points.view()),
                        .class_count = 3,
                        .classes = {0, 1, 2, 0, 1, 2},
                        .costs = {1, 1, 3, 1, 0, 1}};
  for (int form = 0; form < 2; ++form) {
    if (form == 1) problem.points = &matrix;
    const CrammerSingerSolution solution = solve_crammer_singer(problem, {.tolerance = 1e-9});
    EXPECT_TRUE(violations(problem, solution, 1e-9).empty());
    EXPECT_EQ(solution.coefficients(2, 2), 3);  // an empty row costs C whatever the weights
    for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(solution.coefficients(4, r), 0);
  }
}

TEST(CrammerSingerSolver, DegenerateProblemsAreSolved) {
  const DenseMatrix none(0, 2);
  const CrammerSinger empty{.points = PointRows(none.view()), .class_count = 3};
  EXPECT_EQ(solve_crammer_singer(empty).report.status, Status::solved);
  EXPECT_EQ(solve_crammer_singer(empty).report.primal_objective, 0.0);
  const DenseMatrix points = gaussian_points(5, 2, 10);
  CrammerSinger alone{.points = PointRows(points.view()), .class_count = 1};
  alone.classes.assign(5, 0);
  alone.costs.assign(5, 1);
  EXPECT_EQ(solve_crammer_singer(alone).report.primal_objective, 0.0);
  // A class without examples still costs the others its margin.
  CrammerSinger unused = alone;
  unused.class_count = 2;
  EXPECT_TRUE(violations(unused, solve_crammer_singer(unused), 1e-3).empty());
}

TEST(CrammerSingerSolver, StopsWhenTold) {
  const Clouds clouds(300, 4, 4, 100, 11);
  const HeldMatrix matrix(gram(Rbf{}, clouds.points));
  for (const CrammerSinger& problem : {clouds.linear(4), clouds.kernel(matrix, 4)}) {
    const CrammerSingerSolution limited =
        solve_crammer_singer(problem, {.tolerance = 1e-8, .max_iterations = 50});
    EXPECT_EQ(limited.report.status, Status::iteration_limit);
    EXPECT_EQ(limited.report.iterations, 50u);
    const CrammerSingerResiduals found = residuals(problem, limited.coefficients.view());
    EXPECT_NEAR(*limited.report.primal_objective, found.primal, 1e-10 * found.primal);
    EXPECT_LE(found.bound_violation, 0);
    const CrammerSingerSolution stopped = solve_crammer_singer(
        problem, {.tolerance = 1e-8, .context = {.on_progress = [](const Progress&) {
                                       return Continue::stop;
                                     }}});
    EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  }
}

TEST(CrammerSingerSolver, SaysWhenNoProgressIsLeft) {
  const Clouds clouds(20, 6, 3, 0.1, 13);
  const HeldMatrix matrix(gram(Rbf{.gamma = 3}, clouds.points));
  for (const CrammerSinger& problem : {clouds.linear(3), clouds.kernel(matrix, 3)}) {
    const CrammerSingerSolution stuck =
        solve_crammer_singer(problem, {.tolerance = 1e-300, .max_iterations = 300000});
    const bool exact = stuck.report.primal_objective == stuck.report.dual_objective;
    EXPECT_EQ(stuck.report.status, exact ? Status::solved : Status::no_progress);
    EXPECT_LE(*stuck.report.relative_gap(), 1e-12);
  }
}

TEST(CrammerSingerSolver, RefusesAStartThatIsNotFeasible) {
  const Clouds clouds(10, 2, 2, 1, 12);
  DenseMatrix start(10, 2, 0.0);
  start(0, 0) = 100;
  start(0, 1) = -100;
  EXPECT_THROW(static_cast<void>(solve_crammer_singer(clouds.linear(2), {}, start.view())),
               InvalidArgument);
  start(0, 0) = 0;
  EXPECT_THROW(static_cast<void>(solve_crammer_singer(clouds.linear(2), {}, start.view())),
               InvalidArgument);
  EXPECT_THROW(
      static_cast<void>(solve_crammer_singer(clouds.linear(2), {}, DenseMatrix(9, 2).view())),
      InvalidArgument);
  EXPECT_THROW(static_cast<void>(solve_crammer_singer(clouds.linear(2), {.tolerance = 0})),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
