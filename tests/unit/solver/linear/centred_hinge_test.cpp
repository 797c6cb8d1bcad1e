// SPDX-License-Identifier: Apache-2.0
#include "solver/linear/centred_hinge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// Random rows, signs, margins, costs and a centre.
struct Case {
  DenseMatrix x;
  std::vector<double> centre = {};
  std::vector<double> signs = {};
  std::vector<double> margins = {};
  std::vector<double> costs = {};

  [[nodiscard]] CentredHinge problem() const {
    return {
        .examples = x.view(), .centre = centre, .signs = signs, .margins = margins, .costs = costs};
  }
};

Case random_case(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  Case c{.x = DenseMatrix(n, d)};
  for (std::size_t j = 0; j < d; ++j) c.centre.push_back(rng.normal());
  for (std::size_t i = 0; i < n; ++i) {
    c.signs.push_back(i % 2 == 0 ? 1 : -1);
    c.margins.push_back(0.2 + rng.uniform());
    c.costs.push_back(0.1 + 3 * rng.uniform());
    for (std::size_t j = 0; j < d; ++j) c.x(i, j) = rng.normal() + 0.5 * c.signs[i];
  }
  return c;
}

/// P(w) from its definition.
double primal(const Case& c, const std::vector<double>& w) {
  double sum = 0;
  for (const double weight : w) sum += 0.5 * weight * weight;
  for (std::size_t i = 0; i < c.x.rows(); ++i) {
    double score = 0;
    for (std::size_t j = 0; j < w.size(); ++j) score += w[j] * (c.x(i, j) - c.centre[j]);
    sum += c.costs[i] * std::max(0.0, c.margins[i] - c.signs[i] * score);
  }
  return sum;
}

/// D(b) from its definition; minus infinity outside the bounds.
double dual(const Case& c, const std::vector<double>& b) {
  std::vector<double> w(c.centre.size(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double a = c.signs[i] * b[i];
    if (a < 0 || a > c.costs[i]) return -std::numeric_limits<double>::infinity();
    sum += c.margins[i] * a;
    for (std::size_t j = 0; j < w.size(); ++j) w[j] += b[i] * (c.x(i, j) - c.centre[j]);
  }
  for (const double weight : w) sum -= 0.5 * weight * weight;
  return sum;
}

TEST(CentredHinge, ReportsThePrimalAndDualOfItsPoint) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Case c = random_case(40, 4, seed);
    const CentredHingeSolution found = solve_centred_hinge(c.problem(), {.tolerance = 1e-6});
    EXPECT_EQ(found.report.status, Status::solved);
    const double p = primal(c, found.w);
    EXPECT_NEAR(*found.report.primal_objective, p, 1e-10 * p);
    EXPECT_NEAR(*found.report.dual_objective, dual(c, found.coefficients), 1e-10 * p);
    EXPECT_LE(*found.report.relative_gap(), 1e-6);
    EXPECT_GE(*found.report.relative_gap(), -1e-12);
  }
}

// Rows (x - centre) / margin with costs times margin are a plain machine without bias.
TEST(CentredHinge, AgreesWithThePlainSolverOnCentredScaledRows) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Case c = random_case(50, 3, seed);
    DenseMatrix scaled(c.x.rows(), c.x.cols());
    std::vector<double> weights;
    for (std::size_t i = 0; i < c.x.rows(); ++i) {
      weights.push_back(c.costs[i] * c.margins[i]);
      for (std::size_t j = 0; j < c.x.cols(); ++j) {
        scaled(i, j) = (c.x(i, j) - c.centre[j]) / c.margins[i];
      }
    }
    const LinearSolution plain = solve_dual_coordinate(
        {.examples = scaled.view(), .targets = c.signs, .weights = weights, .c = 1},
        {.tolerance = 1e-9});
    const CentredHingeSolution found = solve_centred_hinge(c.problem(), {.tolerance = 1e-9});
    EXPECT_NEAR(*found.report.primal_objective,
                *plain.report.primal_objective,
                2e-9 * *plain.report.primal_objective);
  }
}

TEST(CentredHinge, SparseAndDenseRowsGiveTheSame) {
  const Case c = random_case(30, 5, 3);
  const SparseMatrix sparse = to_sparse(c.x.view());
  CentredHinge problem = c.problem();
  problem.examples = sparse.view();
  const double wanted =
      *solve_centred_hinge(c.problem(), {.tolerance = 1e-9}).report.primal_objective;
  const CentredHingeSolution found = solve_centred_hinge(problem, {.tolerance = 1e-9});
  EXPECT_NEAR(*found.report.primal_objective, wanted, 2e-9 * wanted);
}

/// The same case with another origin, in coordinates that lose digits there.
Case moved(Case c, double shift) {
  for (double& value : c.centre) value += shift;
  for (std::size_t i = 0; i < c.x.rows(); ++i) {
    for (double& value : c.x.row(i)) value += shift;
  }
  return c;
}

