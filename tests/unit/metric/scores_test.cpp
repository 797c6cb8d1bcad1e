// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using Labels = std::vector<std::int32_t>;
using Values = std::vector<double>;

struct Ranking {
  Labels truth;
  Values scores;
  Values weights;
};

/// Scores on a coarse grid, so that there are many ties.
Ranking random_ranking(std::uint64_t seed, std::size_t n) {
  Rng rng(seed);
  Ranking ranking;
  for (std::size_t i = 0; i < n; ++i) {
    ranking.truth.push_back(rng.bernoulli(0.4));
    ranking.scores.push_back(static_cast<double>(rng.index(10)) + 2 * ranking.truth.back());
    ranking.weights.push_back(static_cast<double>(rng.index(4)));
  }
  return ranking;
}

double auc_by_pairs(const Ranking& ranking) {
  double won = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < ranking.truth.size(); ++i) {
    for (std::size_t j = 0; j < ranking.truth.size(); ++j) {
      if (ranking.truth[i] != 1 || ranking.truth[j] != 0) continue;
      const double weight = ranking.weights[i] * ranking.weights[j];
      pairs += weight;
      if (ranking.scores[i] > ranking.scores[j]) won += weight;
      if (ranking.scores[i] == ranking.scores[j]) won += weight / 2;
    }
  }
  return won / pairs;
}

TEST(RocAuc, IsTheShareOfPairsInOrderWithTiesHalf) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Ranking ranking = random_ranking(seed, 50);
    EXPECT_NEAR(
        roc_auc(ranking.truth, ranking.scores, ranking.weights), auc_by_pairs(ranking), 1e-14);
    ranking.weights.assign(50, 1);
    EXPECT_NEAR(roc_auc(ranking.truth, ranking.scores), auc_by_pairs(ranking), 1e-14);
  }
}

TEST(RocAuc, KnownValues) {
  EXPECT_EQ(roc_auc(Labels{0, 0, 1, 1}, Values{0.1, 0.4, 0.35, 0.8}), 0.75);
  EXPECT_EQ(roc_auc(Labels{0, 1}, Values{1, 1}), 0.5);
  EXPECT_EQ(roc_auc(Labels{0, 1}, Values{0, 1}), 1);
  EXPECT_EQ(roc_auc(Labels{1, 0}, Values{0, 1}), 0);
  EXPECT_TRUE(std::isnan(roc_auc(Labels{1, 1}, Values{0, 1})));
  EXPECT_TRUE(std::isnan(roc_auc(Labels{}, Values{})));
}

TEST(RocAuc, DependsOnTheOrderOfScoresAlone) {
  const Ranking ranking = random_ranking(7, 80);
  Values cubes = ranking.scores;
  for (double& score : cubes) score = std::pow(score - 5, 3);
  EXPECT_EQ(roc_auc(ranking.truth, ranking.scores), roc_auc(ranking.truth, cubes));
  Values negated = ranking.scores;
  for (double& score : negated) score = -score;
  EXPECT_NEAR(roc_auc(ranking.truth, negated), 1 - roc_auc(ranking.truth, ranking.scores), 1e-15);
}

TEST(Ranking, SkipsUnlabelledRowsAndTakesInfiniteScores) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(roc_auc(Labels{0, -1, 1}, Values{-inf, 5, inf}), 1);
  EXPECT_EQ(average_precision(Labels{0, -1, 1}, Values{-inf, inf, 3}), 1);
}

double average_precision_by_thresholds(const Ranking& ranking) {
  // At every positive: the precision among all rows with at least its score.
  double sum = 0;
  double positives = 0;
  for (std::size_t i = 0; i < ranking.truth.size(); ++i) {
    if (ranking.truth[i] != 1) continue;
    double right = 0;
    double called = 0;
    for (std::size_t j = 0; j < ranking.truth.size(); ++j) {
      if (ranking.scores[j] < ranking.scores[i]) continue;
      called += ranking.weights[j];
      if (ranking.truth[j] == 1) right += ranking.weights[j];
    }
    positives += ranking.weights[i];
    if (ranking.weights[i] > 0) sum += ranking.weights[i] * right / called;
  }
  return sum / positives;
}

TEST(AveragePrecision, IsTheMeanPrecisionAtThePositives) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Ranking ranking = random_ranking(seed, 50);
    EXPECT_NEAR(average_precision(ranking.truth, ranking.scores, ranking.weights),
                average_precision_by_thresholds(ranking),
                1e-14);
  }
  EXPECT_NEAR(average_precision(Labels{0, 0, 1, 1}, Values{0.1, 0.4, 0.35, 0.8}), 5.0 / 6, 1e-15);
  EXPECT_TRUE(std::isnan(average_precision(Labels{0, 0}, Values{1, 2})));
}

