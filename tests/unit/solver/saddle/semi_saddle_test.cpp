// SPDX-License-Identifier: Apache-2.0
//
// Label saddles with some labels given: seed-xu facts 40 to 42.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "label_cases.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/problem/sdp/sdp.hpp"
#include "solver/saddle/label_saddle.hpp"
#include "solver/sdp/interior_point.hpp"

namespace maxmargin {
namespace {

using Given = std::vector<signed char>;

LabelSaddleSolution solve(const LabelSaddle& problem, double tolerance) {
  return solve_label_saddle(problem, {.tolerance = tolerance});
}

/// The least omega(y y') over labellings that agree with those given and have |e'y - centre| <=
/// imbalance.
double best_labelling(
    DenseView kernel, double c, const Given& given, double imbalance, double centre = 0) {
  const std::size_t n = kernel.rows;
  double best = std::numeric_limits<double>::infinity();
  for (std::uint32_t bits = 0; bits < (1U << n); ++bits) {
    std::vector<std::int8_t> signs(n);
    int sum = 0;
    bool agrees = true;
    for (std::size_t i = 0; i < n; ++i) {
      signs[i] = ((bits >> i) & 1U) != 0 ? 1 : -1;
      sum += signs[i];
      agrees = agrees && (given[i] == 0 || given[i] == signs[i]);
    }
    if (!agrees || std::abs(sum - centre) > imbalance) continue;
    best = std::min(best, plain_omega(kernel, c, outer_product(signs).view()));
  }
  return best;
}

/// M = V V'.
DenseMatrix matrix_of(const DenseMatrix& v) {
  DenseMatrix m(v.rows(), v.rows());
  for (std::size_t i = 0; i < v.rows(); ++i) {
    for (std::size_t j = 0; j < v.rows(); ++j) m(i, j) = dot(v.row(i), v.row(j));
  }
  return m;
}

/// Structure of M and soundness of bound and value; omega at M by a plain solver.
void expect_sound(const LabelSaddle& problem, const LabelSaddleSolution& found) {
  const std::size_t n = problem.size();
  ASSERT_EQ(found.v.rows(), n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(dot(found.v.row(i), found.v.row(i)), 1, 1e-9);
    for (std::size_t j = 0; j < n; ++j) {
      if (problem.labels[i] == 0 || problem.labels[j] == 0) continue;
      EXPECT_NEAR(dot(found.v.row(i), found.v.row(j)), problem.labels[i] * problem.labels[j], 1e-9);
    }
  }
  EXPECT_EQ(found.certificate.diagonal.size(), label_rows(problem));
  EXPECT_LE(found.lower_bound, found.value);
  EXPECT_GE(label_saddle_bound(problem, found.certificate),
            found.lower_bound - 1e-8 * std::abs(found.value));
  EXPECT_TRUE(proves_label_bound(problem, found.certificate, found.lower_bound * (1 - 1e-8)));
  // Where M is balanced, the value is omega there, or above it by what the inner solver left.
  if (found.imbalance_excess == 0) {
    const double omega = plain_omega(problem.matrix, problem.c, matrix_of(found.v).view());
    EXPECT_GE(found.value, omega * (1 - 1e-9));
  }
}

/// The least omega with one free point, of which M knows no more than its product g with the
/// others: convex in g.
double least_with_one_free(const LabelSaddle& problem, double low, double high) {
  const std::size_t n = problem.size();
  const auto omega = [&](double g) {
    DenseMatrix m(n, n, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const double a = problem.labels[i];
        const double b = problem.labels[j];
        if (i != j) m(i, j) = a != 0 && b != 0 ? a * b : (a + b) * g;
      }
    }
    return plain_omega(problem.matrix, problem.c, m.view());
  };
  for (int step = 0; step < 60; ++step) {
    const double third = (high - low) / 3;
    if (omega(low + third) < omega(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return omega(0.5 * (low + high));
}

/// The relaxation as a plain block program: G, the bordered matrix [K o M, e + mu - nu; ., t] with
/// value t / (2 c) + e'nu, and mu and nu. Row 0 of G stands for the points with labels.
SdpProblem block_program(const LabelSaddle& problem) {
  const std::size_t n = problem.size();
  std::vector<std::size_t> row(n, 0);
  std::vector<double> sign(n, 1.0);
  std::size_t rows = 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (problem.labels[i] == 0) {
      row[i] = rows++;
    } else {
      sign[i] = problem.labels[i];
    }
  }
  // value times X_ij: an entry off the diagonal counts twice.
  const auto at = [](std::uint32_t block, std::size_t i, std::size_t j, double value) {
    return SdpEntry{block,
                    static_cast<std::uint32_t>(i),
                    static_cast<std::uint32_t>(j),
                    i == j ? value : value / 2};
  };
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, rows);
  builder.add_block(SdpCone::semidefinite, n + 1);
  builder.add_block(SdpCone::nonnegative, 2 * n);
  builder.add_cost(at(1, n, n, 0.5 / problem.c));
  for (std::size_t k = 0; k < rows; ++k) builder.add_equality(std::vector{at(0, k, k, 1)}, 1);
  for (std::size_t i = 0; i < n; ++i) {
    builder.add_cost(at(2, n + i, n + i, 1));
    for (std::size_t j = 0; j <= i; ++j) {
      const double factor = problem.matrix(i, j) * sign[i] * sign[j];
      builder.add_equality(std::vector{at(1, i, j, 1), at(0, row[i], row[j], -factor)}, 0);
    }
    builder.add_equality(std::vector{at(1, n, i, 1), at(2, i, i, -1), at(2, n + i, n + i, 1)}, 1);
  }
  // w_i.z for point i, z = sum of w_j - m v_0.
  const auto side = [&](std::size_t i) {
    std::vector<SdpEntry> entries = {at(0, 0, row[i], -problem.centre * sign[i])};
    for (std::size_t j = 0; j < n; ++j) entries.push_back(at(0, row[i], row[j], sign[i] * sign[j]));
    return entries;
  };
  std::vector<SdpEntry> total = {at(0, 0, 0, problem.centre * problem.centre)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<SdpEntry> entries = side(i);
    if (problem.balance == LabelBalance::rows) {
      builder.add_inequality(entries, SdpSense::at_most, problem.imbalance);
      builder.add_inequality(entries, SdpSense::at_least, -problem.imbalance);
    }
    total.insert(total.end(), entries.begin(), entries.end());
    total.push_back(at(0, 0, row[i], -problem.centre * sign[i]));
  }
  if (problem.balance == LabelBalance::total) {
    builder.add_inequality(total, SdpSense::at_most, problem.imbalance * problem.imbalance);
  }
  return builder.build();
}

// Rough runs end with matrices that are not balanced: their value must not be below the minimum.
TEST(SemiSaddle, ValueAndBoundEncloseTheOptimumOfThePlainProgram) {
  const DenseMatrix gram = rbf_gram(normal_points(6, 2, 2), 0.7);
  const Given given = {1, 0, -1, 1, 0, 0};
  for (const LabelBalance balance : {LabelBalance::none, LabelBalance::rows, LabelBalance::total}) {
    for (const double centre : {0.0, 2.5, -1.0}) {
      const LabelSaddle problem{.matrix = gram.view(),
                                .c = 10,
                                .balance = balance,
                                .imbalance = 1,
                                .centre = centre,
                                .labels = given};
      const SdpSolution plain =
          solve_sdp_interior_point(block_program(problem), {.tolerance = 1e-8});
      ASSERT_EQ(plain.report.status, Status::solved) << to_string(balance) << " " << centre;
      const double optimum = *plain.report.primal_objective;
      for (const double tolerance : {0.5, 0.1, 1e-2, 1e-5}) {
        const LabelSaddleSolution found = solve(problem, tolerance);
        EXPECT_EQ(found.report.status, Status::solved) << to_string(balance) << " " << centre;
        EXPECT_GE(found.value, optimum * (1 - 1e-6)) << to_string(balance) << " " << centre;
        EXPECT_LE(found.lower_bound, optimum * (1 + 1e-6)) << to_string(balance) << " " << centre;
      }
    }
  }
}

// seed-xu facts 31, 40 and 42, over all labellings that agree with those given.
TEST(SemiSaddle, BoundIsBelowEveryLabellingThatAgrees) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const std::size_t count = 9;
    const DenseMatrix gram = seed % 2 == 0 ? linear_gram(normal_points(count, 2, seed))
                                           : rbf_gram(normal_points(count, 2, seed), 0.7);
    const Given given = {1, 0, 0, -1, 0, 0, 1, 0, 0};
    for (const double c : {0.5, 20.0}) {
      for (const LabelBalance balance :
           {LabelBalance::none, LabelBalance::rows, LabelBalance::total}) {
        LabelSaddle problem{
            .matrix = gram.view(), .c = c, .balance = balance, .imbalance = 3, .labels = given};
        const LabelSaddleSolution found = solve(problem, 1e-4);
        EXPECT_EQ(found.report.status, Status::solved) << seed << " " << c << to_string(balance);
        expect_sound(problem, found);
        const double allowed = balance == LabelBalance::none ? 9 : 3;
        EXPECT_LE(found.lower_bound, best_labelling(gram.view(), c, given, allowed) * (1 + 1e-9));
        problem.labels = {};
        EXPECT_LE(solve(problem, 1e-4).lower_bound, found.value * (1 + 1e-9));
      }
    }
  }
}

