// SPDX-License-Identifier: Apache-2.0
// solve_smo where it is stopped, and where problems are at their edge.
#include <gtest/gtest.h>

#include <numeric>

#include "maxmargin/core/error.hpp"
#include "point_sets.hpp"
#include "smo_checks.hpp"
#include "solver/smo/separation.hpp"
#include "solver/smo/smo.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::at_most;
using testing::expect_honest;
using testing::expect_solved;
using testing::gram_by_formula;
using testing::problems_of_every_kind;
using testing::random_signs;

constexpr double infinity = std::numeric_limits<double>::infinity();

double dual_of(const SmoSolution& solution) { return *solution.report.dual_objective; }

SvmDual classes_problem(const SymmetricMatrix& held, std::uint64_t seed, const SvcProblem& what) {
  Rng rng(seed);
  return c_svc_dual(
      held, random_signs(held.size(), rng), std::vector<double>(held.size(), 1.0), what);
}

TEST(SmoLimits, MaxIterationsGiveTheBestPointSoFarAndItsGap) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.5}, gaussian_points(70, 3, 31)));
  for (const auto& [name, problem] : problems_of_every_kind(held, 31)) {
    SCOPED_TRACE(name);
    double before = -infinity;
    for (const std::uint64_t limit : {0U, 1U, 7U, 30U}) {
      const SmoSolution solution =
          solve_smo(problem, {.tolerance = 1e-10, .max_iterations = limit});
      EXPECT_EQ(solution.report.status, Status::iteration_limit);
      EXPECT_EQ(solution.report.iterations, limit);
      expect_honest(problem, solution);
      EXPECT_GE(dual_of(solution), before - 1e-12);
      before = dual_of(solution);
    }
  }
}

TEST(SmoLimits, TheCallbackStopsTheRun) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.5}, gaussian_points(200, 3, 32)));
  const SvmDual problem = classes_problem(held, 32, {.c = 10});
  for (const int calls : {0, 1, 2}) {
    const SmoSolution stopped =
        solve_smo(problem, {.tolerance = 1e-12, .context = {.on_progress = at_most(calls)}});
    EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
    expect_honest(problem, stopped);
  }
  const SmoSolution late =
      solve_smo(problem, {.tolerance = 1e-12, .context = {.on_progress = [](const Progress&) {
                                                return Continue::time_is_up;
                                              }}});
  EXPECT_EQ(late.report.status, Status::time_limit);
  expect_honest(problem, late);
}

TEST(SmoLimits, ProgressTellsARisingDualAndTheTarget) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.5}, gaussian_points(300, 3, 33)));
  for (const auto& [name, problem] : problems_of_every_kind(held, 33)) {
    SCOPED_TRACE(name);
    double dual = -infinity;
    std::uint64_t iteration = 0;
    int calls = 0;
    const SmoSolution solution = solve_smo(
        problem, {.tolerance = 1e-5, .context = {.on_progress = [&](const Progress& progress) {
                                       if (progress.phase.empty()) return Continue::yes;
                                       EXPECT_GE(*progress.dual_objective,
                                                 dual - 1e-10 * (1 + std::abs(dual)));
                                       EXPECT_GE(*progress.primal_objective,
                                                 *progress.dual_objective);
                                       EXPECT_GE(progress.iteration, iteration);
                                       EXPECT_EQ(*progress.target, 1e-5);
                                       dual = *progress.dual_objective;
                                       iteration = progress.iteration;
                                       ++calls;
                                       return Continue::yes;
                                     }}});
    EXPECT_GT(calls, 0);
    EXPECT_GE(dual_of(solution), dual - 1e-10 * (1 + std::abs(dual)));
  }
}

TEST(SmoLimits, AKktToleranceEndsTheRunByTheViolation) {
  const DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.5}, gaussian_points(80, 3, 34));
  const HeldMatrix held{DenseMatrix(k)};
  for (const auto& [name, problem] : problems_of_every_kind(held, 34)) {
    SCOPED_TRACE(name);
    for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
      const SmoSolution solution =
          solve_smo(problem, {.tolerance = 1e-15, .kkt_tolerance = tolerance});
      EXPECT_EQ(solution.report.status, Status::solved);
      EXPECT_LE(testing::kkt_violation(problem, k, solution.coefficients), tolerance + 1e-12);
      expect_honest(problem, solution);
    }
  }
}

