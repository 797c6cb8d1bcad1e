// SPDX-License-Identifier: Apache-2.0
#include "relax/weight_rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

/// s_0 and one row an angle to it.
DenseMatrix rows_at(const std::vector<double>& angles) {
  DenseMatrix rows(angles.size() + 1, 2);
  rows(0, 0) = 1;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    rows(i + 1, 0) = std::cos(angles[i]);
    rows(i + 1, 1) = std::sin(angles[i]);
  }
  return rows;
}

TEST(WeightRounding, CutsTheWeightsAtThreeThresholds) {
  // eta = (1 + cos) / 2: 1, 0.854, 0.5, 0.146, 0.
  const DenseMatrix rows = rows_at({0, M_PI / 4, M_PI / 2, 3 * M_PI / 4, M_PI});
  const auto candidates = round_weights(rows.view(), {.restarts = 0});
  ASSERT_EQ(candidates.size(), 3U);
  EXPECT_EQ(candidates[0].origin, "threshold 0.5");
  EXPECT_EQ(candidates[1].origin, "threshold 0.25");
  EXPECT_EQ(candidates[2].origin, "threshold 0.75");
  for (std::size_t i = 0; i < 5; ++i) {
    const double eta = (1 + rows(i + 1, 0)) / 2;
    EXPECT_NEAR(candidates[0].scores[i], eta - 0.5, 1e-15);
    EXPECT_NEAR(candidates[2].scores[i], eta - 0.75, 1e-15);
  }
}

// A hyperplane has s_0 on the side that is kept, so rows that are s_0 are kept by all of them and
// rows opposite to it by none.
TEST(WeightRounding, HyperplanesKeepWhatIsOnTheSideOfTheFirstRow) {
  const DenseMatrix rows = rows_at({0, M_PI, 1.0});
  const auto candidates = round_weights(rows.view(), {.restarts = 200, .context = {.seed = 3}});
  ASSERT_EQ(candidates.size(), 203U);
  std::size_t kept = 0;
  for (std::size_t k = 3; k < candidates.size(); ++k) {
    EXPECT_GE(candidates[k].scores[0], 0);
    EXPECT_LE(candidates[k].scores[1], 0);
    kept += candidates[k].scores[2] >= 0 ? 1U : 0U;
  }
  // A row at angle t is cut off with probability t / pi: 64 of 200, standard deviation 6.6.
  EXPECT_NEAR(static_cast<double>(kept), 200 * (1 - 1 / M_PI), 40);
}

TEST(WeightRounding, IsTheSameForTheSameSeed) {
  const DenseMatrix rows = rows_at({0.3, 1.0, 2.0});
  const auto a = round_weights(rows.view(), {.context = {.seed = 5}});
  const auto b = round_weights(rows.view(), {.context = {.seed = 5}});
  const auto c = round_weights(rows.view(), {.context = {.seed = 6}});
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].scores, b[k].scores);
  EXPECT_NE(a.back().scores, c.back().scores);
}

TEST(WeightRounding, TakesNoExamplesButNotNoRow) {
  EXPECT_EQ(round_weights(rows_at({}).view()).front().scores.size(), 0U);
  EXPECT_THROW((void)round_weights(DenseMatrix().view()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