// Nothing but differences from the centre matters, and those are exact.
TEST(CentredHinge, DenseRowsFarFromTheOriginLoseNothing) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Case c = moved(random_case(40, 4, seed), 1e9);
    const CentredHingeSolution found = solve_centred_hinge(c.problem(), {.tolerance = 1e-8});
    EXPECT_EQ(found.report.status, Status::solved) << found.report.message;
    const double p = primal(c, found.w);
    ASSERT_TRUE(found.report.primal_objective);
    EXPECT_NEAR(*found.report.primal_objective, p, 1e-10 * p);
    EXPECT_NEAR(*found.report.dual_objective, dual(c, found.coefficients), 1e-10 * p);
  }
}

TEST(CentredHinge, SparseRowsTooFarFromTheOriginFailRatherThanDeceive) {
  for (const double shift : {1e3, 1e6, 1e9, 1e12}) {
    const Case c = moved(random_case(40, 4, 5), shift);
    const SparseMatrix sparse = to_sparse(c.x.view());
    CentredHinge problem = c.problem();
    problem.examples = sparse.view();
    // No limit: between the ends the steps are lost in rounding, and it must notice.
    const CentredHingeSolution found = solve_centred_hinge(problem, {.tolerance = 1e-6});
    EXPECT_TRUE(shift > 1e3 || found.report.status == Status::solved);
    EXPECT_TRUE(shift < 1e12 || found.report.status == Status::numerical_failure);
    if (!found.report.dual_objective) continue;
    const double p = primal(c, found.w);
    EXPECT_NEAR(*found.report.primal_objective, p, 1e-6 * p) << shift;
    EXPECT_NEAR(*found.report.dual_objective, dual(c, found.coefficients), 1e-6 * p) << shift;
  }
}

TEST(CentredHinge, RestartFromTheOptimumTakesNoPasses) {
  const Case c = random_case(40, 4, 5);
  const CentredHingeSolution first = solve_centred_hinge(c.problem(), {.tolerance = 1e-6});
  EXPECT_GT(first.report.iterations, 0U);
  const CentredHingeSolution again =
      solve_centred_hinge(c.problem(), {.tolerance = 1e-6}, first.coefficients);
  EXPECT_EQ(again.report.iterations, 0U);
  EXPECT_EQ(again.coefficients, first.coefficients);
}

TEST(CentredHinge, RowsOfCostZeroAreNotThere) {
  Case c = random_case(20, 3, 7);
  for (std::size_t i = 10; i < 20; ++i) c.costs[i] = 0;
  const CentredHingeSolution found = solve_centred_hinge(c.problem(), {.tolerance = 1e-8});
  for (std::size_t i = 10; i < 20; ++i) EXPECT_EQ(found.coefficients[i], 0);
  EXPECT_NEAR(*found.report.primal_objective, primal(c, found.w), 1e-10);
}

TEST(CentredHinge, TakesRowsAtTheCentreAndNoRows) {
  Case c = random_case(6, 2, 9);
  for (std::size_t i = 0; i < 3; ++i) std::ranges::copy(c.centre, c.x.row(i).begin());
  const CentredHingeSolution found = solve_centred_hinge(c.problem(), {.tolerance = 1e-8});
  EXPECT_EQ(found.report.status, Status::solved);
  // Such a row always pays its margin, so its coefficient is at the bound.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::abs(found.coefficients[i]), c.costs[i]);
  const DenseMatrix none(0, 2);
  const CentredHingeSolution empty =
      solve_centred_hinge({.examples = none.view(), .centre = c.centre});
  EXPECT_EQ(empty.report.status, Status::solved);
  EXPECT_EQ(*empty.report.primal_objective, 0);
}

TEST(CentredHinge, ObeysLimitsAndTheCallback) {
  const Case c = random_case(60, 4, 11);
  const CentredHingeSolution limited =
      solve_centred_hinge(c.problem(), {.tolerance = 1e-12, .max_iterations = 2});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_NEAR(*limited.report.primal_objective, primal(c, limited.w), 1e-9);
  const CentredHingeSolution stopped = solve_centred_hinge(
      c.problem(), {.tolerance = 1e-12, .context = {.on_progress = [](const Progress&) {
                                          return Continue::stop;
                                        }}});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
}

TEST(CentredHinge, RefusesWhatDoesNotFit) {
  Case c = random_case(6, 2, 13);
  c.costs[2] = -1;
  EXPECT_THROW((void)solve_centred_hinge(c.problem()), InvalidArgument);
  c.costs[2] = 1;
  c.signs[1] = 0;
  EXPECT_THROW((void)solve_centred_hinge(c.problem()), InvalidArgument);
  c.signs[1] = 1;
  c.margins.pop_back();
  EXPECT_THROW((void)solve_centred_hinge(c.problem()), InvalidArgument);
  c.margins.push_back(1);
  c.centre.pop_back();
  EXPECT_THROW((void)solve_centred_hinge(c.problem()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
