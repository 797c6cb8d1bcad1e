// SPDX-License-Identifier: Apache-2.0
#include "solver/smo/smo.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/generators.hpp"
#include "point_sets.hpp"
#include "smo_checks.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::at_most;
using testing::expect_solved;
using testing::gram_by_formula;
using testing::problems_of_every_kind;
using testing::random_signs;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Two overlapping Gaussians.
struct TwoClasses {
  DenseMatrix x;
  std::vector<std::int8_t> signs;
  std::vector<double> weights;
  TwoClasses(std::size_t n, std::uint64_t seed) : x(gaussian_points(n, 3, seed)), weights(n, 1.0) {
    Rng rng(seed, "two classes");
    signs = random_signs(n, rng);
    for (std::size_t i = 0; i < n; ++i) x(i, 0) += 0.8 * signs[i];
  }
};

double dual_of(const SmoSolution& solution) { return *solution.report.dual_objective; }

TEST(Smo, SolvesEveryKindOfProblem) {
  for (const Kernel& kernel : {Kernel{Rbf{.gamma = 0.4}}, Kernel{Linear{}}}) {
    DenseMatrix x = gaussian_points(60, 3, 21);
    // Away from the origin: around it the linear one-class machine has 0 as its optimum.
    for (std::size_t i = 0; i < x.rows(); ++i) x(i, 0) += 4;
    const DenseMatrix k = gram_by_formula(kernel, x);
    const HeldMatrix held{DenseMatrix(k)};
    for (const auto& [name, problem] : problems_of_every_kind(held, 21)) {
      SCOPED_TRACE(name);
      for (const double tolerance : {1e-3, 1e-7}) {
        const SmoSolution solution = solve_smo(
            problem, {.tolerance = tolerance, .context = {.on_progress = at_most(100000)}});
        expect_solved(problem, solution, tolerance);
        EXPECT_NEAR(solution.kkt_violation,
                    testing::kkt_violation(problem, k, solution.coefficients),
                    1e-9);
      }
    }
  }
}

TEST(Smo, TheFunctionValuesBelongToTheCoefficients) {
  const DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.4}, gaussian_points(50, 3, 22));
  const HeldMatrix held{DenseMatrix(k)};
  for (const auto& [name, problem] : problems_of_every_kind(held, 22)) {
    SCOPED_TRACE(name);
    const SmoSolution solution = solve_smo(problem, {.tolerance = 1e-6});
    const std::vector<double> f = testing::function_values(problem, k, solution.coefficients);
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(solution.values[i], f[i], 1e-9);
    ASSERT_EQ(solution.offsets.size(), problem.group_sum.size());
    EXPECT_NEAR(testing::primal_at_offsets(problem, k, solution.coefficients, solution.offsets),
                *solution.report.primal_objective,
                1e-9 * (1 + std::abs(dual_of(solution))));
  }
}

TEST(Smo, TheConditionsOfKarushKuhnAndTuckerHold) {  // seed-merat facts 1, 2, 3; seed-xu 3, 4
  for (const double c : {0.1, 1.0, 30.0}) {
    const TwoClasses data(80, 5);
    const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.5}, data.x));
    const SvmDual problem = c_svc_dual(held, data.signs, data.weights, {.c = c});
    const SmoSolution solution = solve_smo(problem, {.kkt_tolerance = 1e-7});
    expect_solved(problem, solution, 1e-6);
    double sum = 0;
    double norm = 0;
    double mass = 0;
    double slacks = 0;
    for (std::size_t i = 0; i < 80; ++i) {
      const double a = solution.coefficients[i] * data.signs[i];
      const double margin = data.signs[i] * (solution.values[i] + solution.offsets[0]);
      ASSERT_GE(a, 0);
      ASSERT_LE(a, c);
      if (a == 0) {
        EXPECT_GE(margin, 1 - 1e-6);
      } else if (a == c) {
        EXPECT_LE(margin, 1 + 1e-6);
      } else {
        EXPECT_NEAR(margin, 1, 1e-6);
      }
      sum += solution.coefficients[i];
      norm += solution.coefficients[i] * solution.values[i];
      mass += a;
      slacks += std::max(0.0, 1 - margin);
    }
    EXPECT_NEAR(sum, 0, 1e-10);
    EXPECT_NEAR(norm, mass - c * slacks, 1e-5 * mass);
  }
}

