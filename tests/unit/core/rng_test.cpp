// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

// The known answers come from a separate implementation in Python of splitmix64, FNV-1a,
// mt19937-64 and the distributions. They must never change: seeds in papers and reports rely on
// them.
TEST(Rng, DerivedSeedsHaveTheirKnownValues) {
  EXPECT_EQ(derive_seed(0, ""), 12014417281350144652u);
  EXPECT_EQ(derive_seed(1, "folds", 2), 736137314754345514u);
  EXPECT_EQ(derive_seed(2, "folds", 1), 14599698363138995322u);
  constexpr std::uint64_t all_bits = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(derive_seed(all_bits, "restarts", all_bits), 2721340950452411793u);
  EXPECT_EQ(Rng(7, "folds", 3).bits(), 2990718497438045712u);
}

TEST(Rng, EveryDistributionHasItsKnownValues) {
  Rng rng(42);
  for (const std::uint64_t expected :
       {13930160852258120406u, 11788048577503494824u, 13874630024467741450u}) {
    EXPECT_EQ(rng.bits(), expected);
  }
  for (const double expected : {0x1.171621fc50d68p-3, 0x1.ce79451c9a6c3p-1, 0x1.814dc629c7f48p-4}) {
    EXPECT_EQ(rng.uniform(), expected);
  }
  for (const std::size_t expected : {6u, 4u, 0u, 7u, 5u, 2u, 2u, 6u}) {
    EXPECT_EQ(rng.index(10), expected);
  }
  // log and sqrt may differ in the last bit between mathematics libraries.
  for (const double expected :
       {1.5932140601418707, -0.3214126258228491, 0.4504651122300589, -0.6379973453480245}) {
    EXPECT_DOUBLE_EQ(rng.normal(), expected);
  }
  for (const double expected : {0.553828626418143, 0.10541269887294, 0.1553844997969863}) {
    EXPECT_DOUBLE_EQ(rng.exponential(), expected);
  }
  for (const std::size_t expected : {0u, 2u, 2u, 3u, 0u, 3u, 2u, 3u}) {
    EXPECT_EQ(rng.discrete(std::array{1.0, 0.0, 3.0, 2.0}), expected);
  }
  EXPECT_EQ(rng.permutation(8), (std::vector<std::size_t>{6, 3, 7, 2, 1, 5, 0, 4}));
  EXPECT_EQ(rng.sample(100, 5), (std::vector<std::size_t>{51, 8, 93, 89, 60}));
}

TEST(Rng, TheEngineIsTheStandardOne) {
  // [rand.predef]: the 10000th invocation of a default-seeded mt19937_64.
  Rng rng(5489);
  for (int i = 1; i < 10000; ++i) (void)rng.bits();
  EXPECT_EQ(rng.bits(), 9981545732273789042u);
}

TEST(Rng, DerivedSeedsDifferInEveryArgument) {
  std::set<std::uint64_t> seeds;
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const char* purpose : {"", "folds", "fold", "restarts", "sdlof"}) {
      for (std::uint64_t index = 0; index < 10; ++index) {
        seeds.insert(derive_seed(seed, purpose, index));
        ++made;
      }
    }
  }
  EXPECT_EQ(seeds.size(), made);
}

TEST(Rng, ACopyRepeatsTheSameNumbersIncludingTheSpareNormal) {
  Rng rng(3);
  (void)rng.normal();
  Rng copy = rng;
  EXPECT_EQ(rng.normal(), copy.normal());
  EXPECT_EQ(rng.bits(), copy.bits());
}

TEST(Rng, UniformHasMeanOneHalfAndVarianceOneTwelfth) {
  Rng rng(1);
  const int n = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  // Deviations of u and u^2: sqrt(1/12), sqrt(4/45); five of them over sqrt(n).
  EXPECT_NEAR(sum / n, 1.0 / 2, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(Rng, NormalHasTheMomentsOfTheStandardNormal) {
  Rng rng(2);
  const int n = 200000;
  std::array<double, 4> sums = {};
  for (int i = 0; i < n; ++i) {
    const double z = rng.normal();
    double power = 1;
    for (double& sum : sums) sum += power *= z;
  }
  // E z^k = 0, 1, 0, 3 with variances 1, 2, 15, 96.
  const std::array<double, 4> expected = {0, 1, 0, 3};
  const std::array<double, 4> variance = {1, 2, 15, 96};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(sums[k] / n, expected[k], 5 * std::sqrt(variance[k] / n)) << "moment " << k + 1;
  }
}

TEST(Rng, NeighbouringNormalsAreUncorrelated) {
  Rng rng(6);
  const int n = 100000;
  double products = 0;
  double last = rng.normal();
  for (int i = 0; i < n; ++i) {
    const double next = rng.normal();
    products += last * next;
    last = next;
  }
  EXPECT_NEAR(products / n, 0, 5 / std::sqrt(static_cast<double>(n)));
}

TEST(Rng, NormalAndUniformTakeTheirParameters) {
  Rng a(9);
  Rng b(9);
  EXPECT_EQ(a.normal(3, 2), 3 + 2 * b.normal());
  EXPECT_EQ(a.uniform(-1, 5), -1 + 6 * b.uniform());
}

TEST(Rng, UniformNeverReachesItsUpperEnd) {
  // Between neighbouring doubles every second draw would be rounded up to the end.
  Rng rng(11);
  const double high = std::nextafter(1.0, 2.0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.uniform(1, high), 1);
  EXPECT_EQ(rng.uniform(2, 2), 2);
}

TEST(Rng, ExponentialHasMeanAndVarianceOne) {
  Rng rng(4);
  const int n = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double e = rng.exponential();
    ASSERT_GE(e, 0);
    ASSERT_TRUE(std::isfinite(e));
    sum += e;
    squares += e * e;
  }
  EXPECT_NEAR(sum / n, 1, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(squares / n, 2, 5 * std::sqrt(20.0 / n));
}

TEST(Rng, IndexIsUnbiasedAndStaysBelowN) {
  Rng rng(5);
  const int draws = 70000;
  std::array<int, 7> counts = {};
  for (int i = 0; i < draws; ++i) ++counts[rng.index(7)];
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - draws / 7.0, 2) / (draws / 7.0);
  EXPECT_LT(chi_square, 22.5);  // 0.999 quantile with 6 degrees of freedom
}

