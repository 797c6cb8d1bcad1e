// SPDX-License-Identifier: Apache-2.0
//
// ADMM and the low-rank solver against the interior point, analytic values and plain checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/problem/sdp/residuals.hpp"
#include "sdp_cases.hpp"
#include "solver/sdp/admm.hpp"
#include "solver/sdp/interior_point.hpp"
#include "solver/sdp/low_rank.hpp"

namespace maxmargin {
namespace {

/// The two solvers under one face.
struct FirstOrder {
  const char* name = "";
  SdpSolution (*solve)(const SdpProblem&,
                       double tolerance,
                       std::size_t threads,
                       const SdpStart*) = nullptr;
};

SdpSolution by_admm(const SdpProblem& problem,
                    double tolerance,
                    std::size_t threads,
                    const SdpStart* start) {
  return solve_sdp_admm(problem, {.tolerance = tolerance, .context = {.threads = threads}}, start);
}
SdpSolution by_low_rank(const SdpProblem& problem,
                        double tolerance,
                        std::size_t threads,
                        const SdpStart* start) {
  return solve_sdp_low_rank(
      problem, {.tolerance = tolerance, .context = {.threads = threads}}, start);
}

class SdpFirstOrder : public ::testing::TestWithParam<FirstOrder> {
 protected:
  static SdpSolution solve(const SdpProblem& problem,
                           double tolerance = 1e-6,
                           std::size_t threads = 1,
                           const SdpStart* start = nullptr) {
    return GetParam().solve(problem, tolerance, threads, start);
  }
  /// Solved to the tolerance, with X and Z in the cone, and within 10 tolerances of `value`.
  static SdpSolution expect_value(const SdpProblem& problem, double value) {
    constexpr double tolerance = 1e-6;
    SdpSolution solution = solve(problem, tolerance);
    EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
    const double scale = 1 + 2 * std::abs(value);
    EXPECT_NEAR(*solution.report.primal_objective, value, 10 * tolerance * scale);
    const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
    EXPECT_NEAR(found.dual, value, 10 * tolerance * scale);
    // b'y is reported where it is a bound, and only there.
    const bool is_feasible = certified_lower_bound(problem, solution.y).least_eigenvalue >= 0;
    EXPECT_EQ(solution.report.dual_objective.has_value(), is_feasible);
    EXPECT_LE(std::abs(found.relative_gap), 1.01 * tolerance);
    EXPECT_LE(found.primal_infeasibility, 1.01 * tolerance);
    EXPECT_LE(found.dual_infeasibility, 2 * tolerance);
    EXPECT_GE(plain_least_eigenvalue(problem, solution.x), -1e-12 * scale);
    EXPECT_GE(plain_least_eigenvalue(problem, solution.z), -1e-12 * scale);
    // The bound can be recomputed from y alone, and it holds.
    if (solution.report.lower_bound) {
      EXPECT_LE(*solution.report.lower_bound, value + 1e-12 * scale);
      EXPECT_EQ(*solution.report.lower_bound,
                certified_lower_bound(problem, solution.y, found.primal).value);
    }
    return solution;
  }
};

TEST_P(SdpFirstOrder, MaxCutThetaAndLyapunov) {
  const SdpSolution cut = expect_value(max_cut(5, cycle(5)), -(25 + 5 * std::sqrt(5)) / 8);
  // diag(X) = e bounds the trace, so there is a bound, and it is near.
  ASSERT_TRUE(cut.report.lower_bound.has_value());
  EXPECT_NEAR(*cut.report.lower_bound, -(25 + 5 * std::sqrt(5)) / 8, 1e-4);
  expect_value(lovasz_theta(5, cycle(5)), -std::sqrt(5));
  expect_value(lovasz_theta(10, petersen()), -4);
  expect_value(lyapunov(std::vector<double>{0.5, 1, 2}), -(1 + 0.5 + 0.25));
}

TEST_P(SdpFirstOrder, AgreesWithTheInteriorPoint) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const SdpProblem problem = random_sdp(5, 6, seed);
    const SdpSolution reference = solve_sdp_interior_point(problem, {.context = {.threads = 1}});
    ASSERT_EQ(reference.report.status, Status::solved);
    expect_value(problem, *reference.report.primal_objective);
  }
  const SdpProblem cut = max_cut(30, random_graph(30, 0.3, 2));
  expect_value(cut, *solve_sdp_interior_point(cut).report.primal_objective);
}

