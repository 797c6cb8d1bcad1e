// SPDX-License-Identifier: Apache-2.0
#include "solver/sdp/interior_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "sdp_cases.hpp"

namespace maxmargin {
namespace {

/// Solved, checked by plain code, and within `tolerance` of `value`.
SdpSolution expect_value(const SdpProblem& problem, double value, double tolerance = 1e-7) {
  const SdpSolution solution = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
  EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
  EXPECT_NEAR(*solution.report.primal_objective, value, tolerance);
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  EXPECT_NEAR(found.dual, value, tolerance);
  EXPECT_LE(std::abs(found.relative_gap), 1e-8);
  EXPECT_LE(found.primal_infeasibility, 1e-8);
  EXPECT_LE(found.dual_infeasibility, 1e-8);
  EXPECT_GE(plain_least_eigenvalue(problem, solution.x), -1e-12);
  EXPECT_GE(plain_least_eigenvalue(problem, solution.z), -1e-12);
  EXPECT_LE(std::abs(found.complementarity), 1e-7);
  if (solution.report.lower_bound) {
    EXPECT_LE(*solution.report.lower_bound, value + 1e-12 * (1 + std::abs(value)));
    EXPECT_NEAR(*solution.report.lower_bound, value, 10 * tolerance);
  }
  return solution;
}

// seed-xu fact 27.
TEST(SdpInteriorPoint, MaxCutOfTheFiveCycle) {
  const SdpSolution solution = expect_value(max_cut(5, cycle(5)), -(25 + 5 * std::sqrt(5)) / 8);
  ASSERT_TRUE(solution.report.lower_bound.has_value());
}

// seed-xu fact 27: max <C, X>, tr X = 1 is the largest eigenvalue.
TEST(SdpInteriorPoint, LargestEigenvalue) {
  Rng rng(4, "matrix");
  DenseMatrix c(7, 7);
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 7);
  std::vector<SdpEntry> trace;
  for (std::size_t i = 0; i < 7; ++i) {
    trace.push_back(sdp_entry(0, i, i, 1));
    for (std::size_t j = 0; j <= i; ++j) {
      c(i, j) = c(j, i) = rng.normal();
      builder.add_cost(sdp_entry(0, i, j, -c(i, j)));
    }
  }
  builder.add_equality(trace, 1);
  expect_value(builder.build(), -jacobi_eigenvalues(c).back());
}

TEST(SdpInteriorPoint, ThetaOfTheFiveCycleAndOfPetersensGraph) {
  expect_value(lovasz_theta(5, cycle(5)), -std::sqrt(5));
  expect_value(lovasz_theta(10, petersen()), -4);
}

TEST(SdpInteriorPoint, LeastLyapunovFunction) {
  const std::vector<double> rates = {0.5, 1, 2, 4};
  expect_value(lyapunov(rates), -(1 + 0.5 + 0.25 + 0.125));
}

// seed-xu fact 26: no gap on random programs with interior points.
TEST(SdpInteriorPoint, StrongDualityOnRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SdpProblem problem = random_sdp(6, 8, seed);
    const SdpSolution solution = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
    ASSERT_EQ(solution.report.status, Status::solved);
    const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
    EXPECT_LE(std::abs(found.relative_gap), 1e-7);
    EXPECT_LE(found.primal_infeasibility, 1e-8);
    EXPECT_LE(found.dual_infeasibility, 1e-8);
    EXPECT_GE(found.least_eigenvalue_x, 0);
    EXPECT_GE(found.least_eigenvalue_z, 0);
  }
}

TEST(SdpInteriorPoint, LinearProgramIsASpecialCase) {
  // max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6).
  SdpBuilder builder;
  builder.add_block(SdpCone::nonnegative, 2);
  builder.add_cost(sdp_entry(0, 0, 0, -3));
  builder.add_cost(sdp_entry(0, 1, 1, -5));
  builder.add_inequality(std::vector{sdp_entry(0, 0, 0, 1)}, SdpSense::at_most, 4);
  builder.add_inequality(std::vector{sdp_entry(0, 1, 1, 2)}, SdpSense::at_most, 12);
  builder.add_inequality(
      std::vector{sdp_entry(0, 0, 0, 3), sdp_entry(0, 1, 1, 2)}, SdpSense::at_most, 18);
  const SdpSolution solution = expect_value(builder.build(), -36, 1e-5);
  EXPECT_NEAR(solution.x[0](0, 0), 2, 1e-5);
  EXPECT_NEAR(solution.x[0](0, 1), 6, 1e-5);
  EXPECT_NEAR(solution.y[0], 0, 1e-5);
  EXPECT_NEAR(solution.y[1], -1.5, 1e-5);
  EXPECT_NEAR(solution.y[2], -1, 1e-5);
}

