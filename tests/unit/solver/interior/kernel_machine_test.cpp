// SPDX-License-Identifier: Apache-2.0
#include "solver/interior/kernel_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "point_sets.hpp"
#include "smo_checks.hpp"
#include "solver/smo/patience.hpp"
#include "svm_problems.hpp"

namespace maxmargin {
namespace {

using testing::at_most;
using testing::expect_honest;
using testing::expect_solved;
using testing::gram_by_formula;
using testing::problems_of_every_kind;

SmoSolution by_interior_point(const SvmDual& problem,
                              double tolerance = 1e-3,
                              const Context& context = {}) {
  return solve_machine(
      problem, ConvexMethod::interior_point, {.tolerance = tolerance, .context = context});
}

DenseMatrix shifted_points(std::size_t n, std::uint64_t seed) {
  DenseMatrix x = gaussian_points(n, 3, seed);
  for (std::size_t i = 0; i < n; ++i) x(i, 0) += 4;
  return x;
}

TEST(InteriorKernel, SolvesEveryKindOfProblemAsSmoDoes) {
  for (const Kernel& kernel : {Kernel{Rbf{.gamma = 0.4}}, Kernel{Linear{}}}) {
    const HeldMatrix held{gram_by_formula(kernel, shifted_points(60, 21))};
    for (const auto& [name, problem] : problems_of_every_kind(held, 21)) {
      SCOPED_TRACE(name);
      for (const double tolerance : {1e-3, 1e-8}) {
        const SmoSolution solution = by_interior_point(problem, tolerance);
        expect_solved(problem, solution, tolerance);
        EXPECT_LE(solution.report.iterations, 40U);
      }
      const SmoSolution one = by_interior_point(problem, 1e-8);
      const SmoSolution other =
          solve_smo(problem, {.tolerance = 1e-8, .context = {.on_progress = at_most(100000)}});
      ASSERT_EQ(other.report.status, Status::solved);
      EXPECT_NEAR(*one.report.primal_objective,
                  *other.report.primal_objective,
                  2e-8 * std::abs(*other.report.primal_objective));
    }
  }
}

// Targets that all fit into the tube: no step comes near to a gap of 0, and no other is small.
TEST(InteriorKernel, AnOptimumOfZeroIsFoundAtOnce) {
  const HeldMatrix held{gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(30, 5))};
  SvmDual problem{.matrix = &held, .group_sum = {0}};
  for (std::uint32_t i = 0; i < 30; ++i) {
    for (const double side : {1.0, -1.0}) {
      problem.linear.push_back(0.1 * side - 1e-3 * i);
      problem.lower.push_back(side > 0 ? 0 : -1);
      problem.upper.push_back(side > 0 ? 1 : 0);
      problem.row.push_back(i);
      problem.group.push_back(0);
    }
  }
  const SmoSolution solution = by_interior_point(problem);
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_EQ(solution.report.primal_objective, 0.0);
  EXPECT_EQ(solution.report.iterations, 0U);
}

TEST(InteriorKernel, CoefficientsLieAtTheirBounds) {
  // Where SMO finds a vertex, so must this method: prediction pays for every coefficient.
  const HeldMatrix held{gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(120, 22))};
  for (const auto& [name, problem] : problems_of_every_kind(held, 22)) {
    SCOPED_TRACE(name);
    const auto inner = [&, &problem = problem](const SmoSolution& solution) {
      std::size_t count = 0;
      for (std::size_t v = 0; v < problem.variables(); ++v) {
        const double b = solution.coefficients[v];
        count += b > problem.lower[v] && b < problem.upper[v] ? 1U : 0U;
      }
      return count;
    };
    const std::size_t of_smo = inner(solve_smo(problem, {.tolerance = 1e-9}));
    EXPECT_LE(inner(by_interior_point(problem, 1e-5)), of_smo + of_smo / 4 + 4);
  }
}

