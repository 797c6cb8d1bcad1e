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
  RankOptions options = {.solving = {.c = 2}, .bias = 0.5};
  const auto check = [&] {
    const TrainedRanking trained = train_rank(data, options);
    EXPECT_EQ(trained.report.status, Status::solved);
    EXPECT_NEAR(rank_objective(data, options, trained.model),
                *trained.report.primal_objective,
                1e-9 * *trained.report.primal_objective);
    return trained;
  };
  const TrainedRanking pairs = check();
  // Better than no order at all on what it was trained on: columns follow the grades.
  const DenseMatrix scores = decision_values(pairs.model.function, data.examples);
  const RankingMeasures measures =
      ranking_measures(source.queries.begins, source.queries.grades, scores.values());
  EXPECT_GT(measures.roc_area.mean, 0.5);
  for (const RankLoss loss :
       {RankLoss::roc_area, RankLoss::f1, RankLoss::precision_at_k, RankLoss::recall_at_k}) {
    options.loss = loss;
    options.k = loss == RankLoss::precision_at_k ? std::optional<std::uint64_t>(3) : std::nullopt;
    check();
  }
}

TEST(Rank, WeightsOfRowsAreThoseOfTheirQueries) {
  const testing::RankingCase source = testing::random_ranking({10, 8}, 3, 3, 5);
  Dataset data = dataset(source);
  data.weights.assign(18, 2.0);
  Dataset plain = dataset(source);
  const TrainedRanking twice = train_rank(data, {.solving = {.c = 1}});
  const TrainedRanking at_2 = train_rank(plain, {.solving = {.c = 2}});
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
  EXPECT_EQ(problem_of(data, {.solving = {.c = 0}}), "-C 0: must be a finite number > 0");
  EXPECT_EQ(problem_of(data, {.k = 0}), "-k 0: must be a whole number >= 1");
  data.groups.back() = 100;
  EXPECT_EQ(problem_of(data),
            "row 7 (from 0): the group 100 comes back after another one; expected the rows of a "
            "group together");
  EXPECT_EQ(problem_of(Dataset{}), "the data has no rows");
}

TEST(Rank, TheRocAreaDoesNotTellRelevantRowsApart) {
  Dataset data = dataset(testing::random_ranking({10, 8, 12}, 4, 4, 5));
  const RankOptions options = {.loss = RankLoss::roc_area, .relevant_from = 2};
  const TrainedRanking trained = train_rank(data, options);
  std::vector<double> grades;
  for (const double grade : data.labels.numbers()) grades.push_back(grade >= 2 ? 1 : 0);
  data.labels = LabelColumn::from_numbers(grades);
  EXPECT_EQ(*train_rank(data).report.primal_objective, *trained.report.primal_objective);
}

TEST(Rank, OptionsAreReadAndShownByName) {
  RankOptions options;
  set_options(options,
              {{"c", "2"},
               {"solver", "one-slack"},
               {"loss", "precision-at-k"},
               {"k", "3"},
               {"query-weight", "size"},
               {"no-bias", "true"},
               {"max-iterations", "7"}},
              "rank");
  EXPECT_EQ(options.solving.c, 2);
  EXPECT_EQ(options.method, StructuralMethod::one_slack);
  EXPECT_EQ(options.loss, RankLoss::precision_at_k);
  EXPECT_EQ(options.k, 3u);
  EXPECT_EQ(options.weight, QueryWeight::size);
  EXPECT_EQ(options.bias, 0);
  EXPECT_EQ(options.solving.max_passes, 7u);
  const OptionScalars values = {{"C", 2.0},
                                {"tolerance", 1e-3},
                                {"max_iterations", std::int64_t{7}},
                                {"solver", "one-slack"},
                                {"loss", "precision-at-k"},
                                {"k", std::int64_t{3}},
                                {"relevant_from", 1.0},
                                {"query_weight", "size"},
                                {"bias", false},
                                {"latent", false},
                                {"start", "classifier"},
                                {"restarts", std::int64_t{1}},
                                {"outer_iterations", std::int64_t{100}},
                                {"cold_start", false}};
  EXPECT_EQ(option_values(options), values);
  EXPECT_THROW(set_options(options, {{"loss", "hinge"}}, "rank"), InvalidArgument);
  EXPECT_THROW(set_options(options, {{"no-bias", "maybe"}}, "rank"), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
