// SPDX-License-Identifier: Apache-2.0
//
// What the notes on Xu's thesis say of the relaxation of two-class maximum-margin clustering, of
// the plain program by the interior point and of the saddle by low-rank factors.
#include <gtest/gtest.h>

#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "sdp_cases.hpp"
#include "solver/saddle/label_saddle.hpp"
#include "solver/sdp/interior_point.hpp"

namespace maxmargin {
namespace {

DenseMatrix label_matrix(const LabelSaddleSolution& found) {
  DenseMatrix m(found.v.rows(), found.v.rows());
  gemm(Transpose::no, Transpose::yes, 1.0, found.v.view(), found.v.view(), 0.0, m.view());
  return m;
}

LabelSaddleSolution solved(const LabelSaddle& problem) {
  LabelSaddleSolution found = solve_label_saddle(problem, {.tolerance = 1e-7});
  EXPECT_EQ(found.report.status, Status::solved);
  return found;
}

LabelSaddle rows_of(const DenseMatrix& gram, double c, double imbalance) {
  return {.matrix = gram.view(), .c = c, .balance = LabelBalance::rows, .imbalance = imbalance};
}

/// Two clusters of four points: similarity 1 within, 0 across.
DenseMatrix two_ideal_clusters() {
  DenseMatrix gram(8, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) gram(i, j) = (i < 4) == (j < 4) ? 1 : 0;
  }
  return gram;
}

// seed-xu fact 26: no dual feasible point is above a primal feasible one, and what lies between
// their values is <X, Z>.
TEST(MmcFacts, WeakDualityOfEveryFeasiblePair) {
  const SdpProblem problem = max_cut(7, random_graph(7, 0.6, 5));
  Rng rng(3, "feasible pairs");
  for (int trial = 0; trial < 30; ++trial) {
    DenseMatrix v(7, 3);
    for (std::size_t i = 0; i < 7; ++i) {
      for (double& entry : v.row(i)) entry = rng.normal();
      const double length = std::sqrt(dot(v.row(i), v.row(i)));
      for (double& entry : v.row(i)) entry /= length;
    }
    BlockMatrix x = {DenseMatrix(7, 7)};
    gemm(Transpose::no, Transpose::yes, 1.0, v.view(), v.view(), 0.0, x[0].view());
    std::vector<double> y(7);
    for (double& multiplier : y) multiplier = rng.normal();
    // Z = C - Diag(y) becomes semidefinite when every y_i falls by what is missing.
    const double least = plain_least_eigenvalue(problem, plain_dual_matrix(problem, y));
    for (double& multiplier : y) multiplier += least;
    const BlockMatrix z = plain_dual_matrix(problem, y);
    const SdpResiduals found = residuals(problem, x, y, z);
    EXPECT_LE(found.primal_infeasibility, 1e-12);
    EXPECT_GE(found.primal, found.dual - 1e-12);
    double product = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t j = 0; j < 7; ++j) product += x[0](i, j) * z[0](i, j);
    }
    EXPECT_NEAR(found.primal - found.dual, product, 1e-11);
  }
}

// seed-xu fact 30: in the program the variables e + mu - nu are the margins (1/beta)(K o M) l, nu
// the slacks of those below 1 and mu the excess of those above.
TEST(MmcFacts, MultipliersOfTheProgramAreMarginsAndSlacks) {
  for (const double beta : {1.0, 10.0}) {
    for (const DenseMatrix& kernel : {golden_a(), golden_b()}) {
      const std::size_t n = kernel.rows();
      const SdpSolution solution =
          solve_sdp_interior_point(mmc2_program(kernel, beta, 2.0), {.context = {.threads = 1}});
      ASSERT_EQ(solution.report.status, Status::solved);
      const DenseMatrix& m = solution.x[0];
      const std::vector<double> lambda = plain_lambda(kernel.view(), 1 / beta, m.view());
      for (std::size_t i = 0; i < n; ++i) {
        double margin = 0;
        for (std::size_t j = 0; j < n; ++j) margin += kernel(i, j) * m(i, j) * lambda[j] / beta;
        // Values agree to about 1e-8, and the variables to its root where the value is flat.
        EXPECT_NEAR(solution.x[1](n, i), margin, 1e-3) << beta << ' ' << i;
        EXPECT_NEAR(solution.x[2](0, n + i), std::max(0.0, 1 - margin), 1e-3);
        EXPECT_NEAR(solution.x[2](0, i), std::max(0.0, margin - 1), 1e-3);
      }
      // zeta is omega at the M that was found.
      EXPECT_NEAR(
          plain_omega(kernel.view(), 1 / beta, m.view()), *solution.report.primal_objective, 1e-6);
    }
  }
}

