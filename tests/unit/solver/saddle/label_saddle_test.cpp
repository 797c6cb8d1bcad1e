// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/label_saddle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "label_cases.hpp"
#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

constexpr double tight = 1e-7;

LabelSaddleSolution solve(const LabelSaddle& problem, double tolerance = tight) {
  return solve_label_saddle(problem, {.tolerance = tolerance});
}

LabelSaddle rows_of(const DenseMatrix& gram, double beta, double imbalance) {
  return {
      .matrix = gram.view(), .c = 1 / beta, .balance = LabelBalance::rows, .imbalance = imbalance};
}

DenseMatrix label_matrix(const DenseMatrix& v) {
  DenseMatrix m(v.rows(), v.rows());
  gemm(Transpose::no, Transpose::yes, 1.0, v.view(), v.view(), 0.0, m.view());
  return m;
}

/// Value and bound meet at `expected`, and both are what they claim to be.
void expect_value(const LabelSaddle& problem, const LabelSaddleSolution& found, double expected) {
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_NEAR(found.value, expected, 1e-6 * expected);
  EXPECT_NEAR(found.lower_bound, expected, 1e-6 * expected);
  EXPECT_LE(found.lower_bound, found.value);
  EXPECT_TRUE(proves_label_bound(problem, found.certificate, found.lower_bound * (1 - 1e-9)));
  EXPECT_LE(found.lower_bound, expected * (1 + 1e-9));
  // seed-xu fact 28: the bound follows from the certificate alone.
  EXPECT_NEAR(
      label_saddle_bound(problem, found.certificate), found.lower_bound, 1e-6 * std::abs(expected));
  // seed-xu fact 30: the value is omega at M, by a plain inner solver.
  const DenseMatrix m = label_matrix(found.v);
  EXPECT_NEAR(plain_omega(problem.matrix, problem.c, m.view()), expected, 2e-6 * expected);
  // seed-xu fact 29
  EXPECT_GE(eigenvalues_symmetric(m.view()).front(), -1e-8);
  for (std::size_t i = 0; i < m.rows(); ++i) {
    EXPECT_NEAR(m(i, i), 1, 1e-9);
    for (const double entry : m.row(i)) EXPECT_LE(std::abs(entry), 1 + 1e-8);
    const double sum = std::accumulate(m.row(i).begin(), m.row(i).end(), 0.0);
    if (problem.balance != LabelBalance::none) {
      EXPECT_LE(std::abs(sum), problem.imbalance + 1e-5 * static_cast<double>(m.rows()));
    }
  }
}

/// +++--- or its opposite.
template <class Values>
void expect_first_three_against_the_rest(const Values& values) {
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(values[i] > 0, (values[0] > 0) == (i < 3)) << i;
}

// Golden A of the notes: tight though M is not of rank one (facts 31 and 39).
TEST(LabelSaddle, GoldenAMeetsTheBestLabelling) {
  const DenseMatrix gram = golden_a();
  for (const auto& [beta, value] : {std::pair{1.0, 0.5}, std::pair{10.0, 2.520408163}}) {
    const LabelSaddle problem = rows_of(gram, beta, 2);
    expect_value(problem, solve(problem), value);
    const BruteForceLabels best = brute_force_labels(gram.view(), 1 / beta, 2);
    EXPECT_NEAR(best.omega, value, 1e-9);
    if (beta == 1) expect_first_three_against_the_rest(best.signs);
  }
}

// Golden B and fact 37: no l_i at 1, so the value is proportional to beta.
TEST(LabelSaddle, GoldenBIsBelowTheBestLabellingAndProportionalToBeta) {
  const DenseMatrix gram = golden_b();
  for (const auto& [beta, value, best] :
       {std::tuple{0.1, 0.137514501, 0.145017112}, std::tuple{1.0, 1.375145009, 1.450171120}}) {
    const LabelSaddle problem = rows_of(gram, beta, 1);
    const LabelSaddleSolution found = solve(problem);
    expect_value(problem, found, value);
    expect_first_three_against_the_rest(
        eigen_symmetric(label_matrix(found.v).view()).vectors.row(5));
    const BruteForceLabels labels = brute_force_labels(gram.view(), 1 / beta, 1);
    EXPECT_NEAR(labels.omega, best, 1e-9);
    expect_first_three_against_the_rest(labels.signs);
  }
}

