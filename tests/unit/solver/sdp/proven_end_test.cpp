// SPDX-License-Identifier: Apache-2.0
//
// What `solved` promises of semidefinite programs: a bound, proven from the data, within the
// tolerance. docs/algorithms/sdp-interior-point.md, "From an answer to a proof".
#include "solver/sdp/proven_end.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/problem/sdp/residuals.hpp"
#include "maxmargin/solver/sdp/solution.hpp"
#include "sdp_cases.hpp"

namespace maxmargin {
namespace {

/// The 5-cycle's maximum cut with X_ij >= -1/2 on the edges.
SdpProblem cut_with_inequalities() {
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 5);
  for (const auto& [i, j] : cycle(5)) {
    builder.add_cost(sdp_entry(0, i, j, 0.25));
    builder.add_inequality(std::vector{sdp_entry(0, i, j, 0.5)}, SdpSense::at_least, -0.5);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    builder.add_equality(std::vector{sdp_entry(0, i, i, 1)}, 1);
  }
  return builder.build();
}

/// The programs of the tests of this folder and of CSDP's.
std::vector<std::pair<std::string, SdpProblem>> programs() {
  std::vector<std::pair<std::string, SdpProblem>> list;
  list.emplace_back("cut of the 5-cycle", max_cut(5, cycle(5)));
  list.emplace_back("theta of the 5-cycle", lovasz_theta(5, cycle(5)));
  list.emplace_back("theta of Petersen's graph", lovasz_theta(10, petersen()));
  list.emplace_back("Lyapunov 3", lyapunov(std::vector<double>{0.5, 1, 2}));
  list.emplace_back("Lyapunov 5", lyapunov(std::vector<double>{0.3, 0.7, 1.1, 1.9, 2.3}));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    list.emplace_back("random 6, " + std::to_string(seed), random_sdp(6, 8, seed));
  }
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    list.emplace_back("random 12, " + std::to_string(seed), random_sdp(12, 20, seed));
  }
  list.emplace_back("cut 30", max_cut(30, random_graph(30, 0.3, 2)));
  list.emplace_back("cut 20", max_cut(20, random_graph(20, 0.4, 6)));
  list.emplace_back("cut with inequalities", cut_with_inequalities());
  const DenseMatrix line = rbf_gram({0, .5, 1.2, 3, 3.4, 4.1}, 0.5);
  list.emplace_back("clusters, balanced", mmc2_program(line, 1, 1));
  list.emplace_back("clusters, small value", mmc2_program(line, 0.1, 1));
  list.emplace_back("clusters", mmc2_program(line, 1, std::nullopt));
  const DenseMatrix plane =
      linear_gram({{1, 0}, {2, 1}, {1.5, -1}, {-1, .5}, {-2, -.5}, {-1.5, 1}});
  list.emplace_back("clusters, degenerate", mmc2_program(plane, 1, 2));
  list.emplace_back("clusters of the plane", mmc2_program(plane, 10, 2));
  return list;
}

/// Twice as far as rounding: `solved` means that the bound is there, holds (it is no larger than
/// the value of the interior point) and is within the tolerance.
void expect_proof_of(const SdpProblem& problem,
                     const SdpSolution& solution,
                     double value,
                     double tolerance,
                     const std::string& name) {
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  ASSERT_TRUE(solution.report.lower_bound.has_value()) << name;
  const double bound = *solution.report.lower_bound;
  EXPECT_EQ(bound, certified_lower_bound(problem, solution.y, found.primal).value) << name;
  EXPECT_LE(bound, value + 1e-8 * (1 + std::abs(value))) << name;
  EXPECT_LE(proven_gap(problem, found.primal, bound), tolerance) << name;
  EXPECT_LE(std::abs(*solution.report.relative_gap()), tolerance) << name;
  // A dual objective is that of multipliers in the cone, by eigenvalues of another kind.
  if (solution.report.dual_objective) {
    const BlockMatrix slack = plain_dual_matrix(problem, solution.y);
    EXPECT_GE(plain_least_eigenvalue(problem, slack), -1e-14 * (1 + frobenius(slack))) << name;
  }
}

