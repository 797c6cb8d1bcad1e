// SPDX-License-Identifier: Apache-2.0
#include "solver/gap.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace maxmargin {
namespace {

TEST(SolverGap, ADualAboveThePrimalIsAsFarAsOneBelow) {
  EXPECT_DOUBLE_EQ(gap_size(1.0, 0.9), 0.1);
  EXPECT_DOUBLE_EQ(gap_size(0.9, 1.0), 0.1);
  EXPECT_DOUBLE_EQ(gap_size(-1e-30, -2e-30), 0.5);
  EXPECT_EQ(gap_size(0.0, 0.0), 0);
  EXPECT_TRUE(is_within(1.0, 1.0005, 1e-3));
  EXPECT_FALSE(is_within(1.0, 1.5, 1e-3));
  EXPECT_FALSE(is_within(-5.0, 3.0, 1e-3));
}

TEST(SolverGap, NothingIsWithinReachOfWhatIsNoNumber) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(is_within(none, 1.0, 1e-3));
  EXPECT_FALSE(is_within(1.0, none, 1e-3));
  EXPECT_FALSE(is_within(infinity, 1.0, 1e-3));
  EXPECT_FALSE(is_within(infinity, infinity, 1e-3));
  EXPECT_FALSE(is_within(1.0, -infinity, 1e-3));
}

}  // namespace
}  // namespace maxmargin