TEST_P(SdpFirstOrder, InequalitiesBindAsInTheInteriorPoint) {
  // Max-cut of the 5-cycle with triangle-like rows X_ij >= -1/2 on the edges.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 5);
  for (const auto& [i, j] : cycle(5)) {
    builder.add_cost(sdp_entry(0, i, j, 0.25));
    builder.add_inequality(std::vector{sdp_entry(0, i, j, 0.5)}, SdpSense::at_least, -0.5);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
  }
  const SdpProblem problem = builder.build();
  // Every edge at -1/2: five edges, each counted twice with weight 1/4.
  const SdpSolution solution = expect_value(problem, -1.25);
  for (const auto& [i, j] : cycle(5)) EXPECT_NEAR(solution.x[0](i, j), -0.5, 1e-3);
}

// Golden values of seed-xu section 7.
TEST_P(SdpFirstOrder, TwoClassMaximumMarginClustering) {
  const DenseMatrix k = rbf_gram({0, .5, 1.2, 3, 3.4, 4.1}, 0.5);
  const SdpProblem problem = mmc2_program(k, 1, 1);
  const SdpSolution solution = solve(problem, 1e-6);
  EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
  EXPECT_NEAR(*solution.report.primal_objective, 1.375145009, 1e-4);
  // The constraints do not bound X, the value does: there is a bound, and it is near.
  ASSERT_TRUE(solution.report.lower_bound.has_value());
  EXPECT_LE(*solution.report.lower_bound, 1.375145010);
  EXPECT_NEAR(*solution.report.lower_bound, 1.375145009, 1e-3);
}

TEST_P(SdpFirstOrder, ProvesInfeasibility) {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
  }
  builder.add_equality(std::vector{sdp_entry(0, 1, 0, 0.5)}, 2);
  const SdpProblem none = builder.build();
  const SdpSolution primal = solve(none);
  EXPECT_EQ(primal.report.status, Status::primal_infeasible) << primal.report.message;
  EXPECT_TRUE(infeasibility_proof(none, primal.dual_ray).proven);

  builder.add_block(SdpCone::semidefinite, 3);
  builder.add_cost(sdp_entry(0, 0, 0, -1));
  builder.add_equality(std::vector{sdp_entry(0, 1, 1, 1), sdp_entry(0, 2, 2, 1)}, 1);
  const SdpProblem endless = builder.build();
  const SdpSolution dual = solve(endless);
  EXPECT_EQ(dual.report.status, Status::dual_infeasible) << dual.report.message;
  EXPECT_TRUE(unboundedness_proof(endless, dual.primal_ray).proven);
}

TEST_P(SdpFirstOrder, DegeneratePrograms) {
  EXPECT_EQ(solve(SdpProblem()).report.status, Status::solved);
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 1);
  builder.add_block(SdpCone::semidefinite, 0);
  builder.add_cost(sdp_entry(0, 0, 0, 3));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 2)}, 4);
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, 2);
  expect_value(builder.build(), 6);
}

TEST_P(SdpFirstOrder, TheSameBitsForAnyNumberOfThreads) {
  const SdpProblem problem = max_cut(66, random_graph(66, 0.1, 5));
  const SdpSolution one = solve(problem, 1e-3, 1);
  const SdpSolution three = solve(problem, 1e-3, 3);
  EXPECT_EQ(one.report.status, Status::solved);
  EXPECT_EQ(one.report.iterations, three.report.iterations);
  EXPECT_EQ(one.y, three.y);
  EXPECT_TRUE(std::ranges::equal(one.x[0].values(), three.x[0].values()));
}

TEST_P(SdpFirstOrder, WarmStartTakesFewerSteps) {
  const SdpProblem problem = max_cut(20, random_graph(20, 0.4, 6));
  const SdpSolution cold = solve(problem);
  const SdpStart start{.x = cold.x, .y = cold.y, .z = cold.z};
  const SdpSolution warm = solve(problem, 1e-6, 1, &start);
  EXPECT_EQ(warm.report.status, Status::solved);
  EXPECT_LT(warm.report.iterations, cold.report.iterations);
  EXPECT_NEAR(*warm.report.primal_objective, *cold.report.primal_objective, 1e-4);
  const SdpStart wrong{.x = {DenseMatrix(2, 2)}};
  EXPECT_THROW((void)solve(problem, 1e-6, 1, &wrong), InvalidArgument);
}