TEST(InteriorKernel, DataTimesAPowerOfTwoTakesTheSameSteps) {
  const DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(30, 23));
  const HeldMatrix held{DenseMatrix(k)};
  for (const auto& [name, problem] : problems_of_every_kind(held, 23)) {
    SCOPED_TRACE(name);
    const SmoSolution plain = by_interior_point(problem);
    for (const int power : {-200, -40, 2, 40, 200}) {
      DenseMatrix scaled = k;
      for (double& entry : scaled.values()) entry = std::ldexp(entry, power);
      const HeldMatrix other{std::move(scaled)};
      SvmDual same = problem;
      same.matrix = &other;
      const bool sphere = std::string(name).starts_with("svdd");
      if (sphere) {
        for (double& p : same.linear) p = std::ldexp(p, power);
      } else {
        for (std::vector<double>* numbers : {&same.lower, &same.upper, &same.group_sum}) {
          for (double& number : *numbers) number = std::ldexp(number, -power);
        }
        for (double& ridge : same.ridge) ridge = std::ldexp(ridge, power);
      }
      const SmoSolution solution = interior::solve_kernel(same, {});
      EXPECT_EQ(solution.report.iterations, plain.report.iterations) << "2^" << power;
      for (std::size_t v = 0; v < problem.variables(); ++v) {
        EXPECT_EQ(std::ldexp(solution.coefficients[v], sphere ? 0 : power), plain.coefficients[v]);
      }
    }
  }
}

TEST(InteriorKernel, BitsDoNotDependOnThreads) {
  const HeldMatrix held{gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(600, 24))};
  const auto list = problems_of_every_kind(held, 24);
  for (const std::size_t kind : {0U, 5U}) {  // c-svc and svr
    const SmoSolution one = by_interior_point(list[kind].problem, 1e-5, {.threads = 1});
    for (const std::size_t threads : {2U, 4U}) {
      const SmoSolution other = by_interior_point(list[kind].problem, 1e-5, {.threads = threads});
      EXPECT_EQ(other.coefficients, one.coefficients) << list[kind].name;
      EXPECT_EQ(other.offsets, one.offsets);
    }
  }
}

/// A cubic kernel on features of different size: its entries span many orders of magnitude.
struct Unscaled {
  DenseMatrix k;
  std::vector<std::int8_t> signs;
  explicit Unscaled(std::size_t n) {
    Rng rng(26, "unscaled");
    DenseMatrix x(n, 3);
    for (std::size_t i = 0; i < n; ++i) {
      signs.push_back(i % 2 == 0 ? 1 : -1);
      x(i, 0) = 5 + rng.normal() + 0.7 * signs[i];
      x(i, 1) = 50 + 10 * rng.normal();
      x(i, 2) = rng.normal();
    }
    k = gram_by_formula(Polynomial{}, x);
  }
};

/// Log-normal features over `decades` orders of magnitude, a little larger in one class, and their
/// cubic kernel: its entries span thrice as many.
Unscaled wide_cubes(std::uint64_t seed, double decades, double apart) {
  constexpr std::size_t n = 150;
  constexpr std::size_t d = 8;
  Unscaled data(n);
  Rng rng(seed, "spread");
  DenseMatrix x(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double size = std::pow(10.0, decades * static_cast<double>(j) / (d - 1));
      x(i, j) = size * std::exp(0.5 * rng.normal() + apart * data.signs[i]);
    }
  }
  data.k = gram_by_formula(Polynomial{}, x);
  return data;
}

/// Relative gap at the solution's offset, in more digits than K has.
double exact_gap(const Unscaled& data, const SmoSolution& solution, double c) {
  long double norm = 0;
  long double loss = 0;
  long double gain = 0;
  for (std::size_t i = 0; i < data.k.rows(); ++i) {
    long double f = 0;
    for (std::size_t j = 0; j < data.k.rows(); ++j) {
      f += static_cast<long double>(data.k(i, j)) * solution.coefficients[j];
    }
    norm += f * solution.coefficients[i];
    gain += data.signs[i] * solution.coefficients[i];
    loss += c * std::max(0.0L, 1 - data.signs[i] * (f + solution.offsets[0]));
  }
  return static_cast<double>((norm + loss - gain) / (norm / 2 + loss));
}