// seed-xu fact 40: M_ij = y_i c_j for labelled i, by construction; and with labels of either class
// no further constraint is needed: c_j lies in [-1, 1].
TEST(SemiSaddle, LabelledRowsAreOneVectorUpToSign) {
  const DenseMatrix gram = rbf_gram(normal_points(10, 2, 8), 1);
  const Given given = {1, -1, 0, 0, 1, 0, 0, -1, 0, 0};
  const LabelSaddle problem{.matrix = gram.view(), .c = 10, .labels = given};
  const LabelSaddleSolution found = solve(problem, 1e-5);
  EXPECT_EQ(found.report.status, Status::solved);
  for (std::size_t j = 0; j < 10; ++j) {
    const double c_j = dot(found.v.row(0), found.v.row(j));
    EXPECT_LE(std::abs(c_j), 1 + 1e-9);
    EXPECT_NEAR(dot(found.v.row(1), found.v.row(j)), -c_j, 1e-9);
    EXPECT_NEAR(dot(found.v.row(4), found.v.row(j)), c_j, 1e-9);
  }
}

// The same with a hub: two points, one label, so that the least value is known in closed form
// (LabelSaddle has the test without a label). Rows that are turned too little end below it.
TEST(SemiSaddle, ValueIsNeverBelowTheMinimumHoweverRoughTheRun) {
  const DenseMatrix gram = linear_gram({{1, 0}, {0.9, 0.3}});
  DenseMatrix m(2, 2, 1.0);
  m(0, 1) = m(1, 0) = -0.875;
  const double least = plain_omega(gram.view(), 2, m.view());
  const Given given = {1, 0};
  for (const double tolerance : {0.5, 0.1, 1e-2, 1e-3}) {
    const LabelSaddle problem{.matrix = gram.view(),
                              .c = 2,
                              .balance = LabelBalance::total,
                              .imbalance = 0.5,
                              .labels = given};
    const LabelSaddleSolution found = solve(problem, tolerance);
    EXPECT_GE(found.value, least * (1 - 1e-9)) << tolerance;
    EXPECT_LE(found.lower_bound, least * (1 + 1e-9)) << tolerance;
  }
}

