// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/sdp/sdp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "sdp_cases.hpp"

namespace maxmargin {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

TEST(SdpBuilder, SortsMirrorsAndAddsUpEntries) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 3);
  builder.add_equality(std::vector{sdp_entry(0, 1, 2, 1.5),
                                   sdp_entry(0, 0, 0, 4),
                                   sdp_entry(0, 2, 1, 0.5),
                                   sdp_entry(0, 1, 1, 3),
                                   sdp_entry(0, 1, 1, -3)},
                       7);
  const SdpProblem problem = builder.build();
  ASSERT_EQ(problem.constraint(0).size(), 2U);
  EXPECT_EQ(problem.constraint(0)[0].value, 4);
  EXPECT_EQ(problem.constraint(0)[1].row, 2U);
  EXPECT_EQ(problem.constraint(0)[1].column, 1U);
  EXPECT_EQ(problem.constraint(0)[1].value, 2);
  EXPECT_FALSE(problem.slack_block().has_value());
}

TEST(SdpBuilder, InequalitiesBecomeEqualitiesWithSlacks) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_inequality(std::vector{sdp_entry(0, 0, 0, 1)}, SdpSense::at_most, 3);
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1)}, 1);
  builder.add_inequality(std::vector{sdp_entry(0, 1, 0, 1)}, SdpSense::at_least, -1);
  const SdpProblem problem = builder.build();
  ASSERT_EQ(problem.blocks().size(), 2U);
  EXPECT_EQ(problem.slack_block(), 1U);
  EXPECT_EQ(problem.blocks()[1].size, 2U);
  EXPECT_EQ(problem.constraint(0).back().value, 1);
  EXPECT_EQ(problem.constraint(0).back().block, 1U);
  EXPECT_EQ(problem.constraint(1).size(), 1U);
  EXPECT_EQ(problem.constraint(2).back().value, -1);
  EXPECT_EQ(problem.constraint(2).back().row, 1U);
}

TEST(SdpBuilder, RefusesWhatDoesNotExist) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_block(SdpCone::nonnegative, 2);
  EXPECT_THROW(builder.add_cost(sdp_entry(2, 0, 0, 1)), InvalidArgument);
  EXPECT_THROW(builder.add_cost(sdp_entry(0, 2, 0, 1)), InvalidArgument);
  EXPECT_THROW(builder.add_cost(sdp_entry(0, 0, 2, 1)), InvalidArgument);
  EXPECT_THROW(builder.add_cost(sdp_entry(1, 0, 1, 1)), InvalidArgument);
  EXPECT_THROW(builder.add_cost(sdp_entry(0, 0, 0, std::nan(""))), InvalidArgument);
  EXPECT_THROW(builder.add_equality({}, inf), InvalidArgument);
  EXPECT_THROW(builder.bound_trace(5, 1), InvalidArgument);
  EXPECT_THROW(builder.bound_trace(0, -1), InvalidArgument);
  EXPECT_THROW(builder.bound_trace(0, inf), InvalidArgument);
  builder.add_cost(sdp_entry(0, 0, 0, 1.5e308));
  builder.add_cost(sdp_entry(0, 0, 0, 1.5e308));
  EXPECT_THROW((void)builder.build(), InvalidArgument);
}