TEST(InteriorKernel, CubesOfAnyFeaturesTakeFewSteps) {
  for (const double decades : {2.8, 4.9}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE(std::to_string(decades) + " " + std::to_string(seed));
      const Unscaled data = wide_cubes(seed, decades, 0.3);
      const HeldMatrix held{DenseMatrix(data.k)};
      const std::vector<double> costs(data.signs.size(), 1.0);
      const SvmDual problem = c_svc_dual(held, data.signs, costs, {.c = 1});
      const SmoSolution solution = by_interior_point(problem);
      EXPECT_EQ(solution.report.status, Status::solved);
      EXPECT_LE(solution.report.iterations, 60U);
      // The objective is some 1e-12 of what a row would cost: sums of doubles do not tell it.
      EXPECT_LE(exact_gap(data, solution, 1), 1e-3 + 1e-6);
    }
  }
}

TEST(InteriorKernel, TakesOverFromSlowSmo) {
  const Unscaled data(150);
  const HeldMatrix held{DenseMatrix(data.k)};
  const SvmDual problem = c_svc_dual(held, data.signs, std::vector<double>(150, 1.0), {.c = 1});
  const SmoSolution chosen = by_interior_point(problem);
  expect_solved(problem, chosen, 1e-3, 1e-5);
  EXPECT_TRUE(chosen.report.warnings.empty());
  const SmoSolution taken_over =
      solve_machine(problem, ConvexMethod::automatic, {.tolerance = 1e-3});
  expect_solved(problem, taken_over, 1e-3, 1e-5);
  ASSERT_EQ(taken_over.report.warnings.size(), 1U);
  EXPECT_EQ(taken_over.coefficients, chosen.coefficients);
  EXPECT_GT(taken_over.report.iterations, chosen.report.iterations);
}

TEST(InteriorKernel, TakesOverWhereSmoEndsInRounding) {
  // SMO's own sums lose the digits, and it ends by itself.
  const Unscaled data = wide_cubes(1, 4.9, 0.3);
  const HeldMatrix held{DenseMatrix(data.k)};
  const std::vector<double> costs(data.signs.size(), 1.0);
  const SvmDual problem = c_svc_dual(held, data.signs, costs, {.c = 1});
  ASSERT_NE(solve_smo(problem, {}).report.status, Status::solved);
  const SmoSolution solution = solve_machine(problem, ConvexMethod::automatic, {});
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_LE(exact_gap(data, solution, 1), 1e-3 + 1e-6);
  ASSERT_EQ(solution.report.warnings.size(), 1U);
  EXPECT_NE(solution.report.warnings[0].find("took over"), std::string::npos);
}

/// Every number of the solution is there, whatever the status.
void expect_whole(const SvmDual& problem, const SmoSolution& solution) {
  EXPECT_EQ(solution.coefficients.size(), problem.variables());
  EXPECT_EQ(solution.values.size(), problem.matrix->size());
  EXPECT_EQ(solution.offsets.size(), problem.group_sum.size());
  EXPECT_EQ(residuals(problem, solution.coefficients).bound_violation, 0);
}