TEST(SdpInteriorPoint, ProvesThatNoPointIsFeasible) {
  // Unit diagonal and X_01 = 2.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
  }
  builder.add_equality(std::vector{sdp_entry(0, 1, 0, 0.5)}, 2);
  builder.add_cost(sdp_entry(0, 2, 2, 1));
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
  ASSERT_EQ(solution.report.status, Status::primal_infeasible) << solution.report.message;
  EXPECT_TRUE(infeasibility_proof(problem, solution.dual_ray).proven);
  // By hand: b'y = 1 and no eigenvalue of sum y_i A_i is above what unit traces can make 1 of.
  double slope = 0;
  for (std::size_t i = 0; i < 4; ++i) slope += solution.dual_ray[i] * problem.rhs()[i];
  EXPECT_NEAR(slope, 1, 1e-12);
  BlockMatrix ray = plain_dual_matrix(problem, solution.dual_ray);
  ray[0](2, 2) -= 1;  // the cost is no part of the ray
  EXPECT_GT(3 * jacobi_eigenvalues(ray[0]).front(), -1);
}

TEST(SdpInteriorPoint, ProvesThatTheDualHasNoPoint) {
  // min -X_00 with X_11 + X_22 = 1.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 3);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1), sdp_entry(0, 2, 2, 1)}, 1);
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
  ASSERT_EQ(solution.report.status, Status::dual_infeasible) << solution.report.message;
  const SdpRayProof proof = unboundedness_proof(problem, solution.primal_ray);
  EXPECT_EQ(proof.value, 1);
  EXPECT_TRUE(proof.proven);
  EXPECT_EQ(solution.primal_ray[0](1, 1) + solution.primal_ray[0](2, 2), 0);
  EXPECT_GT(solution.primal_ray[0](0, 0), 0);
}

TEST(SdpInteriorPoint, ProgramsWithoutRowsOrConstraints) {
  const SdpSolution empty = solve_sdp_interior_point(SdpProblem());
  EXPECT_EQ(empty.report.status, Status::solved);
  EXPECT_EQ(empty.report.primal_objective, 0);

  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 0);
  builder.add_equality({}, 0);
  EXPECT_EQ(solve_sdp_interior_point(builder.build()).report.status, Status::solved);
  builder.add_equality({}, 1);
  const SdpSolution contradiction = solve_sdp_interior_point(builder.build());
  EXPECT_EQ(contradiction.report.status, Status::primal_infeasible);
  EXPECT_EQ(contradiction.dual_ray, std::vector<double>{1});

  // n = 1: min 3x, 2x = 4.
  builder.add_block(SdpCone::semidefinite, 1);
  builder.add_cost(sdp_entry(0, 0, 0, 3));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 2)}, 4);
  const SdpSolution one = expect_value(builder.build(), 6);
  EXPECT_NEAR(one.x[0](0, 0), 2, 1e-6);
  EXPECT_NEAR(one.y[0], 1.5, 1e-6);

  // No constraints: 0, or nothing.
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  EXPECT_EQ(solve_sdp_interior_point(builder.build()).report.primal_objective, 0);
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 1, 0, 1));
  EXPECT_EQ(solve_sdp_interior_point(builder.build()).report.status, Status::dual_infeasible);
}

