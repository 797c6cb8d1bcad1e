// SPDX-License-Identifier: Apache-2.0
#include "weight_sdp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "solver/saddle/weight_saddle.hpp"
#include "solver/sdp/interior_point.hpp"

namespace maxmargin {
namespace {

/// y_i y_j x_i.x_j of the points in the plane of golden data R.
DenseMatrix golden_q() {
  const std::vector<std::vector<double>> x = {
      {1, .5}, {2, 0}, {1.5, -.5}, {-1, 0}, {-2, .5}, {-1.5, -.5}, {-6, 1}};
  const std::vector<double> y = {1, 1, 1, -1, -1, -1, 1};
  DenseMatrix q(x.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      q(i, j) = y[i] * y[j] * (x[i][0] * x[j][0] + x[i][1] * x[j][1]);
    }
  }
  return q;
}

/// Gram matrix of random points of random labels, d dimensions.
DenseMatrix random_q(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix x(n, d);
  for (double& value : x.values()) value = rng.normal();
  DenseMatrix q(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < d; ++k) q(i, j) += x(i, k) * x(j, k);
    }
  }
  return q;
}

struct Solved {
  double value = 0;
  SdpSolution solution = {};
  std::vector<double> eta = {};
};

Solved solve(const WeightSaddle& problem) {
  const test::WeightSdp sdp = test::build_weight_sdp(problem);
  Solved solved{.solution = solve_sdp_interior_point(sdp.program, {.context = {.threads = 1}})};
  EXPECT_EQ(solved.solution.report.status, Status::solved) << solved.solution.report.message;
  solved.value = *solved.solution.report.primal_objective + sdp.constant;
  solved.eta = test::weights_of_sdp(solved.solution.x);
  return solved;
}

// seed-xu golden R: REH at beta = 1 and 5, the outlier's weight.
TEST(WeightSdp, FindsTheGoldenValuesOfTheRobustHinge) {
  const DenseMatrix q = golden_q();
  const Solved one = solve({.matrix = q.view(), .c = 1});
  EXPECT_NEAR(one.value, 1.273492707, 1e-6);
  EXPECT_NEAR(one.eta[6], 0.5636, 1e-3);
  const Solved five = solve({.matrix = q.view(), .c = 0.2});
  EXPECT_NEAR(five.value, 2.774303040, 1e-6);
  EXPECT_NEAR(five.eta[6], 0.053, 1e-3);
}

// seed-xu golden R and fact 60: ROD, with diag(M) = eta.
TEST(WeightSdp, FindsTheGoldenValuesOfOutlierDetection) {
  const DenseMatrix q = golden_q();
  double last = 0;
  for (const auto& [rho, value] : {std::pair{0.5, 0.119359995},
                                   std::pair{5.0 / 7, 0.226813387},
                                   std::pair{6.0 / 7, 0.427174464}}) {
    const Solved solved = solve({.matrix = q.view(), .c = 1, .kept = rho});
    EXPECT_NEAR(solved.value, value, 1e-6) << rho;
    EXPECT_GT(solved.value, last);
    last = solved.value;
    const double largest = std::ranges::max(solved.eta);
    if (rho == 0.5) {
      EXPECT_NEAR(largest, 0.80, 0.01);
    } else {
      EXPECT_GT(largest, 0.99);
    }
  }
}

// seed-xu fact 56.
TEST(WeightSdp, WeightsAreWeights) {
  const DenseMatrix q = golden_q();
  for (const std::optional<double> rho : {std::optional<double>(), std::optional<double>(0.7)}) {
    const Solved solved = solve({.matrix = q.view(), .c = 1, .kept = rho});
    const DenseMatrix& lifted = solved.solution.x.front();
    DenseMatrix rest(7, 7);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_GE(solved.eta[i], -1e-7);
      EXPECT_LE(solved.eta[i], 1 + 1e-7);
      EXPECT_NEAR(lifted(i + 1, i + 1), solved.eta[i], 1e-7);
      for (std::size_t j = 0; j < 7; ++j) {
        rest(i, j) = lifted(i + 1, j + 1) - solved.eta[i] * solved.eta[j];
        EXPECT_LE(std::abs(lifted(i + 1, j + 1)), std::sqrt(solved.eta[i] * solved.eta[j]) + 1e-6);
      }
    }
    EXPECT_GE(eigen_symmetric(rest.view()).values.front(), -1e-7);
  }
}

