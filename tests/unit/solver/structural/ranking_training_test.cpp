// SPDX-License-Identifier: Apache-2.0
// The risks of ranking, trained, against other problems and solvers that must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/metric/scores.hpp"
#include "maxmargin/problem/linear_risk.hpp"
#include "maxmargin/problem/structural/ranking_risk.hpp"
#include "problem/structural/contingency_risk.hpp"
#include "ranking_cases.hpp"
#include "solver/linear/linear.hpp"
#include "solver/structural/methods.hpp"

namespace maxmargin {
namespace {

using testing::random_ranking;
using testing::RankingCase;
using testing::score_of;

constexpr double tolerance = 1e-4;

StructuralSolution train(const StructuralRisk& risk, double c) {
  return solve_block_frank_wolfe(risk, {.c = c, .tolerance = tolerance, .max_passes = 100000});
}

/// Both optima lie between their duals and primals: so do they if the problems are one.
void expect_same_optimum(const SolveReport& a, const SolveReport& b) {
  ASSERT_EQ(a.status, Status::solved);
  ASSERT_EQ(b.status, Status::solved);
  const double rounding = 1e-10 * std::abs(*a.primal_objective);
  EXPECT_LE(*a.dual_objective, *b.primal_objective + rounding);
  EXPECT_LE(*b.dual_objective, *a.primal_objective + rounding);
}

/// How far w can be from the optimum, as the objective is 1-strongly convex. Primal and dual are
/// sums of some hundred terms, so that each is wrong by up to 1e-12 of its size: where the optimum
/// is met exactly, their difference comes out a little below 0 as often as above.
double farthest(const SolveReport& report) {
  return std::sqrt(2 * (std::max(0.0, *report.gap()) + 1e-12 * *report.primal_objective));
}

/// Hence |w - v| <= sqrt(2 gap) + sqrt(2 gap').
void expect_same_weights(const std::vector<double>& w,
                         const SolveReport& a,
                         const std::vector<double>& v,
                         const SolveReport& b) {
  double square = 0;
  for (std::size_t j = 0; j < w.size(); ++j) square += (w[j] - v[j]) * (w[j] - v[j]);
  EXPECT_LE(std::sqrt(square), farthest(a) + farthest(b));
}

/// Every pair as a row of differences, of weight 1 over the pairs of its query or 1.
LinearSolution train_on_differences(const RankingCase& data, double c, QueryWeight weight) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<double> weights;
  for (std::size_t q = 0; q < data.queries.size(); ++q) {
    const std::size_t before = pairs.size();
    for (std::size_t i = data.queries.begins[q]; i < data.queries.begins[q + 1]; ++i) {
      for (std::size_t j = data.queries.begins[q]; j < data.queries.begins[q + 1]; ++j) {
        if (data.queries.grades[i] > data.queries.grades[j]) pairs.emplace_back(i, j);
      }
    }
    const auto count = static_cast<double>(pairs.size() - before);
    weights.resize(pairs.size(), weight == QueryWeight::one ? 1 / count : 1.0);
  }
  DenseMatrix differences(pairs.size(), data.dense.cols());
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    for (std::size_t f = 0; f < data.dense.cols(); ++f) {
      differences(k, f) = data.dense(pairs[k].first, f) - data.dense(pairs[k].second, f);
    }
  }
  const std::vector<double> targets(pairs.size(), 1.0);
  return solve_dual_coordinate(
      {.examples = DenseView(differences.view()), .targets = targets, .weights = weights, .c = c},
      {.tolerance = tolerance});
}

class RankingTraining : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RankingTraining, IsTheMachineOnAllDifferences) {
  const RankingCase data = random_ranking({8, 5, 1, 9, 7, 6}, 4, 3, GetParam());
  for (const QueryWeight weight : {QueryWeight::one, QueryWeight::size}) {
    for (const double c : {0.05, 1.0}) {
      const RankingRisk risk(data.sparse_rows(), data.queries, {.weight = weight});
      const StructuralSolution ranked = train(risk, c);
      const LinearSolution linear = train_on_differences(data, c, weight);
      expect_same_optimum(ranked.report, linear.report);
      expect_same_weights(ranked.w, ranked.report, linear.w, linear.report);
      EXPECT_NEAR(structural_primal(risk, c, ranked.w),
                  *ranked.report.primal_objective,
                  1e-10 * *ranked.report.primal_objective);
    }
  }
}

