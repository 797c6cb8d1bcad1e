// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/structured/ranking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

using Values = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Ranking {
  Values grades;
  Values scores;
};

/// Few different scores, so that there are ties of all kinds.
Ranking random_ranking(std::size_t n, Rng& rng) {
  Ranking ranking;
  const std::size_t kinds = 1 + rng.index(n);
  for (std::size_t i = 0; i < n; ++i) {
    ranking.grades.push_back(static_cast<double>(rng.index(4)));
    ranking.scores.push_back(static_cast<double>(rng.index(kinds)));
  }
  return ranking;
}

/// The mean of measure(grades in an order) over all orders that the scores allow.
template <class Measure>
double mean_over_orders(const Ranking& ranking, const Measure& measure) {
  std::vector<std::size_t> order(ranking.grades.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double sum = 0;
  double orders = 0;
  do {
    const bool allowed = std::ranges::is_sorted(
        order, std::ranges::greater{}, [&](std::size_t i) { return ranking.scores[i]; });
    if (!allowed) continue;
    Values grades;
    for (const std::size_t i : order) grades.push_back(ranking.grades[i]);
    sum += measure(grades);
    orders += 1;
  } while (std::ranges::next_permutation(order).found);
  return sum / orders;
}

double relevant_in(const Values& grades, std::size_t first, double from) {
  double count = 0;
  for (std::size_t r = 0; r < std::min(first, grades.size()); ++r) count += grades[r] >= from;
  return count;
}

double average_precision_of(const Values& grades, double from) {
  double sum = 0;
  for (std::size_t r = 0; r < grades.size(); ++r) {
    if (grades[r] >= from) sum += relevant_in(grades, r + 1, from) / static_cast<double>(r + 1);
  }
  return sum / relevant_in(grades, grades.size(), from);
}

double reciprocal_rank_of(const Values& grades, double from) {
  for (std::size_t r = 0; r < grades.size(); ++r) {
    if (grades[r] >= from) return 1 / static_cast<double>(r + 1);
  }
  return nan;
}

double dcg_of(const Values& grades, std::size_t k, GradeGain gain) {
  double sum = 0;
  for (std::size_t r = 0; r < std::min(k, grades.size()); ++r) {
    const double worth = gain == GradeGain::linear ? grades[r] : std::pow(2, grades[r]) - 1;
    sum += worth / std::log2(static_cast<double>(r) + 2);
  }
  return sum;
}

double ndcg_of(const Values& grades, std::size_t k, GradeGain gain) {
  Values ideal = grades;
  std::ranges::sort(ideal, std::ranges::greater{});
  return dcg_of(grades, k, gain) / dcg_of(ideal, k, gain);
}

void expect_same(double value, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << value;
  } else {
    EXPECT_NEAR(value, expected, 1e-13);
  }
}

class RankingMeasureSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RankingMeasureSeeds, AreMeansOverAllOrdersOfTiedRows) {
  Rng rng(GetParam(), "ranking measures");
  for (int trial = 0; trial < 6; ++trial) {
    const std::size_t n = 1 + rng.index(6);
    const Ranking ranking = random_ranking(n, rng);
    const Values& g = ranking.grades;
    const Values& s = ranking.scores;
    const double from = 1 + static_cast<double>(rng.index(3));
    expect_same(ranked_average_precision(g, s, from), mean_over_orders(ranking, [&](const auto& o) {
                  return average_precision_of(o, from);
                }));
    expect_same(reciprocal_rank(g, s, from), mean_over_orders(ranking, [&](const auto& o) {
                  return reciprocal_rank_of(o, from);
                }));
    for (const std::size_t k : {1U, 2U, 4U, 10U}) {
      expect_same(precision_at(k, g, s, from), mean_over_orders(ranking, [&](const auto& o) {
                    return relevant_in(o, k, from) / static_cast<double>(k);
                  }));
      expect_same(recall_at(k, g, s, from), mean_over_orders(ranking, [&](const auto& o) {
                    return relevant_in(o, k, from) / relevant_in(o, n, from);
                  }));
      for (const GradeGain gain : {GradeGain::exponential, GradeGain::linear}) {
        expect_same(ndcg_at(k, g, s, gain),
                    mean_over_orders(ranking, [&](const auto& o) { return ndcg_of(o, k, gain); }));
      }
    }
  }
}

TEST_P(RankingMeasureSeeds, DependOnNeitherTheOrderOfRowsNorTheScaleOfScores) {
  Rng rng(GetParam(), "ranking measures");
  const Ranking ranking = random_ranking(40, rng);
  const std::vector<std::size_t> order = rng.permutation(40);
  Ranking other = ranking;
  for (std::size_t i = 0; i < 40; ++i) {
    other.grades[i] = ranking.grades[order[i]];
    other.scores[i] = std::exp(0.1 * ranking.scores[order[i]]) - 3;
  }
  const auto same = [&](const auto& measure) {
    EXPECT_EQ(measure(ranking.grades, ranking.scores), measure(other.grades, other.scores));
  };
  same([](const Values& g, const Values& s) { return ranked_average_precision(g, s); });
  same([](const Values& g, const Values& s) { return reciprocal_rank(g, s); });
  same([](const Values& g, const Values& s) { return ranked_roc_area(g, s); });
  same([](const Values& g, const Values& s) { return precision_at(5, g, s); });
  same([](const Values& g, const Values& s) { return ndcg_at(5, g, s); });
}