// seed-xu fact 41
TEST(SemiSaddle, AllLabelsGivenIsThePlainMachine) {
  const DenseMatrix gram = golden_a();
  const Given given = {1, 1, 1, -1, 1, -1};
  const std::vector<std::int8_t> signs(given.begin(), given.end());
  for (const LabelBalance balance : {LabelBalance::none, LabelBalance::rows, LabelBalance::total}) {
    const LabelSaddle problem{
        .matrix = gram.view(), .c = 1, .balance = balance, .imbalance = 2, .labels = given};
    const LabelSaddleSolution found = solve(problem, 1e-6);
    EXPECT_EQ(found.report.status, Status::solved) << to_string(balance);
    // Golden "kappa = 2": 2.90625.
    EXPECT_NEAR(found.value, 2.90625, 1e-5);
    EXPECT_NEAR(plain_omega(gram.view(), 1, outer_product(signs).view()), 2.90625, 1e-9);
    EXPECT_EQ(found.rank, 1U);
    expect_sound(problem, found);
  }
}

// One label orders nothing: y and -y are the same clustering.
TEST(SemiSaddle, OneLabelIsNoLabel) {
  const DenseMatrix gram = rbf_gram(normal_points(9, 2, 3), 1);
  LabelSaddle problem{
      .matrix = gram.view(), .c = 5, .balance = LabelBalance::total, .imbalance = 3};
  const double without = solve(problem, 1e-6).value;
  const Given one = {0, 0, 0, -1, 0, 0, 0, 0, 0};
  problem.labels = one;
  EXPECT_NEAR(solve(problem, 1e-6).value, without, 3e-6 * without);
  const Given none(9, 0);
  problem.labels = none;
  EXPECT_EQ(label_rows(problem), 9U);
  EXPECT_NEAR(solve(problem, 1e-6).value, without, 3e-6 * without);
}

