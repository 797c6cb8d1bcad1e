// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

/// Train and test are sorted, disjoint and together all n rows.
void expect_parts_the_rows(const Fold& fold, std::size_t n) {
  EXPECT_TRUE(std::is_sorted(fold.train.begin(), fold.train.end()));
  EXPECT_TRUE(std::is_sorted(fold.test.begin(), fold.test.end()));
  std::vector<std::size_t> all = fold.train;
  all.insert(all.end(), fold.test.begin(), fold.test.end());
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> expected(n);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(all, expected);
}

/// How often each row is tested.
std::vector<int> times_tested(const std::vector<Fold>& folds, std::size_t n) {
  std::vector<int> times(n, 0);
  for (const Fold& fold : folds) {
    for (const std::size_t row : fold.test) ++times[row];
  }
  return times;
}

std::pair<std::size_t, std::size_t> smallest_and_largest_test(const std::vector<Fold>& folds) {
  std::size_t least = folds[0].test.size();
  std::size_t most = least;
  for (const Fold& fold : folds) {
    least = std::min(least, fold.test.size());
    most = std::max(most, fold.test.size());
  }
  return {least, most};
}

bool same(const std::vector<Fold>& a, const std::vector<Fold>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Fold& x, const Fold& y) {
    return x.train == y.train && x.test == y.test;
  });
}

std::vector<std::int32_t> random_classes(std::size_t n, std::size_t classes, bool some_unlabelled) {
  Rng rng(11, "classes", n);
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < n; ++i) {
    const bool unlabelled = some_unlabelled && rng.bernoulli(0.2);
    result.push_back(unlabelled ? -1 : static_cast<std::int32_t>(rng.index(classes)));
  }
  return result;
}

TEST(PlainFolds, TestEveryRowOnceInFoldsOfEqualSize) {
  for (const auto& [n, k] :
       {std::pair<std::size_t, std::size_t>{2, 2}, {10, 3}, {11, 11}, {97, 5}}) {
    const std::vector<Fold> folds = plain_folds(n, k, 4);
    ASSERT_EQ(folds.size(), k);
    for (const Fold& fold : folds) expect_parts_the_rows(fold, n);
    EXPECT_EQ(times_tested(folds, n), std::vector<int>(n, 1));
    const auto [least, most] = smallest_and_largest_test(folds);
    EXPECT_LE(most - least, 1u);
  }
}

TEST(PlainFolds, DependOnTheSeedAlone) {
  EXPECT_TRUE(same(plain_folds(50, 5, 7), plain_folds(50, 5, 7)));
  EXPECT_FALSE(same(plain_folds(50, 5, 7), plain_folds(50, 5, 8)));
}

TEST(PlainFolds, RefuseOneFoldAndMoreFoldsThanRows) {
  EXPECT_THROW((void)plain_folds(10, 0), InvalidArgument);
  EXPECT_THROW((void)plain_folds(10, 1), InvalidArgument);
  EXPECT_THROW((void)plain_folds(10, 11), InvalidArgument);
  EXPECT_THROW((void)plain_folds(0, 2), InvalidArgument);
  try {
    (void)plain_folds(10, 11);
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "--folds 11: must be at least 2 and at most the number of rows, 10");
  }
}

TEST(StratifiedFolds, EveryClassAndTheWholeAreEvenUpToOne) {
  for (const std::size_t k : {2u, 3u, 7u}) {
    const std::vector<std::int32_t> classes = random_classes(61, 4, true);
    const std::vector<Fold> folds = stratified_folds(classes, k, 3);
    ASSERT_EQ(folds.size(), k);
    for (std::int32_t c = 0; c < 4; ++c) {
      std::set<std::ptrdiff_t> counts;
      for (const Fold& fold : folds) {
        counts.insert(std::count_if(fold.test.begin(), fold.test.end(), [&](std::size_t row) {
          return classes[row] == c;
        }));
      }
      EXPECT_LE(*counts.rbegin() - *counts.begin(), 1) << "class " << c << ", k " << k;
    }
    const auto [least, most] = smallest_and_largest_test(folds);
    EXPECT_LE(most - least, 1u);
  }
}

TEST(StratifiedFolds, UnlabelledRowsAreAlwaysTrainedOnAndNeverTested) {
  const std::vector<std::int32_t> classes = random_classes(40, 2, true);
  const std::vector<Fold> folds = stratified_folds(classes, 4, 0);
  const std::vector<int> times = times_tested(folds, classes.size());
  for (std::size_t row = 0; row < classes.size(); ++row) {
    EXPECT_EQ(times[row], classes[row] < 0 ? 0 : 1) << row;
  }
  for (const Fold& fold : folds) expect_parts_the_rows(fold, classes.size());
}

