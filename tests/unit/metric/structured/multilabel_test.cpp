// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/multilabel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/classification.hpp"

namespace maxmargin {
namespace {

using Sets = std::vector<std::vector<Label>>;

Sets sets(const std::vector<std::vector<double>>& numbers) {
  Sets result;
  for (const auto& row : numbers) {
    result.emplace_back();
    for (const double number : row) result.back().emplace_back(number);
  }
  return result;
}

TEST(MultilabelCounts, HandMadeValues) {
  const MultilabelCounts counts(sets({{1, 2}, {2}, {}, {3}}), sets({{1, 2}, {1, 2}, {}, {}}));
  ASSERT_EQ(counts.labels.size(), 3u);
  EXPECT_EQ(counts.exact, 2u);
  EXPECT_EQ(subset_accuracy(counts), 0.5);
  EXPECT_DOUBLE_EQ(hamming_loss(counts), 2.0 / 12);
  // Label 1: 1 right, 1 false; label 2: 2 right; label 3: 1 missed.
  EXPECT_DOUBLE_EQ(micro_f1(counts), 2 * 3.0 / (2 * 3 + 1 + 1));
  EXPECT_DOUBLE_EQ(macro_f1(counts), (2.0 / 3 + 1 + 0) / 3);
  EXPECT_EQ(precision(counts.of_label[0]), 0.5);
  EXPECT_EQ(counts.of_label[0].true_negative, 2);
}

TEST(MultilabelCounts, KnownLabelsChangeTheHammingLossAlone) {
  const Sets truth = sets({{1, 2}, {2}});
  const Sets predicted = sets({{1}, {2}});
  const std::vector<Label> known = {Label(1.0), Label(2.0), Label(5.0), Label(7.0)};
  const MultilabelCounts few(truth, predicted);
  const MultilabelCounts many(truth, predicted, known);
  EXPECT_DOUBLE_EQ(hamming_loss(few), 1.0 / 4);
  EXPECT_DOUBLE_EQ(hamming_loss(many), 1.0 / 8);
  EXPECT_EQ(micro_f1(few), micro_f1(many));
  EXPECT_EQ(macro_f1(few), macro_f1(many));
  EXPECT_EQ(subset_accuracy(few), subset_accuracy(many));
}

TEST(MultilabelCounts, EqualsALoopOverTheMatrixOfRowsAndLabels) {
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    Rng rng(seed);
    const std::size_t n = 20;
    const std::size_t labels = 6;
    std::vector<std::vector<double>> truth(n);
    std::vector<std::vector<double>> predicted(n);
    double wrong = 0;
    double exact = 0;
    std::vector<double> tp(labels, 0);
    std::vector<double> either(labels, 0);  // 2 TP + FP + FN
    for (std::size_t i = 0; i < n; ++i) {
      bool same = true;
      for (std::size_t l = 0; l < labels; ++l) {
        const bool is = rng.bernoulli(0.3);
        const bool said = rng.bernoulli(0.7) ? is : rng.bernoulli(0.3);
        if (is) truth[i].push_back(static_cast<double>(l));
        if (said) predicted[i].push_back(static_cast<double>(l));
        if (is != said) wrong += 1;
        same = same && is == said;
        if (is && said) tp[l] += 1;
        either[l] += (is ? 1 : 0) + (said ? 1 : 0);
      }
      exact += same ? 1 : 0;
    }
    const MultilabelCounts counts(sets(truth), sets(predicted));
    ASSERT_EQ(counts.labels.size(), labels);
    EXPECT_DOUBLE_EQ(hamming_loss(counts), wrong / static_cast<double>(n * labels));
    EXPECT_DOUBLE_EQ(subset_accuracy(counts), exact / static_cast<double>(n));
    double sum = 0;
    double all_tp = 0;
    double all_either = 0;
    for (std::size_t l = 0; l < labels; ++l) {
      sum += 2 * tp[l] / either[l];
      all_tp += tp[l];
      all_either += either[l];
    }
    EXPECT_DOUBLE_EQ(macro_f1(counts), sum / static_cast<double>(labels));
    EXPECT_DOUBLE_EQ(micro_f1(counts), 2 * all_tp / all_either);
  }
}

TEST(MultilabelCounts, NothingIsUndefined) {
  const MultilabelCounts no_rows(Sets{}, Sets{});
  EXPECT_TRUE(std::isnan(hamming_loss(no_rows)));
  EXPECT_TRUE(std::isnan(subset_accuracy(no_rows)));
  EXPECT_TRUE(std::isnan(micro_f1(no_rows)));
  EXPECT_TRUE(std::isnan(macro_f1(no_rows)));
  const MultilabelCounts empty_sets(Sets(2), Sets(2));
  EXPECT_EQ(subset_accuracy(empty_sets), 1);
  EXPECT_TRUE(std::isnan(macro_f1(empty_sets)));
}

TEST(MultilabelCounts, WrongCallsAreRefused) {
  EXPECT_THROW(MultilabelCounts(Sets(2), Sets(1)), InvalidArgument);
  EXPECT_THROW(MultilabelCounts(sets({{2, 1}}), Sets(1)), InvalidArgument);
  EXPECT_THROW(MultilabelCounts(Sets(1), sets({{1, 1}})), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
