// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/learner/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

std::string message_of(const std::string& name,
                       const OptionTexts& given,
                       const TuneOptions& options) {
  try {
    (void)tune(learner(name), {.data = iris()}, {.options = given}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Tune, TriesEveryPointAndTrainsWithTheBest) {
  const TableData data{.data = iris()};
  const Tuning found = tune(learner("svc"),
                            data,
                            {.options = {{"kernel", "rbf"}}},
                            {.grid = "C=0.001,1;gamma=0.1,1", .folds = {.folds = 4}});
  EXPECT_EQ(found.metric, "accuracy");
  ASSERT_EQ(found.table.size(), 4U);
  ASSERT_EQ(found.search.results.size(), 4U);
  ASSERT_TRUE(found.best && found.best->model);
  EXPECT_TRUE(contains(found.chosen, "C=1")) << found.chosen;
  EXPECT_GT(*found.report.metric("cross_validated_accuracy"), 0.9);
  EXPECT_EQ(found.report.metric("trainings"), 16.0);
  EXPECT_EQ(found.best->model->header().learner, "svc");
  const OptionScalars& used = found.best->model->header().options;
  EXPECT_NE(std::ranges::find(used, OptionScalars::value_type("C", 1.0)), used.end());
}

TEST(Tune, PointsThatDifferInCAloneAreThoseTrainedAlone) {
  const TableData data{.data = iris()};
  const Tuning path =
      tune(learner("linear-svc"), data, {}, {.grid = "C=10,0.1", .train_best = false});
  EXPECT_FALSE(path.best);
  for (std::size_t i = 0; i < 2; ++i) {
    const LearnerFolds alone = cross_validate_learner(
        learner("linear-svc"), data, {.options = {{"C", i == 0 ? "10" : "0.1"}}});
    EXPECT_NEAR(path.search.results[i].mean, alone.found.mean, 0.02);
  }
}

TEST(Tune, AxesAndValuesAreCheckedBeforeAnythingRuns) {
  EXPECT_TRUE(contains(message_of("svc", {}, {.grid = "gama=1"}), "gamma"));
  EXPECT_TRUE(contains(message_of("svc", {}, {.grid = "C=1,-1"}), "-C -1"));
  EXPECT_TRUE(contains(message_of("linear-svc", {}, {.grid = "C=1,inf"}), "-C inf"));
  EXPECT_TRUE(contains(message_of("svc", {{"C", "1"}}, {.grid = "C=1,2"}), "-C is given"));
  EXPECT_TRUE(contains(message_of("svc", {}, {}), "--grid"));
  EXPECT_TRUE(contains(message_of("svc", {}, {.grid = "no-bias=true,maybe"}), "--no-bias maybe"));
  EXPECT_TRUE(contains(message_of("svc", {}, {.grid = "C=1", .search = "randm"}), "--search"));
  EXPECT_TRUE(contains(message_of("svc", {}, {.grid = "C=1", .folds = {.folds = 1}}), "--folds"));
  EXPECT_TRUE(
      contains(message_of("svc", {}, {.grid = "C=1", .folds = {.metric = "mse"}}), "--metric mse"));
  EXPECT_TRUE(contains(message_of("svc", {}, {.grid = "C=1", .folds = {.metric = "auc"}}),
                       "needs two classes"));
  EXPECT_TRUE(contains(message_of("one-class", {}, {.grid = "nu=0.1"}), "1 and -1"));
}

TEST(Tune, CrossValidationReportsTheMetricOfEveryFold) {
  const LearnerFolds found = cross_validate_learner(
      learner("svc"), {.data = iris()}, {.options = {{"scale", "standard"}}}, {.folds = 3});
  EXPECT_EQ(found.found.of_fold.size(), 3U);
  EXPECT_GT(*found.report.metric("accuracy"), 0.9);
  ASSERT_EQ(found.report.tables.size(), 1U);
  EXPECT_EQ(found.report.tables.front().second.size(), 3U);
  const auto scale =
      std::ranges::find(found.report.options, "scale", &ReportFields::value_type::first);
  ASSERT_NE(scale, found.report.options.end());
  EXPECT_EQ(scale->second, ReportValue(std::string("standard")));
}

TEST(Tune, ARunThatIsToldToStopStops) {
  TrainingRequest request;
  request.context.on_progress = [](const Progress&) { return Continue::stop; };
  const Tuning found = tune(learner("svc"), {.data = iris()}, request, {.grid = "C=1,2"});
  EXPECT_EQ(found.search.status, Status::stopped_by_callback);
  EXPECT_FALSE(found.best);
  EXPECT_EQ(found.report.solve.status, Status::stopped_by_callback);
}

TEST(Tune, OptionsDescribeThemselves) {
  TuneOptions options;
  set_options(options, {{"folds", "7"}, {"search", "random:3"}, {"one-se", "true"}}, "tune");
  validate(options);
  EXPECT_EQ(options.folds.folds, 7U);
  EXPECT_EQ(options.search, "random:3");
  EXPECT_TRUE(options.one_se);
  EXPECT_THROW(set_options(options, {{"search", "random:0"}}, "tune"), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