TEST(Smo, TwoPointsAtDistanceDHaveMarginHalfOfIt) {  // seed-merat fact 4
  for (const double d : {0.01, 1.0, 2.0, 1000.0}) {
    const HeldMatrix held(gram_by_formula(Linear{}, matrix(2, {1, 1, 1 + d, 1})));
    const std::vector<std::int8_t> signs = {-1, 1};
    const std::vector<double> weights = {1, 1};
    const SmoSolution solution =
        solve_smo(c_svc_dual(held, signs, weights, {.c = infinity}), {.tolerance = 1e-9});
    EXPECT_EQ(solution.report.status, Status::solved);
    EXPECT_NEAR(solution.coefficients[1] * d * d / 2, 1, 1e-6);
    EXPECT_NEAR(solution.coefficients[0] * d * d / 2, -1, 1e-6);
    EXPECT_NEAR(*solution.report.primal_objective * d * d / 2, 1, 1e-6);
  }
}

TEST(Smo, SolvesXorByTheQuadraticKernel) {  // seed-merat fact 5
  const DenseMatrix x = matrix(2, {1, 1, -1, -1, 1, -1, -1, 1});
  const HeldMatrix held(gram_by_formula(Polynomial{.gamma = 1, .coef0 = 1, .degree = 2}, x));
  const std::vector<std::int8_t> signs = {1, 1, -1, -1};
  const std::vector<double> weights(4, 1.0);
  const SmoSolution solution =
      solve_smo(c_svc_dual(held, signs, weights, {.c = 1}), {.tolerance = 1e-12});
  double norm = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(solution.coefficients[i], 0.125 * signs[i], 1e-9);
    EXPECT_NEAR(solution.values[i] + solution.offsets[0], signs[i], 1e-9);
    norm += solution.coefficients[i] * solution.values[i];
  }
  EXPECT_NEAR(norm, 0.5, 1e-9);
  EXPECT_NEAR(solution.offsets[0], 0, 1e-9);
}

TEST(Smo, OneClassAloneNeedsNoCoefficient) {  // seed-merat fact 9
  const HeldMatrix held(gram_by_formula(Rbf{}, gaussian_points(10, 2, 1)));
  for (const std::int8_t sign : {std::int8_t{1}, std::int8_t{-1}}) {
    const std::vector<std::int8_t> signs(10, sign);
    const std::vector<double> weights(10, 1.0);
    for (const SlackPower slacks : {SlackPower::one, SlackPower::two}) {
      const SmoSolution solution = solve_smo(c_svc_dual(held, signs, weights, {.slacks = slacks}),
                                             {.context = {.on_progress = at_most(100)}});
      EXPECT_EQ(solution.report.status, Status::solved);
      EXPECT_EQ(solution.coefficients, std::vector<double>(10, 0.0));
      EXPECT_GE(sign * solution.offsets[0], 1);
      EXPECT_NEAR(*solution.report.primal_objective, 0, 1e-12);
    }
  }
}

TEST(Smo, ScalingTheKernelIsScalingC) {  // seed-xu facts 5 and 6
  const TwoClasses data(50, 6);
  const DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.6}, data.x);
  const HeldMatrix held{DenseMatrix(k)};
  for (const double factor : {0.01, 100.0}) {
    DenseMatrix scaled(k);
    for (double& value : scaled.values()) value *= factor;
    const HeldMatrix other(std::move(scaled));
    for (const bool bias : {false, true}) {
      const double c = 2;
      const SmoSolution a = solve_smo(
          c_svc_dual(held, data.signs, data.weights, {.c = c, .bias = bias}), {.tolerance = 1e-8});
      const SmoSolution b =
          solve_smo(c_svc_dual(other, data.signs, data.weights, {.c = c / factor, .bias = bias}),
                    {.tolerance = 1e-8});
      // beta/2 |w|^2 + sum of slacks with beta = 1/C.
      EXPECT_NEAR(dual_of(a) / c, dual_of(b) * factor / c, 1e-7 * dual_of(a));
    }
  }
}

TEST(Smo, FlippingAllSignsNegatesTheFunction) {  // seed-merat fact 8
  const TwoClasses data(50, 7);
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.6}, data.x));
  std::vector<std::int8_t> flipped = data.signs;
  for (std::int8_t& sign : flipped) sign = static_cast<std::int8_t>(-sign);
  const SmoSolution a =
      solve_smo(c_svc_dual(held, data.signs, data.weights, {.c = 3}), {.tolerance = 1e-10});
  const SmoSolution b =
      solve_smo(c_svc_dual(held, flipped, data.weights, {.c = 3}), {.tolerance = 1e-10});
  EXPECT_NEAR(dual_of(a), dual_of(b), 1e-9 * dual_of(a));
  EXPECT_NEAR(a.offsets[0], -b.offsets[0], 1e-6);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(a.values[i], -b.values[i], 1e-5);
}

