// SPDX-License-Identifier: Apache-2.0
#include "eval/semi_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "maxmargin/core/error.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "semi_data.hpp"

namespace maxmargin {
namespace {

using namespace testing;

/// Machines by rule: the supervised one answers class 0 everywhere, the other the sign of the first
/// feature.
TrainedSemiSupervised answers_by_rule(const Dataset& data) {
  TrainedSemiSupervised trained;
  for (TrainedClassifier* machine : {&trained.supervised, &trained.semi_supervised}) {
    machine->model.classes = {Label(-1.0), Label(1.0)};
    machine->model.code = one_vs_rest_code(2);
    machine->training_values = DenseMatrix(data.size(), 1);
    for (std::size_t i = 0; i < data.size(); ++i) {
      machine->training_values(i, 0) =
          machine == &trained.supervised ? -1.0 : data.examples.dense()(i, 0);
    }
  }
  return trained;
}

TEST(SemiComparison, CountsRightAnswersOnHiddenLabels) {
  const Dataset data = semi_classes(100, 40, 1);
  std::size_t trainings = 0;
  const SemiComparison found = compare_semi_supervised(data, [&](const Dataset& fold) {
    ++trainings;
    EXPECT_EQ(fold.size(), 100U);
    EXPECT_EQ(fold.labels.labelled_count(), 32U);
    return answers_by_rule(fold);
  });
  EXPECT_EQ(trainings, 5U);
  std::size_t right = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    right += (data.examples.dense()(i, 0) >= 0) == (data.labels.at(i)->number() > 0) ? 1U : 0U;
  }
  EXPECT_DOUBLE_EQ(*found.supervised, 0.5);
  EXPECT_DOUBLE_EQ(*found.semi_supervised, static_cast<double>(right) / 40);
  EXPECT_FALSE(found.supervised_is_better());
}

TEST(SemiComparison, DoesNotJudgeOnFewLabels) {
  SemiComparison few{.supervised = 1.0, .semi_supervised = 0.5, .labelled = 29};
  EXPECT_FALSE(few.supervised_is_better());
  few.labelled = 30;
  EXPECT_TRUE(few.supervised_is_better());
  few.supervised = 0.5;
  EXPECT_FALSE(few.supervised_is_better()) << "a tie is no reason to drop the unlabelled rows";
}

TEST(SemiComparison, HasNoFigureForAClassOfOneRow) {
  const SemiComparison found =
      compare_semi_supervised(semi_classes(20, 3, 1), [](const Dataset&) -> TrainedSemiSupervised {
        throw InternalError("no training was to be run");
      });
  EXPECT_FALSE(found.supervised || found.semi_supervised);
  EXPECT_NE(found.reason.find("single labelled row"), std::string::npos);
}

TEST(SemiComparison, StopsWithTheTraining) {
  const SemiComparison found =
      compare_semi_supervised(semi_classes(20, 8, 1), [](const Dataset& fold) {
        TrainedSemiSupervised trained = answers_by_rule(fold);
        trained.semi_supervised.report.status = Status::time_limit;
        return trained;
      });
  EXPECT_FALSE(found.supervised);
  EXPECT_EQ(found.status, Status::time_limit);
}

// A run that was stopped before trains no fold.
TEST(SemiComparison, AsksBeforeEveryFold) {
  for (const std::size_t allowed : {0U, 2U}) {
    std::size_t trainings = 0;
    const SemiComparison found = compare_semi_supervised(
        semi_classes(20, 10, 1),
        [&](const Dataset& fold) {
          ++trainings;
          return answers_by_rule(fold);
        },
        {.context = {.on_progress = [&](const Progress&) {
           return trainings < allowed ? Continue::yes : Continue::time_is_up;
         }}});
    EXPECT_EQ(trainings, allowed);
    EXPECT_FALSE(found.supervised);
    EXPECT_FALSE(found.reason.empty());
    EXPECT_EQ(found.status, Status::time_limit);
  }
}

TEST(SemiComparison, WorksOnRealTrainings) {
  const SemiComparison found = compare_semi_supervised(
      semi_classes(80, 30, 2, 2.0), [](const Dataset& fold) { return train_tsvm(fold, {.c = 1}); });
  EXPECT_GT(*found.supervised, 0.9);
  EXPECT_GT(*found.semi_supervised, 0.9);
}

}  // namespace
}  // namespace maxmargin
