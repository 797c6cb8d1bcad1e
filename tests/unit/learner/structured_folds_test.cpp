// SPDX-License-Identifier: Apache-2.0
//
// Folds and searches of structured learners: what they part, and that a fold is a training by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "learner/structured/examples.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/learner/source.hpp"
#include "maxmargin/learner/tune.hpp"

namespace maxmargin {
namespace {

using learning::ExampleList;

LearnerData example_of(const Learner& learner) {
  return read_training_data(learner, std::string(learner.info().example), {}, {}, {});
}

/// The learners with measures of their own, and options that make their trainings short.
struct Case {
  std::string name;
  OptionTexts options = {};
};
std::vector<Case> cases() {
  return {{"sequence", {{"tolerance", "0.1"}}},
          {"hmm", {}},
          {"rank", {}},
          {"multiclass", {{"tolerance", "0.1"}}},
          {"multilabel", {{"tolerance", "0.1"}}},
          {"partition", {{"tolerance", "0.1"}}},
          {"coreference", {}},
          {"align", {{"tolerance", "0.1"}}},
          {"motif", {{"motif-length", "6"}, {"restarts", "1"}, {"tolerance", "0.05"}}},
          {"mil", {}}};
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(StructuredFolds, EveryStructuredLearnerIsMeasuredAsByHand) {
  std::set<std::string> tried;
  for (const Case& each : cases()) {
    SCOPED_TRACE(each.name);
    const Learner& own = learner(each.name);
    const LearnerData data = example_of(own);
    const ExampleList examples(data, own.info().data);
    if (examples.size() < 3) continue;  // rows of one query
    tried.insert(each.name);
    const TrainingRequest request{.options = each.options, .context = {.seed = 7}};
    const LearnerFolds found = cross_validate_learner(own, data, request, {.folds = 3});
    const std::string measure(fold_measures(own).front().name);
    EXPECT_EQ(found.metric, measure);
    ASSERT_EQ(found.found.of_fold.size(), 3U);
    const std::vector<Fold> folds = examples.folds(3, 7);
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const Training trained = own.train(examples.select(folds[f].train), request);
      const Prediction said =
          own.predict(*trained.model, examples.select(folds[f].test), {}, request.context);
      const std::optional<double> by_hand = said.report.metric(measure);
      ASSERT_TRUE(by_hand);
      EXPECT_EQ(found.found.of_fold[f], *by_hand) << "fold " << f;
    }
    EXPECT_TRUE(found.report.metric(measure));
  }
  EXPECT_GE(tried.size(), 9U);
}

/// Every example is tested once, and keeps all that is known about it.
TEST(StructuredFolds, PartsAreWhole) {
  const Learner& mil = learner("mil");
  const LearnerData data = example_of(mil);
  const auto& rows = std::get<TableData>(data).data;
  const ExampleList bags(data, DataKind::bags);
  std::size_t count = 0;
  for (const Fold& fold : bags.folds(4, 1)) {
    const LearnerData test = bags.select(fold.test);
    const Dataset& part = std::get<TableData>(test).data;
    count += part.size();
    const std::set<std::int64_t> tested(part.groups.begin(), part.groups.end());
    EXPECT_EQ(tested.size(), fold.test.size());
    const LearnerData train = bags.select(fold.train);
    for (const std::int64_t group : std::get<TableData>(train).data.groups) {
      EXPECT_FALSE(tested.contains(group));
    }
    // Stratified: both labels are there.
    EXPECT_EQ(classes_of(part.labels).count(), 2U);
  }
  EXPECT_EQ(count, rows.size());
}

TEST(StructuredFolds, PartsOfADocumentStayTogether) {
  PartitionCollection documents{.format = PartitionFormat::conll2012};
  for (const char* const name : {"a", "b", "a", "c", "b", "d"}) {
    documents.documents.push_back({.name = name});
  }
  const LearnerData data = documents;
  const ExampleList examples(data, DataKind::partitions);
  ASSERT_EQ(examples.size(), 6U);
  for (const Fold& fold : examples.folds(3, 0)) {
    std::set<std::string> tested;
    for (const std::size_t i : fold.test) tested.insert(documents.documents[i].name);
    for (const std::size_t i : fold.train) {
      EXPECT_FALSE(tested.contains(documents.documents[i].name));
    }
  }
}

TEST(StructuredFolds, SearchTakesTheBestPoint) {
  const Learner& mil = learner("mil");
  const LearnerData data = example_of(mil);
  const Tuning found =
      tune(mil, data, {}, {.grid = "C=1e-9,1", .folds = {.folds = 3, .metric = "error"}});
  EXPECT_FALSE(found.larger_is_better);
  ASSERT_EQ(found.search.results.size(), 2U);
  // Without weight of the losses nothing is learned.
  EXPECT_LT(found.search.results[1].mean, found.search.results[0].mean);
  EXPECT_EQ(found.chosen, "C=1");
  ASSERT_TRUE(found.best && found.best->model);
  const OptionScalars& used = found.best->model->header().options;
  EXPECT_NE(std::ranges::find(used, OptionScalars::value_type("C", 1.0)), used.end());
  EXPECT_EQ(found.report.metric("cross_validated_error"), found.search.results[1].mean);
  for (std::size_t p = 0; p < 2; ++p) {
    const LearnerFolds alone = cross_validate_learner(
        mil, data, {.options = {{"C", p == 0 ? "1e-9" : "1"}}}, {.folds = 3, .metric = "error"});
    EXPECT_EQ(alone.found.of_fold, found.search.results[p].of_fold);
  }
}

TEST(StructuredFolds, TrainingsOfFoldsWriteNoFiles) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "structured_folds.meme";
  std::filesystem::remove(path);
  const Learner& motif = learner("motif");
  const LearnerData data = example_of(motif);
  const OptionTexts options = {{"motif-length", "6"},
                               {"restarts", "1"},
                               {"tolerance", "0.05"},
                               {"meme", path.string()},
                               {"checkpoint", path.string() + ".state"}};
  (void)cross_validate_learner(motif, data, {.options = options}, {.folds = 2});
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".state"));
  (void)tune(motif, data, {.options = options}, {.grid = "C=1", .folds = {.folds = 2}});
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
  std::filesystem::remove(path.string() + ".state");
}

TEST(StructuredFolds, WhatCannotBeMeasuredIsRefused) {
  const Learner& mil = learner("mil");
  const LearnerData data = example_of(mil);
  EXPECT_TRUE(
      contains(refusal([&] { (void)cross_validate_learner(mil, data, {}, {.metric = "acuracy"}); }),
               "accuracy"));
  EXPECT_TRUE(
      contains(refusal([&] { (void)cross_validate_learner(mil, data, {}, {.folds = 100000}); }),
               "--folds 100000: more than there are bags ("));
  EXPECT_TRUE(contains(
      refusal([&] { (void)cross_validate_learner(learner("kmeans"), data, {}, {.folds = 2}); }),
      "cannot be tuned or measured on folds"));
  EXPECT_TRUE(contains(refusal([&] { (void)tune(mil, data, {}, {.grid = "C=1,-1"}); }), "-C -1"));
}

}  // namespace
}  // namespace maxmargin