TEST(SmoLimits, AToleranceBelowRoundingEndsAllTheSame) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.5}, gaussian_points(60, 3, 35)));
  for (const auto& [name, problem] : problems_of_every_kind(held, 35)) {
    SCOPED_TRACE(name);
    const SmoSolution solution =
        solve_smo(problem, {.tolerance = 1e-300, .context = {.on_progress = at_most(20000)}});
    EXPECT_NE(solution.report.status, Status::stopped_by_callback);
    expect_honest(problem, solution);
    EXPECT_LE(*solution.report.relative_gap(), 1e-8);
  }
}

TEST(SmoLimits, HardMarginsOfSeparableDataAreExact) {  // seed-xu fact 7
  DenseMatrix x = gaussian_points(40, 3, 36);
  Rng rng(36);
  const std::vector<std::int8_t> signs = random_signs(40, rng);
  for (std::size_t i = 0; i < 40; ++i) x(i, 0) += 5 * signs[i];
  const std::vector<double> weights(40, 1.0);
  const HeldMatrix held(gram_by_formula(Linear{}, x));
  for (const bool bias : {true, false}) {
    const SvmDual problem = c_svc_dual(held, signs, weights, {.c = infinity, .bias = bias});
    const SmoSolution solution =
        solve_smo(problem, {.tolerance = 1e-8, .context = {.on_progress = at_most(10000)}});
    expect_solved(problem, solution, 1e-8);
    // The distance of the nearest point is 1/|w|, and w.w = sum a = 2 dual.
    double norm = 0;
    double mass = 0;
    double nearest = infinity;
    for (std::size_t i = 0; i < 40; ++i) {
      norm += solution.coefficients[i] * solution.values[i];
      mass += std::abs(solution.coefficients[i]);
      const double f = solution.values[i] + (bias ? solution.offsets[0] : 0.0);
      nearest = std::min(nearest, signs[i] * f);
    }
    nearest /= std::sqrt(norm);
    EXPECT_NEAR(norm, 1 / (nearest * nearest), 1e-6 * norm);
    EXPECT_NEAR(norm, mass, 1e-6 * norm);
    EXPECT_NEAR(0.5 * norm, dual_of(solution), 1e-6 * norm);
    // A C above every coefficient changes nothing.
    const SmoSolution soft =
        solve_smo(c_svc_dual(held, signs, weights, {.c = 1e6, .bias = bias}), {.tolerance = 1e-8});
    EXPECT_NEAR(dual_of(soft), dual_of(solution), 1e-7 * norm);
  }
}

TEST(SmoLimits, AHardMarginThatDoesNotExistIsSaid) {
  // Equal points with opposite signs; a point inside the hull of the others; overlapping clouds.
  const std::vector<std::pair<DenseMatrix, std::vector<std::int8_t>>> cases = {
      {matrix(1, {1, 1}), {1, -1}},
      {matrix(1, {0, 1, 2}), {1, -1, 1}},
      {gaussian_points(50, 2, 37), [] {
         Rng rng(37);
         return random_signs(50, rng);
       }()}};
  for (const auto& [x, signs] : cases) {
    SCOPED_TRACE(x.rows());
    const HeldMatrix held(gram_by_formula(Linear{}, x));
    const std::vector<double> weights(signs.size(), 1.0);
    const SvmDual problem = c_svc_dual(held, signs, weights, {.c = infinity});
    const SmoSolution solution =
        solve_smo(problem, {.tolerance = 1e-3, .context = {.on_progress = at_most(20000)}});
    EXPECT_EQ(solution.report.status, Status::primal_infeasible)
        << to_string(solution.report.status);
    EXPECT_FALSE(solution.report.message.empty());
  }
}

TEST(SmoLimits, HugeAndTinyCostsAreSolved) {
  DenseMatrix x = gaussian_points(40, 2, 38);
  Rng rng(38);
  const std::vector<std::int8_t> signs = random_signs(40, rng);
  for (std::size_t i = 0; i < 40; ++i) x(i, 0) += 0.5 * signs[i];
  const std::vector<double> weights(40, 1.0);
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 2}, x));
  for (const double c : {1e-8, 1e-4, 1e4, 1e10}) {
    SCOPED_TRACE(c);
    for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
      for (const bool bias : {true, false}) {
        const SvmDual problem =
            c_svc_dual(held, signs, weights, {.c = c, .slacks = slacks, .bias = bias});
        const SmoSolution solution =
            solve_smo(problem, {.tolerance = 1e-4, .context = {.on_progress = at_most(50000)}});
        // The primal sees a rounding error of f, about 1e-16 sum |b|, C times.
        expect_solved(problem, solution, 1e-4, c > 1e6 ? 1e-5 : 1e-6);
      }
    }
  }
}

