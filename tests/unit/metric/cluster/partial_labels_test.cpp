// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/confusion.hpp"
#include "maxmargin/metric/scores.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;
using Values = std::vector<double>;

TEST(TransductiveError, CountsRowsWithoutAGivenLabelAlone) {
  const Labels truth = {0, 1, 1, 0, -1, 1};
  const Labels given = {0, 1, -1, -1, -1, -1};
  EXPECT_DOUBLE_EQ(transductive_error(truth, Labels{1, 0, 1, 1, 0, -1}, given), 2.0 / 3);
  EXPECT_EQ(transductive_error(truth, truth, given), 0);
  EXPECT_TRUE(std::isnan(transductive_error(Labels{1}, Labels{1}, Labels{1})));
  EXPECT_THROW((void)transductive_error(truth, truth, Labels{0}), InvalidArgument);
  EXPECT_THROW((void)transductive_error(Labels{0}, Labels{-2}, Labels{0}), InvalidArgument);
}

TEST(OutlierCounts, GivePrecisionRecallAndF) {
  const BinaryCounts counts = outlier_counts(Labels{-1, -1, 0, 3, 2}, Labels{-1, 1, -1, 2, 0});
  EXPECT_EQ(counts.true_positive, 1);
  EXPECT_EQ(counts.false_negative, 1);
  EXPECT_EQ(counts.false_positive, 1);
  EXPECT_EQ(counts.true_negative, 2);
  EXPECT_DOUBLE_EQ(precision(counts), 0.5);
  EXPECT_DOUBLE_EQ(recall(counts), 0.5);
  EXPECT_DOUBLE_EQ(f1(counts), 0.5);
  EXPECT_THROW((void)outlier_counts(Labels{0}, Labels{}), InvalidArgument);
}

TEST(FisherRatio, KnownValue) {
  // Means 1 and 5, variances 1 and 4.
  EXPECT_DOUBLE_EQ(fisher_ratio(Values{0, 2, 3, 7}, Labels{0, 0, 1, 1}), 16.0 / 5);
}

// seed-merat fact 42 (FC-47).
TEST(FisherRatio, IsInvariantUnderScalingAndShifting) {
  Rng rng(1);
  Values projections;
  Labels truth;
  for (int i = 0; i < 40; ++i) {
    truth.push_back(static_cast<std::int32_t>(rng.index(2)));
    projections.push_back(rng.normal(truth.back(), 1));
  }
  const double once = fisher_ratio(projections, truth);
  for (const double scale : {-3.0, 0.01, 1e6}) {
    Values moved = projections;
    for (double& value : moved) value = scale * value + 7;
    EXPECT_NEAR(fisher_ratio(moved, truth), once, 1e-11 * once) << scale;
  }
  for (auto& label : truth) label = 1 - label;
  EXPECT_DOUBLE_EQ(fisher_ratio(projections, truth), once);
}

TEST(FisherRatio, DegenerateCases) {
  EXPECT_TRUE(std::isnan(fisher_ratio(Values{1, 2}, Labels{1, 1})));
  EXPECT_TRUE(std::isnan(fisher_ratio(Values(6, 0.1), Labels{0, 0, 0, 1, 1, 1})));
  EXPECT_EQ(fisher_ratio(Values{0.1, 0.1, 0.1, 2}, Labels{0, 0, 0, 1}),
            std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(fisher_ratio(Values{0, 2, 100, 3, 7}, Labels{0, 0, -1, 1, 1}), 16.0 / 5);
  EXPECT_THROW((void)fisher_ratio(Values{1}, Labels{2}), InvalidArgument);
  EXPECT_THROW((void)fisher_ratio(Values{NAN}, Labels{1}), InvalidArgument);
  EXPECT_THROW((void)fisher_ratio(Values{1, 2}, Labels{1}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
