// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/hinge_cuts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "solver/linear/linear.hpp"

namespace maxmargin {
namespace {

struct Case {
  DenseMatrix x = {};
  std::vector<double> signs = {};
};

Case random_case(std::size_t n, std::size_t d, double shift, std::uint64_t seed) {
  Rng rng(seed, "hinge cuts");
  Case made{DenseMatrix(n, d), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    made.signs[i] = rng.bernoulli(0.5) ? 1 : -1;
    for (std::size_t j = 0; j < d; ++j) made.x(i, j) = rng.normal() + shift;
    made.x(i, 0) += made.signs[i];
  }
  return made;
}

TEST(HingeCuts, AgreesWithCoordinateDescent) {
  for (const double c : {0.01, 1.0, 20.0}) {
    const Case made = random_case(200, 4, 0.0, 1);
    const HingeCutsSolution found = solve_hinge_cuts(
        {.points = PointRows(DenseView(made.x.view())), .signs = made.signs, .c = c},
        {.tolerance = 1e-5});
    LinearRisk twin;
    twin.examples = DenseView(made.x.view());
    twin.targets = made.signs;
    twin.c = c;
    const double best = *solve_dual_coordinate(twin, {.tolerance = 1e-6}).report.primal_objective;
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_NEAR(*found.report.primal_objective, best, 1.1e-5 * best);
  }
}

TEST(HingeCuts, CertificateIsRecomputedFromTheRows) {
  for (const double limit : {0.0, 0.3, std::numeric_limits<double>::infinity()}) {
    for (const double bias : {0.0, 1.0}) {
      const Case made = random_case(150, 3, 1.5, 2);
      const std::vector<double> centre = {0.1, -0.2, 0.3};
      const BoundedMeanHinge problem{.points = PointRows(DenseView(made.x.view())),
                                     .centre = centre,
                                     .bias = bias,
                                     .signs = made.signs,
                                     .c = 0.5,
                                     .mean_limit = limit};
      const HingeCutsSolution found = solve_hinge_cuts(problem, {.tolerance = 1e-4});
      EXPECT_EQ(found.report.status, Status::solved);
      const BoundedMeanResiduals again =
          residuals(problem, found.w, found.coefficients, found.mean_multiplier);
      EXPECT_NEAR(again.primal, *found.report.primal_objective, 1e-9 * again.primal);
      EXPECT_NEAR(again.dual, *found.report.dual_objective, 1e-7 * again.primal);
      EXPECT_LE(again.bound_violation, 1e-12);
      EXPECT_LE(again.mean_excess, 1e-10);
      EXPECT_LE(again.primal - again.dual, 1.01e-4 * again.primal);
    }
  }
}

// Sums of rows 1e13 from 0 are wrong by more than their distances: that is said, and nothing is
// proved. At 1e4 nothing is lost.
TEST(HingeCuts, RowsTooFarFromZeroAreToldFromSolved) {
  for (const double shift : {1e4, 1e13}) {
    const Case made = random_case(200, 4, shift, 5);
    std::vector<double> centre(4, 0.0);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < 4; ++j) centre[j] += made.x(i, j) / 200;
    }
    const SparseMatrix sparse = to_sparse(made.x.view());
    const HingeCutsSolution found = solve_hinge_cuts(
        {.points = PointRows(sparse.view()), .centre = centre, .signs = made.signs, .c = 1});
    EXPECT_EQ(found.report.status, shift < 1e5 ? Status::solved : Status::numerical_failure);
    EXPECT_EQ(found.report.dual_objective.has_value(), shift < 1e5);
    EXPECT_EQ(found.w.size(), 4U);
    EXPECT_EQ(found.scores.size(), 200U);
  }
}

TEST(HingeCuts, TheLimitOfTheMeanIsActiveWhereItMatters) {
  // All signs +: without a limit the mean score is near 1.
  const Case made = random_case(100, 3, 2.0, 3);
  const std::vector<double> plus(100, 1.0);
  BoundedMeanHinge problem{.points = PointRows(DenseView(made.x.view())), .signs = plus, .c = 1.0};
  const HingeCutsSolution free = solve_hinge_cuts(problem, {.tolerance = 1e-4});
  problem.mean_limit = 0.2;
  const HingeCutsSolution limited = solve_hinge_cuts(problem, {.tolerance = 1e-4});
  double mean = 0;
  for (const double score : limited.scores) mean += score / 100;
  EXPECT_NEAR(mean, 0.2, 1e-2);
  EXPECT_LE(std::abs(mean), 0.2 + 1e-10);
  EXPECT_NE(limited.mean_multiplier, 0);
  EXPECT_GT(*limited.report.primal_objective, *free.report.primal_objective);
}

TEST(HingeCuts, NeverWorseThanItsStart) {
  const Case made = random_case(120, 3, 0.0, 4);
  const BoundedMeanHinge problem{
      .points = PointRows(DenseView(made.x.view())), .signs = made.signs, .c = 1};
  const std::vector<double> start = {0.7, -0.3, 0.1};
  const std::vector<double> zero(120, 0.0);
  const double before = residuals(problem, start, zero, 0).primal;
  const HingeCutsSolution found =
      solve_hinge_cuts(problem, {.tolerance = 1e-12, .max_iterations = 1}, start);
  EXPECT_EQ(found.report.status, Status::iteration_limit);
  EXPECT_LE(*found.report.primal_objective, before);
  EXPECT_LE(*found.report.dual_objective, *found.report.primal_objective);
}

TEST(HingeCuts, SparseRowsAndThreadsChangeNothing) {
  const Case made = random_case(9000, 3, 0.0, 5);
  const SparseMatrix sparse = to_sparse(made.x.view());
  BoundedMeanHinge problem{
      .points = PointRows(DenseView(made.x.view())), .signs = made.signs, .c = 0.1};
  const HingeCutsSolution one =
      solve_hinge_cuts(problem, {.tolerance = 1e-2, .context = {.threads = 1}});
  const HingeCutsSolution three =
      solve_hinge_cuts(problem, {.tolerance = 1e-2, .context = {.threads = 3}});
  EXPECT_EQ(one.w, three.w);
  EXPECT_EQ(one.coefficients, three.coefficients);
  problem.points = PointRows(sparse.view());
  const HingeCutsSolution other = solve_hinge_cuts(problem, {.tolerance = 1e-2});
  EXPECT_NEAR(*other.report.primal_objective,
              *one.report.primal_objective,
              1e-2 * *one.report.primal_objective);
}

TEST(HingeCuts, RefusesWrongArguments) {
  const DenseMatrix x(2, 1, 1.0);
  const std::vector<double> signs = {1, -1};
  const std::vector<double> wrong = {1, 0};
  const PointRows points{DenseView(x.view())};
  EXPECT_THROW((void)solve_hinge_cuts({.points = points, .signs = wrong}), InvalidArgument);
  EXPECT_THROW((void)solve_hinge_cuts({.points = points, .signs = signs, .c = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_hinge_cuts({.points = points, .signs = signs, .mean_limit = -1}),
               InvalidArgument);
  EXPECT_THROW((void)solve_hinge_cuts({.points = points, .signs = signs}, {}, signs),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
