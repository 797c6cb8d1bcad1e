// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/grid_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/eval/cross_validation.hpp"
#include "toy_learners.hpp"

namespace maxmargin {
namespace {

const Metric& accuracy_metric() { return metric_by_name("accuracy"); }

std::vector<Fold> folds_of(const Dataset& data, std::size_t k, std::uint64_t seed = 0) {
  return stratified_folds(classes_of(data.labels).of_row, k, seed);
}

Predictions shrunken_centroid(const GridPoint& point,
                              const Dataset& train,
                              const Dataset& test,
                              const FoldContext& context) {
  return toy::nearest_centroid(train, test, context, point.number("shrink"));
}

/// Answers rightly for the share of rows that the point's "quality" says, whatever the data: the
/// truth is known to follow the first feature's sign.
Dataset obedient_data(std::size_t n) {
  DenseMatrix points(n, 1);
  std::vector<double> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = i % 2 == 0 ? 0 : 1;
    points(i, 0) = i % 2 == 0 ? -1 : 1;
  }
  return {.examples = std::move(points), .labels = LabelColumn::from_numbers(std::move(labels))};
}
Predictions of_quality(const GridPoint& point,
                       const Dataset& /*train*/,
                       const Dataset& test,
                       const FoldContext& /*context*/) {
  const auto right = static_cast<std::size_t>(
      std::lround(point.number("quality") * static_cast<double>(test.size())));
  Predictions predictions;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const bool positive = test.examples.row(i).at(0) > 0;
    predictions.labels.push_back(positive == (i < right) ? 1 : 0);
  }
  return predictions;
}

TEST(GridSearch, EqualsCrossValidationAtEveryPoint) {
  const Dataset data = toy::two_clouds(60, 1);
  const auto folds = folds_of(data, 4);
  const Grid grid = parse_grid("shrink=1,0.9,0");
  const GridSearch search = grid_search(
      data, folds, grid, shrunken_centroid, accuracy_metric(), {.context = {.seed = 3}});
  ASSERT_EQ(search.results.size(), 3u);
  EXPECT_EQ(search.trainings, 12u);
  EXPECT_EQ(search.status, Status::solved);
  for (std::size_t i = 0; i < 3; ++i) {
    const GridPoint point = grid.point(i);
    const auto single =
        cross_validate(data,
                       folds,
                       [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
                         return shrunken_centroid(point, train, test, context);
                       },
                       accuracy_metric(),
                       {.context = {.seed = 3}});
    EXPECT_EQ(search.results[i].index, i);
    EXPECT_EQ(search.results[i].point, point);
    EXPECT_EQ(search.results[i].of_fold, single.of_fold);
    EXPECT_EQ(search.results[i].mean, single.mean);
    EXPECT_EQ(search.results[i].standard_error, single.standard_error);
    EXPECT_EQ(search.results[i].folds_run, 4u);
    EXPECT_EQ(search.results[i].train_share, 1);
  }
  // Without shrinking the centroids lie apart; fully shrunk they answer class 0 always.
  EXPECT_NE(search.chosen, 0u);
}

TEST(GridSearch, IsTheSameForAnyThreadCount) {
  const Dataset data = toy::two_clouds(120, 2);
  const auto folds = folds_of(data, 3);
  const Grid grid = parse_grid("shrink=0,0.3,0.6,0.9,0.95,0.99,0.999,1");
  for (const bool halve : {false, true}) {
    GridSearchOptions options{.context = {.threads = 1, .seed = 4}};
    if (halve) options.halving = SuccessiveHalving{.factor = 2, .min_train_rows = 10};
    const auto one = grid_search(data, folds, grid, shrunken_centroid, accuracy_metric(), options);
    for (const std::size_t threads : {2u, 4u}) {
      options.context.threads = threads;
      const auto many =
          grid_search(data, folds, grid, shrunken_centroid, accuracy_metric(), options);
      EXPECT_EQ(many.chosen, one.chosen);
      EXPECT_EQ(many.trainings, one.trainings);
      for (std::size_t i = 0; i < one.results.size(); ++i) {
        EXPECT_EQ(many.results[i].mean, one.results[i].mean);
        EXPECT_EQ(many.results[i].rounds, one.results[i].rounds);
      }
    }
  }
}