// Golden B' and fact 35: with K >= 0 and no balance all labels equal is optimal.
TEST(LabelSaddle, GoldenBWithoutBalanceGivesOneLabelToAll) {
  const DenseMatrix gram = golden_b();
  const LabelSaddle problem{.matrix = gram.view(), .c = 1};
  expect_value(problem, solve(problem), 1.241730677);
  EXPECT_NEAR(plain_omega(gram.view(), 1, DenseMatrix(6, 6, 1.0).view()), 1.241730677, 1e-8);
}

// Golden C2 and fact 32.
TEST(LabelSaddle, AntipodalMassesHaveTheClosedForm) {
  const DenseMatrix gram = linear_gram({{1}, {1}, {1}, {-1}, {-1}, {-1}});
  const LabelSaddle problem = rows_of(gram, 0.5, 2);
  const LabelSaddleSolution found = solve(problem);
  expect_value(problem, found, 0.25);
  const DenseMatrix m = label_matrix(found.v);
  EXPECT_NEAR(m(0, 1), 1, 1e-3);
  EXPECT_NEAR(m(0, 5), -1, 1e-3);
}

// Golden D and fact 34.
TEST(LabelSaddle, TwoPointsHaveTheClosedForm) {
  const DenseMatrix gram = linear_gram({{1, 0}, {0.2, 0.9}});
  const LabelSaddle rows = rows_of(gram, 0.5, 0.5);
  const LabelSaddleSolution found = solve(rows);
  expect_value(rows, found, 0.610119048);
  EXPECT_NEAR(label_matrix(found.v)(0, 1), -0.5, 1e-4);
  EXPECT_NEAR(brute_force_labels(gram.view(), 2, 0.5).omega, 0.694444444, 1e-9);
  // The total allows m <= -1 + eps^2 / 2.
  LabelSaddle total = rows;
  total.balance = LabelBalance::total;
  const double m = -0.875;
  const double k11 = gram(0, 0);
  const double k22 = gram(1, 1);
  const double k12 = gram(0, 1);
  expect_value(
      total, solve(total), 0.25 * (k11 + k22 - 2 * m * k12) / (k11 * k22 - m * m * k12 * k12));
}

// seed-xu fact 33
TEST(LabelSaddle, IdentityKernelDoesNotCareForM) {
  DenseMatrix gram(7, 7);
  for (std::size_t i = 0; i < 7; ++i) gram(i, i) = 1;
  const LabelSaddle small = rows_of(gram, 0.3, 3);
  expect_value(small, solve(small), 7 * 0.3 / 2);
  const LabelSaddle large = rows_of(gram, 2, 3);
  expect_value(large, solve(large), 7 * (1 - 1 / 4.0));
}

// seed-xu fact 38
TEST(LabelSaddle, TwoIdealClustersAreFound) {
  DenseMatrix gram(8, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) gram(i, j) = (i < 4) == (j < 4) ? 1 : 0;
  }
  const LabelSaddle problem = rows_of(gram, 0.5, 2);
  const LabelSaddleSolution found = solve(problem);
  expect_value(problem, found, 0.5);
  const DenseMatrix m = label_matrix(found.v);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(m(0, i), 1, 1e-3);
  for (std::size_t i = 4; i < 8; ++i) {
    EXPECT_NEAR(m(0, i), m(0, 4), 1e-3);
    EXPECT_LE(m(0, i), -1 + 2 * 2 / 8.0 + 1e-3);
  }
}

