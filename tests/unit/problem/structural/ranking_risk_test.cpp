// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/structural/ranking_risk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/scores.hpp"
#include "ranking_cases.hpp"

namespace maxmargin {
namespace {

using testing::coarse_weights;
using testing::normal_weights;
using testing::random_ranking;
using testing::RankingCase;
using testing::score_of;

/// The loss of a query pair by pair.
double loss_by_pairs(const RankingCase& data, std::size_t query, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t i = data.queries.begins[query]; i < data.queries.begins[query + 1]; ++i) {
    for (std::size_t j = data.queries.begins[query]; j < data.queries.begins[query + 1]; ++j) {
      if (data.queries.grades[i] <= data.queries.grades[j]) continue;
      sum += std::max(0.0, 1 - (score_of(data.dense, i, w) - score_of(data.dense, j, w)));
    }
  }
  return sum;
}

double value_at(const StructuralPlane& plane, const std::vector<double>& w) {
  return plane.offset - plane.slope.dot(w);
}

bool same_plane(const StructuralPlane& a, const StructuralPlane& b) {
  return a.offset == b.offset &&
         std::ranges::equal(a.slope.entries(), b.slope.entries(), [](const auto& x, const auto& y) {
           return x.index == y.index && x.value == y.value;
         });
}

class RankingSeeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RankingSeeds, TheLargestPlaneIsTheSumOfThePairsHinges) {
  const RankingCase data = random_ranking({6, 1, 9, 0, 12}, 4, 4, GetParam());
  const RankingRisk dense(data.dense_rows(), data.queries);
  const RankingRisk sparse(data.sparse_rows(), data.queries);
  Rng rng(GetParam());
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> w = trial % 2 == 0 ? coarse_weights(4, rng) : normal_weights(4, rng);
    for (std::size_t q = 0; q < dense.examples(); ++q) {
      StructuralPlane plane;
      dense.largest_plane(q, w, plane);
      const double loss = loss_by_pairs(data, q, w);
      EXPECT_NEAR(value_at(plane, w), loss, 1e-12 * (1 + loss)) << "query " << q;
      StructuralPlane of_sparse;
      sparse.largest_plane(q, w, of_sparse);
      // Coarse weights make all sums exact.
      if (trial % 2 == 0) {
        EXPECT_TRUE(same_plane(plane, of_sparse)) << "query " << q;
      }
      EXPECT_NEAR(value_at(of_sparse, w), loss, 1e-12 * (1 + loss)) << "query " << q;
    }
  }
}

/// seed-yu fact 10.
TEST_P(RankingSeeds, PlanesAreBoundsFromBelowEverywhere) {
  const RankingCase data = random_ranking({10, 7}, 3, 3, GetParam());
  const RankingRisk risk(data.sparse_rows(), data.queries);
  Rng rng(GetParam());
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> at = normal_weights(3, rng);
    const std::vector<double> elsewhere = normal_weights(3, rng);
    for (std::size_t q = 0; q < 2; ++q) {
      StructuralPlane plane;
      risk.largest_plane(q, at, plane);
      const double loss = loss_by_pairs(data, q, elsewhere);
      EXPECT_LE(value_at(plane, elsewhere), loss + 1e-12 * (1 + loss));
    }
  }
}

/// seed-yu fact 17: the loss is at least the number of swapped pairs, a tie being one.
TEST_P(RankingSeeds, LossBoundsTheSwappedPairsAndTheRocArea) {
  const RankingCase data = random_ranking({15}, 3, 2, GetParam());
  const RankingRisk risk(data.dense_rows(), data.queries);
  ASSERT_GT(risk.pairs(0), 0);
  std::vector<std::int32_t> truth;
  for (const double grade : data.queries.grades) truth.push_back(grade > 0 ? 1 : 0);
  Rng rng(GetParam());
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> w = coarse_weights(3, rng);
    std::vector<double> scores;
    for (std::size_t i = 0; i < 15; ++i) scores.push_back(score_of(data.dense, i, w));
    StructuralPlane plane;
    risk.largest_plane(0, w, plane);
    EXPECT_GE(risk.weight(0) * value_at(plane, w), 1 - roc_auc(truth, scores) - 1e-12);
  }
}