// One example: it is kept, and the value is that of its machine.
TEST(WeightSdp, OneExampleHasAClosedForm) {
  for (const double q : {0.5, 4.0}) {
    DenseMatrix matrix(1, 1);
    matrix(0, 0) = q;
    const double machine = q >= 1 ? 1 / (2 * q) : 1 - q / 2;
    EXPECT_NEAR(solve({.matrix = matrix.view(), .c = 1}).value, machine, 1e-6);
    EXPECT_NEAR(solve({.matrix = matrix.view(), .c = 1, .kept = 1.0}).value, machine, 1e-6);
    // Kept by half: eta = 1/2 and M = 1/2, so both terms halve.
    EXPECT_NEAR(solve({.matrix = matrix.view(), .c = 1, .kept = 0.5}).value, machine / 2, 1e-6);
  }
}

// seed-xu fact 65: with Q >= 0 entry by entry nothing is gained by leaving examples out.
TEST(WeightSdp, NonnegativeProductsKeepAllExamples) {
  DenseMatrix q = random_q(6, 3, 5);
  for (double& entry : q.values()) entry = entry * entry;  // a product of Gram matrices is one
  for (const double c : {0.05, 1.0, 20.0}) {
    const double robust = solve({.matrix = q.view(), .c = c}).value;
    const double plain = solve({.matrix = q.view(), .c = c, .kept = 1.0}).value;
    EXPECT_NEAR(robust, plain, 1e-5 * std::max(1.0, plain)) << c;
  }
}

/// The program with M_ii <= t eta_i in place of M_ii = eta_i: for t without end it is the printed
/// one, which says nothing of the diagonal.
SdpProblem with_loose_diagonal(const SdpProblem& program, double t) {
  SdpBuilder builder;
  const std::size_t slacks = *program.slack_block();
  for (std::size_t b = 0; b < slacks; ++b) {
    builder.add_block(program.blocks()[b].cone, program.blocks()[b].size);
  }
  for (const SdpEntry& entry : program.cost()) builder.add_cost(entry);
  for (std::size_t k = 0; k < program.constraints(); ++k) {
    std::vector<SdpEntry> entries;
    bool has_slack = false;
    for (const SdpEntry& entry : program.constraint(k)) {
      has_slack = has_slack || entry.block == slacks;
      if (entry.block != slacks) entries.push_back(entry);
    }
    // Two entries of the block of M: M_ii and the border eta_i.
    const bool is_diagonal = entries.size() == 2 && entries[0].block == 0 &&
                             entries[1].block == 0 && program.rhs()[k] == 0 && !has_slack;
    if (is_diagonal) {
      for (SdpEntry& entry : entries) {
        if (entry.row != entry.column) entry.value *= t;
      }
      builder.add_inequality(entries, SdpSense::at_most, 0);
    } else if (has_slack) {
      builder.add_inequality(entries, SdpSense::at_least, program.rhs()[k]);
    } else {
      builder.add_equality(entries, program.rhs()[k]);
    }
  }
  return builder.build();
}