TEST(SmoLimits, OneExampleIsSolved) {
  const HeldMatrix held(matrix(1, {2}));
  const std::vector<double> one = {1};
  const std::vector<std::int8_t> sign = {1};
  const std::vector<double> target = {3};
  // Without bias: 1/2 w^2 with w.x = 1 at C = 10: a = 1/2.
  const SmoSolution svc =
      solve_smo(c_svc_dual(held, sign, one, {.c = 10, .bias = false}), {.tolerance = 1e-12});
  EXPECT_NEAR(svc.coefficients[0], 0.5, 1e-12);
  // The tube of 0.5 around 3 is reached at f = 2.5: a = 1.25.
  const SmoSolution svr =
      solve_smo(svr_dual(held, target, one, 10, 0.5, false), {.tolerance = 1e-12});
  EXPECT_NEAR(svr.values[0], 2.5, 1e-12);
  const SmoSolution constant = solve_smo(svr_dual(held, target, one, 10, 0.5, true), {});
  EXPECT_NEAR(constant.values[0], 0, 1e-12);
  EXPECT_NEAR(constant.offsets[0], 3, 0.5 + 1e-12);
  const SmoSolution ball = solve_smo(svdd_dual(held, one, 0), {});
  EXPECT_NEAR(dual_of(ball), 0, 1e-12);
  EXPECT_EQ(ball.report.status, Status::solved);
  const SmoSolution inside = solve_smo(one_class_dual(held, one, 1), {});
  EXPECT_EQ(inside.report.status, Status::solved);
  EXPECT_TRUE(std::isfinite(inside.offsets[0]));
}

TEST(SmoLimits, AStopWhileRowsAreLeftOutIsHonest) {
  // Every tenth working set leaves rows out; a stop soon after must not report their old values.
  DenseMatrix x = gaussian_points(900, 2, 47);
  Rng rng(47);
  const std::vector<std::int8_t> signs = random_signs(900, rng);
  for (std::size_t i = 0; i < 900; ++i) x(i, 0) += 2.5 * signs[i];
  const std::vector<double> weights(900, 1.0);
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 1}, x));
  const SvmDual problem = c_svc_dual(held, signs, weights, {.c = 1000});
  for (const int sets : {11, 13, 15, 18, 25}) {
    SCOPED_TRACE(sets);
    const SmoSolution solution =
        solve_smo(problem, {.tolerance = 1e-12, .context = {.on_progress = at_most(sets)}});
    expect_honest(problem, solution, 1e-8);
  }
}

TEST(SmoLimits, ValuesThatOverflowAreANumericalFailure) {
  // Two points of one class overflow together: the first step makes values that are no numbers.
  DenseMatrix huge(4, 4);
  const double overflow = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 4; ++i) huge(i, i) = 1;
  huge(0, 2) = huge(2, 0) = overflow;
  huge(1, 2) = huge(2, 1) = overflow;
  const std::vector<std::int8_t> signs = {1, -1, 1, -1};
  const std::vector<double> weights(4, 1.0);
  const HeldMatrix held(std::move(huge));
  const SvmDual problem = c_svc_dual(held, signs, weights, {.c = 1});
  const SmoSolution solution = solve_smo(problem, {.context = {.on_progress = at_most(100)}});
  EXPECT_EQ(solution.report.status, Status::numerical_failure);
}

TEST(SmoLimits, AHardMarginFarFromTheOriginIsFound) {
  // With an offset only the distances between the points count.
  DenseMatrix x(6, 1);
  const std::vector<std::int8_t> signs = {1, 1, 1, -1, -1, -1};
  for (std::size_t i = 0; i < 6; ++i) {
    x(i, 0) = 1e8 + 40 * static_cast<double>(i % 3) - 100 * static_cast<double>(signs[i]);
  }
  const std::vector<double> weights(6, 1.0);
  const HeldMatrix held(gram_by_formula(Linear{}, x));
  const SvmDual problem =
      c_svc_dual(held, signs, weights, {.c = std::numeric_limits<double>::infinity()});
  const SmoSolution solution =
      solve_smo(problem, {.tolerance = 1e-3, .context = {.on_progress = at_most(1000)}});
  EXPECT_NE(solution.report.status, Status::primal_infeasible);
}

