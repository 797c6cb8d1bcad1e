// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/methods.hpp"

#include <gtest/gtest.h>

#include "structural_cases.hpp"

namespace maxmargin {
namespace {

using testing::random_planes;
using testing::TableRisk;

TEST(StructuralSubgradient, ComesWithinFivePercent) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    const TableRisk risk(7, random_planes(300, 7, 5, seed), std::vector<double>(300, 0.8));
    const StructuralSolution found =
        solve_structural_subgradient(risk, {.c = 0.01, .tolerance = 1e-4, .max_passes = 500});
    const StructuralSolution best =
        solve_block_frank_wolfe(risk, {.c = 0.01, .tolerance = 1e-6, .max_passes = 5000});
    const double primal = structural_primal(risk, 0.01, found.w);
    EXPECT_NEAR(*found.report.primal_objective, primal, 1e-9 * primal);
    EXPECT_FALSE(found.report.dual_objective);
    EXPECT_GE(primal, *best.report.dual_objective);
    EXPECT_LE(primal, 1.05 * *best.report.primal_objective);
  }
}

// One plane (offset 2, slope 1) at C = 1: w_t = share of steps so far with w_s < 2, which is 1.
TEST(StructuralSubgradient, OnePlaneByHand) {
  StructuralPlane plane{.offset = 2};
  plane.slope.add(0, 1);
  const TableRisk risk(1, {{plane}});
  const StructuralSolution found = solve_structural_subgradient(risk, {.c = 1, .tolerance = 1e-6});
  EXPECT_EQ(found.report.status, Status::solved_inaccurate);
  EXPECT_NEAR(found.w[0], 1, 1e-12);
  EXPECT_NEAR(*found.report.primal_objective, 1.5, 1e-12);
}

TEST(StructuralSubgradient, ThreadsDoNotShow) {
  const TableRisk risk(8, random_planes(700, 8, 6, 15));
  testing::expect_same_for_threads(
      solve_structural_subgradient, risk, {.c = 0.01, .tolerance = 1e-3, .max_passes = 40});
}

TEST(StructuralSubgradient, GoesOnFromEveryState) {
  const TableRisk risk(8, random_planes(50, 8, 6, 17));
  const StructuralOptions options{.c = 0.2, .tolerance = 1e-4, .max_passes = 33};
  testing::expect_resumes(solve_structural_subgradient, risk, options);
  testing::expect_refuses_wrong_states(solve_structural_subgradient, risk, options);
}

TEST(StructuralSubgradient, StopsAnywhere) {
  const TableRisk risk(6, random_planes(100, 6, 3, 18));
  for (std::size_t at = 1; at < 400; at += 7) {
    std::size_t questions = 0;
    const StructuralSolution found =
        solve_structural_subgradient(risk,
                                     {.c = 0.01,
                                      .tolerance = 1e-9,
                                      .max_passes = 100,
                                      .context = {.on_progress = [&](const Progress&) {
                                        return ++questions == at ? Continue::stop : Continue::yes;
                                      }}});
    EXPECT_EQ(found.report.status, Status::stopped_by_callback);
    EXPECT_EQ(questions, at);
    if (!found.report.primal_objective) continue;
    EXPECT_NEAR(*found.report.primal_objective,
                structural_primal(risk, 0.01, found.w),
                1e-9 * *found.report.primal_objective);
  }
}

TEST(StructuralSubgradient, RefusesWrongOptions) {
  const TableRisk risk(3, random_planes(5, 3, 4, 5));
  EXPECT_THROW((void)solve_structural_subgradient(risk, {.c = -1}), InvalidArgument);
  EXPECT_THROW((void)solve_structural_subgradient(risk, {.context = {.memory_limit = 1}}),
               InvalidArgument);
  EXPECT_THROW((void)solve_structural_mira(risk, {.max_passes = 0}), InvalidArgument);
}

TEST(StructuralSubgradient, NoExamplesGiveZero) {
  const TableRisk risk(3, {});
  EXPECT_EQ(solve_structural_subgradient(risk).w, std::vector<double>(3, 0.0));
  EXPECT_EQ(solve_structural_mira(risk).w, std::vector<double>(3, 0.0));
}

// One plane (offset 2, slope (1, 1)): the step is min(C, (2 - w.slope) / 2). With C = 0.25 the
// first four are 0.25 each; then the plane is at 0 and the fifth pass changes nothing.
TEST(StructuralMira, OnePlaneByHand) {
  StructuralPlane plane{.offset = 2};
  plane.slope.add(0, 1);
  plane.slope.add(1, 1);
  const TableRisk risk(2, {{plane}});
  const StructuralSolution four = solve_structural_mira(risk, {.c = 0.25, .max_passes = 4});
  EXPECT_EQ(four.report.status, Status::iteration_limit);
  EXPECT_NEAR(four.w[0], 10.0 / 16, 1e-15);
  EXPECT_NEAR(*four.report.primal_objective, 0.5, 1e-15);  // before the last step
  EXPECT_FALSE(four.report.dual_objective);
  const StructuralSolution done = solve_structural_mira(risk, {.c = 0.25, .max_passes = 8});
  EXPECT_EQ(done.report.status, Status::solved);
  EXPECT_EQ(done.report.iterations, 5u);
  EXPECT_NEAR(done.w[0], (1 + 2 + 3 + 4 + 4) / 20.0, 1e-15);
  EXPECT_EQ(done.report.primal_objective, 0.0);
}

// Separable, C large: the mean loss of a pass falls to 0.
TEST(StructuralMira, SeparatesWhatCanBeSeparated) {
  std::vector<std::vector<StructuralPlane>> planes = random_planes(40, 6, 3, 21);
  for (auto& own : planes) {
    for (StructuralPlane& plane : own) {
      plane.slope.add(6, 5);  // a direction that separates all
      plane.slope.settle();
    }
  }
  const TableRisk risk(7, planes);
  const StructuralSolution first = solve_structural_mira(risk, {.c = 1e6, .max_passes = 1});
  const StructuralSolution last = solve_structural_mira(risk, {.c = 1e6, .max_passes = 500});
  EXPECT_LT(*last.report.primal_objective, 1e-3 * *first.report.primal_objective);
}

TEST(StructuralMira, StopsAnywhere) {
  const TableRisk risk(6, random_planes(20, 6, 3, 18));
  for (std::size_t at = 1; at < 100; at += 9) {
    std::size_t questions = 0;
    const StructuralSolution found = solve_structural_mira(
        risk, {.c = 0.01, .max_passes = 100, .context = {.on_progress = [&](const Progress&) {
                                               return ++questions == at ? Continue::time_is_up
                                                                        : Continue::yes;
                                             }}});
    EXPECT_EQ(found.report.status, Status::time_limit);
    EXPECT_EQ(found.oracle_calls, at - 1);
  }
}

}  // namespace
}  // namespace maxmargin
