// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/cluster/random_labellings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin {
namespace {

DenseMatrix iris_gram() { return gram(Rbf{.gamma = 0.125}, iris().examples); }

TEST(DrawLabels, EveryClassOccursEvenWhenThereAreAsManyAsLabels) {
  for (const std::size_t k : {1u, 2u, 5u, 30u}) {
    Rng rng(1, "labels", k);
    const std::vector<std::int32_t> labels = draw_labels(30, k, rng);
    const std::set<std::int32_t> classes(labels.begin(), labels.end());
    EXPECT_EQ(classes.size(), k);
    EXPECT_EQ(*classes.rbegin(), static_cast<std::int32_t>(k) - 1);
  }
  Rng rng(1);
  EXPECT_THROW(static_cast<void>(draw_labels(3, 4, rng)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(draw_labels(3, 0, rng)), InvalidArgument);
}

TEST(RandomLabelSums, EqualThePlainSumOfEveryLabelling) {
  const DenseMatrix matrix = iris_gram();
  for (const std::size_t k : {2u, 3u, 7u}) {
    const std::vector<double> sums =
        random_label_sums(matrix.view(), {.k = k, .count = 100, .context = {.seed = 4}});
    for (std::size_t r = 0; r < sums.size(); ++r) {
      Rng rng(4, "random labelling", r);
      const double plain = kernel_sum_of_squares(matrix.view(), draw_labels(150, k, rng)).total;
      // 150^2 additions of numbers up to 1 and one division.
      EXPECT_NEAR(sums[r], plain, 1e-11) << k << " " << r;
    }
  }
}

TEST(RandomLabelSums, AreTheSameForAnyNumberOfThreads) {
  const DenseMatrix matrix = iris_gram();
  const auto one = random_label_sums(matrix.view(), {.count = 300, .context = {.threads = 1}});
  for (const std::size_t threads : {2u, 4u}) {
    EXPECT_EQ(random_label_sums(matrix.view(), {.count = 300, .context = {.threads = threads}}),
              one);
  }
}

// seed-merat fact 38 and section 4.10: E[J] = (N - 2)(1 - k)
TEST(RandomLabelSums, HaveTheMeanThatTheKernelsMeanForetells) {
  const DenseMatrix matrix = iris_gram();
  const ChanceLaw law = chance_law(matrix.view(), {.count = 2000, .context = {.seed = 1}});
  EXPECT_NEAR(law.one_cluster, 73.13669876, 5e-9);
  double mean = 0;
  for (const double sum : law.sums) mean += sum / 2000;
  double variance = 0;
  for (const double sum : law.sums) variance += (sum - mean) * (sum - mean) / 2000;
  EXPECT_NEAR(mean, 72.645848, 5 * std::sqrt(variance / 2000));
  EXPECT_LE(law.sums.back(), law.one_cluster);
}

TEST(ChanceLaw, FitsTheSumsItWasDrawnFor) {
  const DenseMatrix matrix = iris_gram();
  const ChanceLaw law = chance_law(matrix.view(), {.count = 2000, .context = {.seed = 2}});
  ASSERT_TRUE(law.fit.has_value());
  EXPECT_LE(law.fit->law.xi + law.fit->law.lambda, law.one_cluster * (1 + 1e-15));
  // A law of another shape would be off by tenths; sampling alone gives 1.4 / sqrt(2000) = 0.03.
  for (std::size_t i = 0; i < law.sums.size(); i += 50) {
    EXPECT_NEAR(law.p_value(law.sums[i]), law.share_at_most(law.sums[i]), 0.06);
  }
  EXPECT_EQ(law.p_value(law.one_cluster + 1), 1);
  EXPECT_LT(law.p_value(28.558999), 1e-6);
  EXPECT_EQ(law.share_at_most(28.558999), 0);
}

TEST(ChanceLaw, TwoPointsHaveOneLabellingAndNoLaw) {
  DenseMatrix matrix(2, 2, 0.5);
  matrix(0, 0) = matrix(1, 1) = 1;
  const ChanceLaw law = chance_law(matrix.view(), {.count = 50});
  EXPECT_FALSE(law.fit.has_value());
  EXPECT_EQ(law.p_value(0), 1);
  EXPECT_EQ(law.p_value(-0.1), 0);
}

TEST(ChanceLaw, AsManyClustersAsPointsLeaveRoundingAndNoLaw) {
  DenseMatrix matrix(3, 3);
  const double entries[3][3] = {{2, 0.3, 0.1}, {0.3, 7, 0.2}, {0.1, 0.2, 0.7}};
  for (std::size_t i = 0; i < 3; ++i) std::ranges::copy(entries[i], matrix.row(i).begin());
  DenseMatrix corner(2, 2);
  for (std::size_t i = 0; i < 2; ++i) std::copy_n(entries[i], 2, corner.row(i).begin());
  for (const DenseMatrix& gram : {corner, matrix}) {
    const ChanceLaw law = chance_law(gram.view(), {.k = gram.rows(), .count = 50});
    EXPECT_FALSE(law.fit.has_value());
    // Every sum is 0 but for rounding, and so is that of a clustering.
    EXPECT_EQ(law.p_value(0), 1);
    EXPECT_EQ(law.p_value(-1e-15), 1);
    EXPECT_EQ(law.p_value(-0.1), 0);
  }
}

TEST(RandomLabelSums, AsksBeforeEveryBlockAndStopsWhenTold) {
  const DenseMatrix matrix = iris_gram();
  for (const std::size_t threads : {1u, 4u}) {
    std::size_t calls = 0;
    RandomLabellingOptions options{.count = 640, .context = {.threads = threads}};
    options.context.on_progress = [&](const Progress& progress) {
      EXPECT_EQ(progress.phase, "random labels");
      EXPECT_EQ(progress.iteration, 64 * calls);
      EXPECT_EQ(progress.max_iterations, 640u);
      ++calls;
      return Continue::yes;
    };
    EXPECT_EQ(random_label_sums(matrix.view(), options).size(), 640u);
    EXPECT_EQ(calls, 10u);
    calls = 0;
    options.context.on_progress = [&](const Progress&) {
      return ++calls < 3 ? Continue::yes : Continue::time_is_up;
    };
    EXPECT_TRUE(random_label_sums(matrix.view(), options).empty());
    EXPECT_EQ(calls, 3u);
    calls = 0;
    const ChanceLaw law = chance_law(matrix.view(), options);
    EXPECT_TRUE(law.sums.empty());
    EXPECT_THROW(static_cast<void>(law.p_value(1)), InvalidArgument);
  }
}

TEST(RandomLabelSums, RefusesWrongCalls) {
  const DenseMatrix matrix(3, 3, 1.0);
  const DenseMatrix wide(3, 4, 1.0);
  EXPECT_THROW(static_cast<void>(random_label_sums(wide.view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(random_label_sums(matrix.view(), {.k = 4})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(random_label_sums(matrix.view(), {.k = 1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(random_label_sums(matrix.view(), {.count = 0})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
