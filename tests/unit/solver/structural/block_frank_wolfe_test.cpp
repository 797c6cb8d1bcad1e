// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/methods.hpp"

#include <gtest/gtest.h>

#include "structural_cases.hpp"

namespace maxmargin {
namespace {

using testing::random_planes;
using testing::TableRisk;

TEST(BlockFrankWolfe, CertificateIsRecomputedFromThePlanes) {
  testing::expect_certificates(solve_block_frank_wolfe, {1e-2, 1e-5}, {.max_passes = 5000});
}

// The three solvers with a gap prove each other: no D is above another's P.
TEST(BlockFrankWolfe, AgreesWithCuttingPlanes) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const TableRisk risk(7, random_planes(200, 7, 5, seed));
    const StructuralOptions options{.c = 0.02, .tolerance = 1e-5, .max_passes = 5000};
    const std::vector<StructuralSolution> found = {solve_block_frank_wolfe(risk, options),
                                                   solve_one_slack(risk, options),
                                                   solve_n_slack(risk, options)};
    for (const StructuralSolution& a : found) {
      EXPECT_EQ(a.report.status, Status::solved);
      for (const StructuralSolution& b : found) testing::expect_agree(a, b);
    }
  }
}

// bcfw.md step 2: every step is a maximum along a line, so D never falls.
TEST(BlockFrankWolfe, DualRises) {
  const TableRisk risk(7, random_planes(300, 7, 5, 3));
  testing::expect_dual_rises(
      solve_block_frank_wolfe, risk, {.c = 0.1, .tolerance = 1e-6, .max_passes = 5000});
}

// The pass limit ends with a look: P and D of what is there.
TEST(BlockFrankWolfe, PassLimitHandsBackTheBest) {
  const TableRisk risk(7, random_planes(300, 7, 5, 4));
  for (const std::size_t passes : {1u, 2u, 7u}) {
    const StructuralSolution found =
        solve_block_frank_wolfe(risk, {.c = 1, .tolerance = 1e-12, .max_passes = passes});
    EXPECT_EQ(found.report.status, Status::iteration_limit);
    EXPECT_EQ(found.report.iterations, passes);
    const double primal = structural_primal(risk, 1, found.w);
    EXPECT_NEAR(*found.report.primal_objective, primal, 1e-9 * primal);
    EXPECT_LT(*found.report.dual_objective, primal);
  }
}

// bcfw.md step 5: what rounding forbids ends, with the best point and its bound.
TEST(BlockFrankWolfe, EndsWhereRoundingForbidsProgress) {
  const TableRisk risk(7, random_planes(60, 7, 5, 4));
  const StructuralSolution found =
      solve_block_frank_wolfe(risk, {.c = 0.1, .tolerance = 1e-300, .max_passes = 1'000'000});
  EXPECT_TRUE(found.report.status == Status::no_progress || found.report.status == Status::solved);
  EXPECT_LT(found.report.iterations, 5000u);
  EXPECT_LT(std::abs(*found.report.relative_gap()), 1e-9);
}

// Products of planes take another way where indices are large: the same problem, spread out.
TEST(BlockFrankWolfe, LargeIndicesChangeNothing) {
  constexpr std::size_t apart = 400'000;
  const auto planes = random_planes(60, 7, 5, 6);
  auto spread = planes;
  for (auto& own : spread) {
    for (StructuralPlane& plane : own) {
      StructuralPlane moved{.offset = plane.offset, .slope = {}};
      for (const auto& entry : plane.slope.entries()) {
        moved.slope.add(apart * entry.index, entry.value);
      }
      plane = moved;
    }
  }
  const StructuralOptions options{.c = 0.1, .tolerance = 1e-6, .max_passes = 5000};
  const StructuralSolution near = solve_block_frank_wolfe(TableRisk(7, planes), options);
  const StructuralSolution far = solve_block_frank_wolfe(TableRisk(7 * apart, spread), options);
  EXPECT_EQ(near.report.status, Status::solved);
  EXPECT_EQ(far.report.status, Status::solved);
  EXPECT_LE(*near.report.dual_objective, *far.report.primal_objective);
  EXPECT_LE(*far.report.dual_objective, *near.report.primal_objective);
  testing::expect_certificate(solve_block_frank_wolfe, TableRisk(7 * apart, spread), options);
}

TEST(BlockFrankWolfe, SeedsAgreeWithinTheirGaps) {
  const TableRisk risk(7, random_planes(100, 7, 5, 5));
  std::vector<StructuralSolution> found;
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    found.push_back(solve_block_frank_wolfe(
        risk, {.c = 0.1, .tolerance = 1e-3, .max_passes = 5000, .context = {.seed = seed}}));
  }
  EXPECT_NE(found[0].w, found[1].w);
  for (const StructuralSolution& a : found) {
    for (const StructuralSolution& b : found) testing::expect_agree(a, b);
  }
}

TEST(BlockFrankWolfe, ThreadsDoNotShow) {
  const TableRisk risk(8, random_planes(1500, 8, 6, 15));
  testing::expect_same_for_threads(solve_block_frank_wolfe, risk, {.c = 0.01, .tolerance = 1e-3});
}

TEST(BlockFrankWolfe, GoesOnFromEveryState) {
  const TableRisk risk(8, random_planes(50, 8, 6, 17));
  testing::expect_resumes(solve_block_frank_wolfe, risk, {.c = 0.2, .tolerance = 1e-4});
  testing::expect_resumes(solve_block_frank_wolfe,
                          risk,
                          {.c = 0.2, .tolerance = 1e-3, .context = {.memory_limit = 12000}});
  testing::expect_refuses_wrong_states(
      solve_block_frank_wolfe, risk, {.c = 0.2, .tolerance = 1e-6});
}

TEST(BlockFrankWolfe, RefusesLooksThatNeverWere) {
  const TableRisk risk(8, random_planes(50, 8, 6, 17));
  const StructuralOptions options{.c = 0.2, .tolerance = 1e-6};
  const StructuralState good = traced(solve_block_frank_wolfe, risk, options).states.at(1);
  const std::size_t looks = good.numbers.size() - 5;
  const auto refuses = [&](std::size_t which, double value) {
    StructuralState state = good;
    state.numbers[looks + which] = value;
    EXPECT_THROW((void)solve_block_frank_wolfe(risk, options, &state), InvalidArgument)
        << which << ' ' << value;
  };
  refuses(0, static_cast<double>(good.passes) + 1);
  refuses(0, 0.5);
  refuses(3, 1e9);
  refuses(3, -1);
  refuses(4, 30);
}

TEST(BlockFrankWolfe, StopsAnywhere) {
  const TableRisk risk(6, random_planes(2100, 6, 3, 18));
  testing::expect_stops_anywhere(solve_block_frank_wolfe, risk, {.c = 0.002, .tolerance = 1e-4});
}

TEST(BlockFrankWolfe, BearsUglyInput) { testing::expect_bears_ugly_input(solve_block_frank_wolfe); }

TEST(BlockFrankWolfe, ObeysTheMemoryLimit) {
  testing::expect_obeys_memory_limit(solve_block_frank_wolfe, 40000);
}

}  // namespace
}  // namespace maxmargin
