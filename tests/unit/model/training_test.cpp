// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/model/training.hpp"

#include <gtest/gtest.h>

#include "maxmargin/core/error.hpp"
#include "svm_data.hpp"

namespace maxmargin {
namespace {

using testing::labelled;

/// The message of the InvalidArgument that `call` throws.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Training, ControlNamesTheWrongField) {
  EXPECT_NO_THROW(validate(TrainingControl{}));
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const TrainingControl control{.tolerance = bad};
    EXPECT_NE(message_of([&] { validate(control); }).find("tolerance"), std::string::npos);
  }
  const TrainingControl idle{.context = {.threads = 0}};
  EXPECT_NE(message_of([&] { validate(idle); }).find("threads"), std::string::npos);
  EXPECT_EQ(TrainingControl{.context = {.memory_limit = 12345}}.context.memory_bytes(), 12345U);
  EXPECT_GT(TrainingControl{}.context.memory_bytes(), 0U);
}

TEST(Training, ReadsClassWeights) {
  EXPECT_TRUE(parse_class_weights("balanced").balanced);
  const ClassWeights weights = parse_class_weights("1=2.5,cat=0,a=b=3");
  EXPECT_FALSE(weights.balanced);
  ASSERT_EQ(weights.by_class.size(), 3U);
  EXPECT_EQ(weights.by_class[0], (std::pair<Label, double>(Label(1.0), 2.5)));
  EXPECT_EQ(weights.by_class[1], (std::pair<Label, double>(Label(std::string("cat")), 0.0)));
  EXPECT_EQ(weights.by_class[2], (std::pair<Label, double>(Label(std::string("a=b")), 3.0)));
  for (const char* bad : {"", "1", "1=", "=2", "1=2,", "1=x", ",1=2"}) {
    EXPECT_THROW(static_cast<void>(parse_class_weights(bad)), InvalidArgument) << bad;
  }
}

TEST(Training, WeightsAreExampleTimesClass) {
  Dataset data = labelled(DenseMatrix(4, 1), {5, 7, 7, 7});
  data.weights = {1, 2, 3, 4};
  const ClassificationTask task = classification_task(data, {.by_class = {{Label(7.0), 10.0}}});
  EXPECT_EQ(task.weights, (std::vector<double>{1, 20, 30, 40}));
  EXPECT_EQ(task.classes.names, (std::vector<Label>{Label(5.0), Label(7.0)}));
  const ClassificationTask balanced = classification_task(data, {.balanced = true});
  // Both classes weigh the same, and all together what they did.
  EXPECT_DOUBLE_EQ(balanced.weights[0], 5);
  EXPECT_NEAR(balanced.weights[1] + balanced.weights[2] + balanced.weights[3], 5, 1e-12);
}

TEST(Training, ClassWeightsAreChecked) {
  const Dataset data = labelled(DenseMatrix(2, 1), {1, 2});
  const auto task = [&](const ClassWeights& weights) {
    return message_of([&] { static_cast<void>(classification_task(data, weights)); });
  };
  EXPECT_NE(task({.by_class = {{Label(3.0), 1.0}}}).find("class 3"), std::string::npos);
  EXPECT_NE(task({.by_class = {{Label(1.0), -1.0}}}).find("-1"), std::string::npos);
  EXPECT_NE(task({.balanced = true, .by_class = {{Label(1.0), 1.0}}}), "nothing was thrown");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NE(task({.by_class = {{Label(1.0), infinity}}}), "nothing was thrown");
}

TEST(Training, AClassifierWantsLabelsInEveryRowAndTwoClasses) {
  const auto message = [](const Dataset& data) {
    return message_of([&] { static_cast<void>(classification_task(data, {})); });
  };
  EXPECT_NE(message({}).find("no examples"), std::string::npos);
  Dataset bare{.examples = DenseMatrix(2, 1)};
  bare.source = "some.csv";
  EXPECT_NE(message(bare).find("some.csv: no labels"), std::string::npos) << message(bare);
  Dataset gap = labelled(DenseMatrix(3, 1), {1, 2, 1});
  gap.labels.clear(1);
  EXPECT_NE(message(gap).find("row 1"), std::string::npos) << message(gap);
  const Dataset one = labelled(DenseMatrix(2, 1), {4, 4});
  EXPECT_NE(message(one).find("all labels are 4"), std::string::npos) << message(one);
  EXPECT_NO_THROW(static_cast<void>(classification_task(one, {}, true)));
  Dataset sets{.examples = DenseMatrix(1, 1)};
  sets.label_sets = {{Label(1.0), Label(2.0)}};
  EXPECT_NE(message(sets).find("label sets"), std::string::npos) << message(sets);
}

TEST(Training, RegressionWantsNumbers) {
  const Dataset data = labelled(DenseMatrix(2, 1), {1.5, -2});
  const RegressionTask task = regression_task(data);
  EXPECT_EQ(task.targets, (std::vector<double>{1.5, -2}));
  EXPECT_EQ(task.weights, (std::vector<double>{1, 1}));
  Dataset words = data;
  words.labels = LabelColumn();
  words.labels.push_back(Label(1.0));
  words.labels.push_back(Label(std::string("x")));
  EXPECT_NE(message_of([&] {
              static_cast<void>(regression_task(words));
            }).find("the label of row 1 (from 0) is x; regression wants numbers"),
            std::string::npos);
}

}  // namespace
}  // namespace maxmargin