// tr X = 1e9 has y = 1, scaled to 1e-9, for a ray that misses the cone by 1e-9: no proof.
TEST_P(SdpFirstOrder, FeasibleProgramsAreNeverCalledInfeasibleWhateverTheirUnits) {
  for (const double rhs : {1.0, 1e9}) {
    for (const double cost : {1.0, 1e9}) {
      SdpBuilder builder;
      builder.add_block(SdpCone::semidefinite, 2);
      builder.add_cost(sdp_entry(0, 0, 0, cost));
      builder.add_cost(sdp_entry(0, 1, 1, -cost));
      for (std::size_t i = 0; i < 2; ++i) {
        builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, rhs);
      }
      const SdpSolution solution = solve(builder.build());
      EXPECT_NE(solution.report.status, Status::primal_infeasible) << rhs << ' ' << cost;
      EXPECT_NE(solution.report.status, Status::dual_infeasible) << rhs << ' ' << cost;
    }
  }
}

TEST_P(SdpFirstOrder, AStartIsReadAsItsSymmetricPart) {
  const SdpProblem problem = max_cut(5, cycle(5));
  SdpStart start{.x = problem.zero_point(), .z = problem.zero_point()};
  start.x[0](0, 1) = 3;
  start.z[0](4, 1) = -2;
  const SdpSolution solution = solve(problem, 1e-6, 1, &start);
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_NEAR(*solution.report.primal_objective, -(25 + 5 * std::sqrt(5)) / 8, 1e-4);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(solution.x[0](i, j), solution.x[0](j, i));
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers,
                         SdpFirstOrder,
                         ::testing::Values(FirstOrder{"Admm", by_admm},
                                           FirstOrder{"LowRank", by_low_rank}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SdpLowRank, LeavesASaddleOfRankOne) {
  // From one column only, and from a start that is the worst labelling: e e' is stationary.
  const SdpProblem problem = max_cut(6, cycle(6));
  SdpStart start{.x = problem.zero_point()};
  for (double& value : start.x[0].values()) value = 1;
  const SdpSolution solution =
      solve_sdp_low_rank(problem, {.rank = 1, .context = {.threads = 1}}, &start);
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_NEAR(*solution.report.primal_objective, -6, 1e-4);
}

TEST(SdpLowRank, LongerRunsWithoutAProofHandOutNothingWorse) {
  // Free variables written as differences leave no multipliers inside the cone, and no proof.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 4);
  builder.add_block(SdpCone::nonnegative, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    builder.add_cost(sdp_entry(0, i, i, 1 + 0.3 * static_cast<double>(i)));
    builder.add_equality(
        std::vector{sdp_entry(0, i, i, 1), sdp_entry(1, 0, 0, 0.1), sdp_entry(1, 1, 1, -0.1)}, 1);
  }
  builder.add_cost(sdp_entry(0, 1, 0, 0.4));
  builder.add_cost(sdp_entry(0, 3, 2, 0.7));
  builder.add_cost(sdp_entry(1, 0, 0, 0.3));
  builder.add_cost(sdp_entry(1, 1, 1, -0.3));
  const SdpProblem problem = builder.build();
  constexpr double tolerance = 1e-5;
  double least = std::numeric_limits<double>::infinity();  // of runs that came near
  for (std::uint64_t limit = 5; limit < 2000; limit += 1 + limit / 10) {
    const SdpSolution solution = solve_sdp_low_rank(
        problem, {.tolerance = tolerance, .max_iterations = limit, .context = {.threads = 1}});
    const SdpResiduals at = residuals(problem, solution.x, solution.y, solution.z);
    const double worst =
        std::max({at.primal_infeasibility, at.dual_infeasibility, std::abs(at.relative_gap)});
    if (worst <= tolerance) least = std::min(least, worst);
    EXPECT_LE(worst, 10 * least) << limit;
  }
  EXPECT_LE(least, tolerance);
}

TEST(SdpLowRank, LeavesARankThatCannotMeetTheEquations) {
  // X = I has rank 2; with one column the equations have no solution.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
  }
  builder.add_equality(std::vector{sdp_entry(0, 1, 0, 1)}, 0);
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp_low_rank(problem, {.rank = 1, .context = {.threads = 1}});
  EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
  EXPECT_NEAR(solution.x[0](0, 0), 1, 1e-5);
  EXPECT_NEAR(solution.x[0](1, 0), 0, 1e-5);
}