// seed-xu fact 31, on points of all kinds; the total's bound lies between the rows' and the best.
TEST(LabelSaddle, BoundIsBelowEveryBalancedLabelling) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::size_t n = 8 + seed % 2;
    const DenseMatrix gram = seed % 3 == 0 ? linear_gram(normal_points(n, 2, seed))
                                           : rbf_gram(normal_points(n, 2, seed), 0.7);
    for (const double c : {0.5, 20.0}) {
      for (const double imbalance : {1.0, 3.0}) {
        const LabelSaddle rows = rows_of(gram, 1 / c, imbalance);
        LabelSaddle total = rows;
        total.balance = LabelBalance::total;
        const LabelSaddleSolution of_rows = solve(rows, 1e-4);
        const LabelSaddleSolution of_total = solve(total, 1e-4);
        const double best = brute_force_labels(gram.view(), c, imbalance).omega;
        EXPECT_EQ(of_rows.report.status, Status::solved) << seed << " " << c << " " << imbalance;
        EXPECT_EQ(of_total.report.status, Status::solved) << seed << " " << c << " " << imbalance;
        EXPECT_LE(of_rows.lower_bound, best * (1 + 1e-9));
        EXPECT_LE(of_total.lower_bound, best * (1 + 1e-9));
        EXPECT_LE(of_rows.lower_bound, of_rows.value);
        EXPECT_LE(of_total.lower_bound, of_total.value);
        EXPECT_GE(of_total.lower_bound, of_rows.lower_bound * (1 - 2e-4));
        EXPECT_GE(label_saddle_bound(rows, of_rows.certificate),
                  of_rows.lower_bound - 1e-6 * of_rows.value);
        EXPECT_GE(label_saddle_bound(total, of_total.certificate),
                  of_total.lower_bound - 1e-6 * of_total.value);
      }
    }
  }
}

TEST(LabelSaddle, BoundIsBelowEveryLabellingOfTwelvePoints) {
  const DenseMatrix gram = rbf_gram(normal_points(12, 2, 12), 2);
  const LabelSaddle problem{
      .matrix = gram.view(), .c = 1, .balance = LabelBalance::total, .imbalance = 2};
  const LabelSaddleSolution found = solve(problem, 1e-4);
  EXPECT_EQ(found.report.status, Status::solved);
  EXPECT_LE(found.lower_bound, brute_force_labels(gram.view(), 1, 2).omega * (1 + 1e-9));
}

// seed-xu fact 36
TEST(LabelSaddle, ValueFallsWithTheImbalanceAllowed) {
  const DenseMatrix gram = rbf_gram(normal_points(10, 2, 21), 0.5);
  double last = std::numeric_limits<double>::infinity();
  for (const double imbalance : {0.0, 1.0, 2.0, 4.0, 8.0}) {
    const LabelSaddle problem = rows_of(gram, 0.1, imbalance);
    const LabelSaddleSolution found = solve(problem, 1e-5);
    EXPECT_EQ(found.report.status, Status::solved) << imbalance;
    EXPECT_LE(found.lower_bound, last);
    last = found.value;
  }
}

// seed-xu facts 5 and 36
TEST(LabelSaddle, ScalingAndOrderDoNotMatter) {
  const auto points = normal_points(12, 2, 5);
  const DenseMatrix gram = rbf_gram(points, 1);
  const LabelSaddle problem = rows_of(gram, 0.05, 2);
  const double value = solve(problem).value;
  DenseMatrix scaled = gram;
  for (double& x : scaled.values()) x *= 7;
  EXPECT_NEAR(solve(rows_of(scaled, 0.35, 2)).value, value, 1e-6 * value);
  auto turned = points;
  std::ranges::reverse(turned);
  EXPECT_NEAR(solve(rows_of(rbf_gram(turned, 1), 0.05, 2)).value, value, 1e-6 * value);
}

TEST(LabelSaddle, BoundHoldsWhenTheRunIsStopped) {
  const DenseMatrix gram = rbf_gram(normal_points(10, 2, 9), 1);
  LabelSaddle problem = rows_of(gram, 0.1, 2);
  const double best = brute_force_labels(gram.view(), 10, 2).omega;
  for (const std::uint64_t steps : {0U, 1U, 3U}) {
    std::uint64_t asked = 0;
    const LabelSaddleSolution found = solve_label_saddle(
        problem, {.tolerance = 1e-9, .context = {.on_progress = [&](const Progress&) {
                                       return asked++ < steps ? Continue::yes : Continue::stop;
                                     }}});
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_GE(found.lower_bound, 0);
    EXPECT_LE(found.lower_bound, best);
    EXPECT_GE(label_saddle_bound(problem, found.certificate), found.lower_bound - 1e-9 * best);
    EXPECT_TRUE(proves_label_bound(problem, found.certificate, found.lower_bound * (1 - 1e-9)));
    // The callback is not asked again.
    EXPECT_EQ(asked, steps + 1);
  }
}