TEST(GridSearch, PicksTheBestInTheMetricsDirectionAndTheFirstOfEqualOnes) {
  const Dataset data = obedient_data(40);
  const auto folds = plain_folds(40, 4);
  const Grid grid = parse_grid("quality=0.5,0.9,0.3;twin=a,b");
  EXPECT_EQ(grid_search(data, folds, grid, of_quality, accuracy_metric()).chosen, 2u);
  EXPECT_EQ(grid_search(data, folds, grid, of_quality, metric_by_name("error")).chosen, 2u);
}

TEST(GridSearch, OneStandardErrorPrefersTheEarlierPoint) {
  const Dataset data = obedient_data(40);
  const auto folds = plain_folds(40, 4);
  // The point 0.9 gets 0, 1, 1, 1 in the four folds: mean 0.75, standard error 0.25.
  const GridLearner uneven = [](const GridPoint& point,
                                const Dataset& train,
                                const Dataset& test,
                                const FoldContext& context) {
    double quality = point.number("quality");
    if (quality == 0.9) quality = context.fold == 0 ? 0 : 1;
    return of_quality(GridPoint({{"quality", format_number(quality)}}), train, test, context);
  };
  const GridSearchOptions rule{.rule = ChoiceRule::one_standard_error};
  const auto chosen =
      [&](const char* grid, const Metric& metric, const GridSearchOptions& options) {
        return grid_search(data, folds, parse_grid(grid), uneven, metric, options).chosen;
      };
  EXPECT_EQ(chosen("quality=0.4,0.5,0.9,0.7", accuracy_metric(), {}), 2u);
  EXPECT_EQ(chosen("quality=0.4,0.5,0.9,0.7", accuracy_metric(), rule), 1u);
  EXPECT_EQ(chosen("quality=0.4,0.5,0.9,0.7", metric_by_name("error"), rule), 1u);
  EXPECT_EQ(chosen("quality=0.4,0.9,0.7", accuracy_metric(), rule), 1u);
  // A best point without spread has only itself.
  EXPECT_EQ(chosen("quality=0.7,0.8", accuracy_metric(), rule), 1u);
}

TEST(GridSearch, RandomPointsAreASeededSubsetInGridOrder) {
  const Dataset data = obedient_data(20);
  const auto folds = plain_folds(20, 2);
  const Grid grid = parse_grid("quality=0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9");
  const auto indices = [&](std::uint64_t seed, std::size_t count) {
    std::vector<std::size_t> found;
    const GridSearchOptions options{.context = {.seed = seed}, .random_points = count};
    const auto search = grid_search(data, folds, grid, of_quality, accuracy_metric(), options);
    for (const GridResult& result : search.results) {
      EXPECT_EQ(result.point, grid.point(result.index));
      found.push_back(result.index);
    }
    EXPECT_EQ(search.results[*search.chosen].index, found.back());
    return found;
  };
  const auto once = indices(1, 4);
  EXPECT_EQ(once.size(), 4u);
  EXPECT_TRUE(std::is_sorted(once.begin(), once.end()));
  EXPECT_EQ(std::adjacent_find(once.begin(), once.end()), once.end());
  EXPECT_EQ(indices(1, 4), once);
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 6; ++seed) differs |= indices(seed, 4) != once;
  EXPECT_TRUE(differs);
  EXPECT_EQ(indices(1, 10).size(), 10u);
  EXPECT_EQ(indices(1, 99).size(), 10u);
}