/// Dead columns make the sum of rows go by sorting instead of a dense vector.
TEST_P(RankingSeeds, DeadColumnsLeaveAllBits) {
  const RankingCase data = random_ranking({8, 9}, 5, 3, GetParam());
  const SparseView view = data.sparse.view();
  const SparseView wide = {
      .offsets = view.offsets, .columns = view.columns, .values = view.values, .cols = 1000000};
  const RankingRisk narrow_risk(data.sparse_rows(), data.queries);
  const RankingRisk wide_risk(PointRows(wide), data.queries);
  Rng rng(GetParam());
  std::vector<double> w = normal_weights(5, rng);
  for (std::size_t q = 0; q < 2; ++q) {
    StructuralPlane plane;
    w.resize(5);
    narrow_risk.largest_plane(q, w, plane);
    StructuralPlane of_wide;
    w.resize(1000000);
    wide_risk.largest_plane(q, w, of_wide);
    EXPECT_TRUE(same_plane(plane, of_wide));
  }
}

TEST_P(RankingSeeds, TheOrderOfRowsDoesNotMatter) {
  const RankingCase data = random_ranking({12}, 3, 3, GetParam());
  Rng rng(GetParam());
  const std::vector<std::size_t> order = rng.permutation(12);
  RankingCase shuffled = data;
  for (std::size_t i = 0; i < 12; ++i) {
    shuffled.queries.grades[i] = data.queries.grades[order[i]];
    std::ranges::copy(data.dense.row(order[i]), shuffled.dense.row(i).begin());
  }
  const RankingRisk risk(data.dense_rows(), data.queries);
  const RankingRisk other(shuffled.dense_rows(), shuffled.queries);
  // Multiples of a quarter: sums are exact in any order.
  const std::vector<double> w = coarse_weights(3, rng);
  StructuralPlane plane;
  StructuralPlane of_other;
  risk.largest_plane(0, w, plane);
  other.largest_plane(0, w, of_other);
  EXPECT_TRUE(same_plane(plane, of_other));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RankingSeeds, ::testing::Range<std::uint64_t>(1, 9));

TEST(RankingRisk, QueriesWeighOneOverTheirPairsOrOne) {
  RankingCase data = random_ranking({4, 3, 2, 1}, 2, 2, 1);
  data.queries.grades = {2, 1, 1, 0, 5, 5, 5, 1, 0, 3};
  const RankingRisk by_query(data.dense_rows(), data.queries);
  EXPECT_EQ(by_query.pairs(0), 5);
  EXPECT_EQ(by_query.weight(0), 1.0 / 5);
  EXPECT_EQ(by_query.weight(1), 0);  // all of one grade
  EXPECT_EQ(by_query.weight(2), 1);
  EXPECT_EQ(by_query.weight(3), 0);  // one row
  const std::vector<double> own = {2, 1, 0.5, 1};
  const RankingRisk by_pair(
      data.dense_rows(), data.queries, {.weight = QueryWeight::size, .query_weights = own});
  EXPECT_EQ(by_pair.weight(0), 2);
  EXPECT_EQ(by_pair.weight(1), 0);
  EXPECT_EQ(by_pair.weight(2), 0.5);
  // seed-yu fact 6, with every share of swapped pairs 1 at w = 0.
  const std::vector<double> zero(2, 0.0);
  EXPECT_DOUBLE_EQ(structural_primal(by_query, 3, zero), 3 * 2);
}

TEST(RankingRisk, WrongCallsAreRefused) {
  RankingCase data = random_ranking({3, 2}, 2, 2, 1);
  const auto make = [](const RankingCase& from, const RankingOptions& options = {}) {
    const RankingRisk risk(from.dense_rows(), from.queries, options);
  };
  EXPECT_NO_THROW(make(data));
  RankingCase wrong = data;
  wrong.queries.begins = {0, 3, 4};
  EXPECT_THROW(make(wrong), InvalidArgument);
  wrong.queries.begins = {0, 7, 5};
  EXPECT_THROW(make(wrong), InvalidArgument);
  wrong = data;
  wrong.queries.grades.pop_back();
  EXPECT_THROW(make(wrong), InvalidArgument);
  wrong = data;
  wrong.queries.grades[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(make(wrong), InvalidArgument);
  EXPECT_THROW(make(data, {.query_weights = std::vector<double>{1}}), InvalidArgument);
  EXPECT_THROW(make(data, {.query_weights = std::vector<double>{1, -1}}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
