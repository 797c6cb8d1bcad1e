// SPDX-License-Identifier: Apache-2.0
#include "solver/saddle/unit_box_qp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/blas.hpp"
#include "maxmargin/core/error.hpp"
#include "weight_cases.hpp"

namespace maxmargin {
namespace {

/// c K o M + ridge I for random points and random unit rows.
DenseMatrix random_matrix(std::size_t n, double c, double gamma, std::uint64_t seed) {
  DenseMatrix h = rbf_gram(normal_points(n, 2, seed), gamma);
  const auto v = normal_points(n, 3, seed + 1);
  const DenseMatrix m = linear_gram(v);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) h(i, j) *= c * m(i, j) / std::sqrt(m(i, i) * m(j, j));
    h(i, i) += 1e-9 * c;
  }
  return h;
}

/// The gap from the definition: value + gap bounds the optimum.
double plain_gap(const DenseMatrix& h, std::span<const double> x) {
  double gap = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double g = dot(h.row(i), x) - 1;
    gap += g > 0 ? g * x[i] : -g * (1 - x[i]);
  }
  return gap;
}

TEST(UnitBoxQp, MeetsTheOptimumOfCoordinateAscentAsTheBarrierFalls) {
  for (const double c : {0.3, 3.0, 100.0}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const DenseMatrix h = random_matrix(12, c, 2.0, seed);
      const double best = plain_omega(h.view(), 1, DenseMatrix(12, 12, 1.0).view());
      UnitBoxQp qp(12);
      for (const double mu : {1e-3, 1e-6, 1e-9}) {
        const UnitBoxQpReport report = qp.solve(h.view(), mu * best);
        EXPECT_EQ(report.status, Status::solved);
        EXPECT_LE(report.value, best * (1 + 1e-9));
        EXPECT_GE(report.value, best * (1 - 24 * mu - 1e-9));
        // The gap is a bound from above on what is missing.
        EXPECT_GE(report.value + report.gap, best * (1 - 1e-9));
        EXPECT_LE(report.gap, 30 * mu * best + 1e-12);
      }
    }
  }
}

// Another linear part than e: against coordinate ascent, as in the machines with weights.
TEST(UnitBoxQp, TakesAnyLinearPart) {
  Rng rng(6);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const DenseMatrix h = random_matrix(12, 3, 2.0, seed);
    std::vector<double> a(12);
    for (double& x : a) x = rng.uniform(-0.2, 1);
    const double best = plain_weight_omega(h.view(), 1, a, DenseMatrix(12, 12, 1.0).view());
    UnitBoxQp qp(12);
    const UnitBoxQpReport report = qp.solve(h.view(), 1e-9, a);
    EXPECT_NEAR(report.value, best, 1e-6);
    EXPECT_GE(report.value + report.gap, best - 1e-12);
    // Empty is e again.
    EXPECT_NEAR(qp.solve(h.view(), 1e-9).value,
                plain_omega(h.view(), 1, DenseMatrix(12, 12, 1.0).view()),
                1e-6);
  }
  UnitBoxQp qp(3);
  const std::vector<double> two(2, 1.0);
  EXPECT_THROW((void)qp.solve(DenseMatrix(3, 3).view(), 0.1, two), InvalidArgument);
}

TEST(UnitBoxQp, GapIsHonestAndThePointInside) {
  for (const double gamma : {0.05, 1.0, 20.0}) {
    const DenseMatrix h = random_matrix(150, 100, gamma, 11);
    UnitBoxQp qp(150);
    const UnitBoxQpReport report = qp.solve(h.view(), 1e-6);
    EXPECT_NEAR(plain_gap(h, qp.x()), report.gap, 1e-9 * report.value);
    for (const double x : qp.x()) {
      EXPECT_GT(x, 0);
      EXPECT_LT(x, 1);
    }
  }
}

// The first-order condition of the smoothed problem, row by row.
TEST(UnitBoxQp, GradientVanishesAtTheAnswer) {
  const DenseMatrix h = random_matrix(60, 10, 1.0, 3);
  UnitBoxQp qp(60);
  const double mu = 1e-4;
  (void)qp.solve(h.view(), mu);
  for (std::size_t i = 0; i < 60; ++i) {
    const double x = qp.x()[i];
    EXPECT_NEAR(1 - dot(h.row(i), qp.x()) + mu / x - mu / (1 - x), 0, 1e-5 * (1 + mu / x));
  }
}