TEST(SuccessiveHalving, ByRowsGrowsNestedStratifiedPartsAndEndsOnAllRows) {
  const Dataset data = toy::two_clouds(216, 3);
  const auto folds = folds_of(data, 2);  // 108 training rows each
  const Grid grid = parse_grid("shrink=0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,1");
  std::mutex mutex;
  std::map<std::size_t, std::size_t> trainings;                   // by number of rows
  std::map<std::size_t, std::vector<std::vector<double>>> parts;  // first feature, by fold
  const GridLearner spy = [&](const GridPoint& point,
                              const Dataset& train,
                              const Dataset& test,
                              const FoldContext& context) {
    const std::lock_guard lock(mutex);
    ++trainings[train.size()];
    std::vector<double> keys;
    double positives = 0;
    for (std::size_t i = 0; i < train.size(); ++i) {
      keys.push_back(train.examples.row(i).at(0));
      positives += train.labels.numbers()[i] > 0;
    }
    EXPECT_NEAR(positives, static_cast<double>(train.size()) / 2, 1);
    EXPECT_EQ(test.size(), 108u);
    std::sort(keys.begin(), keys.end());
    if (context.fold == 0) parts[train.size()].push_back(keys);
    return shrunken_centroid(point, train, test, context);
  };
  const GridSearchOptions options{.context = {.threads = 1},
                                  .halving = SuccessiveHalving{.factor = 3, .min_train_rows = 10}};
  const auto search = grid_search(data, folds, grid, spy, accuracy_metric(), options);
  // Nine points on 12 rows, three on 36, one on 108; two folds each.
  EXPECT_EQ(trainings, (std::map<std::size_t, std::size_t>{{12, 18}, {36, 6}, {108, 2}}));
  EXPECT_EQ(search.trainings, 26u);
  for (const auto& [size, rows] : parts) {
    for (const auto& part : rows) EXPECT_EQ(part, rows[0]) << size;  // the same for all points
  }
  EXPECT_TRUE(std::includes(
      parts[36][0].begin(), parts[36][0].end(), parts[12][0].begin(), parts[12][0].end()));
  EXPECT_TRUE(std::includes(
      parts[108][0].begin(), parts[108][0].end(), parts[36][0].begin(), parts[36][0].end()));
  std::size_t finalists = 0;
  for (const GridResult& result : search.results) finalists += result.train_share == 1;
  EXPECT_EQ(finalists, 1u);
  EXPECT_EQ(search.results[*search.chosen].rounds, 3u);
}

TEST(SuccessiveHalving, ByRowsKeepsFewerRoundsWhenRowsAreFew) {
  const Dataset data = toy::two_clouds(40, 4);
  const auto folds = folds_of(data, 2);
  const Grid grid = parse_grid("shrink=0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,1");
  const GridSearchOptions options{.halving = SuccessiveHalving{.factor = 3, .min_train_rows = 50}};
  const auto search = grid_search(data, folds, grid, shrunken_centroid, accuracy_metric(), options);
  EXPECT_EQ(search.trainings, 18u);  // one full round
}

TEST(SuccessiveHalving, ByFoldsNeverRunsAFoldTwice) {
  const Dataset data = obedient_data(80);
  const auto folds = plain_folds(80, 8);
  const Grid grid = parse_grid("quality=0.1,0.9,0.3,0.4,0.5,0.8,0.7,0.6");
  std::mutex mutex;
  std::map<std::string, std::vector<std::size_t>> runs;
  const GridLearner spy = [&](const GridPoint& point,
                              const Dataset& train,
                              const Dataset& test,
                              const FoldContext& context) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(train.size(), 70u);
    runs[point.describe()].push_back(context.fold);
    return of_quality(point, train, test, context);
  };
  const GridSearchOptions options{
      .halving = SuccessiveHalving{.factor = 2, .budget = HalvingBudget::folds}};
  const auto search = grid_search(data, folds, grid, spy, accuracy_metric(), options);
  // Rounds of 8, 4, 2, 1 points on 1, 2, 4, 8 folds: new trainings 8 + 4 + 4 + 4.
  EXPECT_EQ(search.trainings, 20u);
  EXPECT_EQ(search.results[*search.chosen].point.text("quality"), "0.9");
  for (auto& [name, list] : runs) {
    std::sort(list.begin(), list.end());
    for (std::size_t f = 0; f < list.size(); ++f) EXPECT_EQ(list[f], f) << name;
  }
  EXPECT_EQ(runs["quality=0.9"].size(), 8u);
  EXPECT_EQ(runs["quality=0.8"].size(), 4u);
  EXPECT_EQ(runs["quality=0.1"].size(), 1u);
  EXPECT_EQ(search.results[0].folds_run, 1u);
  EXPECT_TRUE(std::isnan(search.results[0].of_fold[1]));
}

