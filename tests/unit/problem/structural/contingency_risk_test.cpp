// SPDX-License-Identifier: Apache-2.0
#include "problem/structural/contingency_risk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "ranking_cases.hpp"

namespace maxmargin {
namespace {

using testing::coarse_weights;
using testing::normal_weights;
using testing::random_ranking;
using testing::RankingCase;
using testing::score_of;

constexpr std::array<TableLoss, 4> all_losses = {
    TableLoss::error, TableLoss::f1, TableLoss::precision_at_k, TableLoss::recall_at_k};

bool has_fixed_count(TableLoss loss) {
  return loss == TableLoss::precision_at_k || loss == TableLoss::recall_at_k;
}

/// The loss from its definition: rows called positive, as bits.
double loss_by_definition(TableLoss loss,
                          std::size_t k,
                          const std::vector<bool>& positive,
                          unsigned called) {
  double tp = 0;
  double fp = 0;
  double fn = 0;
  double tn = 0;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    const bool yes = (called >> i & 1U) != 0;
    (positive[i] ? (yes ? tp : fn) : (yes ? fp : tn)) += 1;
  }
  const auto ranks = static_cast<double>(k);
  switch (loss) {
    case TableLoss::error:
      return (fp + fn) / (tp + fp + fn + tn);
    case TableLoss::f1:
      return 1 - 2 * tp / (2 * tp + fp + fn);
    case TableLoss::precision_at_k:
      return std::min(1.0, (tp + fn) / ranks) - tp / ranks;
    case TableLoss::recall_at_k:
      return std::min(1.0, ranks / (tp + fn)) - tp / (tp + fn);
  }
  return 0;
}

struct BruteForce {
  double loss = 0;             ///< of the query at w
  double best_score_loss = 0;  ///< Delta of an output of largest score
};

/// All 2^n outputs.
BruteForce enumerate(const std::vector<double>& scores,
                     const std::vector<bool>& positive,
                     TableLoss loss,
                     std::size_t k) {
  const std::size_t n = scores.size();
  double own = 0;
  for (std::size_t i = 0; i < n; ++i) own += (positive[i] ? 1 : -1) * scores[i];
  BruteForce result;
  double best_score = -std::numeric_limits<double>::infinity();
  for (unsigned called = 0; called < 1U << n; ++called) {
    std::size_t count = 0;
    double score = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool yes = (called >> i & 1U) != 0;
      count += yes ? 1 : 0;
      score += (yes ? 1 : -1) * scores[i];
    }
    if (has_fixed_count(loss) && count != k) continue;
    const double delta = loss_by_definition(loss, k, positive, called);
    result.loss = std::max(result.loss, delta + (score - own) / (2 * static_cast<double>(n)));
    if (score > best_score) {
      best_score = score;
      result.best_score_loss = delta;
    }
  }
  return result;
}

std::vector<bool> flags(const RankingCase& data) {
  std::vector<bool> positive;
  for (const double grade : data.queries.grades) positive.push_back(grade >= 1);
  return positive;
}

std::vector<double> scores_of(const RankingCase& data, const std::vector<double>& w, double bias) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < data.queries.rows(); ++i) {
    scores.push_back(score_of(data.dense, i, w) + (bias == 0 ? 0 : bias * w.back()));
  }
  return scores;
}

double value_at(const StructuralPlane& plane, const std::vector<double>& w) {
  return plane.offset - plane.slope.dot(w);
}

class TableSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TableSeeds, TheLargestPlaneIsTheMaximumOverAllOutputs) {
  Rng rng(GetParam());
  for (const TableLoss loss : all_losses) {
    for (int trial = 0; trial < 12; ++trial) {
      const std::size_t n = 3 + rng.index(7);
      const RankingCase data = random_ranking({n}, 3, 3, rng.bits());
      const double bias = trial % 3 == 0 ? 0.5 : 0.0;
      ContingencyOptions options = {.loss = loss, .bias = bias};
      if (trial % 2 == 0) options.k = 1 + rng.index(n + 2);
      const ContingencyRisk risk(data.sparse_rows(), data.queries, options);
      if (risk.weight(0) == 0) continue;
      const std::vector<bool> positive = flags(data);
      std::vector<double> w = trial % 4 < 2 ? normal_weights(risk.dimension(), rng)
                                            : coarse_weights(risk.dimension(), rng);
      // Losses are shares of 1 and scores shares of 1/n: near each other where it matters.
      for (const double size : {0.1, 1.0, 5.0}) {
        for (double& value : w) value *= size;
        const BruteForce expected =
            enumerate(scores_of(data, w, bias), positive, loss, risk.called(0));
        StructuralPlane plane;
        risk.largest_plane(0, w, plane);
        EXPECT_NEAR(value_at(plane, w), expected.loss, 1e-12 * (1 + expected.loss))
            << "loss " << static_cast<int>(loss) << ", n " << n << ", k " << risk.called(0);
      }
    }
  }
}

