// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/sdp/solution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "sdp_cases.hpp"

namespace maxmargin {
namespace {

std::string refusal(const SdpChoice& choice) {
  try {
    validate(choice);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SdpChoice, EveryMethodFindsTheSameValue) {
  const SdpProblem problem = max_cut(5, cycle(5));
  const double value = -(25 + 5 * std::sqrt(5)) / 8;
  for (const SdpMethod method : {SdpMethod::interior_point, SdpMethod::admm, SdpMethod::low_rank}) {
    const SdpSolution found = solve_sdp(problem, {.method = method}, {.threads = 1});
    EXPECT_EQ(found.report.status, Status::solved) << to_string(method);
    EXPECT_NEAR(*found.report.primal_objective, value, 1e-4) << to_string(method);
  }
}

TEST(SdpChoice, DefaultsAreTheMethodsOwn) {
  EXPECT_EQ(SdpChoice{}.resolved().tolerance, 1e-8);
  EXPECT_FALSE(SdpChoice{}.resolved().seed);
  const SdpChoice low_rank = SdpChoice{.method = SdpMethod::low_rank}.resolved();
  EXPECT_EQ(low_rank.tolerance, 1e-6);
  EXPECT_EQ(low_rank.seed, 0U);
  EXPECT_EQ((SdpChoice{.method = SdpMethod::admm, .tolerance = 1e-4}.resolved().tolerance), 1e-4);
}

TEST(SdpChoice, LimitsAreTheMethodsOwn) {
  EXPECT_EQ(refusal({.tolerance = 1e-12}), "accepted");
  EXPECT_EQ(refusal({.method = SdpMethod::admm, .tolerance = 1e-12}),
            "--tolerance 1e-12: must be a number from 1e-10 to 0.1");
  EXPECT_EQ(refusal({.max_iterations = 0}).substr(0, 19), "--max-iterations 0:");
  EXPECT_EQ(refusal({.seed = 3}), "--seed belongs to --method low-rank");
  EXPECT_THROW((void)solve_sdp(max_cut(5, cycle(5)), {.tolerance = 1}), InvalidArgument);
}

TEST(SdpChoice, StopsWhenAskedTo) {
  const auto at_once = [](const Progress&) { return Continue::stop; };
  const SdpSolution found = solve_sdp(max_cut(5, cycle(5)), {}, {.on_progress = at_once});
  EXPECT_EQ(found.report.status, Status::stopped_by_callback);
}

}  // namespace
}  // namespace maxmargin