TEST(UnitBoxQp, StartingAtTheAnswerTakesNoStep) {
  const DenseMatrix h = random_matrix(60, 10, 1.0, 3);
  UnitBoxQp qp(60, {.tolerance = 1e-12});
  (void)qp.solve(h.view(), 1e-5);
  EXPECT_EQ(qp.solve(h.view(), 1e-5).iterations, 0U);
}

TEST(UnitBoxQp, WithoutQuadraticTermEverythingIsNearlyOne) {
  UnitBoxQp qp(4);
  const UnitBoxQpReport report = qp.solve(DenseMatrix(4, 4).view(), 1e-9);
  EXPECT_NEAR(report.value, 4, 1e-7);
  EXPECT_GE(report.value + report.gap, 4 - 1e-12);
}

// A stop keeps the point so far, and the gap still says how good it is.
TEST(UnitBoxQp, AStopIsHeardAndTheGapStaysHonest) {
  const DenseMatrix h = random_matrix(40, 100, 1.0, 5);
  const double best = plain_omega(h.view(), 1, DenseMatrix(40, 40, 1.0).view());
  for (const std::size_t questions : {0U, 1U, 4U}) {
    std::size_t asked = 0;
    UnitBoxQp qp(40, {.context = {.on_progress = [&](const Progress&) {
                        return asked++ < questions ? Continue::yes : Continue::time_is_up;
                      }}});
    const UnitBoxQpReport report = qp.solve(h.view(), 1e-6);
    EXPECT_EQ(report.status, Status::time_limit);
    EXPECT_EQ(asked, questions + 1);
    EXPECT_GE(report.value + report.gap, best * (1 - 1e-9));
    EXPECT_NEAR(report.gap, plain_gap(h, qp.x()), 1e-9 * std::abs(report.gap));
  }
}

// How the answer moves with the gradient, against differences: H x = e + z.
TEST(UnitBoxQp, SolveHessianIsTheDerivativeOfTheAnswer) {
  const std::size_t n = 20;
  const DenseMatrix h = random_matrix(n, 5, 1.0, 5);
  const double mu = 1e-3;
  UnitBoxQp qp(n);
  (void)qp.solve(h.view(), mu);
  const std::vector<double> x(qp.x().begin(), qp.x().end());
  // H changes by t u u', so the gradient at x by -t u (u.x).
  std::vector<double> u(n);
  for (std::size_t i = 0; i < n; ++i) u[i] = std::sin(1.0 + static_cast<double>(i));
  std::vector<double> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = -u[i] * dot(u, x);
  qp.solve_hessian(h.view(), z);
  const double t = 1e-5;
  DenseMatrix moved = h;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) moved(i, j) += t * u[i] * u[j];
  }
  (void)qp.solve(moved.view(), mu);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR((qp.x()[i] - x[i]) / t, z[i], 1e-3);
}

TEST(UnitBoxQp, SameForAnyNumberOfThreads) {
  const DenseMatrix h = random_matrix(300, 50, 1.0, 7);
  UnitBoxQp one(300, {.context = {.threads = 1}});
  UnitBoxQp four(300, {.context = {.threads = 4}});
  (void)one.solve(h.view(), 1e-5);
  (void)four.solve(h.view(), 1e-5);
  EXPECT_TRUE(std::ranges::equal(one.x(), four.x()));
}

TEST(UnitBoxQp, WrongCallsAreRefused) {
  EXPECT_THROW(UnitBoxQp(0), InvalidArgument);
  EXPECT_THROW(UnitBoxQp(3, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW(UnitBoxQp(3, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(UnitBoxQp(3, {.context = {.threads = 0}}), InvalidArgument);
  UnitBoxQp qp(3);
  EXPECT_THROW((void)qp.solve(DenseMatrix(2, 2).view(), 1), InvalidArgument);
  EXPECT_THROW((void)qp.solve(DenseMatrix(3, 3).view(), 0), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