// After some Newton steps the bound is worth something already.
TEST(LabelSaddle, ALateStopHasABoundAboveZero) {
  const DenseMatrix gram = rbf_gram(normal_points(30, 2, 9), 1);
  const LabelSaddle problem = rows_of(gram, 0.1, 4);
  const LabelSaddleSolution found = solve_label_saddle(
      problem, {.tolerance = 1e-9, .context = {.on_progress = [&](const Progress& progress) {
                                     return progress.gap.value_or(1) > 0.1 ? Continue::yes
                                                                           : Continue::time_is_up;
                                   }}});
  EXPECT_EQ(found.report.status, Status::time_limit);
  EXPECT_GT(found.lower_bound, 0.8 * found.value);
}

/// Rows of length 1 and a certificate that proves the bound, however the run ended.
void expect_sound(const LabelSaddle& problem, const LabelSaddleSolution& found) {
  for (std::size_t i = 0; i < found.v.rows(); ++i) {
    EXPECT_NEAR(dot(found.v.row(i), found.v.row(i)), 1, 1e-9);
  }
  EXPECT_LE(found.lower_bound, found.value);
  EXPECT_GE(label_saddle_bound(problem, found.certificate),
            found.lower_bound - 1e-9 * std::abs(found.value));
}

TEST(LabelSaddle, ATargetOutOfReachEndsWithoutHarm) {
  const DenseMatrix gram = golden_b();
  for (const LabelBalance balance : {LabelBalance::none, LabelBalance::rows, LabelBalance::total}) {
    const LabelSaddle problem{.matrix = gram.view(), .c = 1, .balance = balance, .imbalance = 1};
    const LabelSaddleSolution found = solve(problem, 1e-17);
    EXPECT_NE(found.report.status, Status::solved);
    expect_sound(problem, found);
  }
}

// Far from the origin diagonal entries are 1e8 times what separates balanced labels: what is added
// to them against rounding must not enter the value.
TEST(LabelSaddle, ValueIsOmegaForKernelsOfLargeDiagonal) {
  std::vector<std::vector<double>> points = normal_points(6, 2, 3);
  for (auto& point : points) point.push_back(1e4);
  const DenseMatrix gram = linear_gram(points);
  const LabelSaddle problem{
      .matrix = gram.view(), .c = 100, .balance = LabelBalance::total, .imbalance = 0};
  expect_sound(problem, solve(problem, 1e-3));
}

// Two points: m must be at most -1 + eps^2 / 2, and omega rises as m falls when k12 > 0, so that a
// value from a matrix that is not balanced would be below the least.
TEST(LabelSaddle, ValueIsNeverBelowTheMinimumHoweverRoughTheRun) {
  const DenseMatrix gram = linear_gram({{1, 0}, {0.9, 0.3}});
  DenseMatrix m(2, 2, 1.0);
  m(0, 1) = m(1, 0) = -0.875;
  const double least = plain_omega(gram.view(), 2, m.view());
  for (const double tolerance : {0.5, 0.1, 1e-2, 1e-3}) {
    const LabelSaddle problem{
        .matrix = gram.view(), .c = 2, .balance = LabelBalance::total, .imbalance = 0.5};
    const LabelSaddleSolution found = solve(problem, tolerance);
    EXPECT_GE(found.value, least * (1 - 1e-9)) << tolerance;
    EXPECT_LE(found.lower_bound, least * (1 + 1e-9)) << tolerance;
  }
}

