// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/structured/rank.hpp"

#include <gtest/gtest.h>

#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/structured/ranking.hpp"
#include "ranking_cases.hpp"

namespace maxmargin {
namespace {

Dataset dataset(const testing::RankingCase& source) {
  Dataset data;
  data.examples = source.sparse;
  data.labels = LabelColumn::from_numbers(source.queries.grades);
  for (std::size_t q = 0; q < source.queries.size(); ++q) {
    for (std::size_t i = source.queries.begins[q]; i < source.queries.begins[q + 1]; ++i) {
      data.groups.push_back(static_cast<std::int64_t>(100 - q));
    }
  }
  return data;
}

std::string problem_of(const Dataset& data, const RankOptions& options = {}) {
  try {
    static_cast<void>(train_rank(data, options));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "none";
}

TEST(Rank, TheModelHasTheObjectiveThatIsReported) {
  const testing::RankingCase source = testing::random_ranking({10, 8, 12, 9}, 4, 3, 5);
  const Dataset data = dataset(source);
  RankOptions options = {.c = 2, .bias = 0.5};
  const auto check = [&] {
    const TrainedRegressor trained = train_rank(data, options);
    EXPECT_EQ(trained.report.status, Status::solved);
    EXPECT_NEAR(rank_objective(data, options, trained.model),
                *trained.report.primal_objective,
                1e-9 * *trained.report.primal_objective);
    return trained;
  };
  const TrainedRegressor pairs = check();
  // Better than no order at all on what it was trained on: columns follow the grades.
  const DenseMatrix scores = decision_values(pairs.model.function, data.examples);
  const RankingMeasures measures =
      ranking_measures(source.queries.begins, source.queries.grades, scores.values());
  EXPECT_GT(measures.roc_area.mean, 0.5);
  for (const TableLoss loss : {TableLoss::f1, TableLoss::precision_at_k, TableLoss::recall_at_k}) {
    options.table = loss;
    options.k = loss == TableLoss::precision_at_k ? std::optional<std::size_t>(3) : std::nullopt;
    check();
  }
}

TEST(Rank, WeightsOfRowsAreThoseOfTheirQueries) {
  const testing::RankingCase source = testing::random_ranking({10, 8}, 3, 3, 5);
  Dataset data = dataset(source);
  data.weights.assign(18, 2.0);
  Dataset plain = dataset(source);
  const TrainedRegressor twice = train_rank(data, {.c = 1});
  const TrainedRegressor at_2 = train_rank(plain, {.c = 2});
  EXPECT_DOUBLE_EQ(*twice.report.primal_objective, *at_2.report.primal_objective);
  data.weights[11] = 3;
  EXPECT_EQ(
      problem_of(data),
      "the data, row 11 (from 0): its weight is not that of the rows of its query before; ranking "
      "weighs whole queries");
}

TEST(Rank, WrongDataAndOptionsAreNamed) {
  Dataset data = dataset(testing::random_ranking({4, 4}, 2, 2, 1));
  EXPECT_EQ(problem_of(data), "none");
  EXPECT_EQ(problem_of(data, {.c = 0}), "RankOptions.c = 0, must be finite and > 0");
  EXPECT_EQ(problem_of(data, {.k = 0}), "RankOptions.k = 0, must be >= 1");
  data.groups.back() = 100;
  EXPECT_EQ(problem_of(data),
            "row 7 (from 0): the group 100 comes back after another one; expected the rows of a "
            "group together");
  EXPECT_EQ(problem_of(Dataset{}), "train_rank: the data has no rows");
}

}  // namespace
}  // namespace maxmargin
