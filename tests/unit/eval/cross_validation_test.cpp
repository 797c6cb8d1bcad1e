// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/cross_validation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/metric/significance/significance.hpp"
#include "toy_learners.hpp"

namespace maxmargin {
namespace {

std::vector<Fold> folds_of(const Dataset& data, std::size_t k, std::uint64_t seed = 0) {
  return stratified_folds(classes_of(data.labels).of_row, k, seed);
}

TEST(CrossValidation, PredictsEveryRowExactlyOnce) {
  const Dataset data = toy::two_clouds(43, 1);
  std::mutex mutex;
  std::vector<int> tested(43, 0);
  std::vector<int> trained(43, 0);
  // Rows are recognised by their first feature.
  const auto row_of = [&](const Dataset& part, std::size_t i) {
    for (std::size_t r = 0; r < data.size(); ++r) {
      if (data.examples.row(r).at(0) == part.examples.row(i).at(0)) return r;
    }
    return data.size();
  };
  const FoldLearner spy =
      [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < test.size(); ++i) ++tested.at(row_of(test, i));
        for (std::size_t i = 0; i < train.size(); ++i) ++trained.at(row_of(train, i));
        EXPECT_FALSE(test.has_labels());
        return toy::majority_class(train, test, context);
      };
  const auto folds = folds_of(data, 5);
  const auto result = cross_validate(data, folds, spy, metric_by_name("accuracy"));
  for (std::size_t r = 0; r < 43; ++r) {
    EXPECT_EQ(tested[r], 1);
    EXPECT_EQ(trained[r], 4);
  }
  std::vector<std::size_t> all(43);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(result.tested_rows, all);
  EXPECT_EQ(result.out_of_fold.labels.size(), 43u);
  EXPECT_EQ(result.folds_run, 5u);
  EXPECT_EQ(result.status, Status::solved);
}

TEST(CrossValidation, EqualsALoopWrittenByHand) {
  const Dataset data = toy::two_clouds(60, 2);
  const Classes classes = classes_of(data.labels);
  const auto folds = folds_of(data, 4, 7);
  const auto result = cross_validate(data, folds, toy::centroid_learner, metric_by_name("error"));
  std::vector<double> errors;
  double wrong_in_all = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Predictions predictions =
        toy::nearest_centroid(data.select(folds[f].train),
                              data.select(folds[f].test),
                              {.fold = f, .class_names = classes.names});
    double wrong = 0;
    for (std::size_t i = 0; i < folds[f].test.size(); ++i) {
      const std::size_t row = folds[f].test[i];
      wrong += predictions.labels[i] != classes.of_row[row];
      EXPECT_EQ(result.out_of_fold.labels[row], predictions.labels[i]);
      EXPECT_EQ(result.out_of_fold.scores[row], predictions.scores[i]);
    }
    wrong_in_all += wrong;
    errors.push_back(wrong / static_cast<double>(folds[f].test.size()));
  }
  const MeanEstimate estimate = estimate_mean(errors);
  EXPECT_EQ(result.of_fold, errors);
  EXPECT_EQ(result.mean, estimate.mean);
  EXPECT_EQ(result.standard_error, estimate.standard_error);
  EXPECT_DOUBLE_EQ(result.pooled, wrong_in_all / 60);
  EXPECT_GT(result.mean, 0);
  EXPECT_LT(result.mean, 0.5);
}

TEST(CrossValidation, IsTheSameForAnyThreadCount) {
  const Dataset data = toy::two_clouds(80, 3);
  const auto folds = folds_of(data, 8);
  const FoldLearner noisy =
      [](const Dataset& train, const Dataset& test, const FoldContext& context) {
        Predictions predictions = toy::nearest_centroid(train, test, context);
        Rng rng(context.seed);
        for (double& score : predictions.scores) score += rng.normal();
        return predictions;
      };
  const Metric& auc = metric_by_name("auc");
  const auto one = cross_validate(data, folds, noisy, auc, {.context = {.threads = 1, .seed = 5}});
  for (const std::size_t threads : {2u, 4u}) {
    const auto many =
        cross_validate(data, folds, noisy, auc, {.context = {.threads = threads, .seed = 5}});
    EXPECT_EQ(many.of_fold, one.of_fold);
    EXPECT_EQ(many.mean, one.mean);
    EXPECT_EQ(many.standard_error, one.standard_error);
    EXPECT_EQ(many.pooled, one.pooled);
    EXPECT_EQ(many.out_of_fold.scores, one.out_of_fold.scores);
  }
  const auto other = cross_validate(data, folds, noisy, auc, {.context = {.seed = 6}});
  EXPECT_NE(other.out_of_fold.scores, one.out_of_fold.scores);
}

