// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/factored_saddle.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "label_cases.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "solver/saddle/label_saddle.hpp"

namespace maxmargin {
namespace {

DenseMatrix matrix_of(const std::vector<std::vector<double>>& points) {
  DenseMatrix x(points.size(), points.front().size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::ranges::copy(points[i], x.row(i).begin());
  }
  return x;
}

// One feature: P is a number p, and the least of p/2 + C sum max(0, 1 - sqrt(p) |z_i|) is found by
// trying many p.
TEST(FactoredSaddle, OneFeatureIsAProblemInOneNumber) {
  const DenseMatrix z = matrix_of({{1.0}, {-2.0}, {0.5}, {3.0}, {-0.1}});
  for (const double c : {0.1, 1.0, 10.0, 1000.0}) {
    const FactoredSaddle problem{.features = z.view(), .c = c};
    const FactoredSaddleSolution found = solve_factored_saddle(problem, {.tolerance = 1e-6});
    double best = std::numeric_limits<double>::infinity();
    for (double root = 0; root < 11; root += 1e-4) {
      double value = 0.5 * root * root;
      for (const double x : z.values()) value += c * std::max(0.0, 1 - root * std::abs(x));
      best = std::min(best, value);
    }
    EXPECT_EQ(found.report.status, Status::solved) << c;
    EXPECT_NEAR(found.value, best, 1e-4 * best);
    EXPECT_LE(found.lower_bound, best * (1 + 1e-7));
    EXPECT_GE(found.lower_bound, best * (1 - 1e-4));
  }
}

TEST(FactoredSaddle, BoundIsBelowEveryLabelling) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto points = normal_points(8, 3, seed);
    const DenseMatrix z = matrix_of(points);
    for (const double c : {0.3, 30.0}) {
      const double best =
          c * brute_force_labels(linear_gram(points).view(), c, 8).omega;  // any sizes
      const FactoredSaddleSolution found =
          solve_factored_saddle({.features = z.view(), .c = c}, {.tolerance = 1e-5});
      EXPECT_EQ(found.report.status, Status::solved);
      EXPECT_LE(found.lower_bound, best * (1 + 1e-9));
      EXPECT_LE(found.value, best * (1 + 1e-4));
    }
  }
}

// The same relaxation as that of mmc, without balance.
TEST(FactoredSaddle, IsTheRelaxationInAnotherForm) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto points = normal_points(20, 3, seed);
    const DenseMatrix z = matrix_of(points);
    const DenseMatrix gram = linear_gram(points);
    for (const double c : {0.05, 1.0, 100.0}) {
      const FactoredSaddleSolution found =
          solve_factored_saddle({.features = z.view(), .c = c}, {.tolerance = 1e-5});
      const LabelSaddleSolution twin =
          solve_label_saddle({.matrix = gram.view(), .c = c}, {.tolerance = 1e-5});
      EXPECT_NEAR(found.value, c * twin.value, 3e-5 * found.value) << c;
      EXPECT_NEAR(found.lower_bound, c * twin.lower_bound, 3e-5 * found.value) << c;
    }
  }
}

TEST(FactoredSaddle, CertificateAndValueAreFoundAgain) {
  const DenseMatrix z = matrix_of(normal_points(50, 4, 7));
  const FactoredSaddle problem{.features = z.view(), .c = 5};
  const FactoredSaddleSolution found = solve_factored_saddle(problem);
  EXPECT_EQ(factored_saddle_bound(problem, found.weights), found.lower_bound);
  EXPECT_NEAR(factored_saddle_value(problem, found.w.view()), found.value, 1e-9 * found.value);
  EXPECT_LE(found.lower_bound, found.value);
  EXPECT_GE(found.lower_bound, 0.999 * found.value);
}

// Any weights prove a bound, and none of them one above the value.
TEST(FactoredSaddle, NoWeightsProveTooMuch) {
  const DenseMatrix z = matrix_of(normal_points(30, 3, 8));
  const FactoredSaddle problem{.features = z.view(), .c = 2};
  const double value = solve_factored_saddle(problem, {.tolerance = 1e-6}).value;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed, "weights");
    std::vector<double> weights(30);
    for (double& a : weights) a = rng.bernoulli(0.5) ? rng.exponential() : 0.0;
    EXPECT_LE(factored_saddle_bound(problem, weights), value);
    EXPECT_GE(factored_saddle_bound(problem, weights), 0);
  }
}