/// One query of two grades: training by ROC area. A separable set is learnt whole.
TEST_P(RankingTraining, RocAreaOfASeparableSetIsOne) {
  RankingCase data = random_ranking({30}, 5, 2, GetParam());
  std::vector<std::int32_t> truth;
  for (std::size_t i = 0; i < 30; ++i) {
    const double side = data.dense(i, 1) - data.dense(i, 2) + data.dense(i, 3);
    data.queries.grades[i] = side > 0.5 ? 1 : 0;
    truth.push_back(side > 0.5 ? 1 : 0);
  }
  const RankingRisk risk(data.dense_rows(), data.queries);
  ASSERT_GT(risk.pairs(0), 0);
  const StructuralSolution solution = train(risk, 1000);
  ASSERT_EQ(solution.report.status, Status::solved);
  std::vector<double> scores;
  for (std::size_t i = 0; i < 30; ++i) scores.push_back(score_of(data.dense, i, solution.w));
  EXPECT_EQ(roc_auc(truth, scores), 1);
}

/// The law that ties tables to plain machines: the error's loss is the mean hinge.
TEST_P(RankingTraining, TheErrorTableIsTheLinearMachine) {
  const RankingCase data = random_ranking({25}, 4, 2, GetParam());
  std::vector<double> targets;
  for (const double grade : data.queries.grades) targets.push_back(grade >= 1 ? 1 : -1);
  const ContingencyRisk risk(data.dense_rows(),
                             data.queries,
                             {.loss = TableLoss::error, .bias = 1, .weight = QueryWeight::size});
  const StructuralSolution by_table = train(risk, 0.1);
  const LinearSolution linear = solve_dual_coordinate(
      {.examples = data.dense.view(), .targets = targets, .c = 0.1, .bias = 1},
      {.tolerance = tolerance});
  expect_same_optimum(by_table.report, linear.report);
  expect_same_weights(by_table.w, by_table.report, linear.w, linear.report);
}

TEST_P(RankingTraining, AllTableLossesAreSolvedToTheGap) {
  const RankingCase data = random_ranking({12, 15, 9}, 4, 3, GetParam());
  for (const TableLoss loss : {TableLoss::f1, TableLoss::precision_at_k, TableLoss::recall_at_k}) {
    const ContingencyRisk risk(data.sparse_rows(), data.queries, {.loss = loss, .bias = 1});
    const StructuralSolution solution = train(risk, 20);
    EXPECT_EQ(solution.report.status, Status::solved);
    EXPECT_NEAR(structural_primal(risk, 20, solution.w),
                *solution.report.primal_objective,
                1e-9 * *solution.report.primal_objective);
    EXPECT_LT(*solution.report.primal_objective,
              structural_primal(risk, 20, std::vector<double>(risk.dimension(), 0.0)));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RankingTraining, ::testing::Range<std::uint64_t>(1, 5));

/// seed-yu fact 16: the same bits for any number of threads.
TEST(RankingThreads, DoNotChangeTheAnswer) {
  const RankingCase data = random_ranking(std::vector<std::size_t>(40, 6), 5, 3, 3);
  const RankingRisk risk(data.sparse_rows(), data.queries);
  const StructuralSolution one = solve_block_frank_wolfe(risk, {.c = 1, .context = {.threads = 1}});
  const StructuralSolution four =
      solve_block_frank_wolfe(risk, {.c = 1, .context = {.threads = 4}});
  EXPECT_EQ(one.w, four.w);
}

TEST(RankingTrainingEdges, NothingToRankGivesZero) {
  RankingCase data = random_ranking({3, 2}, 2, 2, 1);
  data.queries.grades.assign(5, 1.0);
  const RankingRisk risk(data.dense_rows(), data.queries);
  const StructuralSolution solution = train(risk, 1);
  EXPECT_EQ(solution.report.status, Status::solved);
  EXPECT_EQ(solution.w, std::vector<double>(2, 0.0));
  const RankingCase none = random_ranking({}, 2, 2, 1);
  const RankingRisk no_queries(none.dense_rows(), none.queries);
  EXPECT_EQ(train(no_queries, 1).report.status, Status::solved);
}

}  // namespace
}  // namespace maxmargin
