// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/classification.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;

Labels random_labels(Rng& rng, std::size_t n, std::size_t classes) {
  Labels labels(n);
  for (auto& label : labels) label = static_cast<std::int32_t>(rng.index(classes));
  return labels;
}

TEST(ConfusionMatrix, CountsPairsAndMarginals) {
  const ConfusionMatrix confusion(Labels{0, 0, 1, 2, 2, 2}, Labels{0, 1, 1, 2, -1, 0});
  EXPECT_EQ(confusion.classes(), 3u);
  EXPECT_EQ(confusion.at(0, 1), 1);
  EXPECT_EQ(confusion.at(2, 2), 1);
  EXPECT_EQ(confusion.unanswered(2), 1);
  EXPECT_EQ(confusion.truth_total(2), 3);
  EXPECT_EQ(confusion.predicted_totals(), (std::vector<double>{2, 2, 1}));
  EXPECT_EQ(confusion.total(), 6);
  EXPECT_EQ(confusion.correct(), 3);
  EXPECT_DOUBLE_EQ(accuracy(confusion), 0.5);
  EXPECT_DOUBLE_EQ(error_rate(confusion), 0.5);
}

TEST(ConfusionMatrix, LeavesUnlabelledRowsOut) {
  const ConfusionMatrix confusion(Labels{0, -1, 1}, Labels{0, 1, 0});
  EXPECT_EQ(confusion.total(), 2);
  EXPECT_DOUBLE_EQ(accuracy(confusion), 0.5);
}

TEST(ConfusionMatrix, WeightTwoIsTheSameAsTheRowTwice) {
  const ConfusionMatrix weighted(Labels{0, 1, 1}, Labels{0, 1, 0}, std::vector<double>{1, 2, 1});
  const ConfusionMatrix repeated(Labels{0, 1, 1, 1}, Labels{0, 1, 1, 0});
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(weighted.at(i, j), repeated.at(i, j));
  }
}

TEST(ConfusionMatrix, RefusesWhatBreaksItsRules) {
  EXPECT_THROW(ConfusionMatrix(0), InvalidArgument);
  EXPECT_THROW(ConfusionMatrix(Labels{0}, Labels{0, 1}), InvalidArgument);
  EXPECT_THROW(ConfusionMatrix(Labels{-2}, Labels{0}), InvalidArgument);
  EXPECT_THROW(ConfusionMatrix(Labels{0}, Labels{-2}), InvalidArgument);
  EXPECT_THROW(ConfusionMatrix(Labels{2}, Labels{0}, {}, 2), InvalidArgument);
  EXPECT_THROW(ConfusionMatrix(Labels{0}, Labels{0}, std::vector<double>{-1}), InvalidArgument);
  EXPECT_THROW(ConfusionMatrix(Labels{0}, Labels{0}, std::vector<double>{NAN}), InvalidArgument);
  EXPECT_THROW((void)ConfusionMatrix(2).at(2, 0), InvalidArgument);
}

TEST(Classification, IsUndefinedWithoutRows) {
  const ConfusionMatrix empty(Labels{}, Labels{});
  EXPECT_TRUE(std::isnan(accuracy(empty)));
  EXPECT_TRUE(std::isnan(error_rate(empty)));
  EXPECT_TRUE(std::isnan(balanced_accuracy(empty)));
  EXPECT_TRUE(std::isnan(matthews_correlation(empty)));
  EXPECT_TRUE(std::isnan(macro_f1(empty)));
  EXPECT_TRUE(std::isnan(micro_f1(empty)));
  const BinaryCounts none;
  EXPECT_TRUE(std::isnan(sensitivity(none)));
  EXPECT_TRUE(std::isnan(specificity(none)));
  EXPECT_TRUE(std::isnan(precision(none)));
  EXPECT_TRUE(std::isnan(negative_predictive_value(none)));
  EXPECT_TRUE(std::isnan(f1(none)));
}

// seed-merat fact 40.
TEST(Merat, SnSpNsnNspAreRecallPrecisionTnrNpvAndSwapWithTheClasses) {
  const BinaryCounts counts{50, 10, 40, 7};
  const MeratMeasures measures = merat_measures(counts);
  EXPECT_DOUBLE_EQ(measures.sn, 50.0 / 90);
  EXPECT_DOUBLE_EQ(measures.sp, 50.0 / 60);
  EXPECT_DOUBLE_EQ(measures.nsn, 7.0 / 17);
  EXPECT_DOUBLE_EQ(measures.nsp, 7.0 / 47);
  EXPECT_EQ(measures.sn, recall(counts));
  EXPECT_EQ(measures.sp, precision(counts));
  EXPECT_EQ(measures.nsn, specificity(counts));
  EXPECT_EQ(measures.nsp, negative_predictive_value(counts));
  const MeratMeasures swapped = merat_measures(counts.swapped());
  EXPECT_EQ(swapped.sn, measures.nsn);
  EXPECT_EQ(swapped.sp, measures.nsp);
  EXPECT_EQ(swapped.nsn, measures.sn);
  EXPECT_EQ(swapped.nsp, measures.sp);
}

TEST(Classification, F1IsTheHarmonicMean) {
  const BinaryCounts counts{3, 1, 2, 4};
  const double p = precision(counts);
  const double r = recall(counts);
  EXPECT_DOUBLE_EQ(f1(counts), 2 * p * r / (p + r));
  EXPECT_EQ(f1(BinaryCounts{0, 0, 3, 4}), 0);
}