TEST(StratifiedFolds, CountOnlyLabelledRowsAndRefuseOtherNegativeClasses) {
  const std::vector<std::int32_t> classes = {0, -1, 1, -1, -1};
  EXPECT_EQ(stratified_folds(classes, 2).size(), 2u);
  EXPECT_THROW((void)stratified_folds(classes, 3), InvalidArgument);
  EXPECT_THROW((void)stratified_folds(classes, 1), InvalidArgument);
  EXPECT_THROW((void)stratified_folds(std::vector<std::int32_t>{0, 1, -2}, 2), InvalidArgument);
  EXPECT_THROW((void)stratified_folds({}, 2), InvalidArgument);
}

TEST(StratifiedFolds, DependOnTheSeedAlone) {
  const std::vector<std::int32_t> classes = random_classes(40, 3, false);
  EXPECT_TRUE(same(stratified_folds(classes, 4, 5), stratified_folds(classes, 4, 5)));
  EXPECT_FALSE(same(stratified_folds(classes, 4, 5), stratified_folds(classes, 4, 6)));
}

TEST(GroupedFolds, NeverPartAGroupAndTestEveryRowOnce) {
  Rng rng(5);
  std::vector<std::int64_t> groups;
  for (int i = 0; i < 200; ++i)
    groups.push_back(static_cast<std::int64_t>(rng.index(23)) * 1000 - 7);
  const std::vector<Fold> folds = grouped_folds(groups, 4, 1);
  ASSERT_EQ(folds.size(), 4u);
  std::map<std::int64_t, std::size_t> fold_of_group;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    expect_parts_the_rows(folds[f], groups.size());
    EXPECT_FALSE(folds[f].test.empty());
    for (const std::size_t row : folds[f].test) {
      EXPECT_EQ(fold_of_group.try_emplace(groups[row], f).first->second, f);
    }
  }
  EXPECT_EQ(times_tested(folds, groups.size()), std::vector<int>(groups.size(), 1));
}

/// Least possible size of the largest fold, over all k^groups assignments.
std::size_t best_largest_fold(const std::vector<std::size_t>& sizes, std::size_t k) {
  std::size_t assignments = 1;
  for (std::size_t g = 0; g < sizes.size(); ++g) assignments *= k;
  std::size_t best = static_cast<std::size_t>(-1);
  for (std::size_t code = 0; code < assignments; ++code) {
    std::vector<std::size_t> load(k, 0);
    std::size_t rest = code;
    for (const std::size_t size : sizes) {
      load[rest % k] += size;
      rest /= k;
    }
    best = std::min(best, *std::max_element(load.begin(), load.end()));
  }
  return best;
}

TEST(GroupedFolds, LargestFoldIsWithinFourThirdsOfTheBestPossible) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    std::vector<std::size_t> sizes;
    std::vector<std::int64_t> groups;
    for (std::size_t g = 0; g < 7; ++g) {
      sizes.push_back(1 + rng.index(20));
      groups.insert(groups.end(), sizes.back(), static_cast<std::int64_t>(g));
    }
    const auto [least, most] = smallest_and_largest_test(grouped_folds(groups, 3, seed));
    EXPECT_LE(3 * most, 4 * best_largest_fold(sizes, 3)) << "seed " << seed;
    EXPECT_GT(least, 0u);
  }
}

TEST(GroupedFolds, RefuseFewerGroupsThanFolds) {
  const std::vector<std::int64_t> groups = {4, 4, 4, 9};
  EXPECT_EQ(grouped_folds(groups, 2).size(), 2u);
  EXPECT_THROW((void)grouped_folds(groups, 3), InvalidArgument);
  EXPECT_THROW((void)grouped_folds(groups, 1), InvalidArgument);
  EXPECT_THROW((void)grouped_folds({}, 2), InvalidArgument);
}

TEST(Holdout, TestsTheRoundedShareButNeverNoneNorAll) {
  for (const auto& [n, fraction, expected] :
       {std::tuple<std::size_t, double, std::size_t>{100, 0.25, 25},
        {10, 0.26, 3},
        {2, 0.01, 1},
        {2, 0.99, 1},
        {5, 0.999, 4}}) {
    const Fold fold = holdout(n, fraction, 2);
    expect_parts_the_rows(fold, n);
    EXPECT_EQ(fold.test.size(), expected);
  }
}

TEST(Holdout, RefusesBadSharesAndTooFewRows) {
  for (const double fraction : {0.0, 1.0, -0.5, 1.5, std::nan("")}) {
    EXPECT_THROW((void)holdout(10, fraction), InvalidArgument) << fraction;
    EXPECT_THROW((void)stratified_holdout(random_classes(10, 2, false), fraction), InvalidArgument);
  }
  EXPECT_THROW((void)holdout(1, 0.5), InvalidArgument);
  EXPECT_THROW((void)holdout(0, 0.5), InvalidArgument);
  EXPECT_THROW((void)stratified_holdout(std::vector<std::int32_t>{0, -1, -1}, 0.5),
               InvalidArgument);
}