// seed-xu fact 32: antipodal masses have the label matrix y y' and no other.
TEST(MmcFacts, AntipodalMassesHaveOneLabelMatrix) {
  const DenseMatrix gram = linear_gram({{1}, {1}, {1}, {-1}, {-1}, {-1}});
  const DenseMatrix m = label_matrix(solved(rows_of(gram, 2, 2)));
  const SdpSolution program =
      solve_sdp_interior_point(mmc2_program(gram, 0.5, 2.0), {.context = {.threads = 1}});
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      const double expected = (i < 3) == (j < 3) ? 1 : -1;
      EXPECT_NEAR(m(i, j), expected, 1e-3);
      EXPECT_NEAR(program.x[0](i, j), expected, 1e-3);
    }
  }
}

// seed-xu fact 35: with K >= 0 and no balance nothing is better than one label for all.
TEST(MmcFacts, SimilaritiesWithoutBalanceGiveOneLabelToAll) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const DenseMatrix gram = rbf_gram(normal_points(9, 2, seed), 0.8);
    for (const double c : {0.5, 5.0}) {
      const double all_equal = plain_omega(gram.view(), c, DenseMatrix(9, 9, 1.0).view());
      const LabelSaddleSolution found = solved({.matrix = gram.view(), .c = c});
      EXPECT_NEAR(found.value, all_equal, 1e-6 * all_equal);
      EXPECT_NEAR(found.lower_bound, all_equal, 1e-6 * all_equal);
    }
  }
}

// seed-xu fact 36, the gauge: points turned to their opposites turn labels, not the value. Half of
// them at 1 and half at -1: one label matrix alone is optimal (fact 32).
TEST(MmcFacts, OppositePointsHaveOppositeLabels) {
  auto points = normal_points(9, 3, 8);
  const DenseMatrix gram = linear_gram(points);
  const double value = solved({.matrix = gram.view(), .c = 3}).value;
  for (const std::size_t i : {0U, 3U, 4U, 7U}) {
    for (double& x : points[i]) x = -x;
  }
  const DenseMatrix turned = linear_gram(points);
  EXPECT_NEAR(solved({.matrix = turned.view(), .c = 3}).value, value, 1e-6 * value);

  const std::vector<double> sides = {1, 1, 1, -1, -1, -1};
  const std::vector<double> turns = {1, -1, 1, 1, -1, 1};
  std::vector<std::vector<double>> masses;
  for (std::size_t i = 0; i < 6; ++i) masses.push_back({turns[i] * sides[i]});
  const DenseMatrix m = label_matrix(solved({.matrix = linear_gram(masses).view(), .c = 2}));
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(m(i, j), sides[i] * sides[j] * turns[i] * turns[j], 1e-3);
    }
  }
}

// seed-xu fact 36: points in another order have the same label matrix in that order. On golden B
// every l_i is above 0, and the matrix is unique.
TEST(MmcFacts, OrderOfPointsIsOrderOfLabels) {
  const std::vector<std::size_t> order = {4, 0, 5, 2, 1, 3};
  const DenseMatrix gram = golden_b();
  DenseMatrix moved(6, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) moved(i, j) = gram(order[i], order[j]);
  }
  const LabelSaddleSolution first = solved(rows_of(gram, 1, 1));
  const LabelSaddleSolution second = solved(rows_of(moved, 1, 1));
  EXPECT_NEAR(first.value, second.value, 1e-6 * first.value);
  const DenseMatrix m = label_matrix(first);
  const DenseMatrix other = label_matrix(second);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(other(i, j), m(order[i], order[j]), 2e-3);
  }
}

