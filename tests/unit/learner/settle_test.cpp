// SPDX-License-Identifier: Apache-2.0
//
// What trainings say of their end: docs/guide/report.md, "Status".
#include "learner/settle.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "walk_data.hpp"

namespace maxmargin {
namespace {

using Objects = std::vector<std::pair<std::string, ReportFields>>;

constexpr LearnerInfo convex = {.name = "convex"};
constexpr LearnerInfo procedure = {.name = "procedure", .ending = Ending::procedure};
constexpr LearnerInfo search = {.name = "search", .ending = Ending::search};

SolveReport with_gap(double dual) {
  SolveReport report;
  report.primal_objective = 1;
  report.dual_objective = dual;
  return report;
}

Status settled(const LearnerInfo& info, SolveReport report, const ReportFields& options = {}) {
  Objects objects;
  learning::settle_status(info, options, report, objects);
  return report.status;
}

TEST(SettledStatus, SolvedIsSaidOfGapsWithinTheTolerance) {
  for (const LearnerInfo& info : {convex, procedure, search}) {
    EXPECT_EQ(settled(info, with_gap(0.9995)), Status::solved);
    EXPECT_EQ(settled(info, with_gap(0.95), {{"tolerance", 0.1}}), Status::solved);
  }
  EXPECT_EQ(settled(convex, with_gap(0.9)), Status::solved_inaccurate);
  EXPECT_EQ(settled(search, with_gap(0.9)), Status::local_optimum);
  EXPECT_EQ(settled(procedure, with_gap(0.9)), Status::local_optimum);
  EXPECT_EQ(settled(search, with_gap(0.9995), {{"tolerance", 1e-4}}), Status::local_optimum);
}

TEST(SettledStatus, WithoutAGapASearchEndsAtALocalOptimum) {
  SolveReport report;
  report.primal_objective = 1;
  EXPECT_EQ(settled(search, report), Status::local_optimum);
  EXPECT_EQ(settled(convex, report), Status::local_optimum) << "a kernel that may be indefinite";
  EXPECT_EQ(settled(procedure, report), Status::solved) << "a formula, a tree of clusters";
}

TEST(SettledStatus, WhatIsNotSolvedStaysAsItIs) {
  for (const Status status : {Status::iteration_limit, Status::time_limit, Status::no_progress}) {
    SolveReport report = with_gap(0.5);
    report.status = status;
    EXPECT_EQ(settled(search, report), status);
    EXPECT_EQ(settled(convex, report), status);
  }
}

TEST(SettledStatus, AKktToleranceDecidesAlone) {
  EXPECT_EQ(settled(convex, with_gap(0.5), {{"tolerance", 1e-3}, {"kkt_tolerance", 0.1}}),
            Status::solved);
}

TEST(SettledStatus, TheMessageSaysHowFarItIs) {
  SolveReport report = with_gap(0.5);
  Objects objects;
  learning::settle_status(convex, {{"tolerance", 0.01}}, report, objects);
  EXPECT_EQ(report.message, "the relative gap is 0.5, wanted 0.01");
}

TEST(SettledStatus, ARelaxationHasAStatusOfItsOwn) {
  const auto of_relaxation = [](double gap, Status status) {
    SolveReport report = with_gap(0.5);
    report.status = status;
    Objects objects = {{"relaxation", {{"value", 1.0}, {"relative_gap", gap}}}};
    learning::settle_status(search, {}, report, objects);
    return std::get<std::string>(objects.front().second.back().second);
  };
  EXPECT_EQ(of_relaxation(1e-4, Status::solved), "solved");
  EXPECT_EQ(of_relaxation(1e-2, Status::solved), "solved_inaccurate");
  EXPECT_EQ(of_relaxation(1e-2, Status::iteration_limit), "iteration_limit");
}

class Statuses : public ::testing::TestWithParam<const Learner*> {};

TEST_P(Statuses, KeepWhatTheyPromise) {
  const Learner& entry = *GetParam();
  const LearnerData data = walk::data_for(entry.info());
  const Training trained = entry.train(
      data, {.options = walk::needed_options(entry), .context = {.threads = 1}, .is_part = true});
  const SolveReport& solve = trained.report.solve;
  double tolerance = 1e-3;
  for (const auto& [name, value] : trained.report.options) {
    if (name == "tolerance") tolerance = std::get<double>(value);
  }
  const Ending ending = entry.info().ending;
  if (solve.status == Status::solved && (ending == Ending::search || solve.relative_gap())) {
    ASSERT_TRUE(solve.relative_gap());
    EXPECT_LE(*solve.relative_gap(), tolerance);
  }
  EXPECT_FALSE(solve.status == Status::local_optimum && ending == Ending::gap &&
               solve.relative_gap());
  EXPECT_EQ(solve.bound().has_value(), solve.lower_bound.has_value());
  ASSERT_TRUE(trained.model);
  EXPECT_EQ(trained.model->header().status, solve.status);
  EXPECT_EQ(trained.model->document().has("training.bound"), solve.lower_bound.has_value());
  const std::string json = to_json(trained.report);
  EXPECT_EQ(json.find("\n  \"bound\": ") != std::string::npos, solve.lower_bound.has_value());
}

INSTANTIATE_TEST_SUITE_P(Learners,
                         Statuses,
                         ::testing::ValuesIn(learners().begin(), learners().end()),
                         [](const auto& each) {
                           std::string name(each.param->info().name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace maxmargin