TEST(SdpInteriorPoint, RowsThatDependOnOthersAreLeftOutOrContradict) {
  const Edges edges = cycle(5);
  for (const double trace : {5.0, 4.0}) {
    SdpBuilder builder;
    builder.add_block(SdpCone::semidefinite, 5);
    std::vector<SdpEntry> row;
    for (const auto& [i, j] : edges) {
      builder.add_cost(sdp_entry(0, i, i, -0.25));
      builder.add_cost(sdp_entry(0, j, j, -0.25));
      builder.add_cost(sdp_entry(0, i, j, 0.25));
    }
    for (std::size_t i = 0; i < 5; ++i) {
      row.push_back(sdp_entry(0, i, i, 3));
      builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
      builder.add_equality(std::vector{sdp_entry(0, i, i, -2)}, -2);
    }
    builder.add_equality(row, 3 * trace);
    const SdpProblem problem = builder.build();
    if (trace == 5.0) {
      expect_value(problem, -(25 + 5 * std::sqrt(5)) / 8);
    } else {
      const SdpSolution solution = solve_sdp_interior_point(problem);
      EXPECT_EQ(solution.report.status, Status::primal_infeasible);
      EXPECT_TRUE(infeasibility_proof(problem, solution.dual_ray).proven);
    }
  }
}

// X_11 = 1 and X_11 = 2, nothing bounded: the factors 1 and -1 must be exact to prove anything.
TEST(SdpInteriorPoint, SimpleContradictionsAreProven) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, 1);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 3)}, 6);
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp_interior_point(problem);
  EXPECT_EQ(solution.report.status, Status::primal_infeasible);
  EXPECT_TRUE(infeasibility_proof(problem, solution.dual_ray).proven);
}

TEST(SdpInteriorPoint, FeasibleProgramsAreNeverCalledInfeasibleWhateverTheirUnits) {
  for (const double rhs : {1.0, 1e9}) {
    for (const double cost : {1.0, 1e9}) {
      SdpBuilder builder;
      builder.add_block(SdpCone::semidefinite, 2);
      builder.add_cost(sdp_entry(0, 0, 0, cost));
      builder.add_cost(sdp_entry(0, 1, 1, -cost));
      for (std::size_t i = 0; i < 2; ++i) {
        builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, rhs);
      }
      const Status status = solve_sdp_interior_point(builder.build()).report.status;
      // Both terms of the value 0 are as large as 1e18, so 1e-8 of 1 is out of reach.
      EXPECT_NE(status, Status::primal_infeasible) << rhs << ' ' << cost;
      EXPECT_NE(status, Status::dual_infeasible) << rhs << ' ' << cost;
      builder.add_block(SdpCone::semidefinite, 2);
      builder.add_cost(sdp_entry(0, 0, 0, cost));
      builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, rhs);
      // The least value is 0, of which no gap is a small share.
      const SolveReport report = solve_sdp_interior_point(builder.build()).report;
      EXPECT_EQ(report.status, Status::solved_inaccurate) << rhs << ' ' << cost;
      EXPECT_NE(report.message.find("near zero"), std::string::npos) << report.message;
      EXPECT_LE(std::abs(*report.primal_objective), 1e-8 * rhs * cost);
    }
  }
}

TEST(SdpInteriorPoint, ARowNearOthersIsNoRowToLeaveOut) {
  // X_00 = 1 and X_00 + 1e-7 X_11 = 1 leave X_11 = 0: the value is 0, without the second row -9.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 1, 1, -1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, 1);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1e-7)}, 1);
  builder.add_inequality(
      std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, SdpSense::at_most, 10);
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  if (solution.report.status == Status::solved) {
    EXPECT_LE(found.primal_infeasibility, 2e-8);
    EXPECT_LE(solution.x[0](1, 1), 1);
  }
  EXPECT_TRUE(solution.report.warnings.empty());
  EXPECT_LE(solution.report.lower_bound.value_or(0.0), 0);
}

TEST(SdpInteriorPoint, RowsLeftOutAreNamed) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 1);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 2)}, 4);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 3)}, 6);
  const SdpSolution solution = solve_sdp_interior_point(builder.build());
  EXPECT_EQ(solution.report.status, Status::solved);
  ASSERT_EQ(solution.report.warnings.size(), 1U);
  EXPECT_NE(solution.report.warnings[0].find("the first is 1"), std::string::npos);
}