TEST(Smo, PermutingTheExamplesPermutesTheAnswer) {  // seed-merat fact 8
  const DenseMatrix x = gaussian_points(45, 3, 8);
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.6}, x));
  Rng rng(8);
  const std::vector<std::size_t> order = rng.permutation(45);
  const HeldMatrix shuffled(
      gram_by_formula(Rbf{.gamma = 0.6}, Examples(DenseMatrix(x)).select(order)));
  const auto permuted = [&](const SvmDual& problem) {
    SvmDual moved = problem;
    moved.matrix = &shuffled;
    std::vector<std::uint32_t> place(45);
    for (std::uint32_t k = 0; k < 45; ++k) place[order[k]] = k;
    moved.row.clear();
    for (std::size_t v = 0; v < problem.variables(); ++v) {
      moved.row.push_back(place[problem.row_of(v)]);
    }
    return moved;
  };
  for (const auto& [name, problem] : problems_of_every_kind(held, 8)) {
    SCOPED_TRACE(name);
    const SmoSolution a = solve_smo(problem, {.tolerance = 1e-10});
    const SmoSolution b = solve_smo(permuted(problem), {.tolerance = 1e-10});
    EXPECT_NEAR(dual_of(a), dual_of(b), 1e-9 * (1e-3 + std::abs(dual_of(a))));
    for (std::size_t k = 0; k < 45; ++k) EXPECT_NEAR(b.values[k], a.values[order[k]], 1e-4);
  }
}

TEST(Smo, StartingAtTheOptimumTakesNoStep) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.4}, gaussian_points(50, 3, 23)));
  for (const auto& [name, problem] : problems_of_every_kind(held, 23)) {
    SCOPED_TRACE(name);
    const SmoSolution first = solve_smo(problem, {.tolerance = 1e-6});
    const SmoSolution again = solve_smo(problem, {.tolerance = 2e-6}, first.coefficients);
    EXPECT_EQ(again.report.iterations, 0U);
    EXPECT_EQ(again.coefficients, first.coefficients);
    EXPECT_NEAR(dual_of(again), dual_of(first), 1e-11 * (1 + std::abs(dual_of(first))));
  }
}

TEST(Smo, ReachesTheSameObjectiveFromAnyStart) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 0.4}, gaussian_points(40, 3, 24)));
  for (const auto& [name, problem] : problems_of_every_kind(held, 24)) {
    SCOPED_TRACE(name);
    Rng rng(24, "start");
    const SmoSolution cold = solve_smo(problem, {.tolerance = 1e-8});
    for (int draw = 0; draw < 3; ++draw) {
      const std::vector<double> start = testing::random_feasible(problem, rng);
      const SmoSolution warm = solve_smo(problem, {.tolerance = 1e-8}, start);
      expect_solved(problem, warm, 1e-8);
      EXPECT_NEAR(dual_of(warm), dual_of(cold), 2e-8 * (1e-3 + std::abs(dual_of(cold))));
    }
  }
}

TEST(Smo, RejectsAStartThatIsNotFeasible) {
  const TwoClasses data(10, 1);
  const HeldMatrix held(gram_by_formula(Linear{}, data.x));
  const SvmDual problem = c_svc_dual(held, data.signs, data.weights, {.c = 1});
  EXPECT_THROW(static_cast<void>(solve_smo(problem, {}, std::vector<double>(9, 0.0))),
               InvalidArgument);
  std::vector<double> outside(10, 0.0);
  outside[0] = 2;
  EXPECT_THROW(static_cast<void>(solve_smo(problem, {}, outside)), InvalidArgument);
  std::vector<double> unbalanced(10, 0.0);
  unbalanced[0] = 0.5 * data.signs[0];
  EXPECT_THROW(static_cast<void>(solve_smo(problem, {}, unbalanced)), InvalidArgument);
}