INSTANTIATE_TEST_SUITE_P(Seeds, RankingMeasureSeeds, ::testing::Range<std::uint64_t>(1, 9));

TEST(RankingMeasures, HandMadeValues) {
  const Values grades = {3, 0, 2, 1};
  const Values scores = {4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(ranked_average_precision(grades, scores), (1 + 2.0 / 3 + 3.0 / 4) / 3);
  EXPECT_DOUBLE_EQ(ranked_average_precision(grades, scores, 2), (1 + 2.0 / 3) / 2);
  EXPECT_EQ(reciprocal_rank(grades, scores), 1);
  EXPECT_EQ(reciprocal_rank(Values{0, 0, 1}, Values{3, 2, 1}), 1.0 / 3);
  EXPECT_EQ(precision_at(2, grades, scores), 0.5);
  EXPECT_EQ(precision_at(10, grades, scores), 0.3);
  EXPECT_DOUBLE_EQ(recall_at(2, grades, scores), 1.0 / 3);
  EXPECT_EQ(ranked_roc_area(grades, scores), 1.0 / 3);
  const double log3 = std::log2(3);
  const double log5 = std::log2(5);
  EXPECT_DOUBLE_EQ(ndcg_at(4, grades, scores), (7 + 3.0 / 2 + 1 / log5) / (7 + 3 / log3 + 1.0 / 2));
  EXPECT_DOUBLE_EQ(ndcg_at(4, grades, scores, GradeGain::linear),
                   (3 + 2.0 / 2 + 1 / log5) / (3 + 2 / log3 + 1.0 / 2));
  EXPECT_EQ(ndcg_at(1, grades, scores), 1);
  // Without an order: what a random one gets.
  EXPECT_EQ(precision_at(1, Values{1, 0, 0, 0}, Values{5, 5, 5, 5}), 0.25);
  EXPECT_DOUBLE_EQ(reciprocal_rank(Values{1, 0}, Values{5, 5}), 0.75);
}

TEST(RankingMeasures, UndefinedValuesAndUnlabelledRows) {
  const Values none = {0, 0};
  const Values scores = {1, 2};
  EXPECT_TRUE(std::isnan(ranked_average_precision(none, scores)));
  EXPECT_TRUE(std::isnan(reciprocal_rank(none, scores)));
  EXPECT_TRUE(std::isnan(recall_at(1, none, scores)));
  EXPECT_TRUE(std::isnan(ndcg_at(1, none, scores)));
  EXPECT_TRUE(std::isnan(ranked_roc_area(none, scores)));
  EXPECT_EQ(precision_at(1, none, scores), 0);
  EXPECT_EQ(precision_at(1, Values{}, Values{}), 0);
  EXPECT_EQ(precision_at(1, Values{1, nan}, Values{1, 2}), 1);
  EXPECT_EQ(ndcg_at(2, Values{1, nan, 0}, Values{2, 9, 1}), 1);
  EXPECT_EQ(ranked_roc_area(Values{1, nan, 0}, Values{2, 1, 0}), 1);
}

TEST(RankingMeasures, MeansAreOverTheQueriesWhereTheyAreDefined) {
  const std::vector<std::size_t> begins = {0, 2, 4, 4, 6};
  const Values grades = {1, 0, 0, 0, 0, 2};
  const Values scores = {2, 1, 2, 1, 2, 1};
  const RankingMeasures measures = ranking_measures(begins, grades, scores, {.k = 1});
  EXPECT_EQ(measures.average_precision.mean, 0.75);
  EXPECT_EQ(measures.average_precision.defined, 2u);
  EXPECT_EQ(measures.average_precision.queries, 4u);
  EXPECT_EQ(measures.roc_area.mean, 0.5);
  EXPECT_EQ(measures.precision.mean, 0.25);
  EXPECT_EQ(measures.precision.defined, 4u);
  EXPECT_EQ(measures.reciprocal_rank.mean, 0.75);
  EXPECT_EQ(measures.recall.mean, 0.5);
  EXPECT_EQ(measures.ndcg.mean, 0.5);
  const RankingMeasures nothing = ranking_measures(std::vector<std::size_t>{0}, {}, {});
  EXPECT_TRUE(std::isnan(nothing.ndcg.mean));
}

TEST(RankingMeasures, WrongCallsAreRefused) {
  const Values two = {1, 0};
  EXPECT_THROW(static_cast<void>(precision_at(0, two, two)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(ndcg_at(0, two, two)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(ndcg_at(1, Values{-1, 0}, two)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(precision_at(1, two, Values{1})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(precision_at(1, two, Values{1, nan})), InvalidArgument);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(reciprocal_rank(Values{inf, 0}, two)), InvalidArgument);
  EXPECT_EQ(reciprocal_rank(two, Values{inf, -inf}), 1);
  const std::vector<std::size_t> short_begins = {0, 1};
  EXPECT_THROW(static_cast<void>(ranking_measures(short_begins, two, two)), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
