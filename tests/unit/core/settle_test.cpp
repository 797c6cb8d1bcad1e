// SPDX-License-Identifier: Apache-2.0
#include "core/settle.hpp"

#include <gtest/gtest.h>

namespace maxmargin {
namespace {

TEST(Settle, ABoundThatRoundingTookAboveTheObjectiveIsTheObjective) {
  SolveReport report{.primal_objective = 3.0, .dual_objective = 3.0 + 1e-9};
  settle(report);
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_EQ(report.dual_objective, 3.0);
  EXPECT_EQ(report.gap(), 0.0);
}

TEST(Settle, AContradictionIsAFailureThatClaimsNothing) {
  // Seen with mmc at an offset of 1e7: bound 15.99, objective 4.57.
  SolveReport report{.primal_objective = 4.57, .lower_bound = 15.99};
  settle(report);
  EXPECT_EQ(report.status, Status::numerical_failure);
  EXPECT_FALSE(report.primal_objective || report.dual_objective || report.lower_bound);
  EXPECT_FALSE(report.message.empty());
}

TEST(Settle, WhatIsInOrderStaysAsItIs) {
  SolveReport report{
      .status = Status::iteration_limit, .primal_objective = -1.0, .lower_bound = -2.0};
  settle(report);
  EXPECT_EQ(report.status, Status::iteration_limit);
  EXPECT_EQ(report.primal_objective, -1.0);
  EXPECT_EQ(report.lower_bound, -2.0);
  SolveReport without{.dual_objective = 5.0};
  settle(without);
  EXPECT_EQ(without.dual_objective, 5.0);
}

TEST(Settle, RoundingThatTheCallerKnowsOfIsAllowed) {
  SolveReport report{.primal_objective = 0.0, .dual_objective = 1e-15};
  settle(report, 1e-14);
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_EQ(report.dual_objective, 0.0);
}

}  // namespace
}  // namespace maxmargin