/// seed-yu fact 10.
TEST_P(TableSeeds, PlanesAreBoundsFromBelowEverywhere) {
  Rng rng(GetParam());
  for (const TableLoss loss : all_losses) {
    const RankingCase data = random_ranking({8}, 3, 2, rng.bits());
    const ContingencyRisk risk(data.dense_rows(), data.queries, {.loss = loss});
    if (risk.weight(0) == 0) continue;
    for (int trial = 0; trial < 20; ++trial) {
      StructuralPlane plane;
      risk.largest_plane(0, normal_weights(3, rng), plane);
      const std::vector<double> elsewhere = normal_weights(3, rng);
      const BruteForce expected =
          enumerate(scores_of(data, elsewhere, 0), flags(data), loss, risk.called(0));
      EXPECT_LE(value_at(plane, elsewhere), expected.loss + 1e-12);
    }
  }
}

/// seed-yu fact 17; with a fixed number of positives at the break-even point.
TEST_P(TableSeeds, LossBoundsTheLossOfThePrediction) {
  Rng rng(GetParam());
  for (const TableLoss loss : all_losses) {
    for (int trial = 0; trial < 20; ++trial) {
      const RankingCase data = random_ranking({8}, 3, 2, rng.bits());
      const ContingencyRisk risk(data.dense_rows(), data.queries, {.loss = loss});
      if (risk.weight(0) == 0) continue;
      const std::vector<double> w = normal_weights(3, rng);
      const BruteForce expected =
          enumerate(scores_of(data, w, 0), flags(data), loss, risk.called(0));
      StructuralPlane plane;
      risk.largest_plane(0, w, plane);
      EXPECT_GE(value_at(plane, w), expected.best_score_loss - 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TableSeeds, ::testing::Range<std::uint64_t>(1, 9));

/// Why docs/algorithms/ranking.md says that k must be the number of positives for a bound: here
/// the truth scores far above every output with one positive, and the loss is 0 for a wrong row.
TEST(ContingencyRisk, WithAnotherKThanPositivesTheLossIsNoBound) {
  DenseMatrix rows(3, 1);
  rows(0, 0) = 10;
  rows(1, 0) = 10;
  rows(2, 0) = 11;
  const Queries queries = {.begins = {0, 3}, .grades = {1, 1, 0}};
  const ContingencyRisk risk(
      PointRows(rows.view()), queries, {.loss = TableLoss::precision_at_k, .k = 1});
  const std::vector<double> w = {1};
  StructuralPlane plane;
  risk.largest_plane(0, w, plane);
  EXPECT_EQ(risk.loss(0, 0, 1), 1);  // what is predicted: row 2
  EXPECT_EQ(value_at(plane, w), 0);
}

TEST(ContingencyRisk, LossesOfHandMadeTables) {
  const RankingCase data = random_ranking({6}, 1, 2, 1);
  const Queries queries = {.begins = {0, 6}, .grades = {1, 1, 0, 0, 2, 0}};
  const auto risk = [&](TableLoss loss, std::optional<std::size_t> k = std::nullopt) {
    return ContingencyRisk(data.dense_rows(), queries, {.loss = loss, .k = k}).loss(0, 2, 1);
  };
  EXPECT_DOUBLE_EQ(risk(TableLoss::error), 2.0 / 6);
  EXPECT_DOUBLE_EQ(risk(TableLoss::f1), 1 - 4.0 / 6);
  EXPECT_DOUBLE_EQ(risk(TableLoss::precision_at_k), 1.0 / 3);
  EXPECT_DOUBLE_EQ(risk(TableLoss::recall_at_k), 1.0 / 3);
  EXPECT_DOUBLE_EQ(risk(TableLoss::precision_at_k, 5), (3.0 - 2) / 5);  // 3 of 5 at best
  EXPECT_DOUBLE_EQ(risk(TableLoss::recall_at_k, 2), 0);                 // 2 of 3 at best
}

TEST(ContingencyRisk, QueriesWithoutMeaningWeighNothing) {
  const RankingCase data = random_ranking({2, 2, 2}, 1, 2, 1);
  const Queries queries = {.begins = {0, 2, 4, 6}, .grades = {0, 0, 1, 1, 0, 1}};
  const auto weights = [&](TableLoss loss, QueryWeight weight) {
    const ContingencyRisk risk(data.dense_rows(), queries, {.loss = loss, .weight = weight});
    return std::vector<double>{risk.weight(0), risk.weight(1), risk.weight(2)};
  };
  EXPECT_EQ(weights(TableLoss::error, QueryWeight::size), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(weights(TableLoss::f1, QueryWeight::one), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(weights(TableLoss::precision_at_k, QueryWeight::one), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(weights(TableLoss::recall_at_k, QueryWeight::size), (std::vector<double>{0, 0, 2}));
}

TEST(ContingencyRisk, WrongOptionsAreNamed) {
  const RankingCase data = random_ranking({4}, 1, 2, 1);
  const auto problem = [&](const ContingencyOptions& options) -> std::string {
    try {
      const ContingencyRisk risk(data.dense_rows(), data.queries, options);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem({.k = 0}), "k = 0, must be >= 1");
  EXPECT_EQ(problem({.bias = std::numeric_limits<double>::infinity()}),
            "bias = inf, must be finite");
  EXPECT_EQ(problem({.relevant_from = std::numeric_limits<double>::quiet_NaN()}),
            "relevant_from = nan, must be a number");
  EXPECT_EQ(problem({.query_weights = std::vector<double>{1, 1}}),
            "query_weights: 2 weights for 1 queries");
}

}  // namespace
}  // namespace maxmargin
