// SPDX-License-Identifier: Apache-2.0
//
// What trainings say of their end: docs/guide/report.md, "Status".
#include "learner/settle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/io/table/builtin.hpp"
#include "walk_data.hpp"

namespace maxmargin {
namespace {

using Objects = std::vector<std::pair<std::string, ReportFields>>;
using Tables = std::vector<std::pair<std::string, std::vector<ReportFields>>>;

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
  Tables tables;
  learning::settle_status(info, options, report, objects, tables);
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
  EXPECT_EQ(settled(convex, report), Status::solved) << "a table, a pass without a mistake";
  EXPECT_EQ(settled(procedure, report), Status::solved) << "a formula, a tree of clusters";
}

TEST(SettledStatus, ObjectivesWithoutAFiniteGapProveNothing) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double dual : {infinite, -infinite, std::nan("")}) {
    SolveReport report = with_gap(dual);
    Objects objects;
    Tables tables;
    learning::settle_status(convex, {}, report, objects, tables);
    EXPECT_EQ(report.status, Status::numerical_failure);
    EXPECT_EQ(report.message, "the gap of the objectives is not finite");
    EXPECT_FALSE(report.primal_objective || report.dual_objective || report.lower_bound);
    // A search has its own rule beside the bound.
    EXPECT_EQ(settled(search, with_gap(dual)), Status::local_optimum);
  }
}

TEST(SettledStatus, WhatIsNotSolvedStaysAsItIs) {
  for (const Status status : {Status::iteration_limit, Status::time_limit, Status::no_progress}) {
    SolveReport report = with_gap(0.5);
    report.status = status;
    EXPECT_EQ(settled(search, report), status);
    EXPECT_EQ(settled(convex, report), status);
  }
}

TEST(SettledStatus, AKktToleranceIsALooserRule) {
  const ReportFields options = {{"tolerance", 1e-3}, {"kkt_tolerance", 0.1}};
  EXPECT_EQ(settled(convex, with_gap(0.9995), options), Status::solved);
  SolveReport report = with_gap(0.5);
  Objects objects;
  Tables tables;
  learning::settle_status(convex, options, report, objects, tables);
  EXPECT_EQ(report.status, Status::solved_inaccurate);
  EXPECT_EQ(report.message, "the violation is within 0.1; the relative gap is 0.5, wanted 0.001");
}

// The residual of an eigenvector, 1e-9, has nothing to say of a gap.
TEST(SettledStatus, AToleranceThatIsNoGapDecidesNothing) {
  // Two far groups: the narrower the kernel, the nearer their cut is to its bound.
  Dataset data{.examples = DenseMatrix(8, 1)};
  DenseMatrix x(8, 1);
  for (std::size_t i = 0; i < 8; ++i) x(i, 0) = static_cast<double>(i % 4) * 0.1 + (i < 4 ? 0 : 3);
  data.examples = std::move(x);
  for (const std::string name : {"ratio-cut", "normalized-cut"}) {
    const auto solve_with = [&](const char* gamma) {
      return train(name, data, {{"k", "2"}, {"gamma", gamma}}).report.solve;
    };
    const SolveReport near = solve_with("1");
    ASSERT_TRUE(near.relative_gap());
    EXPECT_GT(*near.relative_gap(), 1e-9);
    EXPECT_LE(*near.relative_gap(), 1e-3);
    EXPECT_EQ(near.status, Status::solved);
    const SolveReport far = solve_with("0.5");
    ASSERT_TRUE(far.relative_gap());
    EXPECT_GT(*far.relative_gap(), 1e-3);
    EXPECT_EQ(far.status, Status::local_optimum);
  }
}

TEST(SettledStatus, TheMessageSaysHowFarItIs) {
  SolveReport report = with_gap(0.5);
  Objects objects;
  Tables tables;
  learning::settle_status(convex, {{"tolerance", 0.01}}, report, objects, tables);
  EXPECT_EQ(report.message, "the relative gap is 0.5, wanted 0.01");
}

TEST(SettledStatus, ARelaxationHasAStatusOfItsOwn) {
  const auto of_relaxation = [](double gap, Status own, Status run) {
    SolveReport report = with_gap(0.5);
    report.status = run;
    const ReportFields fields = {
        {"value", 1.0}, {"relative_gap", gap}, {"status", std::string(to_string(own))}};
    Objects objects = {{"relaxation", fields}};
    Tables tables = {{"relaxations", {fields}}};
    learning::settle_status(search, {}, report, objects, tables);
    auto said = std::get<std::string>(objects.front().second.back().second);
    EXPECT_EQ(std::get<std::string>(tables.front().second.front().back().second), said);
    return said;
  };
  EXPECT_EQ(of_relaxation(1e-4, Status::solved, Status::solved), "solved");
  EXPECT_EQ(of_relaxation(1e-2, Status::solved, Status::solved), "solved_inaccurate");
  // The descents that begin with it are no business of its.
  EXPECT_EQ(of_relaxation(1e-4, Status::solved, Status::iteration_limit), "solved");
  EXPECT_EQ(of_relaxation(1e-4, Status::solved, Status::time_limit), "solved");
  EXPECT_EQ(of_relaxation(1e-2, Status::iteration_limit, Status::iteration_limit),
            "iteration_limit");
}

TEST(SettledStatus, ARelaxationThatClosedSaysSoBesideDescentsThatDidNot) {
  // Many outliers and a large C: one round leaves descents unfinished.
  const Training trained =
      learner("robust-svc")
          .train(TableData{.data = make_builtin("ring-outliers")},
                 {.options = {{"max-rounds", "1"}, {"C", "10"}, {"kernel", "linear"}},
                  .context = {.threads = 1}});
  ASSERT_EQ(trained.report.solve.status, Status::iteration_limit);
  std::size_t statuses = 0;
  for (const auto& [name, fields] : trained.report.objects) {
    if (name != "relaxation") continue;
    for (const auto& [key, value] : fields) {
      if (key != "status") continue;
      ++statuses;
      EXPECT_EQ(std::get<std::string>(value), "solved");
    }
  }
  EXPECT_EQ(statuses, 1U);
}

/// Whether the option `tolerance` is one: what it takes is called so.
bool is_gap(const Learner& entry) {
  const std::vector<OptionDescription> options = entry.options();
  const auto at = std::ranges::find(options, "tolerance", &OptionDescription::name);
  return at != options.end() && at->value == "GAP";
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
    if (name == "tolerance" && is_gap(entry)) tolerance = std::get<double>(value);
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