TEST(GridSearch, TheCallbackMayEndTheSearchAndFinishedPointsCount) {
  const Dataset data = obedient_data(40);
  const auto folds = plain_folds(40, 4);
  const Grid grid = parse_grid("quality=0.5,0.7,0.9");
  const auto stop_after = [&](std::uint64_t trainings) {
    return grid_search(data,
                       folds,
                       grid,
                       of_quality,
                       accuracy_metric(),
                       {.context = {.threads = 1, .on_progress = [=](const Progress& progress) {
                                      EXPECT_EQ(progress.max_iterations, 12u);
                                      return progress.iteration < trainings ? Continue::yes
                                                                            : Continue::time_is_up;
                                    }}});
  };
  const auto none = stop_after(0);
  EXPECT_FALSE(none.chosen);
  EXPECT_EQ(none.status, Status::time_limit);
  EXPECT_FALSE(stop_after(3).chosen);
  const auto two = stop_after(9);
  EXPECT_EQ(two.trainings, 9u);
  EXPECT_EQ(two.chosen, 1u);
  EXPECT_EQ(two.results[2].rounds, 0u);
  EXPECT_TRUE(std::isnan(two.results[2].mean));
  const auto all = stop_after(12);
  EXPECT_EQ(all.chosen, 2u);
  EXPECT_EQ(all.status, Status::solved);
}

TEST(GridSearch, TheFirstFailingTrainingIsReported) {
  const Dataset data = obedient_data(40);
  const auto folds = plain_folds(40, 4);
  const Grid grid = parse_grid("quality=0.5,0.7,0.9");
  const GridLearner failing = [](const GridPoint& point,
                                 const Dataset& train,
                                 const Dataset& test,
                                 const FoldContext& context) {
    if (point.number("quality") > 0.6 && context.fold >= 1) {
      throw std::runtime_error(point.describe() + " fold " + std::to_string(context.fold));
    }
    return of_quality(point, train, test, context);
  };
  for (const std::size_t threads : {1u, 2u, 4u}) {
    try {
      (void)grid_search(
          data, folds, grid, failing, accuracy_metric(), {.context = {.threads = threads}});
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "quality=0.7 fold 1");
    }
  }
}

TEST(GridSearch, PointsWithoutAValueLoseAndInfiniteLossesAreTheWorst) {
  const Dataset data = toy::two_clouds(12, 5);
  // Every fold tests one class alone: no AUC exists.
  const std::vector<Fold> folds = {{.train = {1, 2, 3}, .test = {0, 4}},
                                   {.train = {0, 1, 2, 3}, .test = {5, 7}}};
  const auto undefined = grid_search(
      data, folds, parse_grid("shrink=0,0.5"), shrunken_centroid, metric_by_name("auc"));
  EXPECT_FALSE(undefined.chosen);
  EXPECT_EQ(undefined.status, Status::solved);
  const GridLearner sure =
      [](const GridPoint& point, const Dataset&, const Dataset& test, const FoldContext& context) {
        DenseMatrix p(test.size(), context.class_names.size(), 0.5);
        if (point.text("sure") == "yes") {
          for (std::size_t i = 0; i < test.size(); ++i) {
            p(i, 0) = 0;
            p(i, 1) = 1;
          }
        }
        return Predictions{.probabilities = std::move(p)};
      };
  const auto search = grid_search(
      data, plain_folds(12, 3), parse_grid("sure=yes,no"), sure, metric_by_name("log_loss"));
  EXPECT_EQ(search.results[0].mean, std::numeric_limits<double>::infinity());
  EXPECT_EQ(search.chosen, 1u);
}