// Fewer features and what they miss: still a bound for the whole kernel.
TEST(FactoredSaddle, WhatIsMissedIsAccountedFor) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto points = normal_points(9, 4, seed);
    DenseMatrix some(9, 2);
    std::vector<double> missed(9);
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = 0; j < 2; ++j) some(i, j) = points[i][j];
      missed[i] = points[i][2] * points[i][2] + points[i][3] * points[i][3];
    }
    const double c = 3;
    const double best = c * brute_force_labels(linear_gram(points).view(), c, 9).omega;
    const FactoredSaddleSolution honest =
        solve_factored_saddle({.features = some.view(), .c = c, .missed = missed});
    EXPECT_LE(honest.lower_bound, best);
    EXPECT_GT(honest.lower_bound, 0);
  }
}

TEST(FactoredSaddle, PointsAtTheOriginCostC) {
  const DenseMatrix z = matrix_of({{0.0, 0.0}, {0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}});
  const FactoredSaddleSolution found =
      solve_factored_saddle({.features = z.view(), .c = 7}, {.tolerance = 1e-5});
  // Two free points, and two unit vectors at right angles: P = I.
  EXPECT_NEAR(found.value, 14 + 1, 1e-3);
  EXPECT_NEAR(found.lower_bound, 15, 1e-2);
}

TEST(FactoredSaddle, SameForAnyNumberOfThreads) {
  const DenseMatrix z = matrix_of(normal_points(5000, 3, 9));
  const FactoredSaddleSolution one = solve_factored_saddle(
      {.features = z.view(), .c = 1}, {.tolerance = 1e-2, .context = {.threads = 1}});
  const FactoredSaddleSolution two = solve_factored_saddle(
      {.features = z.view(), .c = 1}, {.tolerance = 1e-2, .context = {.threads = 3}});
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.lower_bound, two.lower_bound);
  EXPECT_EQ(one.report.iterations, two.report.iterations);
}

TEST(FactoredSaddle, StopsWithABound) {
  const DenseMatrix z = matrix_of(normal_points(40, 3, 10));
  const FactoredSaddleSolution found = solve_factored_saddle(
      {.features = z.view(), .c = 1},
      {.tolerance = 1e-9,
       .context = {.on_progress = [](const Progress&) { return Continue::stop; }}});
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
  EXPECT_GE(found.lower_bound, 0);
  EXPECT_LE(found.lower_bound, found.value);
}

TEST(FactoredSaddle, RefusesWrongArguments) {
  const DenseMatrix z(2, 1, 1.0);
  EXPECT_THROW((void)solve_factored_saddle({.features = z.view(), .c = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_factored_saddle({.features = DenseMatrix(0, 1).view()}),
               InvalidArgument);
  EXPECT_THROW((void)solve_factored_saddle({.features = z.view()}, {.tolerance = 0}),
               InvalidArgument);
  const std::vector<double> one = {1.0};
  const std::vector<double> negative = {1.0, -1.0};
  EXPECT_THROW((void)factored_saddle_bound({.features = z.view()}, one), InvalidArgument);
  EXPECT_THROW((void)factored_saddle_bound({.features = z.view()}, negative), InvalidArgument);
}

// Points 0 to 18 along axes of their own, and one that the features hardly reach: weights of 1 and
// theta <= 1 + 1 prove 19/4 for them.
TEST(FactoredSaddle, APointOutOfReachDoesNotSpoilTheBoundOfTheOthers) {
  for (const double reach : {1e-5, 0.0}) {
    DenseMatrix z(20, 19);
    for (std::size_t i = 0; i < 19; ++i) z(i, i) = 1;
    z(19, 0) = reach;
    std::vector<double> missed(20, 0.0);
    missed[19] = 1;
    const FactoredSaddle problem{.features = z.view(), .c = 10, .missed = missed};
    const FactoredSaddleSolution found = solve_factored_saddle(problem);
    EXPECT_GE(found.lower_bound, 4.7) << reach;
    EXPECT_LE(found.lower_bound, 10) << reach;
    EXPECT_EQ(factored_saddle_bound(problem, found.weights), found.lower_bound);
  }
}

}  // namespace
}  // namespace maxmargin
