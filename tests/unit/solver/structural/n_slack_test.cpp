// SPDX-License-Identifier: Apache-2.0
#include "solver/structural/methods.hpp"

#include <gtest/gtest.h>

#include "structural_cases.hpp"

namespace maxmargin {
namespace {

using testing::random_planes;
using testing::TableRisk;

// seed-yu fact 12: planes of differences, the bound C a_i for every example.
TEST(NSlack, CertificateIsRecomputedFromThePlanes) {
  testing::expect_certificates(solve_n_slack, {1e-2, 1e-6}, {.max_passes = 500});
}

// seed-yu fact 11.
TEST(NSlack, AgreesWithOneSlack) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const TableRisk risk(7, random_planes(40, 7, 5, seed));
    const StructuralOptions options{.c = 0.1, .tolerance = 1e-6, .max_passes = 5000};
    const StructuralSolution n = solve_n_slack(risk, options);
    const StructuralSolution one = solve_one_slack(risk, options);
    EXPECT_EQ(n.report.status, Status::solved);
    EXPECT_EQ(one.report.status, Status::solved);
    testing::expect_agree(n, one);
    // What it is for: fewer questions to the oracle.
    EXPECT_LT(n.oracle_calls, one.oracle_calls);
  }
}

TEST(NSlack, DualRises) {
  const TableRisk risk(7, random_planes(40, 7, 5, 3));
  testing::expect_dual_rises(solve_n_slack, risk, {.c = 0.3, .tolerance = 1e-6});
}

// One example, one plane (offset 2, slope 1): w = min(C, 2), by hand.
TEST(NSlack, OnePlaneByHand) {
  for (const double c : {0.5, 2.0, 10.0}) {
    StructuralPlane plane{.offset = 2};
    plane.slope.add(0, 1);
    const TableRisk risk(1, {{plane}});
    const StructuralSolution found = solve_n_slack(risk, {.c = c, .tolerance = 1e-12});
    EXPECT_NEAR(found.w[0], std::min(c, 2.0), 1e-9);
    EXPECT_EQ(found.report.status, Status::solved);
  }
}

TEST(NSlack, ThreadsDoNotShow) {
  const TableRisk risk(8, random_planes(1500, 8, 6, 15));
  testing::expect_same_for_threads(solve_n_slack, risk, {.c = 0.01, .tolerance = 1e-3});
}

TEST(NSlack, GoesOnFromEveryState) {
  const TableRisk risk(8, random_planes(50, 8, 6, 17));
  testing::expect_resumes(solve_n_slack, risk, {.c = 0.2, .tolerance = 1e-6, .idle_turns = 1});
  testing::expect_resumes(
      solve_n_slack, risk, {.c = 0.2, .tolerance = 1e-3, .context = {.memory_limit = 12000}});
  testing::expect_refuses_wrong_states(solve_n_slack, risk, {.c = 0.2, .tolerance = 1e-4});
}

TEST(NSlack, StopsAnywhere) {
  const TableRisk risk(6, random_planes(1100, 6, 3, 18));
  testing::expect_stops_anywhere(solve_n_slack, risk, {.c = 0.003, .tolerance = 1e-4});
}

TEST(NSlack, BearsUglyInput) { testing::expect_bears_ugly_input(solve_n_slack); }

TEST(NSlack, ObeysTheMemoryLimit) { testing::expect_obeys_memory_limit(solve_n_slack, 40000); }

}  // namespace
}  // namespace maxmargin