TEST(SdpResiduals, AreZeroAtAnExactSolutionAndSeeEveryMistake) {
  // min 2 X_01 with unit diagonal: X_01 = -1, value -2; y = (-1, -1), Z = [1 1; 1 1].
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 1, 0, 1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, 1);
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1)}, 1);
  const SdpProblem problem = builder.build();
  BlockMatrix x = problem.zero_point();
  BlockMatrix z = problem.zero_point();
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      x[0](i, j) = i == j ? 1 : -1;
      z[0](i, j) = 1;
    }
  }
  const std::vector<double> y = {-1, -1};
  const SdpResiduals good = residuals(problem, x, y, z);
  EXPECT_EQ(good.primal, -2);
  EXPECT_EQ(good.dual, -2);
  EXPECT_EQ(good.primal_infeasibility, 0);
  EXPECT_EQ(good.dual_infeasibility, 0);
  EXPECT_EQ(good.relative_gap, 0);
  EXPECT_EQ(good.complementarity, 0);
  EXPECT_NEAR(good.least_eigenvalue_x, 0, 1e-15);
  EXPECT_NEAR(good.least_eigenvalue_z, 0, 1e-15);

  BlockMatrix wrong = x;
  wrong[0](0, 0) = 1.5;
  EXPECT_NEAR(residuals(problem, wrong, y, z).primal_infeasibility, 0.25, 1e-15);
  wrong = z;
  wrong[0](1, 0) = wrong[0](0, 1) = 2;
  EXPECT_NEAR(residuals(problem, x, y, wrong).dual_infeasibility, std::sqrt(2) / 2, 1e-15);
  EXPECT_NEAR(residuals(problem, x, y, wrong).least_eigenvalue_z, -1, 1e-14);
  EXPECT_NEAR(residuals(problem, x, std::vector<double>{-1, -2}, z).relative_gap, 1.0 / 6, 1e-15);

  EXPECT_THROW((void)residuals(problem, x, std::vector<double>{1}, z), InvalidArgument);
  EXPECT_THROW((void)residuals(problem, {}, y, z), InvalidArgument);
  x[0](0, 0) = std::nan("");
  EXPECT_THROW((void)residuals(problem, x, y, z), InvalidArgument);
}

TEST(SdpBounds, AreFoundFromTheConstraints) {
  const SdpBounds cut = implied_bounds(max_cut(5, cycle(5)));
  EXPECT_NEAR(cut.trace[0], 5, 1e-12);
  EXPECT_GE(cut.trace[0], 5);
  EXPECT_NEAR(cut.diagonal[0][3], 1, 1e-12);
  const SdpBounds theta = implied_bounds(lovasz_theta(5, cycle(5)));
  EXPECT_NEAR(theta.trace[0], 1, 1e-12);
  EXPECT_EQ(implied_bounds(lyapunov(std::vector<double>{1, 2})).trace[1], inf);

  // Slacks of rows over a bounded block: X_01 >= -1/2 and diag = e give a slack of at most 1.5.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_block(SdpCone::semidefinite, 2);
  builder.bound_trace(1, 7);
  builder.add_inequality(std::vector{sdp_entry(0, 1, 0, 0.5)}, SdpSense::at_least, -0.5);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, 1);
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1)}, 1);
  const SdpBounds mixed = implied_bounds(builder.build());
  EXPECT_NEAR(mixed.trace[0], 2, 1e-12);
  EXPECT_EQ(mixed.trace[1], 7);
  EXPECT_NEAR(mixed.diagonal[2][0], 1.5, 1e-12);
}

// seed-xu fact 26 (weak duality), fact 28 (the bound from the certificate alone).
TEST(SdpLowerBound, HoldsForAnyMultipliersWhenTheTraceIsBounded) {
  const Edges edges = random_graph(8, 0.5, 3);
  const SdpProblem problem = max_cut(8, edges);
  // Every labelling is feasible, so the bound is below minus the largest cut.
  double best = 0;
  for (unsigned side = 0; side < 256; ++side) {
    double cut = 0;
    for (const auto& [i, j] : edges) cut += ((side >> i) & 1U) != ((side >> j) & 1U) ? 1 : 0;
    best = std::max(best, cut);
  }
  Rng rng(1, "multipliers");
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> y(8);
    double sum = 0;
    for (double& value : y) sum += value = -2 + rng.normal();
    const SdpLowerBound bound = certified_lower_bound(problem, y);
    EXPECT_LE(bound.value, -best);
    const double least = plain_least_eigenvalue(problem, plain_dual_matrix(problem, y));
    EXPECT_NEAR(bound.value, sum + 8 * std::min(0.0, least), 1e-11);
    EXPECT_NEAR(bound.least_eigenvalue, least, 1e-12);
    EXPECT_LE(bound.least_eigenvalue, least + 1e-14);
  }
}

TEST(SdpLowerBound, NeedsTheConeWhereNothingBoundsX) {
  const SdpProblem problem = lyapunov(std::vector<double>{1, 2});
  // P = 2 I is feasible and its trace is 4; P = 0 is not.
  const std::vector<double> good = {2, 0, 2};
  const SdpLowerBound bound = certified_lower_bound(problem, good);
  EXPECT_NEAR(bound.value, -4, 1e-12);
  EXPECT_LE(bound.value, -4);
  EXPECT_FALSE(bound.uses_bounds);
  EXPECT_EQ(certified_lower_bound(problem, std::vector<double>{0, 0, 0}).value, -inf);
  EXPECT_EQ(certified_lower_bound(problem, std::vector<double>{inf, 0, 0}).value, -inf);
  EXPECT_THROW((void)certified_lower_bound(problem, std::vector<double>{0}), InvalidArgument);
}