TEST(InteriorKernel, OfTwoPointsTheOneOfLeastGapIsKept) {
  // SMO ends in its rounding, and no method reaches this tolerance: what the second run costs is
  // reported whichever point is kept.
  int of_smo = 0;
  int of_interior = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed, "signs");
    const HeldMatrix held{gram_by_formula(Kernel{Polynomial{}}, shifted_points(16, seed))};
    const SvmDual problem =
        c_svc_dual(held, testing::random_signs(16, rng), std::vector<double>(16, 1.0), {.c = 1});
    constexpr double tolerance = 1e-15;
    const SmoSolution first = solve_smo(problem, {.tolerance = tolerance});
    const SmoSolution second = by_interior_point(problem, tolerance);
    if (first.report.status == Status::solved || second.report.status == Status::solved) continue;
    if (first.report.status == Status::numerical_failure ||
        second.report.status == Status::numerical_failure) {
      continue;
    }
    const SmoSolution kept =
        solve_machine(problem, ConvexMethod::automatic, {.tolerance = tolerance});
    const double gap_of_first = std::abs(*first.report.relative_gap());
    const double gap_of_second = std::abs(*second.report.relative_gap());
    EXPECT_EQ(std::abs(*kept.report.relative_gap()), std::min(gap_of_first, gap_of_second));
    EXPECT_EQ(kept.report.iterations, first.report.iterations + second.report.iterations);
    EXPECT_EQ(kept.report.warnings.size(), 1U);
    EXPECT_FALSE(kept.gave_up);
    const bool is_second = gap_of_second < gap_of_first;
    EXPECT_EQ(kept.coefficients, is_second ? second.coefficients : first.coefficients);
    EXPECT_EQ(kept.report.status, is_second ? second.report.status : first.report.status);
    (is_second ? of_interior : of_smo) += 1;
  }
  EXPECT_GT(of_smo, 0);
  EXPECT_GT(of_interior, 0);
}

TEST(InteriorKernel, AFailedTakeoverIsNoVerdictOnThePointThatIsKept) {
  // SMO gives up with a true gap; K has lost the digits that the other method would need.
  const Unscaled data = wide_cubes(1, 5.5, 0.1);
  const HeldMatrix held{DenseMatrix(data.k)};
  const std::vector<double> costs(data.signs.size(), 1.0);
  const SvmDual problem = c_svc_dual(held, data.signs, costs, {.c = 1});
  ASSERT_EQ(by_interior_point(problem).report.status, Status::numerical_failure);
  const SmoSolution kept = solve_machine(problem, ConvexMethod::automatic, {});
  EXPECT_EQ(kept.report.status, Status::no_progress);
  EXPECT_EQ(kept.report.message.find("digits"), std::string::npos) << kept.report.message;
  ASSERT_EQ(kept.report.warnings.size(), 1U);
  EXPECT_NE(kept.report.warnings[0].find("the answer is that of SMO"), std::string::npos);
  expect_whole(problem, kept);
}

TEST(InteriorKernel, RoundingOfFloatRowsIsNoneOfItsDigits) {
  // Rows in float prove no gap of 1e-9, by either method: copied into doubles they stay floats.
  const DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(80, 37));
  FloatMatrix floats(80, 80);
  std::vector<double> diagonal(80, 1.0);
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t j = 0; j < 80; ++j) floats(i, j) = static_cast<float>(k(i, j));
  }
  const HeldMatrix held(std::move(floats), std::move(diagonal));
  for (const auto& [name, problem] : problems_of_every_kind(held, 37)) {
    SCOPED_TRACE(name);
    const SmoSolution first = solve_smo(problem, {.tolerance = 1e-9});
    ASSERT_NE(first.report.status, Status::solved);
    const SmoSolution chosen = by_interior_point(problem, 1e-9);
    EXPECT_EQ(chosen.report.status, Status::solved_inaccurate) << chosen.report.message;
    EXPECT_NE(chosen.report.message.find("rounding"), std::string::npos);
    const SmoSolution automatic =
        solve_machine(problem, ConvexMethod::automatic, {.tolerance = 1e-9});
    EXPECT_EQ(automatic.report.status, first.report.status);
    EXPECT_EQ(automatic.coefficients, first.coefficients);
    EXPECT_TRUE(automatic.report.warnings.empty());
    // What floats can tell is solved as before.
    EXPECT_EQ(by_interior_point(problem, 1e-3).report.status, Status::solved);
  }
}

TEST(InteriorKernel, DoesNotTakeOverFromQuickSmo) {
  const HeldMatrix held{gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(100, 27))};
  for (const auto& [name, problem] : problems_of_every_kind(held, 27, true)) {
    SCOPED_TRACE(name);
    const SmoSolution one = solve_machine(problem, ConvexMethod::automatic, {.tolerance = 1e-6});
    const SmoSolution other = solve_smo(problem, {.tolerance = 1e-6});
    EXPECT_EQ(one.coefficients, other.coefficients);
    EXPECT_EQ(one.report.iterations, other.report.iterations);
    EXPECT_TRUE(one.report.warnings.empty());
  }
}

