// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/registry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;
using Values = std::vector<double>;

TEST(MetricRegistry, HoldsEveryNameOfTheCommandLineOnce) {
  std::set<std::string> names;
  for (const Metric& metric : all_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_FALSE(metric.description.empty()) << metric.name;
    EXPECT_LE(metric.description.size(), 70u) << metric.name;
    EXPECT_NE(metric.description.back(), '.') << metric.name;
    EXPECT_TRUE(metric.value) << metric.name;
    EXPECT_EQ(&metric_by_name(metric.name), &metric);
  }
  for (const char* name : {"accuracy",
                           "error",
                           "balanced_accuracy",
                           "f1",
                           "macro_f1",
                           "micro_f1",
                           "precision",
                           "recall",
                           "sensitivity",
                           "specificity",
                           "mcc",
                           "auc",
                           "pr_auc",
                           "log_loss",
                           "brier",
                           "mse",
                           "mae",
                           "r2",
                           "squared_correlation",
                           "misassignment",
                           "majority_error",
                           "purity",
                           "ari",
                           "nmi"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

/// Perfect answers of every kind.
struct Perfect {
  Labels truth = {0, 1, 1, 0, 1};
  Values scores = {-1, 1, 2, -3, 0.5};
  DenseMatrix probabilities = DenseMatrix(5, 2);
  Values targets = {1, 2, 3, 4, 6};

  Perfect() {
    for (std::size_t i = 0; i < 5; ++i) probabilities(i, static_cast<std::size_t>(truth[i])) = 1;
  }
  [[nodiscard]] Outcome outcome() const {
    return {.truth = truth,
            .classes = 2,
            .predicted = truth,
            .scores = scores,
            .probabilities = probabilities.view(),
            .targets = targets,
            .predicted_targets = targets};
  }
};

TEST(MetricRegistry, PerfectAnswersGetTheBestValueAndDirectionsAreRight) {
  const Perfect perfect;
  const Outcome best = perfect.outcome();
  const Labels wrong_labels = {1, 1, 0, 0, 0};
  const Values wrong_scores = {3, 1, -2, 3, 0.5};
  const DenseMatrix wrong_probabilities(5, 2, 0.5);
  const Values wrong_targets = {3, 1, 2, 2, 3};
  Outcome worse = best;
  worse.predicted = wrong_labels;
  worse.scores = wrong_scores;
  worse.probabilities = wrong_probabilities.view();
  worse.predicted_targets = wrong_targets;
  for (const Metric& metric : all_metrics()) {
    const double value = metric.value(best);
    const double top = metric.name == "q3" ? 100 : 1;
    EXPECT_NEAR(value, metric.larger_is_better ? top : 0, 1e-12) << metric.name;
    EXPECT_TRUE(metric.better(value, metric.value(worse))) << metric.name;
    EXPECT_FALSE(metric.better(metric.value(worse), value)) << metric.name;
  }
}

TEST(MetricRegistry, ANumberIsBetterThanNan) {
  const Metric& error = metric_by_name("error");
  EXPECT_TRUE(error.better(0.9, NAN));
  EXPECT_FALSE(error.better(NAN, 0.9));
  EXPECT_FALSE(error.better(NAN, NAN));
  EXPECT_FALSE(error.better(0.5, 0.5));
}

TEST(MetricRegistry, TwoClassMetricsTakeTheLargerClassAsPositive) {
  const Labels truth = {0, 0, 1, 1, 1};
  const Labels predicted = {0, 1, 1, 1, 0};
  const Outcome outcome{.truth = truth, .predicted = predicted};
  EXPECT_DOUBLE_EQ(metric_by_name("sensitivity").value(outcome), 2.0 / 3);
  EXPECT_DOUBLE_EQ(metric_by_name("specificity").value(outcome), 0.5);
  EXPECT_DOUBLE_EQ(metric_by_name("precision").value(outcome), 2.0 / 3);
  EXPECT_DOUBLE_EQ(metric_by_name("npv").value(outcome), 0.5);
}

TEST(MetricRegistry, TwoClassMetricsRefuseMoreAndLiveWithOne) {
  const Labels three = {0, 1, 2};
  EXPECT_THROW((void)metric_by_name("f1").value({.truth = three, .predicted = three}),
               InvalidArgument);
  const Labels negatives = {0, 0};
  const Outcome outcome{.truth = negatives, .predicted = negatives};
  EXPECT_EQ(metric_by_name("specificity").value(outcome), 1);
  EXPECT_TRUE(std::isnan(metric_by_name("recall").value(outcome)));
}

TEST(MetricRegistry, UnknownNamesAreAnsweredWithTheKnownOnes) {
  try {
    (void)metric_by_name("acuracy");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("\"acuracy\""), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("accuracy, error"), std::string::npos);
  }
}

TEST(MetricInput, HasNames) {
  EXPECT_EQ(to_string(MetricInput::labels), "labels");
  EXPECT_EQ(to_string(MetricInput::clusters), "clusters");
}

}  // namespace
}  // namespace maxmargin