// seed-xu fact 40, in the program that does not know it: labels given as M_ij = y_i y_j alone make
// the rows of labelled points equal up to sign, and leave room in S2 (sum over labelled i of M_ij
// y_i at least 2 - t) when both classes have a label.
TEST(MmcFacts, LabelsGivenMakeRowsEqualUpToSign) {
  const DenseMatrix gram = golden_b();
  const std::vector<std::size_t> labelled = {0, 2, 4};
  const std::vector<double> y = {1, 1, -1};
  const SdpSolution found = solve_sdp_interior_point(
      mmc2_program(gram, 1, 1.0, labelled, y), {.tolerance = 1e-9, .context = {.threads = 1}});
  const DenseMatrix& m = found.x[0];
  for (std::size_t j = 0; j < 6; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      // Where M_0k is 1 up to 1e-10 rows differ by up to the root of twice that.
      EXPECT_NEAR(m(labelled[k], j), y[k] * m(0, j), 1.5e-5) << k << ' ' << j;
      sum += m(labelled[k], j);
    }
    EXPECT_GE(sum, 2.0 - 3 - 1e-5);
  }
  const std::vector<std::int8_t> given = {1, 0, 1, 0, -1, 0};
  const LabelSaddle saddle{.matrix = gram.view(),
                           .c = 1,
                           .balance = LabelBalance::rows,
                           .imbalance = 1,
                           .labels = {given.begin(), given.end()}};
  EXPECT_NEAR(solved(saddle).value, *found.report.primal_objective, 1e-5);
}

// seed-xu fact 37: while no l_i is at 1 the label matrix of one C serves every other.
TEST(MmcFacts, LabelMatrixDoesNotDependOnCWhileNoMultiplierIsAtItsBound) {
  const DenseMatrix gram = golden_b();
  const LabelSaddleSolution found = solved(rows_of(gram, 1, 1));
  const DenseMatrix m = label_matrix(found);
  for (const double c : {10.0, 100.0}) {
    for (const double l : plain_lambda(gram.view(), c, m.view())) EXPECT_LT(l, 1);
    EXPECT_NEAR(plain_omega(gram.view(), c, m.view()), 1.375145009 / c, 1e-5 / c);
  }
}

// seed-xu fact 38: the leading eigenvector of the label matrix names two ideal clusters.
TEST(MmcFacts, LeadingEigenvectorSeparatesTwoIdealClusters) {
  const DenseMatrix gram = two_ideal_clusters();
  const LabelSaddleSolution found = solved(rows_of(gram, 2, 2));
  EXPECT_NEAR(found.value, 0.5, 1e-6);
  const DenseMatrix m = label_matrix(found);
  const EigenPairs pairs = eigen_symmetric(m.view());
  const auto leading = pairs.vectors.row(7);
  for (std::size_t i = 1; i < 8; ++i) {
    EXPECT_EQ(leading[i] > 0, (leading[0] > 0) == (i < 4)) << i;
  }
  // Within the clusters 1, across one number at most -1 + 2 eps / n.
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR(m(i, j), (i < 4) == (j < 4) ? 1 : m(4, 0), 2e-3);
    }
  }
}

// seed-xu fact 39: golden A is tight, its value is that of the best labelling, and yet the interior
// point ends in the middle of the optimal matrices, far from rank one.
TEST(MmcFacts, TightRelaxationsNeedNotHaveRankOne) {
  const SdpSolution solution =
      solve_sdp_interior_point(mmc2_program(golden_a(), 1, 2.0), {.context = {.threads = 1}});
  EXPECT_NEAR(*solution.report.primal_objective, 0.5, 1e-6);
  EXPECT_NEAR(brute_force_labels(golden_a().view(), 1, 2).omega, 0.5, 1e-8);
  const std::vector<double> eigenvalues = jacobi_eigenvalues(solution.x[0]);
  // Golden A: 4.4656 at the analytic centre, which interior points come near to.
  EXPECT_NEAR(eigenvalues.back(), 4.4656, 0.02);
  EXPECT_GT(eigenvalues[4], 0.1);
}

// The program and the saddle, two solvers that share nothing, on points of all kinds.
TEST(MmcFacts, ProgramAndSaddleHaveTheSameValue) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const DenseMatrix gram = seed == 0 ? linear_gram(normal_points(9, 3, seed))
                                       : rbf_gram(normal_points(9, 2, seed), 0.6);
    for (const double c : {0.3, 8.0}) {
      const SdpSolution program =
          solve_sdp_interior_point(mmc2_program(gram, 1 / c, 3.0), {.context = {.threads = 1}});
      ASSERT_EQ(program.report.status, Status::solved);
      const double value = *program.report.primal_objective;
      const LabelSaddleSolution saddle = solved(rows_of(gram, c, 3));
      EXPECT_NEAR(saddle.value, value, 1e-6 * std::max(1.0, value)) << seed << ' ' << c;
      EXPECT_LE(saddle.lower_bound, value + 1e-6 * std::max(1.0, value)) << seed << ' ' << c;
    }
  }
}

}  // namespace
}  // namespace maxmargin
