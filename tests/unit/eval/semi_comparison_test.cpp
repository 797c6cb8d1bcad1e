// SPDX-License-Identifier: Apache-2.0
#include "eval/semi_comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

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
  EXPECT_EQ(trainings, 20U);
  std::vector<double> differences;
  std::size_t right = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    const bool is_positive = data.labels.at(i)->number() > 0;
    const bool is_right = (data.examples.dense()(i, 0) >= 0) == is_positive;
    right += is_right ? 1U : 0U;
    differences.push_back((is_right ? 1.0 : 0.0) - (is_positive ? 0.0 : 1.0));
  }
  EXPECT_DOUBLE_EQ(*found.supervised, 0.5);
  EXPECT_DOUBLE_EQ(*found.semi_supervised, static_cast<double>(right) / 40);
  // The error of a mean, by its definition, with one row in 40 added that differs in one test of
  // four.
  double mean = 0;
  for (const double difference : differences) mean += difference / 40;
  double sum = 1.0 / 16;
  for (const double difference : differences) sum += (difference - mean) * (difference - mean);
  EXPECT_NEAR(*found.standard_error, std::sqrt(sum / 40 / 39), 1e-12);
  EXPECT_EQ(found.verdict(), SemiVerdict::help);
}

// Right on 10 of 20 rows each, but not on the same: four ways to part them, and a difference of 0.
TEST(SemiComparison, RepeatsWhereItIsNotPlain) {
  const Dataset data = semi_classes(60, 20, 3);
  std::size_t trainings = 0;
  const SemiComparison found = compare_semi_supervised(data, [&](const Dataset& fold) {
    ++trainings;
    TrainedSemiSupervised trained = answers_by_rule(fold);
    for (double& value : trained.semi_supervised.training_values.values()) value = 1;
    return trained;
  });
  EXPECT_EQ(trainings, 20U);
  EXPECT_DOUBLE_EQ(*found.supervised, *found.semi_supervised);
  EXPECT_NEAR(*found.standard_error, std::sqrt((20 + 1.0 / 16) / 20 / 19), 1e-12);
  EXPECT_EQ(found.verdict(), SemiVerdict::cannot_tell);
}

TEST(SemiComparison, MachinesThatAgreeNeedNoRepeats) {
  std::size_t trainings = 0;
  const SemiComparison found =
      compare_semi_supervised(semi_classes(60, 20, 3), [&](const Dataset& fold) {
        ++trainings;
        TrainedSemiSupervised trained = answers_by_rule(fold);
        trained.supervised = trained.semi_supervised;
        return trained;
      });
  EXPECT_EQ(trainings, 5U);
  EXPECT_EQ(found.verdict(), SemiVerdict::cannot_tell);
}

TEST(SemiComparison, AVerdictNeedsMoreThanItsStandardError) {
  SemiComparison found{.supervised = 0.9, .semi_supervised = 0.8, .standard_error = 0.2};
  EXPECT_EQ(found.verdict(), SemiVerdict::cannot_tell);
  found.standard_error = 0.05;
  EXPECT_EQ(found.verdict(), SemiVerdict::do_not_help);
  std::swap(found.supervised, found.semi_supervised);
  EXPECT_EQ(found.verdict(), SemiVerdict::help);
  EXPECT_EQ(SemiComparison().verdict(), SemiVerdict::cannot_tell);
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

// What came before hides no stop: half a machine has no say.
TEST(SemiComparison, StopsWithEitherTrainingWhateverCameBefore) {
  for (const bool supervised : {false, true}) {
    std::size_t trainings = 0;
    const SemiComparison found =
        compare_semi_supervised(semi_classes(20, 8, 1), [&](const Dataset& fold) {
          TrainedSemiSupervised trained = answers_by_rule(fold);
          TrainedClassifier& stopped = supervised ? trained.supervised : trained.semi_supervised;
          stopped.report.status = ++trainings == 1 ? Status::numerical_failure : Status::time_limit;
          return trained;
        });
    EXPECT_EQ(trainings, 2U);
    EXPECT_FALSE(found.supervised);
    EXPECT_FALSE(found.reason.empty());
    EXPECT_EQ(found.verdict(), SemiVerdict::cannot_tell);
  }
}

// Parting four rows into four is the same every time.
TEST(SemiComparison, LeavingOutOneRowIsNotRepeated) {
  std::size_t trainings = 0;
  const SemiComparison found =
      compare_semi_supervised(semi_classes(60, 4, 3), [&](const Dataset& fold) {
        TrainedSemiSupervised trained = answers_by_rule(fold);
        // Right on two rows each, but not on the same: nothing is plain.
        ++trainings;
        for (double& value : trained.semi_supervised.training_values.values()) value = 1;
        return trained;
      });
  EXPECT_EQ(trainings, 4U);
  EXPECT_EQ(found.labelled, 4U);
  EXPECT_EQ(found.verdict(), SemiVerdict::cannot_tell);
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