TEST(SdpInteriorPoint, NumbersFarFromOneNeitherOverflowNorVanish) {
  for (const double unit : {1e200, 1e-200}) {
    SdpBuilder builder;
    builder.add_block(SdpCone::semidefinite, 2);
    builder.add_cost(sdp_entry(0, 0, 0, 1));
    builder.add_cost(sdp_entry(0, 1, 1, 2));
    builder.add_equality(std::vector{sdp_entry(0, 0, 0, unit), sdp_entry(0, 1, 1, unit)}, unit);
    const SdpSolution solution =
        solve_sdp_interior_point(builder.build(), {.context = {.threads = 1}});
    EXPECT_EQ(solution.report.status, Status::solved) << unit << solution.report.message;
    EXPECT_NEAR(*solution.report.primal_objective, 1, 1e-6) << unit;
  }
}

TEST(SdpInteriorPoint, AnIterateBeyondTheNumbersIsAFailureWithAFiniteAnswer) {
  const SdpProblem problem = max_cut(5, cycle(5));
  const SdpStart start{.y = std::vector<double>(5, 1e300)};
  const SdpSolution solution =
      solve_sdp_interior_point(problem, {.context = {.threads = 1}}, &start);
  EXPECT_EQ(solution.report.status, Status::numerical_failure);
  for (const double value : solution.x[0].values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(SdpInteriorPoint, TheGapIsThatOfAProvenBound) {
  const SdpProblem problem = max_cut(12, random_graph(12, 0.4, 6));
  const double value = *solve_sdp_interior_point(problem).report.primal_objective;
  for (std::uint64_t steps = 1; steps < 12; ++steps) {
    const SdpSolution solution = solve_sdp_interior_point(problem, {.max_iterations = steps});
    const std::optional<double> dual = solution.report.dual_objective;
    EXPECT_LE(dual.value_or(value), value + 1e-7);
    ASSERT_TRUE(solution.report.lower_bound.has_value());
    EXPECT_LE(*solution.report.lower_bound, value + 1e-7);
  }
}

// The Schur complement's three ways of computing must agree: a dense and a sparse program with the
// same value, since a change of basis T' X T turns diagonal rows into dense ones.
TEST(SdpInteriorPoint, DenseConstraintsGiveTheSameValueAsSparseOnes) {
  const std::size_t n = 9;
  const SdpProblem sparse = max_cut(n, random_graph(n, 0.4, 8));
  std::vector<double> v(n);
  double length = 0;
  for (std::size_t i = 0; i < n; ++i) length += std::pow(v[i] = 1 + 0.2 * double(i), 2);
  const auto t = [&](std::size_t i, std::size_t j) {
    return (i == j ? 1.0 : 0.0) - 2 * v[i] * v[j] / length;
  };
  const auto turned = [&](std::span<const SdpEntry> entries) {
    std::vector<SdpEntry> result;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = 0; q <= p; ++q) {
        double sum = 0;
        for (const SdpEntry& e : entries) {
          sum += e.value * t(p, e.row) * t(q, e.column);
          if (e.row != e.column) sum += e.value * t(p, e.column) * t(q, e.row);
        }
        result.push_back(sdp_entry(0, p, q, sum));
      }
    }
    return result;
  };
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, n);
  for (const SdpEntry& entry : turned(sparse.cost())) builder.add_cost(entry);
  for (std::size_t i = 0; i < n; ++i) builder.add_equality(turned(sparse.constraint(i)), 1);
  const double value = *solve_sdp_interior_point(sparse).report.primal_objective;
  expect_value(builder.build(), value, 1e-6);
}

TEST(SdpInteriorPoint, TheSameBitsForAnyNumberOfThreads) {
  const SdpProblem problem = max_cut(70, random_graph(70, 0.2, 5));
  const SdpSolution one = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
  const SdpSolution three = solve_sdp_interior_point(problem, {.context = {.threads = 3}});
  EXPECT_EQ(one.report.status, Status::solved);
  EXPECT_EQ(one.y, three.y);
  EXPECT_TRUE(std::ranges::equal(one.x[0].values(), three.x[0].values()));
}