TEST(Rng, IndexRejectsTheIncompleteRunOfHugeRanges) {
  // For n = 3 * 2^62 plain `draw % n` gives the lower third twice as often as the others.
  Rng rng(8);
  const std::size_t n = std::size_t{3} << 62;
  const int draws = 6000;
  int low = 0;
  for (int i = 0; i < draws; ++i) {
    const std::size_t k = rng.index(n);
    ASSERT_LT(k, n);
    low += k < n / 3 ? 1 : 0;
  }
  EXPECT_NEAR(low, draws / 3.0, 5 * std::sqrt(draws * 2.0 / 9));
  EXPECT_EQ(rng.index(1), 0u);
}

TEST(Rng, DiscreteFollowsItsWeightsAndNeverDrawsAZeroWeight) {
  Rng rng(10);
  const std::array<double, 5> weights = {0, 1, 0, 3, 0};
  const int draws = 40000;
  std::array<int, 5> counts = {};
  for (int i = 0; i < draws; ++i) ++counts[rng.discrete(weights)];
  EXPECT_EQ(counts[0] + counts[2] + counts[4], 0);
  EXPECT_NEAR(counts[1], draws / 4.0, 5 * std::sqrt(draws * 3.0 / 16));
}

TEST(Rng, DiscreteRefusesWeightsThatAreNoDistribution) {
  Rng rng(0);
  EXPECT_THROW((void)rng.discrete({}), InvalidArgument);
  EXPECT_THROW((void)rng.discrete(std::array{0.0, 0.0}), InvalidArgument);
  EXPECT_THROW((void)rng.discrete(std::array{1.0, -1.0}), InvalidArgument);
  EXPECT_THROW((void)rng.discrete(std::array{1.0, std::nan("")}), InvalidArgument);
  EXPECT_THROW((void)rng.discrete(std::array{1.0, HUGE_VAL}), InvalidArgument);
  EXPECT_THROW((void)rng.index(0), InternalError);
}

TEST(Rng, EveryPermutationIsEquallyLikely) {
  Rng rng(12);
  const int draws = 24000;
  std::map<std::vector<std::size_t>, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[rng.permutation(4)];
  ASSERT_EQ(counts.size(), 24u);
  double chi_square = 0;
  for (const auto& [order, count] : counts) chi_square += std::pow(count - 1000.0, 2) / 1000.0;
  EXPECT_LT(chi_square, 49.8);  // 0.999 quantile with 23 degrees of freedom
}

TEST(Rng, PermutationsOfNothingAndOfOne) {
  Rng rng(0);
  EXPECT_TRUE(rng.permutation(0).empty());
  EXPECT_EQ(rng.permutation(1), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(rng.sample(5, 0).empty());
  EXPECT_TRUE(rng.sample(0, 0).empty());
  EXPECT_THROW((void)rng.sample(3, 4), InvalidArgument);
}

TEST(Rng, EveryOrderedSampleIsEquallyLikely) {
  Rng rng(13);
  const int draws = 20000;
  std::map<std::vector<std::size_t>, int> counts;
  for (int i = 0; i < draws; ++i) {
    const std::vector<std::size_t> chosen = rng.sample(5, 2);
    ASSERT_NE(chosen[0], chosen[1]);
    ++counts[chosen];
  }
  ASSERT_EQ(counts.size(), 20u);
  double chi_square = 0;
  for (const auto& [chosen, count] : counts) chi_square += std::pow(count - 1000.0, 2) / 1000.0;
  EXPECT_LT(chi_square, 43.9);  // 0.999 quantile with 19 degrees of freedom
}

TEST(Rng, ShuffleKeepsTheItems) {
  Rng rng(14);
  std::vector<int> items = {5, 5, 1, 9, 2};
  rng.shuffle(std::span(items));
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, (std::vector<int>{1, 2, 5, 5, 9}));
}

}  // namespace
}  // namespace maxmargin