class SdpProvenEnd : public ::testing::TestWithParam<SdpMethod> {};

TEST_P(SdpProvenEnd, EverySolvedCarriesABoundWithinTheTolerance) {
  const SdpChoice choice = SdpChoice{.method = GetParam()}.resolved();
  std::size_t solved = 0;
  const auto list = programs();
  for (const auto& [name, problem] : list) {
    const double value = *solve_sdp(problem, {}, {.threads = 1}).report.primal_objective;
    const SdpSolution solution = solve_sdp(problem, choice, {.threads = 1});
    if (solution.report.status != Status::solved) {
      EXPECT_EQ(solution.report.status, Status::solved_inaccurate) << name;
      EXPECT_FALSE(solution.report.message.empty()) << name;
      continue;
    }
    ++solved;
    expect_proof_of(problem, solution, value, *choice.tolerance, name);
  }
  // At least 80 percent, and all of them but the degenerate one.
  EXPECT_GE(solved + 1, list.size());
}

TEST_P(SdpProvenEnd, SmallUnitsAreNoExcuse) {
  // The cost times 2^-40: every gap is below 1e-6 of 1.
  const SdpProblem cut = max_cut(8, random_graph(8, 0.5, 3));
  const SdpChoice choice = SdpChoice{.method = GetParam()}.resolved();
  const double value = *solve_sdp(cut, {}, {.threads = 1}).report.primal_objective;
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 8);
  for (SdpEntry entry : cut.cost()) {
    entry.value *= 0x1p-40;
    builder.add_cost(entry);
  }
  for (std::size_t i = 0; i < 8; ++i) builder.add_equality(cut.constraint(i), 1);
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp(problem, choice, {.threads = 1});
  const SolveReport& report = solution.report;
  EXPECT_EQ(report.status, Status::solved) << report.message;
  EXPECT_NEAR(*report.primal_objective, 0x1p-40 * value, 0x1p-40 * 1e-5 * std::abs(value));
  EXPECT_LE(std::abs(*report.relative_gap()), *choice.tolerance);
}

TEST_P(SdpProvenEnd, ValuesNearZeroAreSolvedOnlyWithAGapOfTheirOwn) {
  // |C| = |b| = 1, and the least value is c_11 = `value`, at X = e_1 e_1'.
  for (const double value : {1e-2, 1e-4, 1e-6, 0.0}) {
    SCOPED_TRACE(value);
    SdpBuilder builder;
    builder.add_block(SdpCone::semidefinite, 2);
    builder.add_cost(sdp_entry(0, 0, 0, 1));
    builder.add_cost(sdp_entry(0, 1, 1, value));
    builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, 1);
    const SdpProblem problem = builder.build();
    const SdpChoice choice{.method = GetParam(), .tolerance = 1e-3};
    const SolveReport report = solve_sdp(problem, choice, {.threads = 1}).report;
    ASSERT_TRUE(report.lower_bound.has_value());
    EXPECT_LE(*report.lower_bound, value);
    EXPECT_NEAR(*report.primal_objective, value, 1e-4);
    if (std::abs(*report.relative_gap()) <= 1e-3 || value > 1e-3) {
      EXPECT_EQ(report.status, Status::solved) << report.message;
    } else {
      EXPECT_EQ(report.status, Status::solved_inaccurate);
      EXPECT_NE(report.message.find("near zero"), std::string::npos) << report.message;
    }
  }
}

TEST_P(SdpProvenEnd, AProofStopsWhenTold) {
  const SdpProblem problem = max_cut(8, random_graph(8, 0.5, 3));
  int proofs = 0;
  int after = 0;
  const auto stop_in_proof = [&](const Progress& progress) {
    if (proofs > 0) ++after;
    if (progress.phase != "proof") return Continue::yes;
    ++proofs;
    return Continue::stop;
  };
  const SdpSolution solution =
      solve_sdp(problem, {.method = GetParam()}, {.threads = 1, .on_progress = stop_in_proof});
  EXPECT_EQ(solution.report.status, Status::stopped_by_callback);
  EXPECT_EQ(proofs, 1);
  EXPECT_EQ(after, 0);
  // The point that was to be proven is there.
  const SdpResiduals found = residuals(problem, solution.x, solution.y, solution.z);
  EXPECT_LE(found.primal_infeasibility, 1e-3);
  EXPECT_LE(found.dual_infeasibility, 1e-3);
  EXPECT_LE(std::abs(found.relative_gap), 1e-3);
}