/// Right everywhere in fold 0; elsewhere the "lazy" point answers one class only, for which
/// precision and MCC have no value, and the "diligent" one is right in most rows.
Predictions lazy_or_diligent(const GridPoint& point,
                             const Dataset& /*train*/,
                             const Dataset& test,
                             const FoldContext& context) {
  const bool lazy = point.text("kind") == "lazy";
  Predictions predictions;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const bool positive = test.examples.row(i).at(0) > 0;
    const bool wrong = !lazy && i < 2;
    predictions.labels.push_back(lazy && context.fold > 0 ? 0 : positive != wrong ? 1 : 0);
  }
  return predictions;
}

TEST(GridSearch, AMeanOverFewerFoldsNeverBeatsOneOverMore) {
  const Dataset data = obedient_data(60);
  const auto folds = folds_of(data, 5);
  for (const ChoiceRule rule : {ChoiceRule::best, ChoiceRule::one_standard_error}) {
    for (const bool halving : {false, true}) {
      GridSearchOptions options{.rule = rule};
      if (halving) options.halving = SuccessiveHalving{.factor = 2, .min_train_rows = 5};
      const GridSearch search = grid_search(data,
                                            folds,
                                            parse_grid("kind=lazy,diligent"),
                                            lazy_or_diligent,
                                            metric_by_name("mcc"),
                                            options);
      ASSERT_TRUE(search.chosen);
      EXPECT_EQ(*search.chosen, 1u) << "halving " << halving;
      EXPECT_EQ(search.results[0].mean, 1);
      EXPECT_LT(search.results[1].mean, 1);
      EXPECT_EQ(search.results[0].folds_defined, 1u);
      EXPECT_EQ(search.results[1].folds_defined, 5u);
    }
  }
}

TEST(GridSearch, RefusesBadOptions) {
  const Dataset data = obedient_data(10);
  const auto folds = plain_folds(10, 2);
  const Grid grid = parse_grid("quality=0.5");
  const auto run = [&](const GridSearchOptions& options) {
    (void)grid_search(data, folds, grid, of_quality, accuracy_metric(), options);
  };
  EXPECT_THROW(run({.context = {.threads = 0}}), InvalidArgument);
  EXPECT_THROW(run({.random_points = 0}), InvalidArgument);
  EXPECT_THROW(run({.halving = SuccessiveHalving{.factor = 1}}), InvalidArgument);
  EXPECT_THROW(run({.halving = SuccessiveHalving{.min_train_rows = 0}}), InvalidArgument);
  EXPECT_THROW((void)grid_search(data, folds, grid, {}, accuracy_metric()), InvalidArgument);
}

/// Trains a path point by point and notes the paths it was given.
struct NotedPaths {
  std::mutex mutex;
  std::vector<std::string> paths;

  GridPathLearner learner() {
    return [this](std::span<const GridPoint> points,
                  const Dataset& train,
                  const Dataset& test,
                  const FoldContext& context) {
      std::vector<Predictions> predictions;
      std::string path;
      for (const GridPoint& point : points) {
        predictions.push_back(shrunken_centroid(point, train, test, context));
        path += (path.empty() ? "" : " ") + point.describe();
      }
      const std::lock_guard lock(mutex);
      if (context.fold == 0) paths.push_back(path);
      return predictions;
    };
  }
};

