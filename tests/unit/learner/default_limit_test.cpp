// SPDX-License-Identifier: Apache-2.0
// Solves end where nobody says when: docs/guide/report.md, `iteration_limit`.
#include <gtest/gtest.h>

#include <string>

#include "learner/supervised/fitting.hpp"
#include "solver/default_steps.hpp"

namespace maxmargin {
namespace {

TEST(DefaultLimit, IsWorthMoreThanTenMinutes) {
  // No processor does more than some 10^9.5 operations of a step a second, on one thread.
  constexpr double operations_a_second = 3e9;
  for (const double of_step : {1.0, 1e3, 1e6, 1e9}) {
    EXPECT_GE(static_cast<double>(default_steps(of_step)) * of_step, 600 * operations_a_second);
  }
  EXPECT_EQ(default_steps(1e15), 1000U) << "a thousand steps whatever they cost";
  EXPECT_EQ(default_steps(0), default_steps(1)) << "finite";
}

TEST(DefaultLimit, SaysHowToGoOn) {
  const auto warned = [](Status status, const OptionTexts& options) {
    learning::Fit fit;
    fit.report.status = status;
    learning::warn_of_default_limit(fit, options);
    return fit.report.warnings;
  };
  const std::vector<std::string> warnings = warned(Status::iteration_limit, {});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings.front().find("--max-iterations allows more steps"), std::string::npos);
  EXPECT_TRUE(warned(Status::iteration_limit, {{"max-iterations", "10"}}).empty());
  EXPECT_TRUE(warned(Status::solved, {}).empty());
}

}  // namespace
}  // namespace maxmargin