// An uncentred Gaussian kernel is nowhere negative: the balance is all that keeps the labels apart.
TEST(LabelSaddle, ActiveBalanceConverges) {
  const DenseMatrix gram = rbf_gram(normal_points(24, 2, 17), 0.5);
  for (const LabelBalance balance : {LabelBalance::rows, LabelBalance::total}) {
    for (const double imbalance : {0.0, 4.0}) {
      const LabelSaddle problem{
          .matrix = gram.view(), .c = 100, .balance = balance, .imbalance = imbalance};
      const LabelSaddleSolution found = solve(problem, 1e-3);
      EXPECT_EQ(found.report.status, Status::solved) << to_string(balance) << " " << imbalance;
      EXPECT_GE(found.lower_bound, found.value * (1 - 1e-3));
      EXPECT_GT(found.certificate.balance.front() * found.certificate.balance.front() +
                    found.certificate.balance.back() * found.certificate.balance.back(),
                0);
      EXPECT_LE(found.imbalance_excess, imbalance == 0 ? 1e-6 : 1e-3);
      expect_sound(problem, found);
    }
  }
}

// An early stop leaves an unbalanced M. A balanced one near it is worth about as much; mixed with
// M0 until it is balanced it would cost ten times the optimum.
TEST(LabelSaddle, ValueOfAStoppedRunIsOfABalancedPointNearby) {
  const DenseMatrix gram = rbf_gram(normal_points(80, 2, 4), 0.3);
  for (const LabelBalance balance : {LabelBalance::rows, LabelBalance::total}) {
    const LabelSaddle problem{.matrix = gram.view(), .c = 100, .balance = balance, .imbalance = 8};
    const LabelSaddleSolution best = solve(problem, 1e-4);
    ASSERT_EQ(best.report.status, Status::solved);
    const LabelSaddleSolution rough = solve_label_saddle(problem, {.max_iterations = 15});
    ASSERT_EQ(rough.report.status, Status::iteration_limit);
    EXPECT_GT(rough.imbalance_excess, 1e-3);
    EXPECT_GE(rough.value, best.lower_bound);
    EXPECT_LE(rough.value, 2 * best.value);
    EXPECT_LE(rough.lower_bound, best.value);
  }
}

TEST(LabelSaddle, SameForAnyNumberOfThreads) {
  const DenseMatrix gram = rbf_gram(normal_points(150, 2, 13), 2);
  const LabelSaddle problem{
      .matrix = gram.view(), .c = 50, .balance = LabelBalance::total, .imbalance = 15};
  const LabelSaddleSolution one =
      solve_label_saddle(problem, {.tolerance = 0.05, .context = {.threads = 1}});
  const LabelSaddleSolution two =
      solve_label_saddle(problem, {.tolerance = 0.05, .context = {.threads = 2}});
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.lower_bound, two.lower_bound);
  EXPECT_TRUE(std::ranges::equal(one.v.values(), two.v.values()));
}

TEST(LabelSaddle, PointsAllAlikeCostAHingeEach) {
  const DenseMatrix gram(5, 5);
  const LabelSaddle problem{.matrix = gram.view(), .c = 3};
  expect_value(problem, solve(problem), 5);
}

TEST(LabelSaddle, OnePointIsAPlainMachine) {
  const DenseMatrix gram(1, 1, 4.0);
  const LabelSaddle problem{.matrix = gram.view(), .c = 1};
  expect_value(problem, solve(problem), 1.0 / 8);
}

TEST(LabelSaddle, WrongCallsAreRefused) {
  const DenseMatrix gram = golden_a();
  const LabelSaddle good{.matrix = gram.view()};
  EXPECT_THROW((void)solve_label_saddle({}), InvalidArgument);
  const DenseMatrix one(1, 1, 1.0);
  EXPECT_THROW((void)solve_label_saddle(
                   {.matrix = one.view(), .balance = LabelBalance::total, .imbalance = 0.5}),
               InvalidArgument);
  EXPECT_THROW((void)solve_label_saddle(good, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_label_saddle(good, {.columns = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_label_saddle(good, {.columns = 7}), InvalidArgument);
  EXPECT_THROW((void)solve_label_saddle(good, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_label_saddle(good, {.context = {.threads = 0}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