TEST(InteriorKernel, ProductsThatOverflowEndWithAWholeAnswer) {
  // K b of any coefficients of this size is infinite, and so is every gap.
  for (const double size : {0x1p+530, 0x1p+1000}) {
    DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(12, 35));
    for (double& entry : k.values()) entry *= size;
    const HeldMatrix held{std::move(k)};
    for (const auto& [name, problem] : problems_of_every_kind(held, 35)) {
      SCOPED_TRACE(name);
      for (const ConvexMethod method : {ConvexMethod::interior_point, ConvexMethod::automatic}) {
        const SmoSolution solution = solve_machine(problem, method, {});
        expect_whole(problem, solution);
        if (solution.report.status == Status::solved) {
          EXPECT_LE(std::abs(*solution.report.relative_gap()), 1e-3);
        } else {
          EXPECT_EQ(solution.report.message.find("SMO"), std::string::npos);
        }
      }
    }
  }
}

TEST(InteriorKernel, LargeEntriesWithACostToMatchAreSolved) {
  // The objective is that of small entries times 2^-900; K b times 2^900 in between is not needed.
  DenseMatrix k = gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(30, 36));
  Rng rng(36, "signs");
  const std::vector<std::int8_t> signs = testing::random_signs(30, rng);
  const HeldMatrix plain{DenseMatrix(k)};
  const std::vector<double> weights(30, 1.0);
  const double c = 0x1p40;
  const SmoSolution expected = by_interior_point(c_svc_dual(plain, signs, weights, {.c = c}));
  for (double& entry : k.values()) entry = std::ldexp(entry, 1000);
  const HeldMatrix large{std::move(k)};
  const SvmDual problem = c_svc_dual(large, signs, weights, {.c = std::ldexp(c, -1000)});
  const SmoSolution solution = by_interior_point(problem);
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_EQ(solution.report.iterations, expected.report.iterations);
  for (std::size_t v = 0; v < 30; ++v) {
    EXPECT_EQ(std::ldexp(solution.coefficients[v], 1000), expected.coefficients[v]);
  }
}

TEST(InteriorKernel, GroupsThatLeaveNoChoice) {
  // nu = 1 puts every coefficient at its bound; the largest nu of two classes one class.
  const HeldMatrix held{gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(9, 28))};
  const std::vector<double> weights(9, 1.0);
  const SvmDual one = one_class_dual(held, weights, 1);
  expect_solved(one, by_interior_point(one), 1e-3);
  const std::vector<std::int8_t> signs{1, 1, 1, -1, -1, -1, -1, -1, -1};
  const SvmDual two = nu_svc_dual(held, signs, weights, 6.0 / 9);
  expect_solved(two, by_interior_point(two, 1e-7), 1e-7);
}

TEST(InteriorKernel, UglyProblemsEndWithHonestGaps) {
  Rng rng(33, "ugly");
  int honest = 0;
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t n = 2 + static_cast<std::size_t>(trial) % 11;
    DenseMatrix x = gaussian_points(n, 2, 200 + std::uint64_t(trial));
    std::vector<std::int8_t> signs = testing::random_signs(n, rng);
    std::vector<double> weights(n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      x(i, 1) = trial % 2 == 0 ? 7 : 1e6 * x(i, 1);
      if (i > 1 && i % 2 == 1) {
        for (std::size_t j = 0; j < 2; ++j) x(i, j) = x(i - 1, j);
        signs[i] = signs[i - 1] > 0 ? std::int8_t{-1} : std::int8_t{1};
      }
      if (trial % 3 == 0) weights[i] = std::pow(10.0, rng.uniform(-14, 14));
    }
    const HeldMatrix held{gram_by_formula(trial % 4 < 2 ? Kernel{Linear{}} : Kernel{Rbf{}}, x)};
    const double c = std::pow(10.0, rng.uniform(-10, 10));
    const SvmDual problem = c_svc_dual(held, signs, weights, {.c = c, .bias = trial % 5 != 0});
    const SmoSolution solution = by_interior_point(problem);
    EXPECT_LE(solution.report.iterations, 120U);
    // Beyond the digits of doubles the objectives themselves are rounding, and it says so.
    if (solution.report.status == Status::numerical_failure) continue;
    ++honest;
    const SvmDualResiduals fresh = residuals(problem, solution.coefficients);
    const double allowed = 2e-3 * std::abs(*solution.report.primal_objective);
    EXPECT_EQ(fresh.bound_violation, 0);
    EXPECT_LE(fresh.primal, *solution.report.primal_objective + allowed);
    EXPECT_GE(fresh.dual, *solution.report.dual_objective - allowed);
    if (solution.report.status == Status::solved) {
      EXPECT_LE(*solution.report.relative_gap(), 1e-3);
    }
  }
  EXPECT_GE(honest, 30);
}