TEST(SdpLowRank, LeavesAStartOfZeros) {
  const SdpProblem problem = max_cut(6, cycle(6));
  const SdpStart start{.x = problem.zero_point()};
  const SdpSolution solution = solve_sdp_low_rank(problem, {.context = {.threads = 1}}, &start);
  EXPECT_EQ(solution.report.status, Status::solved) << solution.report.message;
  EXPECT_NEAR(*solution.report.primal_objective, -6, 1e-4);
}

TEST(SdpLowRank, AMissThatStaysIsNoProofInLargeUnits) {
  // At X = 0 the miss of tr X = 1e9 is y = 1; scaled to b'y = 1 it is 1e-9 off the cone.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, 1e9);
  const SdpProblem problem = builder.build();
  const SdpStart start{.x = problem.zero_point()};
  const SdpSolution solution =
      solve_sdp_low_rank(problem, {.max_iterations = 500, .context = {.threads = 1}}, &start);
  EXPECT_NE(solution.report.status, Status::primal_infeasible) << solution.report.message;
  EXPECT_TRUE(solution.dual_ray.empty());
}

// Above 300 rows a few eigenvalues by Lanczos stand for all of them, until the end.
TEST(SdpLowRank, LargeBlocksAreSolvedWithEveryEigenvalueLookedAt) {
  // The least of the costs 1 .. 350 under tr X = 1.
  const std::size_t n = 350;
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, n);
  std::vector<SdpEntry> trace;
  for (std::size_t i = 0; i < n; ++i) {
    builder.add_cost(sdp_entry(0, i, i, double(i + 1)));
    trace.push_back(sdp_entry(0, i, i, 1));
  }
  builder.add_equality(trace, 1);
  const SdpSolution solution =
      solve_sdp_low_rank(builder.build(), {.tolerance = 1e-4, .context = {.threads = 1}});
  ASSERT_EQ(solution.report.status, Status::solved) << solution.report.message;
  EXPECT_NEAR(*solution.report.primal_objective, 1, 1e-3);
  EXPECT_LE(*solution.report.dual_residual, 1e-4);
  ASSERT_TRUE(solution.report.lower_bound.has_value());
  EXPECT_LE(*solution.report.lower_bound, 1);
  EXPECT_NEAR(*solution.report.lower_bound, 1, 1e-3);
}

TEST(SdpLowRank, StopsWhenAskedWithABound) {
  const SdpProblem problem = max_cut(20, random_graph(20, 0.4, 6));
  const double value = *solve_sdp_interior_point(problem).report.primal_objective;
  SdpLowRankOptions options{.context = {.threads = 1}};
  options.context.on_progress = [](const Progress&) { return Continue::stop; };
  const SdpSolution stopped = solve_sdp_low_rank(problem, options);
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  ASSERT_TRUE(stopped.report.lower_bound.has_value());
  EXPECT_LE(*stopped.report.lower_bound, value);
  const SdpSolution limited =
      solve_sdp_low_rank(problem, {.max_iterations = 5, .context = {.threads = 1}});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
}

TEST(SdpAdmm, StopsWhenAskedWithABound) {
  const SdpProblem problem = max_cut(20, random_graph(20, 0.4, 6));
  const double value = *solve_sdp_interior_point(problem).report.primal_objective;
  SdpAdmmOptions options{.context = {.threads = 1}};
  options.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
  const SdpSolution stopped = solve_sdp_admm(problem, options);
  EXPECT_EQ(stopped.report.status, Status::time_limit);
  EXPECT_EQ(stopped.report.iterations, 10U);
  ASSERT_TRUE(stopped.report.lower_bound.has_value());
  EXPECT_LE(*stopped.report.lower_bound, value);
}

TEST(SdpFirstOrderOptions, NameWhatIsWrong) {
  EXPECT_THROW((void)solve_sdp_admm({}, {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_admm({}, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_admm({}, {.relaxation = 1.7}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_admm({}, {.penalty = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_low_rank({}, {.tolerance = 1}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_low_rank({}, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_sdp_low_rank({}, {.rank = 0}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