// tr X = 1e9: an error of 1e-16 of the eigenvalues would cost 1e-7. Entries that do not meet are
// exact, each by itself.
TEST(SdpLowerBound, PartsThatDoNotMeetRoundByThemselves) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 3);
  builder.add_cost(sdp_entry(0, 0, 0, 2));
  builder.add_cost(sdp_entry(0, 1, 1, 2));
  builder.add_cost(sdp_entry(0, 1, 0, 1));
  builder.add_equality(
      std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1), sdp_entry(0, 2, 2, 1)}, 1e9);
  const SdpProblem problem = builder.build();
  const SdpLowerBound bound = certified_lower_bound(problem, std::vector<double>{-1e-20});
  EXPECT_NEAR(bound.value, -1e-11, 1e-20);
  EXPECT_FALSE(bound.uses_bounds);
}

TEST(SdpLowerBound, SmallUnitsRoundAsLargeOnesDo) {
  // Squares of entries of 2^-560 are no doubles, the rounding of their sum is one nevertheless.
  const auto least_of = [](int power) {
    SdpBuilder builder;
    builder.add_block(SdpCone::semidefinite, 2);
    builder.add_cost(sdp_entry(0, 0, 0, std::ldexp(3.0, power)));
    builder.add_cost(sdp_entry(0, 1, 0, std::ldexp(1.0, power)));
    builder.add_cost(sdp_entry(0, 1, 1, std::ldexp(3.0, power)));
    builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, 1);
    const SdpLowerBound bound = certified_lower_bound(builder.build(), std::vector<double>{0});
    return std::ldexp(bound.least_eigenvalue, -power);
  };
  const double epsilon = std::numeric_limits<double>::epsilon();
  // What the entries' rounding takes is 2 epsilon |C|; the eigenvalues' own is as large.
  EXPECT_NEAR(least_of(-560), least_of(0), epsilon * std::sqrt(20));
  EXPECT_LT(least_of(-560), 2);
}

TEST(SdpUnboundedness, OfNumbersThatAreClippedNothingIsProven) {
  // min -x_0, x_1 = 1: e_0 is a ray, but not with an entry below 0, however small.
  SdpBuilder builder;
  builder.add_block(SdpCone::nonnegative, 2);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1)}, 1);
  const SdpProblem problem = builder.build();
  BlockMatrix ray = problem.zero_point();
  ray[0](0, 0) = 1;
  EXPECT_TRUE(unboundedness_proof(problem, ray).proven);
  ray[0](0, 1) = -1e-30;
  EXPECT_FALSE(unboundedness_proof(problem, ray).proven);
}

TEST(SdpProvenGap, IsRelativeToTheValuesOrToTheProgram) {
  // |C| = 3, |b| = 2 for rows of length 1.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 1);
  builder.add_cost(sdp_entry(0, 0, 0, 3));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 10)}, 20);
  const SdpProblem problem = builder.build();
  EXPECT_NEAR(proven_gap(problem, 6, 5.4), 0.1, 1e-15);
  EXPECT_NEAR(proven_gap(problem, 5.4, 6), 0.1, 1e-15);
  EXPECT_EQ(proven_gap(problem, 0, 0), 0);
  EXPECT_EQ(proven_gap(problem, 6, std::nullopt), inf);
  EXPECT_EQ(proven_gap(problem, 6, -inf), inf);
  // A value of 0: a hundredth of 1, or of |C| |b| where that is less.
  EXPECT_DOUBLE_EQ(proven_gap(problem, 1e-3, 0), 0.1);
  builder.add_block(SdpCone::semidefinite, 1);
  builder.add_cost(sdp_entry(0, 0, 0, 3e-6));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 10)}, 20);
  EXPECT_DOUBLE_EQ(proven_gap(builder.build(), 1e-9, 1e-10), 9e-10 / 6e-8);
}