TEST(CrossValidation, SeedsDifferBetweenFolds) {
  const Dataset data = toy::two_clouds(20, 4);
  const auto folds = folds_of(data, 4);
  std::vector<std::uint64_t> seeds(4);
  const FoldLearner spy =
      [&](const Dataset& train, const Dataset& test, const FoldContext& context) {
        seeds[context.fold] = context.seed;
        return toy::majority_class(train, test, context);
      };
  (void)cross_validate(data, folds, spy, metric_by_name("accuracy"), {.context = {.threads = 1}});
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(seeds[a], seeds[b]);
  }
}

TEST(CrossValidation, MeasuresRealTargetsAndProbabilities) {
  Dataset data = toy::two_clouds(30, 5);
  const auto folds = plain_folds(30, 3, 1);
  const FoldLearner mean_target =
      [](const Dataset& train, const Dataset& test, const FoldContext& c) {
        EXPECT_TRUE(c.class_names.empty());
        double mean = 0;
        for (const double target : train.labels.numbers()) {
          mean += target / static_cast<double>(train.size());
        }
        return Predictions{.targets = std::vector<double>(test.size(), mean)};
      };
  const auto regression = cross_validate(data, folds, mean_target, metric_by_name("mse"));
  EXPECT_NEAR(regression.mean, 1, 0.2);
  const FoldLearner coin = [](const Dataset&, const Dataset& test, const FoldContext& context) {
    return Predictions{.probabilities = DenseMatrix(test.size(), context.class_names.size(), 0.5)};
  };
  const auto loss = cross_validate(data, folds, coin, metric_by_name("log_loss"));
  EXPECT_NEAR(loss.mean, std::log(2.0), 1e-15);
  EXPECT_NEAR(loss.pooled, std::log(2.0), 1e-15);
  EXPECT_EQ(loss.out_of_fold.probabilities.rows(), 30u);
}

TEST(CrossValidation, WeightsReachTheMetric) {
  Dataset data = toy::two_clouds(20, 6);
  data.weights.assign(20, 1.0);
  for (std::size_t i = 0; i < 20; i += 2) data.weights[i] = 3;  // class 0 weighs three times
  const auto folds = folds_of(data, 5);
  const auto result = cross_validate(data, folds, toy::majority_class, metric_by_name("accuracy"));
  EXPECT_DOUBLE_EQ(result.mean, 0.75);
}

TEST(CrossValidation, UndefinedFoldsAreLeftOutOfTheMean) {
  const Dataset data = toy::two_clouds(8, 7);
  // Fold 0 tests both classes, fold 1 only one: its AUC does not exist.
  const std::vector<Fold> folds = {{.train = {4, 5, 6, 7}, .test = {0, 1}},
                                   {.train = {0, 1, 5, 7}, .test = {2, 4}}};
  const auto result = cross_validate(data, folds, toy::centroid_learner, metric_by_name("auc"));
  EXPECT_FALSE(std::isnan(result.of_fold[0]));
  EXPECT_TRUE(std::isnan(result.of_fold[1]));
  EXPECT_EQ(result.mean, result.of_fold[0]);
  EXPECT_TRUE(std::isnan(result.standard_error));
  EXPECT_EQ(result.tested_rows, (std::vector<std::size_t>{0, 1, 2, 4}));
}

TEST(CrossValidation, UnlabelledRowsAreLearnedFromAndNotScored) {
  Dataset data = toy::two_clouds(40, 8);
  for (std::size_t i = 0; i < 10; ++i) data.labels.clear(i);
  const auto stratified = folds_of(data, 3);
  const auto result =
      cross_validate(data, stratified, toy::centroid_learner, metric_by_name("accuracy"));
  EXPECT_EQ(result.tested_rows.size(), 30u);
  const auto plain =
      cross_validate(data, plain_folds(40, 4), toy::centroid_learner, metric_by_name("accuracy"));
  EXPECT_EQ(plain.tested_rows.size(), 40u);
  EXPECT_GT(plain.mean, 0.5);
}

TEST(CrossValidation, TheLowestFailingFoldIsReported) {
  const Dataset data = toy::two_clouds(40, 9);
  const auto folds = folds_of(data, 8);
  const FoldLearner failing =
      [](const Dataset& train, const Dataset& test, const FoldContext& context) {
        if (context.fold >= 2) throw std::runtime_error("fold " + std::to_string(context.fold));
        return toy::majority_class(train, test, context);
      };
  for (const std::size_t threads : {1u, 2u, 4u}) {
    try {
      (void)cross_validate(
          data, folds, failing, metric_by_name("accuracy"), {.context = {.threads = threads}});
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "fold 2");
    }
  }
}

