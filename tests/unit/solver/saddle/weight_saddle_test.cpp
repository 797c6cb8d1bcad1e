// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/weight_saddle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "linalg/blas.hpp"
#include "maxmargin/core/error.hpp"
#include "weight_cases.hpp"

namespace maxmargin {
namespace {

constexpr double tight = 1e-7;

WeightSaddleSolution solve(const WeightSaddle& problem, double tolerance = tight) {
  return solve_weight_saddle(problem, {.tolerance = tolerance});
}

/// M of the rows s_0, ..., s_n.
DenseMatrix matrix_of(const DenseMatrix& rows) {
  const std::size_t n = rows.rows() - 1;
  DenseMatrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < rows.cols(); ++k) {
        sum += (rows(0, k) + rows(i + 1, k)) * (rows(0, k) + rows(j + 1, k));
      }
      m(i, j) = sum / 4;
    }
  }
  return m;
}

/// Weights, matrix and certificate are what they claim to be, however the run ended.
void expect_sound(const WeightSaddle& problem, const WeightSaddleSolution& found) {
  const std::size_t n = problem.size();
  const DenseMatrix m = matrix_of(found.rows);
  // seed-xu fact 56; M - eta eta' is a Gram matrix of the u_i across s_0.
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(dot(found.rows.row(i), found.rows.row(i)), 1, 1e-9);
    EXPECT_GE(found.eta[i], 0);
    EXPECT_LE(found.eta[i], 1);
    EXPECT_NEAR(m(i, i), found.eta[i], 1e-9);
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_LE(std::abs(m(i, j)), std::sqrt(found.eta[i] * found.eta[j]) + 1e-9);
    }
  }
  EXPECT_LE(found.lower_bound, found.value);
  EXPECT_GE(found.lower_bound, 0);
  EXPECT_GE(weight_saddle_bound(problem, found.certificate),
            found.lower_bound - 1e-8 * std::abs(found.value));
  EXPECT_TRUE(proves_weight_bound(problem, found.certificate, found.lower_bound * (1 - 1e-8)));
}

/// Value and bound meet at `expected`; the value is the objective at (eta, M) by a plain solver.
void expect_value(const WeightSaddle& problem,
                  const WeightSaddleSolution& found,
                  double expected,
                  double tolerance = 1e-6) {
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(found.value, expected, tolerance * expected);
  EXPECT_NEAR(found.lower_bound, expected, tolerance * expected);
  expect_sound(problem, found);
  double plain =
      plain_weight_omega(problem.matrix, problem.c, found.eta, matrix_of(found.rows).view());
  const double kept = std::accumulate(found.eta.begin(), found.eta.end(), 0.0);
  const auto n = static_cast<double>(problem.size());
  if (problem.kept) {
    EXPECT_GE(kept, *problem.kept * n - 1e-4 * n);
  } else {
    plain += n - kept;
  }
  EXPECT_NEAR(plain, expected, 10 * tolerance * expected + 1e-4 * found.kept_shortfall * n);
}

// seed-xu facts 28, 56 and 57 on golden R: the outlier is half given up.
TEST(WeightSaddle, GoldenRobustHinge) {
  const DenseMatrix q = golden_r();
  const WeightSaddle small{.matrix = q.view(), .c = 1};
  const WeightSaddleSolution found = solve(small);
  expect_value(small, found, 1.273492707);
  EXPECT_NEAR(found.eta[6], 0.5636, 1e-3);
  EXPECT_NEAR(brute_force_robust(q.view(), 1), 1.5, 1e-9);
  EXPECT_NEAR(subset_omega(q.view(), 1, 0x7f), 5.25, 1e-9);

  const WeightSaddle large{.matrix = q.view(), .c = 0.2};
  const WeightSaddleSolution other = solve(large);
  expect_value(large, other, 2.774303040);
  EXPECT_NEAR(other.eta[6], 0.053, 1e-3);
  EXPECT_NEAR(brute_force_robust(q.view(), 0.2), 2.7775, 1e-9);
  EXPECT_NEAR(subset_omega(q.view(), 0.2, 0x7f), 6.025, 1e-9);
}

// seed-xu fact 60 on golden R.
TEST(WeightSaddle, GoldenOutliers) {
  const DenseMatrix q = golden_r();
  for (const auto& [kept, value, exact, count] : {std::tuple{6.0 / 7, 0.427174464, 0.5, 6},
                                                  std::tuple{5.0 / 7, 0.226813387, 0.4, 5},
                                                  std::tuple{0.5, 0.119359995, 2.0 / 9, 4}}) {
    const WeightSaddle problem{.matrix = q.view(), .c = 1, .kept = kept};
    const WeightSaddleSolution found = solve(problem);
    expect_value(problem, found, value, 2e-6);
    EXPECT_GE(brute_force_subset(q.view(), 1, count), value);
    EXPECT_NEAR(brute_force_subset(q.view(), 1, count), exact, 1e-9);
    // Phase transition: nobody is kept in full.
    if (count == 4) {
      EXPECT_NEAR(std::ranges::max(found.eta), 0.80, 5e-3);
    }
  }
}