TEST_P(SdpProvenEnd, WithoutAProofAnAnswerIsInaccurate) {
  // min X_00 + X_11, 2 X_10 + u - v = 1 (u, v >= 0): y <= 0 and -y <= 0, so C - y A is in the cone
  // for y = 0 alone, and u, v are bounded by nothing.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_block(SdpCone::nonnegative, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  builder.add_cost(sdp_entry(0, 1, 1, 1));
  builder.add_cost(sdp_entry(0, 1, 0, 0.3));
  builder.add_equality(
      std::vector{sdp_entry(0, 1, 0, 1), sdp_entry(1, 0, 0, 1.1), sdp_entry(1, 1, 1, -1.1)}, 1);
  const SdpProblem problem = builder.build();
  const SdpSolution solution = solve_sdp(problem, {.method = GetParam()}, {.threads = 1});
  if (solution.y[0] == 0) {
    // The least value is 0: no gap is small in relation to it unless it is met to the last digit.
    EXPECT_TRUE(solution.report.status == Status::solved ||
                solution.report.status == Status::solved_inaccurate);
    EXPECT_TRUE(solution.report.lower_bound.has_value());
  } else {
    EXPECT_NE(solution.report.status, Status::solved);
    EXPECT_FALSE(solution.report.lower_bound.has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         SdpProvenEnd,
                         ::testing::Values(SdpMethod::interior_point,
                                           SdpMethod::admm,
                                           SdpMethod::low_rank),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(SdpConeLift, MovesMultipliersIntoTheCone) {
  // C = diag(1, 2), A_0 = I, A_1 off the diagonal: y = (1.5, 1) is outside, (0, 0) inside.
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 0, 0, 1));
  builder.add_cost(sdp_entry(0, 1, 1, 2));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1), sdp_entry(0, 1, 1, 1)}, 1);
  builder.add_equality(std::vector{sdp_entry(0, 1, 0, 1)}, 0.2);
  const SdpProblem problem = builder.build();
  const SdpPresolve presolved = presolve(problem, true);
  const ScaledSdp& program = presolved.program;
  const ConstraintGram gram(program);
  const BlockMatrix cost = program.cost();
  const std::vector<double> outside = program.scaled_y(std::vector<double>{1.5, 1});
  ASSERT_LT(least_eigenvalue(*program.problem, slack_of(program, cost, outside), 1), -0.1);
  for (const double margin : {1e-9, 1e-3, 0.5}) {
    const auto inside = lift_dual(program, gram, cost, outside, margin, {.threads = 1});
    ASSERT_TRUE(inside.has_value()) << margin;
    const BlockMatrix slack = plain_dual_matrix(problem, program.original_y(*inside));
    EXPECT_GE(jacobi_eigenvalues(slack[0]).front(), 0.49 * margin * program.cost_scale) << margin;
  }
}

TEST(SdpConeLift, SaysWhereThereIsNoSuchPoint) {
  // C = -e_1 e_1', one row e_0 e_0': no y reaches the entry (1, 1).
  SdpBuilder builder;
  builder.add_block(SdpCone::semidefinite, 2);
  builder.add_cost(sdp_entry(0, 1, 1, -1));
  builder.add_equality(std::vector{sdp_entry(0, 0, 0, 1)}, 1);
  const SdpProblem problem = builder.build();
  const SdpPresolve presolved = presolve(problem, true);
  const ConstraintGram gram(presolved.program);
  const BlockMatrix cost = presolved.program.cost();
  EXPECT_FALSE(lift_dual(presolved.program, gram, cost, {0.0}, 1e-3, {.threads = 1}).has_value());
}

}  // namespace
}  // namespace maxmargin