TEST(SmoLimits, InseparableIsNothingThatRoundingFarFromTheOriginMayHide) {
  // Hulls at distance 3 whose matrix is 1e16: differences of its entries tell no distance below 4.
  // Near the origin the same points are separated, and others are not.
  const std::vector<double> weights(6, 1.0);
  const std::vector<std::int8_t> signs = {1, 1, 1, -1, -1, -1};
  const auto solve = [&](double offset, double apart) {
    DenseMatrix x(6, 2);
    for (std::size_t i = 0; i < 6; ++i) {
      x(i, 0) = offset + static_cast<double>(i % 3);
      x(i, 1) = signs[i] > 0 ? apart : 0.5 * static_cast<double>(i % 3);
    }
    const HeldMatrix held(gram_by_formula(Linear{}, x));
    const SvmDual problem = c_svc_dual(held, signs, weights, {.c = infinity});
    return solve_smo(problem, {.tolerance = 1e-3, .context = {.on_progress = at_most(1000)}})
        .report.status;
  };
  EXPECT_EQ(solve(0, 4), Status::solved);
  EXPECT_EQ(solve(0, 0.5), Status::primal_infeasible);
  EXPECT_EQ(solve(1e3, 0.5), Status::primal_infeasible);
  for (const double offset : {1e7, 1e8, 1e9}) {
    EXPECT_NE(solve(offset, 4), Status::primal_infeasible) << offset;
    EXPECT_NE(solve(offset, 0.5), Status::primal_infeasible) << offset;
  }
}

TEST(SmoLimits, InseparableIsNothingThatRowsInFloatMayHide) {
  // An rbf kernel separates all points. The first two are one in float, and the others are far.
  DenseMatrix x(4, 2, 0.0);
  x(1, 0) = 1e-6;
  x(2, 0) = 15;
  x(3, 1) = 15;
  const DenseMatrix k = gram_by_formula(Rbf{.gamma = 1}, x);
  FloatMatrix floats(4, 4);
  for (std::size_t i = 0; i < 16; ++i) floats.values()[i] = static_cast<float>(k.values()[i]);
  ASSERT_EQ(floats(0, 1), 1);
  const HeldMatrix exact{DenseMatrix(k)};
  const HeldMatrix rounded(std::move(floats), std::vector<double>(4, 1.0));
  const auto problem_of = [](const SymmetricMatrix& held) {
    const std::vector<std::int8_t> signs = {1, -1, 1, -1};
    return c_svc_dual(held, signs, std::vector<double>(4, 1.0), {.c = infinity});
  };
  const SmoOptions options{.tolerance = 1e-3, .context = {.on_progress = at_most(1000)}};
  EXPECT_EQ(solve_smo(problem_of(exact), options).report.status, Status::solved);
  const Separation found = separate_by_matrix(problem_of(rounded), options);
  EXPECT_EQ(found.status, Status::no_progress);
  EXPECT_EQ(found.message,
            "the margin, if there is one, is too narrow for the digits of the kernel values");
  // The point that is left rests on the same digits.
  EXPECT_EQ(solve_smo(problem_of(rounded), options).report.status, Status::numerical_failure);
}

TEST(SmoLimits, ANuWithoutAStreetEnds) {
  // The hulls meet, so the optimum is w = 0 and rho = 0: no gap relative to it is small.
  const DenseMatrix x = gaussian_points(60, 2, 43);
  Rng rng(43);
  const std::vector<std::int8_t> signs = random_signs(60, rng);
  const std::vector<double> weights(60, 1.0);
  for (const Kernel& kernel : {Kernel{Linear{}}, Kernel{Rbf{.gamma = 0.05}}}) {
    const HeldMatrix held(gram_by_formula(kernel, x));
    const SvmDual problem = nu_svc_dual(held, signs, weights, 0.1);
    const SmoSolution solution = solve_smo(problem, {.context = {.on_progress = at_most(1000)}});
    EXPECT_NE(solution.report.status, Status::stopped_by_callback);
    EXPECT_NEAR(dual_of(solution), 0, 1e-2);
  }
}