TEST(SdpInteriorPoint, WarmStartSolvesTheSameProgram) {
  const SdpProblem problem = max_cut(12, random_graph(12, 0.4, 6));
  const SdpSolution cold = solve_sdp_interior_point(problem);
  const SdpStart start{.x = cold.x, .y = cold.y, .z = cold.z};
  const SdpSolution warm = solve_sdp_interior_point(problem, {}, &start);
  EXPECT_EQ(warm.report.status, Status::solved);
  EXPECT_NEAR(*warm.report.primal_objective, *cold.report.primal_objective, 1e-6);
  EXPECT_LT(warm.report.iterations, cold.report.iterations);
  const SdpStart wrong{.y = {1}};
  EXPECT_THROW((void)solve_sdp_interior_point(problem, {}, &wrong), InvalidArgument);
}

TEST(SdpInteriorPoint, StopsWhenAskedAndKeepsACertifiedBound) {
  const SdpProblem problem = max_cut(12, random_graph(12, 0.4, 6));
  const double value = *solve_sdp_interior_point(problem).report.primal_objective;
  SdpInteriorPointOptions options;
  options.context.on_progress = [](const Progress& progress) {
    return progress.iteration < 4 ? Continue::yes : Continue::time_is_up;
  };
  const SdpSolution stopped = solve_sdp_interior_point(problem, options);
  EXPECT_EQ(stopped.report.status, Status::time_limit);
  ASSERT_TRUE(stopped.report.lower_bound.has_value());
  EXPECT_LE(*stopped.report.lower_bound, value);
  const SdpSolution limited = solve_sdp_interior_point(problem, {.max_iterations = 3});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 3U);
}

TEST(SdpInteriorPoint, OptionsNameWhatIsWrong) {
  EXPECT_THROW((void)solve_sdp_interior_point({}, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_interior_point({}, {.max_iterations = 0}), InvalidArgument);
}

// Golden values of seed-xu section 7: two-class maximum-margin clustering (3.5) as a plain program.
class GoldenMmc : public ::testing::Test {
 protected:
  static void expect_zeta(const DenseMatrix& kernel,
                          double beta,
                          std::optional<double> balance,
                          double zeta) {
    const SdpProblem problem = mmc2_program(kernel, beta, balance);
    const SdpSolution solution = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
    EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
    EXPECT_NEAR(*solution.report.primal_objective, zeta, 1e-6 * zeta);
    EXPECT_NEAR(*solution.report.dual_objective, zeta, 1e-6 * zeta);
    // seed-xu fact 29.
    const DenseMatrix& m = solution.x[0];
    for (std::size_t i = 0; i < m.rows(); ++i) {
      double row = 0;
      for (std::size_t j = 0; j < m.rows(); ++j) {
        EXPECT_LE(std::abs(m(i, j)), 1 + 1e-6);
        row += m(i, j);
      }
      EXPECT_NEAR(m(i, i), 1, 1e-6);
      EXPECT_LE(std::abs(row), balance.value_or(double(m.rows())) + 1e-6);
    }
  }
};

TEST_F(GoldenMmc, CaseA) {
  const DenseMatrix k = linear_gram({{1, 0}, {2, 1}, {1.5, -1}, {-1, .5}, {-2, -.5}, {-1.5, 1}});
  expect_zeta(k, 1, 2, 0.5);
  expect_zeta(k, 10, 2, 2.520408163);
}

TEST_F(GoldenMmc, CaseB) {
  const DenseMatrix k = rbf_gram({0, .5, 1.2, 3, 3.4, 4.1}, 0.5);
  expect_zeta(k, 0.1, 1, 0.137514501);
  expect_zeta(k, 1, 1, 1.375145009);
  expect_zeta(k, 1, std::nullopt, 1.241730677);
}

TEST_F(GoldenMmc, CasesC2AndD) {
  expect_zeta(linear_gram({{1}, {1}, {1}, {-1}, {-1}, {-1}}), 0.5, 2, 0.25);
  expect_zeta(linear_gram({{1, 0}, {.2, .9}}), 0.5, 0.5, 0.610119048);
}

// seed-xu fact 33: K = I, the value does not depend on M.
TEST_F(GoldenMmc, IdentityKernel) {
  DenseMatrix k(5, 5);
  for (std::size_t i = 0; i < 5; ++i) k(i, i) = 1;
  expect_zeta(k, 0.5, 2, 5 * 0.5 / 2);
  expect_zeta(k, 2, 2, 5 * (1 - 1.0 / 4));
}

}  // namespace
}  // namespace maxmargin