TEST(SdpLowerBound, AGuessOfTheValueBoundsWhatTheConstraintsLeaveFree) {
  // min x + y, x - y = 1: 1 at (1, 0). No constraint bounds either, the value bounds both.
  SdpBuilder builder;
  builder.add_block(SdpCone::nonnegative, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  builder.add_cost(sdp_entry(0, 1, 1, 1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, -1)}, 1);
  const SdpProblem problem = builder.build();
  const std::vector<double> y = {1 + 1e-6};  // z = (-1e-6, 2): a little outside the cone
  EXPECT_EQ(certified_lower_bound(problem, y).value, -inf);
  const double bound = certified_lower_bound(problem, y, 1.0).value;
  EXPECT_LE(bound, 1);
  EXPECT_NEAR(bound, 1, 1e-5);
  // Any guess gives a true bound: too low a one bounds by itself.
  for (const double guess : {-5.0, 0.0, 0.5, 0.99, 1.5, 10.0, 1e6}) {
    EXPECT_LE(certified_lower_bound(problem, y, guess).value, 1);
  }
  EXPECT_NEAR(certified_lower_bound(problem, y, 0.5).value, 0.505, 1e-4);
}

TEST(SdpProofs, AcceptAndRejectRays) {
  // tr X = -1 has no solution in the cone: y = -1.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, -1);
  const SdpProblem none = builder.build();
  const SdpRayProof good = infeasibility_proof(none, std::vector<double>{-3});
  EXPECT_EQ(good.value, 1);
  EXPECT_EQ(good.violation, 0);
  EXPECT_TRUE(good.proven);
  EXPECT_EQ(infeasibility_proof(none, std::vector<double>{3}).value, 0);
  // Of a feasible program no multipliers prove anything.
  const SdpProblem cut = max_cut(4, cycle(4));
  Rng rng(2, "rays");
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> y(4);
    for (double& value : y) value = rng.normal();
    EXPECT_FALSE(infeasibility_proof(cut, y).proven);
  }

  // min -X_00, X_11 = 1: X_00 grows without end.
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1)}, 1);
  const SdpProblem endless = builder.build();
  BlockMatrix ray = endless.zero_point();
  ray[0](0, 0) = 5;
  const SdpRayProof falls = unboundedness_proof(endless, ray);
  EXPECT_EQ(falls.value, 1);
  EXPECT_LE(falls.violation, 1e-14);
  EXPECT_TRUE(falls.proven);
  ray[0](1, 1) = 1;
  EXPECT_NEAR(unboundedness_proof(endless, ray).violation, 0.2, 1e-14);
  EXPECT_FALSE(unboundedness_proof(endless, ray).proven);
  // Far outside the cone: what is left after lifting it points nowhere.
  ray[0](0, 0) = -5;
  EXPECT_FALSE(unboundedness_proof(endless, ray).proven);
  EXPECT_GT(unboundedness_proof(endless, ray).violation, 1e9);
  ray = endless.zero_point();
  EXPECT_EQ(unboundedness_proof(endless, ray).value, 0);
}

TEST(SdpProofs, ARayThatMeetsItsEquationsToRoundingOnlyProvesNothing) {
  // min -X_11, X_00 + 1e-16 X_11 = 1: the optimum is -1e16, and e_1 e_1' is no ray.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 1, 1, -1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1e-16)}, 1);
  const SdpProblem problem = builder.build();
  BlockMatrix ray = problem.zero_point();
  ray[0](1, 1) = 1;
  EXPECT_FALSE(unboundedness_proof(problem, ray).proven);
  EXPECT_NEAR(unboundedness_proof(problem, ray).violation, 1e-16, 1e-20);

  // X_00 - X_11 = 1 and min -X_00: the identity is one, exactly.
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, -1)}, 1);
  const SdpProblem endless = builder.build();
  ray[0](0, 0) = 1;
  EXPECT_TRUE(unboundedness_proof(endless, ray).proven);
  // One ulp off it is as good: the row is its own inverse to a factor, and the ray is definite.
  ray[0](0, 0) = 1 + 0x1p-52;
  EXPECT_TRUE(unboundedness_proof(endless, ray).proven);
}