TEST(Classification, OneAgainstRestCountsByHand) {
  Rng rng(3);
  const Labels truth = random_labels(rng, 200, 4);
  const Labels predicted = random_labels(rng, 200, 4);
  const ConfusionMatrix confusion(truth, predicted);
  const std::vector<BinaryCounts> each = each_against_rest(confusion);
  ASSERT_EQ(each.size(), 4u);
  for (std::int32_t c = 0; c < 4; ++c) {
    BinaryCounts counts;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      if (truth[i] == c && predicted[i] == c) ++counts.true_positive;
      if (truth[i] == c && predicted[i] != c) ++counts.false_negative;
      if (truth[i] != c && predicted[i] == c) ++counts.false_positive;
      if (truth[i] != c && predicted[i] != c) ++counts.true_negative;
    }
    const auto place = static_cast<std::size_t>(c);
    for (const BinaryCounts& got : {one_against_rest(confusion, place), each[place]}) {
      EXPECT_EQ(got.true_positive, counts.true_positive);
      EXPECT_EQ(got.false_negative, counts.false_negative);
      EXPECT_EQ(got.false_positive, counts.false_positive);
      EXPECT_EQ(got.true_negative, counts.true_negative);
    }
  }
}

/// Pearson's correlation of the two n x k indicator matrices, centred by column: what the
/// multi-class Matthews coefficient is by definition.
double matthews_by_indicators(const Labels& truth, const Labels& predicted, int classes) {
  const auto covariance = [&](const Labels& a, const Labels& b) {
    double sum = 0;
    for (int c = 0; c < classes; ++c) {
      double mean_a = 0;
      double mean_b = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        mean_a += a[i] == c;
        mean_b += b[i] == c;
      }
      mean_a /= static_cast<double>(a.size());
      mean_b /= static_cast<double>(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        sum += ((a[i] == c) - mean_a) * ((b[i] == c) - mean_b);
      }
    }
    return sum;
  };
  return covariance(truth, predicted) /
         std::sqrt(covariance(truth, truth) * covariance(predicted, predicted));
}

TEST(Matthews, EqualsTheCorrelationOfIndicators) {
  Rng rng(4);
  for (int k = 2; k <= 5; ++k) {
    const Labels truth = random_labels(rng, 60, static_cast<std::size_t>(k));
    Labels predicted = truth;
    for (auto& label : predicted) {
      if (rng.bernoulli(0.5))
        label = static_cast<std::int32_t>(rng.index(static_cast<std::size_t>(k)));
    }
    EXPECT_NEAR(matthews_correlation(ConfusionMatrix(truth, predicted)),
                matthews_by_indicators(truth, predicted, k),
                1e-12);
  }
}

TEST(Matthews, TwoClassFormulaAndItsSigns) {
  const ConfusionMatrix confusion(Labels{1, 1, 1, 0, 0, 0, 0}, Labels{1, 1, 0, 0, 0, 0, 1});
  EXPECT_NEAR(matthews_correlation(confusion), (2 * 3 - 1 * 1) / std::sqrt(3.0 * 3 * 4 * 4), 1e-14);
  EXPECT_NEAR(matthews_correlation(ConfusionMatrix(Labels{0, 1}, Labels{1, 0})), -1, 1e-14);
  EXPECT_NEAR(matthews_correlation(ConfusionMatrix(Labels{0, 1}, Labels{0, 1})), 1, 1e-14);
  EXPECT_TRUE(std::isnan(matthews_correlation(ConfusionMatrix(Labels{0, 1}, Labels{1, 1}))));
  EXPECT_TRUE(std::isnan(matthews_correlation(ConfusionMatrix(Labels{1, 1}, Labels{0, 1}))));
}

TEST(Macro, AveragesTheClassesThatOccur) {
  // Class 2 occurs in neither list; class 3 is predicted only.
  const ConfusionMatrix confusion(Labels{0, 0, 1, 1}, Labels{0, 3, 1, 1}, {}, 5);
  EXPECT_DOUBLE_EQ(macro_precision(confusion), (1.0 + 1.0 + 0.0) / 3);
  EXPECT_DOUBLE_EQ(macro_recall(confusion), (0.5 + 1.0 + 0.0) / 3);
  EXPECT_DOUBLE_EQ(macro_f1(confusion), (2.0 / 3 + 1.0 + 0.0) / 3);
  EXPECT_DOUBLE_EQ(balanced_accuracy(confusion), 0.75);
}

TEST(Micro, F1IsTheAccuracyWhenEveryRowIsAnswered) {
  Rng rng(5);
  const ConfusionMatrix confusion(random_labels(rng, 100, 3), random_labels(rng, 100, 3));
  EXPECT_DOUBLE_EQ(micro_f1(confusion), accuracy(confusion));
}

TEST(Classification, ClassNamesDoNotMatter) {
  Rng rng(6);
  Labels truth = random_labels(rng, 100, 3);
  Labels predicted = random_labels(rng, 100, 3);
  const ConfusionMatrix before(truth, predicted);
  const Labels names = {2, 0, 1};
  for (auto& label : truth) label = names[static_cast<std::size_t>(label)];
  for (auto& label : predicted) label = names[static_cast<std::size_t>(label)];
  const ConfusionMatrix after(truth, predicted);
  EXPECT_EQ(accuracy(before), accuracy(after));
  EXPECT_NEAR(macro_f1(before), macro_f1(after), 1e-15);
  EXPECT_NEAR(matthews_correlation(before), matthews_correlation(after), 1e-15);
}

TEST(Q3, IsAHundredForAPerfectPrediction) {
  EXPECT_EQ(q3(ConfusionMatrix(Labels{0, 1, 2}, Labels{0, 1, 2})), 100);
}

TEST(RelativeImprovement, IsTheShareOfErrorsRemoved) {
  EXPECT_DOUBLE_EQ(relative_improvement(0.2, 0.15), 0.25);
  EXPECT_TRUE(std::isnan(relative_improvement(0, 0.1)));
}

}  // namespace
}  // namespace maxmargin