TEST(Holdout, EachRowIsTestedWithTheSameProbability) {
  const std::size_t trials = 4000;
  std::vector<int> times(10, 0);
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    for (const std::size_t row : holdout(10, 0.3, seed).test) ++times[row];
  }
  // Binomial(4000, 0.3): deviation 29; six of them.
  for (const int count : times) EXPECT_NEAR(count, 1200, 174);
}

TEST(StratifiedHoldout, EachClassGivesItsShareUpToOne) {
  for (const double fraction : {0.1, 0.3, 0.5, 0.77}) {
    const std::vector<std::int32_t> classes = random_classes(83, 5, true);
    const Fold fold = stratified_holdout(classes, fraction, 9);
    expect_parts_the_rows(fold, classes.size());
    const auto labelled = static_cast<double>(classes.size()) -
                          static_cast<double>(std::count(classes.begin(), classes.end(), -1));
    EXPECT_EQ(static_cast<double>(fold.test.size()), std::round(fraction * labelled));
    const double share = static_cast<double>(fold.test.size()) / labelled;
    for (std::int32_t c = -1; c < 5; ++c) {
      const auto rows = static_cast<double>(std::count(classes.begin(), classes.end(), c));
      const auto tested = static_cast<double>(std::count_if(
          fold.test.begin(), fold.test.end(), [&](std::size_t row) { return classes[row] == c; }));
      if (c < 0) {
        EXPECT_EQ(tested, 0);
      } else {
        EXPECT_LT(std::abs(tested - share * rows), 1) << "class " << c;
      }
    }
  }
}

TEST(StratifiedHoldout, TheSeedDecidesWhichOfManySmallClassesAreTested) {
  // Ten classes of three rows, three rows to test: no class is owed a row.
  std::vector<std::int32_t> classes;
  for (std::int32_t c = 0; c < 10; ++c) classes.insert(classes.end(), 3, c);
  const std::size_t trials = 4000;
  std::vector<int> times(classes.size(), 0);
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const Fold fold = stratified_holdout(classes, 0.1, seed);
    ASSERT_EQ(fold.test.size(), 3u);
    for (const std::size_t row : fold.test) ++times[row];
  }
  // Binomial(4000, 0.1): deviation 19; six of them.
  for (const int count : times) EXPECT_NEAR(count, 400, 114);
}

TEST(StratifiedFolds, TheSeedDecidesWhichFoldTestsTheOnlyRowOfAClass) {
  const std::vector<std::int32_t> classes = {0, 1, 1, 1, 1, 1, 1, 1};
  const std::size_t trials = 2000;
  std::vector<int> times(4, 0);
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    const std::vector<Fold> folds = stratified_folds(classes, 4, seed);
    for (std::size_t f = 0; f < folds.size(); ++f) times[f] += folds[f].test.front() == 0 ? 1 : 0;
  }
  // Binomial(2000, 1/4): deviation 19; six of them.
  for (const int count : times) EXPECT_NEAR(count, 500, 116);
}

TEST(Bootstrap, DrawsNRowsAndLeavesTheOthersOut) {
  const std::size_t n = 50;
  const Fold fold = bootstrap(n, 3, 0);
  EXPECT_EQ(fold.train.size(), n);
  EXPECT_TRUE(std::is_sorted(fold.train.begin(), fold.train.end()));
  const std::set<std::size_t> drawn(fold.train.begin(), fold.train.end());
  EXPECT_EQ(drawn.size() + fold.test.size(), n);
  for (const std::size_t row : fold.test) EXPECT_FALSE(drawn.contains(row));
  EXPECT_LT(*drawn.rbegin(), n);
}

TEST(Bootstrap, LeavesOutEachRowWithTheKnownProbability) {
  const std::size_t n = 20;
  const std::size_t trials = 2000;
  double left_out = 0;
  for (std::uint64_t index = 0; index < trials; ++index) {
    left_out += static_cast<double>(bootstrap(n, 1, index).test.size());
  }
  // (1 - 1/n)^n of the rows; the counts are negatively correlated, so the binomial deviation is
  // an upper bound.
  const double p = std::pow(1 - 1.0 / static_cast<double>(n), static_cast<double>(n));
  const auto draws = static_cast<double>(n * trials);
  EXPECT_NEAR(left_out / draws, p, 5 * std::sqrt(p * (1 - p) / draws));
}

TEST(Bootstrap, SamplesDifferByIndexAndRepeatBySeed) {
  EXPECT_EQ(bootstrap(30, 1, 2).train, bootstrap(30, 1, 2).train);
  EXPECT_NE(bootstrap(30, 1, 2).train, bootstrap(30, 1, 3).train);
  EXPECT_NE(bootstrap(30, 1, 2).train, bootstrap(30, 2, 2).train);
}

TEST(Bootstrap, OfOneRowHasNothingLeftOutAndOfNoneIsRefused) {
  EXPECT_EQ(bootstrap(1).train, (std::vector<std::size_t>{0}));
  EXPECT_TRUE(bootstrap(1).test.empty());
  EXPECT_THROW((void)bootstrap(0), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