// However early a run ends, its value is that of weights that keep enough: rows turned towards the
// hub must not end below the minimum.
TEST(WeightSaddle, ValueIsNeverBelowTheMinimumHoweverRoughTheRun) {
  const DenseMatrix q = golden_r();
  const WeightSaddle problem{.matrix = q.view(), .c = 1, .kept = 5.0 / 7};
  for (std::size_t steps = 1; steps <= 80; ++steps) {
    const WeightSaddleSolution rough =
        solve_weight_saddle(problem, {.tolerance = 1e-7, .max_iterations = steps});
    EXPECT_GE(rough.value, 0.226813387 * (1 - 1e-6)) << steps;
    EXPECT_LE(rough.lower_bound, 0.226813387 * (1 + 1e-6)) << steps;
  }
}

// seed-xu fact 60: keeping all is the plain machine.
TEST(WeightSaddle, KeepingAllIsThePlainMachine) {
  for (const double c : {0.2, 1.0, 30.0}) {
    const DenseMatrix q = golden_r();
    const WeightSaddle problem{.matrix = q.view(), .c = c, .kept = 1.0};
    const WeightSaddleSolution found = solve(problem, 1e-5);
    EXPECT_EQ(found.report.status, Status::solved) << c;
    const double plain = subset_omega(q.view(), c, 0x7f);
    EXPECT_NEAR(found.value, plain, 2e-5 * plain) << c;
    EXPECT_NEAR(found.lower_bound, plain, 2e-5 * plain) << c;
    for (const double eta : found.eta) EXPECT_NEAR(eta, 1, 1e-3);
    expect_sound(problem, found);
  }
}

// seed-xu fact 57, over all subsets, and fact 60 for every number kept.
TEST(WeightSaddle, BoundIsBelowEveryChoiceOfExamples) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::size_t n = 8;
    const DenseMatrix q = noisy_examples(n, seed, seed % 2 == 0);
    for (const double c : {0.3, 10.0}) {
      const WeightSaddle robust{.matrix = q.view(), .c = c};
      const WeightSaddleSolution found = solve(robust, 1e-4);
      EXPECT_EQ(found.report.status, Status::solved) << seed << " " << c;
      expect_sound(robust, found);
      const double best = brute_force_robust(q.view(), c);
      EXPECT_LE(found.lower_bound, best * (1 + 1e-9));
      EXPECT_LE(best, std::min(subset_omega(q.view(), c, 0xff), 8.0) * (1 + 1e-9));
      double last = 0;
      for (const int count : {2, 5, 7}) {
        const WeightSaddle outliers{
            .matrix = q.view(), .c = c, .kept = count / static_cast<double>(n)};
        const WeightSaddleSolution some = solve(outliers, 1e-4);
        EXPECT_EQ(some.report.status, Status::solved) << seed << " " << c << " " << count;
        expect_sound(outliers, some);
        EXPECT_LE(some.lower_bound, brute_force_subset(q.view(), c, count) * (1 + 1e-9));
        // Strictly positive, and more with more examples.
        EXPECT_GT(some.lower_bound, 0);
        EXPECT_GE(some.value, last * (1 - 2e-4));
        last = some.lower_bound;
      }
    }
  }
}

TEST(WeightSaddle, BoundIsBelowEveryChoiceOfTwelveExamples) {
  const DenseMatrix q = noisy_examples(12, 5, true);
  const WeightSaddle problem{.matrix = q.view(), .c = 1};
  const WeightSaddleSolution found = solve(problem, 1e-4);
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_LE(found.lower_bound, brute_force_robust(q.view(), 1) * (1 + 1e-9));
}

// seed-xu fact 58
TEST(WeightSaddle, SeparableAntipodalExamplesAreAllKept) {
  const double a = 1.5;
  const DenseMatrix q(6, 6, a * a);  // y_i y_j x_i x_j
  const WeightSaddle problem{.matrix = q.view(), .c = 2};
  const WeightSaddleSolution found = solve(problem);
  expect_value(problem, found, 0.5 / (2 * a * a));
  for (const double eta : found.eta) EXPECT_NEAR(eta, 1, 1e-3);
}

// seed-xu fact 65: where no pair of examples disagrees, nobody is given up.
TEST(WeightSaddle, NonNegativeProductsMakeItThePlainMachine) {
  Rng rng(8);
  std::vector<std::vector<double>> points;
  for (int i = 0; i < 7; ++i) points.push_back({rng.uniform(0, 1), rng.uniform(0, 2)});
  const DenseMatrix q = linear_gram(points);
  for (const double c : {0.05, 1.0, 50.0}) {
    const WeightSaddle problem{.matrix = q.view(), .c = c};
    expect_value(problem, solve(problem), subset_omega(q.view(), c, 0x7f));
  }
}