TEST(SmoLimits, EveryVariableAtItsBoundLeavesAFiniteOffset) {
  // nu = 1 puts all coefficients at their upper bounds. The weights do not add up exactly, so the
  // slope of the offset's cost never changes its sign in rounded arithmetic.
  for (const std::size_t n : {1U, 3U, 10U, 30U}) {
    for (const double weight : {0.1, 1.0 / 3, 0.7, 1.0}) {
      const HeldMatrix held(gram_by_formula(Rbf{}, gaussian_points(n, 2, 39)));
      const std::vector<double> weights(n, weight);
      const SvmDual problem = one_class_dual(held, weights, 1);
      const SmoSolution solution = solve_smo(problem, {.context = {.on_progress = at_most(1000)}});
      EXPECT_TRUE(std::isfinite(solution.offsets[0])) << n << " x " << weight;
      expect_solved(problem, solution, 1e-3);
      if (n < 2) continue;
      std::vector<std::int8_t> signs(n, 1);
      for (std::size_t i = 0; i < n / 2; ++i) signs[i] = -1;
      const std::size_t in_pairs = n / 2 * 2;
      const double most = static_cast<double>(in_pairs) / static_cast<double>(n);
      const SvmDual nu = nu_svc_dual(held, signs, weights, most);
      const SmoSolution widest = solve_smo(nu, {.context = {.on_progress = at_most(1000)}});
      EXPECT_TRUE(std::isfinite(widest.offsets[0]) && std::isfinite(widest.offsets[1]));
      expect_solved(nu, widest, 1e-3);
    }
  }
}

TEST(SmoLimits, EqualPointsWithOppositeSignsAreNoTrouble) {
  const DenseMatrix x = matrix(1, {1, 1, 1, 1, -1, -1});
  const std::vector<std::int8_t> signs = {1, -1, 1, -1, 1, -1};
  const std::vector<double> weights(6, 1.0);
  const HeldMatrix held(gram_by_formula(Linear{}, x));
  const SvmDual problem = c_svc_dual(held, signs, weights, {.c = 2});
  const SmoSolution solution =
      solve_smo(problem, {.tolerance = 1e-6, .context = {.on_progress = at_most(1000)}});
  expect_solved(problem, solution, 1e-6);
  // No function does better than 0: a slack of 1 a row.
  EXPECT_NEAR(dual_of(solution), 12, 1e-5);
}

TEST(SmoLimits, AMatrixOfZerosIsSolved) {
  const HeldMatrix held(DenseMatrix(6, 6));
  for (const auto& [name, problem] : problems_of_every_kind(held, 40)) {
    SCOPED_TRACE(name);
    const SmoSolution solution = solve_smo(problem, {.context = {.on_progress = at_most(1000)}});
    expect_solved(problem, solution, 1e-3);
  }
}

TEST(SmoLimits, AClassWithoutWeightLeavesAllCoefficientsAtZero) {
  const HeldMatrix held(gram_by_formula(Rbf{}, gaussian_points(6, 2, 41)));
  const std::vector<std::int8_t> signs = {1, -1, 1, -1, 1, -1};
  const std::vector<double> weights = {1, 0, 1, 0, 1, 0};
  for (const double c : {1.0, infinity}) {
    for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
      const SmoSolution solution =
          solve_smo(c_svc_dual(held, signs, weights, {.c = c, .slacks = slacks}),
                    {.context = {.on_progress = at_most(1000)}});
      EXPECT_EQ(solution.report.status, Status::solved);
      EXPECT_EQ(solution.coefficients, std::vector<double>(6, 0.0));
      EXPECT_NEAR(*solution.report.primal_objective, 0, 1e-12);
      EXPECT_GE(solution.offsets[0], 1);
    }
  }
}

TEST(SmoLimits, HugeFeaturesAreSolved) {
  DenseMatrix x = gaussian_points(40, 3, 42);
  Rng rng(42);
  const std::vector<std::int8_t> signs = random_signs(40, rng);
  const std::vector<double> weights(40, 1.0);
  const HeldMatrix unit(gram_by_formula(Linear{}, x));
  const double dual =
      dual_of(solve_smo(c_svc_dual(unit, signs, weights, {.c = 1}), {.tolerance = 1e-8}));
  for (double& value : x.values()) value *= 1e6;
  const HeldMatrix huge(gram_by_formula(Linear{}, x));
  const SvmDual problem = c_svc_dual(huge, signs, weights, {.c = 1e-12});
  const SmoSolution solution =
      solve_smo(problem, {.tolerance = 1e-8, .context = {.on_progress = at_most(10000)}});
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_NEAR(dual_of(solution), dual * 1e-12, 1e-7 * dual * 1e-12);
}