// seed-xu fact 61: the printed program lacks diag(M) = eta, so M may be as large as it likes and
// the value falls to 0 whatever the share kept.
TEST(WeightSdp, WithoutTheDiagonalTheValueWouldBeNothing) {
  const DenseMatrix q = golden_q();
  const test::WeightSdp sdp = test::build_weight_sdp({.matrix = q.view(), .c = 1, .kept = 0.5});
  const auto value = [&](double t) {
    const SdpSolution found = solve_sdp_interior_point(
        with_loose_diagonal(sdp.program, t), {.tolerance = 1e-6, .context = {.threads = 1}});
    // A proven gap of 1e-6 of a value near nothing is beyond the digits of multipliers near t.
    EXPECT_TRUE(found.report.status == Status::solved ||
                (t > 10 && found.report.status == Status::solved_inaccurate))
        << found.report.message;
    EXPECT_LE(std::abs(*found.report.relative_gap()), t > 10 ? 1e-4 : 1e-6);
    return *found.report.primal_objective;
  };
  const double whole = value(1);
  EXPECT_NEAR(whole, 0.119359995, 1e-6);
  // eta = e/2 with M = t/2 I is allowed, and has sum_i 1/(4 t q_ii).
  double inverse = 0;
  for (std::size_t i = 0; i < 7; ++i) inverse += 1 / q(i, i);
  for (const double t : {10.0, 100.0}) EXPECT_LE(value(t), inverse / (4 * t) + 1e-6) << t;
  EXPECT_LT(inverse / 400, 0.1 * whole);
}

// The two ways to one relaxation: the block program and the saddle on unit rows.
TEST(WeightSdp, AgreesWithTheSaddleSolver) {
  std::size_t solved = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const DenseMatrix q = random_q(7, 2, seed);
    for (const std::optional<double> rho : {std::optional<double>(), std::optional<double>(0.8)}) {
      for (const double c : {0.1, 5.0}) {
        const WeightSaddle problem{.matrix = q.view(), .c = c, .kept = rho};
        const double value = solve(problem).value;
        const WeightSaddleSolution found =
            solve_weight_saddle(problem, {.tolerance = 1e-6, .context = {.threads = 1}});
        // What is not solved to the tolerance must say so by its own gap.
        const double doubt = std::max(1e-5 * std::max(1.0, value), found.value - found.lower_bound);
        EXPECT_LE(found.lower_bound, value + 1e-6 * std::max(1.0, value)) << seed << ' ' << c;
        EXPECT_GE(found.value, value - 1e-6 * std::max(1.0, value)) << seed << ' ' << c;
        EXPECT_NEAR(found.value, value, doubt) << seed << ' ' << c;
        EXPECT_NEAR(found.lower_bound, value, doubt) << seed << ' ' << c;
        solved += found.report.status == Status::solved ? 1U : 0U;
      }
    }
  }
  EXPECT_GE(solved, 10U) << "of 12";
}

TEST(WeightSdp, HasOneConstraintForEachOfItsEquations) {
  const DenseMatrix q = random_q(2, 2, 9);
  const test::WeightSdp robust = test::build_weight_sdp({.matrix = q.view(), .c = 3});
  // Corner, two diagonals, two borders, three products.
  EXPECT_EQ(robust.program.constraints(), 8U);
  EXPECT_EQ(robust.constant, 2);
  ASSERT_EQ(robust.program.blocks().size(), 3U);
  EXPECT_EQ(robust.program.blocks()[0].size, 3U);
  EXPECT_EQ(robust.program.blocks()[1].size, 3U);
  EXPECT_EQ(robust.program.blocks()[2].size, 4U);
  // The product (1, 0): S_10 = 3 Q_10 M_10, entries off the diagonal by halves.
  const auto entries = robust.program.constraint(6);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].block, 0U);
  EXPECT_EQ(entries[0].row, 2U);
  EXPECT_EQ(entries[0].column, 1U);
  EXPECT_NEAR(entries[0].value, -1.5 * q(1, 0), 1e-15);
  EXPECT_EQ(entries[1].block, 1U);
  EXPECT_EQ(entries[1].value, 0.5);
  const test::WeightSdp outliers =
      test::build_weight_sdp({.matrix = q.view(), .c = 3, .kept = 0.5});
  EXPECT_EQ(outliers.program.constraints(), 9U);
  EXPECT_EQ(outliers.constant, 0);
}

TEST(WeightSdp, RefusesWhatIsNoProblem) {
  const DenseMatrix q = random_q(3, 2, 1);
  EXPECT_THROW((void)test::build_weight_sdp({.matrix = q.view(), .c = 0}), InvalidArgument);
  EXPECT_THROW((void)test::build_weight_sdp({.matrix = q.view(), .kept = 1.5}), InvalidArgument);
  EXPECT_THROW((void)test::weights_of_sdp({}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