// seed-xu facts 36 and 37 with labels.
TEST(SemiSaddle, TurningLabelsAndOrderDoNotMatter) {
  const auto points = normal_points(10, 2, 5);
  const DenseMatrix gram = rbf_gram(points, 1);
  const Given given = {1, -1, 0, 0, 0, 0, 0, 1, 0, 0};
  LabelSaddle problem{.matrix = gram.view(),
                      .c = 20,
                      .balance = LabelBalance::total,
                      .imbalance = 1,
                      .centre = 2,
                      .labels = given};
  const double value = solve(problem, 1e-6).value;
  Given turned = given;
  for (signed char& label : turned) label = static_cast<signed char>(-label);
  problem.labels = turned;
  problem.centre = -2;
  EXPECT_NEAR(solve(problem, 1e-6).value, value, 3e-6 * value);
  auto reversed_points = points;
  std::ranges::reverse(reversed_points);
  const DenseMatrix reversed_gram = rbf_gram(reversed_points, 1);
  Given reversed = given;
  std::ranges::reverse(reversed);
  problem = {.matrix = reversed_gram.view(),
             .c = 20,
             .balance = LabelBalance::total,
             .imbalance = 1,
             .centre = 2,
             .labels = reversed};
  EXPECT_NEAR(solve(problem, 1e-6).value, value, 3e-6 * value);
  // No l_i at 1: omega is proportional to 1/C.
  problem.c = 200;
  EXPECT_NEAR(10 * solve(problem, 1e-6).value, value, 3e-6 * value);
}

// The balance around a centre, over all labellings.
TEST(SemiSaddle, CentreMovesTheBalance) {
  const DenseMatrix gram = rbf_gram(normal_points(9, 2, 6), 0.5);
  const Given given = {1, 1, -1, 0, 0, 0, 0, 0, 0};
  for (const double centre : {-4.0, -1.0, 3.0, 5.0}) {
    for (const LabelBalance balance : {LabelBalance::rows, LabelBalance::total}) {
      const LabelSaddle problem{.matrix = gram.view(),
                                .c = 30,
                                .balance = balance,
                                .imbalance = 1,
                                .centre = centre,
                                .labels = given};
      const LabelSaddleSolution found = solve(problem, 1e-4);
      EXPECT_EQ(found.report.status, Status::solved) << centre << " " << to_string(balance);
      expect_sound(problem, found);
      EXPECT_LE(found.lower_bound, best_labelling(gram.view(), 30, given, 1, centre) * (1 + 1e-9));
      // sum_j c_j is what the balance speaks of; it holds up to the excess.
      double sum = 0;
      for (std::size_t j = 0; j < 9; ++j) sum += dot(found.v.row(0), found.v.row(j));
      EXPECT_NEAR(sum, centre, 1 + 9 * found.imbalance_excess + 1e-6);
    }
  }
}

// Where the labels and the balance leave one labelling, it is found.
TEST(SemiSaddle, ForcedLabelsAreTheOnlyAnswer) {
  const DenseMatrix gram = rbf_gram(normal_points(7, 2, 9), 1);
  const Given given = {1, 1, 1, 1, 1, 0, 0};  // the rest must be -1 for a sum of 3
  const std::vector<std::int8_t> only = {1, 1, 1, 1, 1, -1, -1};
  const double omega = plain_omega(gram.view(), 2, outer_product(only).view());
  const LabelSaddle problem{.matrix = gram.view(),
                            .c = 2,
                            .balance = LabelBalance::total,
                            .imbalance = 3,
                            .labels = given};
  const LabelSaddleSolution found = solve(problem, 1e-2);
  expect_sound(problem, found);
  EXPECT_LE(found.lower_bound, omega * (1 + 1e-9));
  EXPECT_GE(found.lower_bound, 0.97 * omega);
}

// One free point, all others cancelling: |z| is 1 for every M, and so for rounding's sake just
// above an imbalance of 1.
TEST(SemiSaddle, OneFreePointIsSolved) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(7, 2, seed), 0.5);
    const Given given = {1, -1, 1, 0, -1, 1, 1};
    for (const LabelBalance balance : {LabelBalance::rows, LabelBalance::total}) {
      const LabelSaddle problem{.matrix = gram.view(),
                                .c = 10,
                                .balance = balance,
                                .imbalance = 1,
                                .centre = 2,
                                .labels = given};
      const LabelSaddleSolution found = solve(problem, 1e-5);
      EXPECT_EQ(found.report.status, Status::solved) << seed << " " << to_string(balance);
      expect_sound(problem, found);
      const double least = least_with_one_free(problem, -1, 1);
      EXPECT_NEAR(found.value, least, 2e-5 * least) << seed << " " << to_string(balance);
      EXPECT_LE(found.lower_bound, least * (1 + 1e-9));
    }
  }
}