// seed-xu fact 61: without diag(M) = eta the value would be 0; here M_ii = eta_i holds by
// construction, so that the value is positive and |M_ij| <= 1.
TEST(WeightSaddle, DiagonalIsTheWeightsSoTheValueIsNotZero) {
  const DenseMatrix q = golden_r();
  const WeightSaddle problem{.matrix = q.view(), .c = 1, .kept = 0.3};
  const WeightSaddleSolution found = solve(problem, 1e-5);
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_GT(found.lower_bound, 1e-3);
  const DenseMatrix m = matrix_of(found.rows);
  for (const double entry : m.values()) EXPECT_LE(std::abs(entry), 1 + 1e-9);
}

TEST(WeightSaddle, ScalingAndOrderDoNotMatter) {
  const DenseMatrix q = noisy_examples(10, 3, false);
  for (const std::optional<double> kept : {std::optional<double>(), std::optional<double>(0.8)}) {
    const WeightSaddle problem{.matrix = q.view(), .c = 4, .kept = kept};
    const double value = solve(problem, 1e-6).value;
    DenseMatrix scaled = q;
    for (double& x : scaled.values()) x *= 8;
    const WeightSaddle same{.matrix = scaled.view(), .c = 0.5, .kept = kept};
    EXPECT_NEAR(solve(same, 1e-6).value, value, 2e-6 * value);
    DenseMatrix turned(10, 10);
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t j = 0; j < 10; ++j) turned(i, j) = q(9 - i, 9 - j);
    }
    const WeightSaddle other{.matrix = turned.view(), .c = 4, .kept = kept};
    EXPECT_NEAR(solve(other, 1e-6).value, value, 2e-6 * value);
  }
}

TEST(WeightSaddle, BoundHoldsWhenTheRunIsStopped) {
  const DenseMatrix q = noisy_examples(9, 4, false);
  const double best = brute_force_robust(q.view(), 10);
  const WeightSaddle problem{.matrix = q.view(), .c = 10};
  for (const std::uint64_t steps : {0U, 1U, 5U}) {
    std::uint64_t asked = 0;
    const WeightSaddleSolution found = solve_weight_saddle(
        problem, {.tolerance = 1e-9, .context = {.on_progress = [&](const Progress&) {
                                       return asked++ < steps ? Continue::yes : Continue::stop;
                                     }}});
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_LE(found.lower_bound, best);
    EXPECT_EQ(asked, steps + 1);
    expect_sound(problem, found);
  }
}

TEST(WeightSaddle, SameForAnyNumberOfThreads) {
  const DenseMatrix q = noisy_examples(140, 6, false);  // more than a chunk
  for (const std::optional<double> kept : {std::optional<double>(), std::optional<double>(0.9)}) {
    const WeightSaddle problem{.matrix = q.view(), .c = 5, .kept = kept};
    const auto one = solve_weight_saddle(problem, {.tolerance = 0.3, .context = {.threads = 1}});
    for (const std::size_t threads : {2U, 4U}) {
      const auto more =
          solve_weight_saddle(problem, {.tolerance = 0.3, .context = {.threads = threads}});
      EXPECT_EQ(one.value, more.value);
      EXPECT_EQ(one.lower_bound, more.lower_bound);
      EXPECT_TRUE(std::ranges::equal(one.rows.values(), more.rows.values()));
    }
  }
}

TEST(WeightSaddle, OneExampleAndExamplesAtTheOrigin) {
  const DenseMatrix one(1, 1, 4.0);
  const WeightSaddle single{.matrix = one.view(), .c = 1};
  expect_value(single, solve(single), 1.0 / 8);
  // A hinge of 1 is what giving up costs, too.
  const DenseMatrix none(4, 4);
  const WeightSaddle origin{.matrix = none.view(), .c = 3};
  const WeightSaddleSolution found = solve(origin, 1e-5);
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(found.value, 4, 1e-4);
}

TEST(WeightSaddle, WrongCallsAreRefused) {
  const DenseMatrix q = golden_r();
  const WeightSaddle good{.matrix = q.view()};
  EXPECT_THROW((void)solve_weight_saddle({}), InvalidArgument);
  EXPECT_THROW((void)solve_weight_saddle({.matrix = q.view(), .kept = 0.0}), InvalidArgument);
  EXPECT_THROW((void)solve_weight_saddle({.matrix = q.view(), .kept = 1.1}), InvalidArgument);
  EXPECT_THROW((void)solve_weight_saddle({.matrix = q.view(), .c = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_weight_saddle(good, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_weight_saddle(good, {.columns = 9}), InvalidArgument);
  EXPECT_THROW((void)solve_weight_saddle(good, {.max_iterations = 0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