TEST(Smo, FloatRowsReachTheObjectiveOfDoubleRows) {
  const Dataset data = generate_checkers({.n = 400, .seed = 3});
  const Kernel kernel = Rbf{.gamma = 4};
  std::vector<std::int8_t> signs;
  for (const double label : data.labels.numbers()) signs.push_back(label > 1.5 ? 1 : -1);
  const std::vector<double> weights(signs.size(), 1.0);
  const CachedKernelMatrix single(kernel, data.examples);
  const CachedKernelMatrix cramped(kernel, data.examples, {.cache_bytes = 40 * 400 * 4});
  const DoubleCachedKernelMatrix precise(kernel, data.examples);
  const SmoSolution a =
      solve_smo(c_svc_dual(precise, signs, weights, {.c = 2}), {.tolerance = 1e-6});
  for (const CachedKernelMatrix* rows : {&single, &cramped}) {
    const SvmDual problem = c_svc_dual(*rows, signs, weights, {.c = 2});
    const SmoSolution b =
        solve_smo(problem, {.tolerance = 1e-6, .context = {.on_progress = at_most(100000)}});
    expect_solved(problem, b, 1e-6);
    EXPECT_NEAR(dual_of(a), dual_of(b), 3e-6 * dual_of(a));
  }
}

/// u_i u_j, and 1 more on the diagonal: rows that cost nothing, however many there are.
class RankOnePlusIdentity final : public SymmetricMatrix {
 public:
  RankOnePlusIdentity(std::size_t n, std::uint64_t seed) : u_(n), diagonal_(n) {
    Rng rng(seed);
    for (std::size_t i = 0; i < n; ++i) {
      u_[i] = rng.normal();
      diagonal_[i] = u_[i] * u_[i] + 1;
    }
  }
  [[nodiscard]] std::size_t size() const noexcept override { return u_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
  [[nodiscard]] std::size_t rows_held() const noexcept override { return u_.size(); }
  [[nodiscard]] RowBlock rows(std::span<const std::size_t> indices) const override {
    auto entries = std::make_shared<std::vector<double>>(indices.size() * u_.size());
    RowBlock::Double rows;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      double* row = entries->data() + k * u_.size();
      for (std::size_t j = 0; j < u_.size(); ++j) row[j] = u_[indices[k]] * u_[j];
      row[indices[k]] = diagonal_[indices[k]];
      rows.emplace_back(row, u_.size());
    }
    return {.rows = std::move(rows), .owner = std::move(entries)};
  }

 private:
  std::vector<double> u_;
  std::vector<double> diagonal_;
};

TEST(Smo, ThreadsDoNotChangeABit) {
  // Long enough that the sums over rows are cut among threads.
  const RankOnePlusIdentity rows(4500, 5);
  Rng rng(5);
  const std::vector<std::int8_t> signs = random_signs(rows.size(), rng);
  const std::vector<double> weights(signs.size(), 1.0);
  const SvmDual problem = c_svc_dual(rows, signs, weights, {.c = 0.1});
  const std::vector<double> start = testing::random_feasible(problem, rng);
  std::vector<SmoSolution> answers;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    answers.push_back(
        solve_smo(problem,
                  {.tolerance = 1e-6, .max_iterations = 300, .context = {.threads = threads}},
                  start));
  }
  for (const SmoSolution& answer : answers) {
    EXPECT_EQ(answer.coefficients, answers[0].coefficients);
    EXPECT_EQ(answer.offsets, answers[0].offsets);
    EXPECT_EQ(answer.values, answers[0].values);
    EXPECT_EQ(answer.report.iterations, answers[0].report.iterations);
  }
}

TEST(Smo, ShrinkingDoesNotChangeTheObjective) {
  const HeldMatrix held(gram_by_formula(Rbf{.gamma = 1}, gaussian_points(150, 2, 25)));
  for (const auto& [name, problem] : problems_of_every_kind(held, 25)) {
    SCOPED_TRACE(name);
    const SmoSolution with = solve_smo(problem, {.tolerance = 1e-7, .shrinking = true});
    const SmoSolution without = solve_smo(problem, {.tolerance = 1e-7, .shrinking = false});
    expect_solved(problem, with, 1e-7);
    expect_solved(problem, without, 1e-7);
    EXPECT_NEAR(dual_of(with), dual_of(without), 2e-7 * (1e-3 + std::abs(dual_of(with))));
  }
}

TEST(Smo, ValidatesItsOptions) {
  EXPECT_NO_THROW(validate(SmoOptions{}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan}) {
    EXPECT_THROW(validate(SmoOptions{.tolerance = bad}), InvalidArgument);
    EXPECT_THROW(validate(SmoOptions{.kkt_tolerance = bad}), InvalidArgument);
  }
  EXPECT_THROW(validate(SmoOptions{.context = {.threads = 0}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
