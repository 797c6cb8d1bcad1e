// SPDX-License-Identifier: Apache-2.0
#include "problem/structural/pair_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

struct Rows {
  std::vector<double> scores;
  std::vector<std::uint32_t> levels;
};

/// On a grid of quarters: ties, and margins of exactly 1.
Rows random_rows(std::size_t n, std::size_t levels, std::uint64_t seed) {
  Rng rng(seed, "pair counts");
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.scores.push_back(0.25 * static_cast<double>(rng.index(13)));
    rows.levels.push_back(static_cast<std::uint32_t>(rng.index(levels)));
  }
  return rows;
}

PairCounts count(const Rows& rows, std::size_t levels) {
  PairCounts counts;
  count_violated_pairs(rows.scores, rows.levels, levels, counts);
  return counts;
}

class PairCountsSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PairCountsSeeds, AreThoseOfAllPairs) {
  for (const std::size_t levels : {1U, 2U, 3U, 7U, 40U}) {
    const Rows rows = random_rows(40, levels, GetParam());
    std::vector<std::uint64_t> above(40, 0);
    std::vector<std::uint64_t> below(40, 0);
    std::uint64_t violated = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < 40; ++j) {
        if (rows.levels[i] <= rows.levels[j] || rows.scores[i] - rows.scores[j] >= 1) continue;
        ++above[i];
        ++below[j];
        ++violated;
      }
    }
    const PairCounts counts = count(rows, levels);
    EXPECT_EQ(counts.above, above) << levels;
    EXPECT_EQ(counts.below, below) << levels;
    EXPECT_EQ(counts.violated, violated) << levels;
  }
}

/// One comparison decides a pair for both of its rows, however the difference is rounded.
TEST_P(PairCountsSeeds, RoundingCountsAPairForBothRowsOrNeither) {
  Rng rng(GetParam());
  Rows rows;
  for (std::size_t i = 0; i < 200; ++i) {
    const double near_one = 1 + (rng.uniform() - 0.5) * 1e-15;
    rows.scores.push_back(0.1 * static_cast<double>(rng.index(3)) + (i % 2 == 0 ? near_one : 0));
    rows.levels.push_back(i % 2 == 0 ? 1 : 0);
  }
  const PairCounts counts = count(rows, 2);
  EXPECT_EQ(std::accumulate(counts.below.begin(), counts.below.end(), std::uint64_t{0}),
            counts.violated);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PairCountsSeeds, ::testing::Range<std::uint64_t>(1, 9));

/// The cost that docs/algorithms/ranking.md promises: no pair is formed.
TEST(PairCounts, StepsGrowAsNLogN) {
  for (const std::size_t n : {100U, 1000U, 10000U, 100000U}) {
    for (const std::size_t levels : {std::size_t{2}, std::size_t{5}, n}) {
      Rng rng(n);
      Rows rows;
      for (std::size_t i = 0; i < n; ++i) {
        rows.scores.push_back(rng.normal());
        rows.levels.push_back(static_cast<std::uint32_t>(rng.index(levels)));
      }
      const PairCounts counts = count(rows, levels);
      const auto rows_as_number = static_cast<double>(n);
      EXPECT_GT(static_cast<double>(counts.violated), 0.05 * rows_as_number * rows_as_number);
      EXPECT_LE(static_cast<double>(counts.steps),
                4 * rows_as_number * (1 + std::log2(rows_as_number)) + 2 * rows_as_number)
          << n << " rows, " << levels << " levels";
    }
  }
}

TEST(PairCounts, FewRows) {
  EXPECT_EQ(count({}, 0).violated, 0u);
  EXPECT_EQ(count({{3}, {0}}, 1).violated, 0u);
  EXPECT_EQ(count({{1, 0}, {1, 0}}, 2).violated, 0u);    // a margin of exactly 1
  EXPECT_EQ(count({{0.5, 0}, {1, 0}}, 2).violated, 1u);  // in order, but too close
  EXPECT_EQ(count({{2, 2}, {1, 0}}, 2).violated, 1u);    // a tie
  EXPECT_EQ(count({{2, 2}, {1, 1}}, 2).violated, 0u);
}

TEST(PairCounts, WrongCallsAreRefused) {
  EXPECT_THROW(static_cast<void>(count({{1, 2}, {0}}, 1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(count({{1}, {1}}, 1)), InvalidArgument);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(count({{nan}, {0}}, 1)), InvalidArgument);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(count({{-inf, inf}, {1, 0}}, 2).violated, 1u);
}

}  // namespace
}  // namespace maxmargin
