// SPDX-License-Identifier: Apache-2.0
#include "solver/takeover.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace maxmargin {
namespace {

SolveReport ended(Status status, std::optional<double> dual, const char* message) {
  SolveReport report{.status = status, .message = message, .iterations = 10};
  if (dual) report.primal_objective = 1;
  report.dual_objective = dual;
  report.seconds = {{"solve", 1.0}};
  return report;
}

constexpr TakenOver walk = {.method = "walking", .warning = "walking was slow"};

TEST(Takeover, TheNearerPointKeepsItsOwnVerdict) {
  for (const Status failure :
       {Status::numerical_failure, Status::no_progress, Status::solved_inaccurate}) {
    SolveReport first = ended(Status::no_progress, 0.9, "many steps");
    SolveReport second = ended(failure, 0.5, "of another point");
    ASSERT_FALSE(take_second(walk, first, second));
    EXPECT_EQ(first.status, Status::no_progress);
    EXPECT_EQ(first.message, "many steps");
    EXPECT_EQ(first.dual_objective, 0.9);
    EXPECT_EQ(first.iterations, 20U);
    EXPECT_EQ(first.seconds.front().second, 2);
    ASSERT_EQ(first.warnings.size(), 1U);
    EXPECT_NE(first.warnings[0].find("the answer is that of walking"), std::string::npos);
  }
}

TEST(Takeover, ASolvedOrNearerSecondRunIsTheAnswer) {
  for (const Status status : {Status::solved, Status::no_progress, Status::iteration_limit}) {
    SolveReport first = ended(Status::no_progress, 0.5, "many steps");
    SolveReport second = ended(status, 0.9, "its own");
    ASSERT_TRUE(take_second(walk, first, second));
    EXPECT_EQ(second.status, status);
    EXPECT_EQ(second.message, "its own");
    EXPECT_EQ(second.iterations, 20U);
    EXPECT_EQ(second.warnings, std::vector<std::string>{"walking was slow"});
  }
}

TEST(Takeover, ObjectivesOfAFailureCountForNothing) {
  SolveReport first = ended(Status::no_progress, 0.1, "");
  SolveReport second = ended(Status::numerical_failure, 0.999, "");
  EXPECT_FALSE(take_second(walk, first, second));
  EXPECT_EQ(first.status, Status::no_progress);
}

TEST(Takeover, WhatEndsTheSecondRunFromOutsideEndsTheWhole) {
  for (const Status end :
       {Status::time_limit, Status::stopped_by_callback, Status::iteration_limit}) {
    SolveReport first = ended(Status::no_progress, 0.9, "many steps");
    SolveReport second = ended(end, std::nullopt, "told to stop");
    ASSERT_FALSE(take_second(walk, first, second));
    EXPECT_EQ(first.status, end);
    EXPECT_EQ(first.message, "told to stop");
    // A first run that had ended is not cut short by it.
    SolveReport whole = ended(Status::solved_inaccurate, 0.9, "rounding");
    ASSERT_FALSE(
        take_second({.method = "walking", .warning = "", .gave_up = false}, whole, second));
    EXPECT_EQ(whole.status, Status::solved_inaccurate);
  }
}

}  // namespace
}  // namespace maxmargin