// min -X_00 - X_11, X_00 - X_11 + s X_01 = 1. A ray that is off by t has a neighbour that is exact
// within t / |A|; it must be nearer than the border of the cone.
TEST(SdpProofs, ARayIsProvenByAnExactNeighbourInsideTheCone) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  builder.add_cost(sdp_entry(0, 1, 1, -1));
  builder.add_equality(
      std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, -1), sdp_entry(0, 1, 0, 0.1)}, 1);
  const SdpProblem problem = builder.build();
  BlockMatrix ray = problem.zero_point();
  const auto proof = [&](double a, double b, double off) {
    ray[0](0, 0) = a;
    ray[0](1, 1) = b;
    ray[0](0, 1) = ray[0](1, 0) = off;
    return unboundedness_proof(problem, ray);
  };
  EXPECT_TRUE(proof(1.1, 1, -0.5).proven);  // 0.1 is no double
  EXPECT_TRUE(proof(1.2, 1, 0).proven);     // 0.2 / |A| is below 1
  EXPECT_FALSE(proof(3, 1, 0).proven);      // 2 / |A| is not
  // On the border, off by rounding alone: no room.
  EXPECT_FALSE(proof(0.1, 0.1, 0.1).proven);
  // The row twice, in multiples that depend on each other to rounding: nothing is said.
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  for (const double factor : {1.0, 1.0 / 3}) {
    builder.add_equality(std::vector{sdp_entry(0, 0, 0, factor), sdp_entry(0, 1, 1, -1.7 * factor)},
                         1);
  }
  ray[0](0, 0) = 1.7;
  ray[0](0, 1) = ray[0](1, 0) = 0;
  ray[0](1, 1) = 1 + 0x1p-52;
  EXPECT_FALSE(unboundedness_proof(builder.build(), ray).proven);
}

TEST(SdpProofs, AFallThatTheNeighbourMayLoseProvesNothing) {
  // <C, X> = -0.1, off by 0.1: the neighbour (0.95, 0.95) has <C, X> = 0.
  SdpBuilder builder;
  builder.add_block(SdpCone::nonnegative, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  builder.add_cost(sdp_entry(0, 1, 1, -1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, -1)}, 1);
  const SdpProblem problem = builder.build();
  BlockMatrix ray = problem.zero_point();
  ray[0](0, 0) = 0.9;
  ray[0](0, 1) = 1;
  EXPECT_LT(residuals(problem, ray, std::vector<double>{0}, problem.zero_point()).primal, 0);
  EXPECT_FALSE(unboundedness_proof(problem, ray).proven);
}

TEST(SdpProofs, RowsWithoutATermNeedNoBound) {
  // X_00 = -1 in a block whose second row nothing bounds.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, -1);
  EXPECT_TRUE(infeasibility_proof(builder.build(), std::vector<double>{-1}).proven);
}

// The loss is a sum of as many roundings as there are entries: with n a power of two and equal
// losses the exact value is known.
TEST(SdpLowerBound, PaysForTheRoundingOfEverySum) {
  constexpr std::size_t n = 1U << 12U;
  SdpBuilder builder;
  builder.add_block(SdpCone::nonnegative, n);
  constexpr double loss = 0.1;
  for (std::size_t j = 0; j < n; ++j) builder.add_cost(sdp_entry(0, j, j, -loss));
  const SdpProblem problem = builder.build();
  for (int trial = 0; trial < 50; ++trial) {
    const double bound = 1 + 0.01 * trial;
    const SdpBounds bounds{.diagonal = {std::vector<double>(n, bound)}, .trace = {inf}};
    // -0.1 bound n exactly: the product of two doubles and a power of two.
    const double product = loss * bound;
    const double rest = std::fma(loss, bound, -product);
    const double value = certified_lower_bound(problem, {}, bounds).value;
    const double above = value + static_cast<double>(n) * product;
    EXPECT_LE(above + static_cast<double>(n) * rest, 0) << bound;
  }
}

TEST(SdpBounds, EntriesOffTheDiagonalAreAtMostHalfTheTrace) {
  // tr X = 2 and x + 2 X_10 = 1: |X_10| <= 1, so x <= 3.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_block(SdpCone::nonnegative, 1);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, 2);
  builder.add_equality(std::vector{sdp_entry(0, 1, 0, 1), sdp_entry(1, 0, 0, 1)}, 1);
  EXPECT_NEAR(implied_bounds(builder.build()).diagonal[1][0], 3, 1e-12);
}

}  // namespace
}  // namespace maxmargin