TEST(GridSearchPaths, GivesWhatPointByPointGivesForAnyThreadCount) {
  const Dataset data = toy::two_clouds(60, 1);
  const auto folds = folds_of(data, 4);
  const Grid grid = parse_grid("shrink=1,0.9,0;other=a,b");
  for (const bool halving : {false, true}) {
    GridSearchOptions options{.context = {.seed = 3}};
    if (halving) options.halving = SuccessiveHalving{.factor = 2, .min_train_rows = 10};
    const GridSearch plain =
        grid_search(data, folds, grid, shrunken_centroid, accuracy_metric(), options);
    for (const std::size_t threads : {1u, 2u, 4u}) {
      options.context.threads = threads;
      NotedPaths noted;
      const GridSearch paths = grid_search_paths(
          data, folds, grid, "shrink", noted.learner(), accuracy_metric(), options);
      EXPECT_EQ(paths.trainings, plain.trainings);
      EXPECT_EQ(paths.status, Status::solved);
      EXPECT_EQ(paths.chosen, plain.chosen);
      for (std::size_t i = 0; i < grid.size(); ++i) {
        EXPECT_EQ(paths.results[i].mean, plain.results[i].mean);
        EXPECT_EQ(paths.results[i].rounds, plain.results[i].rounds);
      }
    }
  }
}

TEST(GridSearchPaths, GathersThePointsThatDifferInThePathParameterAlone) {
  const Dataset data = toy::two_clouds(30, 1);
  NotedPaths noted;
  const auto search = grid_search_paths(data,
                                        folds_of(data, 3),
                                        parse_grid("shrink=1,0;other=a,b"),
                                        "shrink",
                                        noted.learner(),
                                        accuracy_metric(),
                                        {.context = {.threads = 1}});
  EXPECT_EQ(search.trainings, 12u);
  EXPECT_EQ(noted.paths,
            (std::vector<std::string>{"shrink=1;other=a shrink=0;other=a",
                                      "shrink=1;other=b shrink=0;other=b"}));
}

TEST(GridSearchPaths, RefusesAnAnswerOfAnotherLength) {
  const Dataset data = toy::two_clouds(30, 1);
  const GridPathLearner forgetful = [](auto, const auto&, const auto&, const auto&) {
    return std::vector<Predictions>{};
  };
  EXPECT_THROW((void)grid_search_paths(data,
                                       folds_of(data, 3),
                                       parse_grid("shrink=1,0"),
                                       "shrink",
                                       forgetful,
                                       accuracy_metric()),
               InvalidArgument);
}

TEST(GridSearch, DoesNotCountTrainingsThatTheirLearnerCallsUnfinished) {
  const Dataset data = toy::two_clouds(60, 1);
  const GridLearner stopped_at_zero =
      [](const GridPoint& point, const Dataset& train, const Dataset& test, const FoldContext& c) {
        Predictions predictions = shrunken_centroid(point, train, test, c);
        if (point.number("shrink") == 0 && c.fold == 2) {
          predictions = {};
          predictions.unfinished = true;
        }
        return predictions;
      };
  const GridSearch search = grid_search(
      data, folds_of(data, 4), parse_grid("shrink=0,0.5"), stopped_at_zero, accuracy_metric());
  EXPECT_EQ(search.status, Status::stopped_by_callback);
  EXPECT_EQ(search.trainings, 7u);
  EXPECT_EQ(search.results[0].rounds, 0u);
  EXPECT_TRUE(std::isnan(search.results[0].mean));
  EXPECT_EQ(search.chosen, 1u);
}

TEST(GridSearchOptions, ASearchIsOneText) {
  const auto with = [](const char* search) {
    GridSearchOptions options;
    set_options(options, {{"search", search}}, "this test");
    EXPECT_EQ(text_of(option_values(options)[0].second), search);
    return options;
  };
  EXPECT_FALSE(with("grid").halving.has_value());
  EXPECT_TRUE(with("halving").halving.has_value());
  EXPECT_EQ(with("random:7").random_points, 7u);
  GridSearchOptions options = with("random:7");
  set_options(options, {{"search", "grid"}, {"one-se", "true"}}, "this test");
  EXPECT_EQ(options.random_points, std::nullopt);
  EXPECT_EQ(options.rule, ChoiceRule::one_standard_error);
  for (const char* text : {"random", "random:", "random:0", "random:x", "grids", ""}) {
    EXPECT_THROW(set_options(options, {{"search", text}}, "this test"), InvalidArgument) << text;
  }
}

}  // namespace
}  // namespace maxmargin