// |z|^2 = a^2 + 2 a g + 1 with a the sum of the labels given less the centre: the least is
// | |a| - 1 |, and a mix with an infeasible M would be no bound from above.
TEST(SemiSaddle, OneFreePointAndACentreBetweenWholeNumbers) {
  const DenseMatrix gram = linear_gram({{1, 0}, {0.9, 0.3}});
  const Given given = {1, 0};
  LabelSaddle problem{.matrix = gram.view(),
                      .c = 2,
                      .balance = LabelBalance::total,
                      .imbalance = 0.3,
                      .centre = 0.5,
                      .labels = given};
  EXPECT_THROW((void)solve(problem, 1e-3), InvalidArgument);
  problem.imbalance = 0.6;
  const double least = least_with_one_free(problem, -1, 0.36 - 1.25);
  for (const double tolerance : {0.5, 0.1, 1e-2, 1e-3}) {
    const LabelSaddleSolution found = solve(problem, tolerance);
    EXPECT_EQ(found.report.status, Status::solved) << tolerance;
    EXPECT_GE(found.value, least * (1 - 1e-6)) << tolerance;
    EXPECT_LE(found.lower_bound, least * (1 + 1e-9)) << tolerance;
  }
}

TEST(SemiSaddle, SameForAnyNumberOfThreads) {
  const DenseMatrix gram = rbf_gram(normal_points(150, 2, 13), 2);
  Given given(150, 0);
  for (std::size_t i = 0; i < 12; ++i) given[i] = i % 2 == 0 ? 1 : -1;
  const LabelSaddle problem{.matrix = gram.view(),
                            .c = 50,
                            .balance = LabelBalance::total,
                            .imbalance = 15,
                            .labels = given};
  const auto one = solve_label_saddle(problem, {.tolerance = 0.1, .context = {.threads = 1}});
  for (const std::size_t threads : {2U, 4U}) {
    const auto more =
        solve_label_saddle(problem, {.tolerance = 0.1, .context = {.threads = threads}});
    EXPECT_EQ(one.value, more.value);
    EXPECT_EQ(one.lower_bound, more.lower_bound);
    EXPECT_TRUE(std::ranges::equal(one.v.values(), more.v.values()));
  }
}

TEST(SemiSaddle, BoundHoldsWhenTheRunIsStopped) {
  const DenseMatrix gram = rbf_gram(normal_points(9, 2, 9), 1);
  const Given given = {1, -1, 0, 0, 0, 0, 0, 0, 0};
  const LabelSaddle problem{.matrix = gram.view(),
                            .c = 10,
                            .balance = LabelBalance::rows,
                            .imbalance = 3,
                            .labels = given};
  const double best = best_labelling(gram.view(), 10, given, 3);
  for (const std::uint64_t steps : {0U, 1U, 4U}) {
    std::uint64_t asked = 0;
    const LabelSaddleSolution found = solve_label_saddle(
        problem, {.tolerance = 1e-9, .context = {.on_progress = [&](const Progress&) {
                                       return asked++ < steps ? Continue::yes : Continue::stop;
                                     }}});
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_LE(found.lower_bound, best);
    EXPECT_EQ(asked, steps + 1);
    expect_sound(problem, found);
  }
}

TEST(SemiSaddle, WrongLabelsAreRefused) {
  const DenseMatrix gram = golden_a();
  const Given few = {1, -1};
  const Given two = {2, 0, 0, 0, 0, 0};
  const Given all = {1, 1, 1, 1, 1, 0};
  EXPECT_THROW((void)solve_label_saddle({.matrix = gram.view(), .labels = few}), InvalidArgument);
  EXPECT_THROW((void)solve_label_saddle({.matrix = gram.view(), .labels = two}), InvalidArgument);
  // Five equal labels of six cannot be balanced to 2.
  EXPECT_THROW(
      (void)solve_label_saddle(
          {.matrix = gram.view(), .balance = LabelBalance::total, .imbalance = 2, .labels = all}),
      InvalidArgument);
  // A centre has no meaning without labels.
  EXPECT_THROW((void)solve_label_saddle({.matrix = gram.view(), .centre = 1}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