TEST(InteriorKernel, StopsWhenTold) {
  const Unscaled data(150);
  const HeldMatrix held{DenseMatrix(data.k)};
  const SvmDual problem = c_svc_dual(held, data.signs, std::vector<double>(150, 1.0), {.c = 1});
  const SmoSolution stopped = by_interior_point(problem, 1e-6, {.on_progress = at_most(4)});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  expect_honest(problem, stopped, 1e-6);
}

TEST(InteriorKernel, StopsBeforeTheFirstStepWithAPoint) {
  const HeldMatrix held{gram_by_formula(Rbf{.gamma = 0.4}, shifted_points(600, 38))};
  for (const auto& [name, problem] : problems_of_every_kind(held, 38)) {
    SCOPED_TRACE(name);
    const SmoSolution stopped = by_interior_point(problem, 1e-6, {.on_progress = at_most(0)});
    EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
    expect_whole(problem, stopped);
  }
}

TEST(InteriorKernel, RefusesHardMarginsAndMissingMemory) {
  const HeldMatrix held{gram_by_formula(Rbf{}, shifted_points(20, 29))};
  const std::vector<std::int8_t> signs = [] {
    Rng rng(1, "signs");
    return testing::random_signs(20, rng);
  }();
  const double c = std::numeric_limits<double>::infinity();
  const SvmDual hard = c_svc_dual(held, signs, std::vector<double>(20, 1.0), {.c = c});
  EXPECT_THROW(static_cast<void>(by_interior_point(hard)), InvalidArgument);
  const SvmDual soft = c_svc_dual(held, signs, std::vector<double>(20, 1.0), {});
  EXPECT_THROW(static_cast<void>(by_interior_point(soft, 1e-3, {.memory_limit = 1000})),
               InvalidArgument);
}

TEST(SmoPatience, CountsWorkAndExpectsTheGapToClose) {
  SmoPatience endless(std::nullopt, 1e-3);
  endless.add(std::size_t{1} << 50U);
  EXPECT_FALSE(endless.ends(1));
  // A gap that halves with every doubling of the work needs ten of them: no patience.
  SmoPatience slow(1e6, 1e-3);
  bool ended = false;
  for (int k = 20; k < 40 && !ended; ++k) {
    slow.add(std::size_t{1} << static_cast<unsigned>(k));
    ended = slow.ends(std::ldexp(1.0, 20 - k));
  }
  EXPECT_TRUE(ended);
  // Little work is never too much, whatever the gap.
  SmoPatience early(1e6, 1e-3);
  early.add(std::size_t{1} << 25U);
  EXPECT_FALSE(early.ends(1));
  // Small problems are looked at earlier, as the other method has little to do there.
  early.add(std::size_t{1} << 26U);
  EXPECT_TRUE(early.ends(1));
  SmoPatience large(0x1p36, 1e-3);
  large.add(std::size_t{1} << 29U);
  EXPECT_FALSE(large.ends(1));
}

}  // namespace
}  // namespace maxmargin