TEST(ThresholdCurve, TrapezoidsUnderItGiveTheAuc) {
  const Ranking ranking = random_ranking(9, 60);
  const auto curve = threshold_curve(ranking.truth, ranking.scores);
  double area = 0;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    area += (curve[k].false_positive_rate - curve[k - 1].false_positive_rate) *
            (curve[k].true_positive_rate + curve[k - 1].true_positive_rate) / 2;
  }
  EXPECT_NEAR(area, roc_auc(ranking.truth, ranking.scores), 1e-14);
  EXPECT_EQ(curve.front().true_positive_rate, 0);
  EXPECT_TRUE(std::isnan(curve.front().precision));
  EXPECT_EQ(curve.back().true_positive_rate, 1);
  EXPECT_EQ(curve.back().false_positive_rate, 1);
}

TEST(ThresholdCurve, F1IsOfPrecisionAndRecall) {
  const Ranking ranking = random_ranking(10, 60);
  for (const ThresholdPoint& point : threshold_curve(ranking.truth, ranking.scores)) {
    if (point.true_positive_rate == 0) continue;
    EXPECT_NEAR(point.f1,
                2 * point.precision * point.true_positive_rate /
                    (point.precision + point.true_positive_rate),
                1e-14);
  }
}

DenseMatrix matrix(std::size_t rows, std::size_t cols, const Values& values) {
  DenseMatrix result(rows, cols);
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

TEST(LogLoss, IsTheMeanNegativeLogProbabilityOfTheTruth) {
  const DenseMatrix p = matrix(3, 2, {0.75, 0.25, 0.5, 0.5, 0.1, 0.9});
  EXPECT_NEAR(log_loss(Labels{0, 1, 0}, p.view()),
              -(std::log(0.75) + std::log(0.5) + std::log(0.1)) / 3,
              1e-15);
  EXPECT_NEAR(log_loss(Labels{0, -1, 0}, p.view(), Values{3, 1, 1}),
              -(3 * std::log(0.75) + std::log(0.1)) / 4,
              1e-15);
  EXPECT_TRUE(std::isnan(log_loss(Labels{-1, -1, -1}, p.view())));
}

TEST(LogLoss, IsInfiniteForAnImpossibleTruthUnlessItWeighsNothing) {
  const DenseMatrix p = matrix(2, 2, {0, 1, 0.5, 0.5});
  EXPECT_EQ(log_loss(Labels{0, 0}, p.view()), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(log_loss(Labels{0, 0}, p.view(), Values{0, 1}), std::log(2.0), 1e-15);
}

TEST(Brier, TwoFormsDifferByTwo) {
  const DenseMatrix p = matrix(3, 2, {0.75, 0.25, 0.5, 0.5, 0.1, 0.9});
  const Labels truth = {0, 1, 0};
  const double binary = (0.25 * 0.25 + 0.5 * 0.5 + 0.9 * 0.9) / 3;
  EXPECT_NEAR(brier_score_binary(truth, Values{0.25, 0.5, 0.9}), binary, 1e-15);
  EXPECT_NEAR(brier_score(truth, p.view()), 2 * binary, 1e-15);
}

TEST(Scores, RefuseWhatBreaksTheirRules) {
  EXPECT_THROW((void)roc_auc(Labels{0, 2}, Values{0, 1}), InvalidArgument);
  EXPECT_THROW((void)roc_auc(Labels{0, 1}, Values{0}), InvalidArgument);
  EXPECT_THROW((void)roc_auc(Labels{0, 1}, Values{0, NAN}), InvalidArgument);
  EXPECT_THROW((void)roc_auc(Labels{0, 1}, Values{0, 1}, Values{1, -1}), InvalidArgument);
  EXPECT_THROW((void)brier_score_binary(Labels{0, 1}, Values{0, 1.5}), InvalidArgument);
  const DenseMatrix p = matrix(1, 2, {0.5, 1.5});
  EXPECT_THROW((void)log_loss(Labels{0}, p.view()), InvalidArgument);
  const DenseMatrix q = matrix(1, 2, {0.5, 0.5});
  EXPECT_THROW((void)log_loss(Labels{2}, q.view()), InvalidArgument);
  EXPECT_THROW((void)log_loss(Labels{0, 1}, q.view()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