TEST(CrossValidation, TheCallbackMayEndTheRun) {
  const Dataset data = toy::two_clouds(40, 10);
  const auto folds = folds_of(data, 8);
  std::vector<std::uint64_t> seen;
  const ProgressCallback after_three = [&](const Progress& progress) {
    seen.push_back(progress.iteration);
    EXPECT_EQ(progress.max_iterations, 8u);
    return progress.iteration < 3 ? Continue::yes : Continue::time_is_up;
  };
  const auto result = cross_validate(data,
                                     folds,
                                     toy::majority_class,
                                     metric_by_name("accuracy"),
                                     {.context = {.threads = 1, .on_progress = after_three}});
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_EQ(result.folds_run, 3u);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(result.tested_rows.size(), 15u);
  EXPECT_TRUE(std::isnan(result.of_fold[3]));
  const auto none =
      cross_validate(data,
                     folds,
                     toy::majority_class,
                     metric_by_name("accuracy"),
                     {.context = {.on_progress = [](const Progress&) { return Continue::stop; }}});
  EXPECT_EQ(none.status, Status::stopped_by_callback);
  EXPECT_TRUE(std::isnan(none.mean));
  EXPECT_TRUE(none.tested_rows.empty());
}

TEST(CrossValidation, RefusesBrokenFolds) {
  const Dataset data = toy::two_clouds(6, 11);
  const Metric& accuracy = metric_by_name("accuracy");
  const auto run = [&](std::vector<Fold> folds) {
    (void)cross_validate(data, folds, toy::majority_class, accuracy);
  };
  EXPECT_NO_THROW(run({{.train = {0, 0, 1}, .test = {2}}}));  // a bootstrap repeats rows
  EXPECT_THROW(run({}), InvalidArgument);
  EXPECT_THROW(run({{.train = {}, .test = {1}}}), InvalidArgument);
  EXPECT_THROW(run({{.train = {1}, .test = {}}}), InvalidArgument);
  EXPECT_THROW(run({{.train = {6}, .test = {1}}}), InvalidArgument);
  EXPECT_THROW(run({{.train = {0, 1}, .test = {1}}}), InvalidArgument);
  EXPECT_THROW(run({{.train = {0}, .test = {1, 1}}}), InvalidArgument);
  EXPECT_THROW(run({{.train = {0}, .test = {1}}, {.train = {0}, .test = {1}}}), InvalidArgument);
}

TEST(CrossValidation, RefusesBrokenPredictionsAndData) {
  const Dataset data = toy::two_clouds(10, 12);
  const auto folds = folds_of(data, 2);
  const auto run = [&](const FoldLearner& learner, const char* metric) {
    (void)cross_validate(data, folds, learner, metric_by_name(metric));
  };
  EXPECT_THROW(run({}, "accuracy"), InvalidArgument);
  EXPECT_THROW(run(toy::majority_class, "auc"), InvalidArgument);  // no scores
  EXPECT_THROW(run([](const Dataset&, const Dataset&, const FoldContext&) { return Predictions{}; },
                   "accuracy"),
               InvalidArgument);
  const FoldLearner bad_class = [](const Dataset&, const Dataset& test, const FoldContext&) {
    return Predictions{.labels = std::vector<std::int32_t>(test.size(), 2)};
  };
  EXPECT_THROW(run(bad_class, "accuracy"), InvalidArgument);
  EXPECT_NO_THROW(run(bad_class, "purity"));  // a cluster may have any number
  const FoldLearner bad_columns = [](const Dataset&, const Dataset& test, const FoldContext&) {
    return Predictions{.probabilities = DenseMatrix(test.size(), 3, 0.3)};
  };
  EXPECT_THROW(run(bad_columns, "log_loss"), InvalidArgument);
  try {
    run(toy::majority_class, "auc");
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("0 scores for the 5 test rows of fold 0"),
              std::string::npos)
        << error.what();
  }
  Dataset unlabelled = data;
  unlabelled.labels = {};
  EXPECT_THROW(
      (void)cross_validate(unlabelled, folds, toy::majority_class, metric_by_name("accuracy")),
      InvalidArgument);
}

TEST(CrossValidation, LeavesOutFoldsWhoseTrainingWasStopped) {
  const Dataset data = toy::two_clouds(40, 1);
  const auto folds = plain_folds(data.size(), 4);
  const FoldLearner stopped_once =
      [](const Dataset& train, const Dataset& test, const FoldContext& context) {
        Predictions predictions = toy::centroid_learner(train, test, context);
        predictions.unfinished = context.fold == 1;
        return predictions;
      };
  const auto result = cross_validate(data, folds, stopped_once, metric_by_name("accuracy"));
  EXPECT_EQ(result.folds_run, 3u);
  EXPECT_EQ(result.status, Status::stopped_by_callback);
  EXPECT_TRUE(std::isnan(result.of_fold[1]));
  EXPECT_EQ(result.tested_rows.size(), 30u);
}

}  // namespace
}  // namespace maxmargin