TEST(SmoLimits, AnIndefiniteMatrixEndsWithARisenDual) {  // seed-merat fact 7
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const HeldMatrix held(
        gram_by_formula(Sigmoid{.gamma = 1, .coef0 = -0.5}, gaussian_points(60, 3, seed)));
    const SvmDual problem = classes_problem(held, seed, {.c = 1});
    double dual = 0;
    int calls = 0;
    const SmoSolution solution =
        solve_smo(problem, {.context = {.on_progress = [&](const Progress& progress) {
                              EXPECT_GE(*progress.dual_objective, dual - 1e-9 * (1 + dual));
                              dual = *progress.dual_objective;
                              return ++calls < 20000 ? Continue::yes : Continue::stop;
                            }}});
    EXPECT_NE(solution.report.status, Status::stopped_by_callback);
    EXPECT_GE(dual_of(solution), dual - 1e-9);
    EXPECT_GT(dual_of(solution), 0);
    EXPECT_EQ(residuals(problem, solution.coefficients).bound_violation, 0);
  }
}

// The first point of a one-class machine has half of all rows in it: 1,500 of 3,000, three times
// what is asked between.
TEST(SmoLimits, TimeMayBeUpBeforeTheFirstPointIsMeasured) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.5}, gaussian_points(3000, 2, 41)));
  const std::vector<double> weights(held.size(), 1.0);
  const SvmDual problem = one_class_dual(held, weights, 0.5);
  const SmoSolution whole = solve_smo(problem, {});
  ASSERT_EQ(whole.report.status, Status::solved);
  std::size_t asked = 0;
  const SmoSolution cut = solve_smo(problem, {.context = {.on_progress = [&](const Progress&) {
                                                ++asked;
                                                return Continue::time_is_up;
                                              }}});
  EXPECT_EQ(asked, 1U);
  EXPECT_EQ(cut.report.status, Status::time_limit);
  EXPECT_FALSE(cut.report.primal_objective);
  EXPECT_FALSE(cut.report.dual_objective);
  EXPECT_NEAR(std::accumulate(cut.coefficients.begin(), cut.coefficients.end(), 0.0),
              std::accumulate(whole.coefficients.begin(), whole.coefficients.end(), 0.0),
              1e-9 * 1500);
  // Estimated from a third of the rows that count: half of the rows are outside, more or less.
  std::size_t outside = 0;
  for (const double value : cut.values) outside += value + cut.offsets.front() < 0 ? 1U : 0U;
  EXPECT_GT(outside, 1000U);
  EXPECT_LT(outside, 2000U);
}

// Before, five of these thirty missed 0 by more, two of them by more than verification allows.
TEST(SmoLimits, SumsOfGroupsSurviveWeightsFarApart) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t n = 44;
    const HeldMatrix held(gram_by_formula(Rbf{0.5}, gaussian_points(n, 3, seed)));
    Rng rng(seed);
    std::vector<double> targets(n);
    std::vector<double> weights(n);
    for (double& target : targets) target = 12 * rng.normal();
    for (double& weight : weights) weight = std::pow(10.0, rng.uniform(-14, 14));
    const SvmDual problem = nu_svr_dual(held, targets, weights, 1, 0.5);
    const SmoSolution solution = solve_smo(problem, {.tolerance = 1e-6, .max_iterations = 20000});
    std::vector<double> rows(n, 0.0);
    for (std::size_t v = 0; v < problem.variables(); ++v) {
      rows[problem.row_of(v)] += solution.coefficients[v];
    }
    double sum = 0;
    double size = 0;
    double coarsest = 0;  // the last digit of a coefficient
    for (std::size_t i = 0; i < n; ++i) {
      sum += rows[i];
      size += std::abs(rows[i]);
      coarsest = std::max(coarsest, std::numeric_limits<double>::epsilon() * weights[i]);
    }
    EXPECT_LE(std::abs(sum), 1e-10 * size + 16 * coarsest);
  }
}

}  // namespace
}  // namespace maxmargin
