// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/report.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <string>

#include "maxmargin/core/progress.hpp"

namespace maxmargin {
namespace {

constexpr std::array all_statuses = {Status::solved,
                                     Status::solved_inaccurate,
                                     Status::primal_infeasible,
                                     Status::dual_infeasible,
                                     Status::iteration_limit,
                                     Status::time_limit,
                                     Status::stopped_by_callback,
                                     Status::no_progress,
                                     Status::numerical_failure,
                                     Status::local_optimum};

TEST(Report, GapNeedsAPrimalObjectiveAndABound) {
  SolveReport report;
  EXPECT_FALSE(report.gap().has_value());
  report.primal_objective = 5;
  EXPECT_FALSE(report.gap().has_value());
  EXPECT_FALSE(report.relative_gap().has_value());
  report.lower_bound = 3;
  EXPECT_EQ(report.gap(), 2);
  EXPECT_EQ(report.relative_gap(), 2.0 / 5);
  report.dual_objective = 4;  // a dual objective goes before another bound
  EXPECT_EQ(report.gap(), 1);
  EXPECT_EQ(report.relative_gap(), 1.0 / 5);
  report.primal_objective.reset();
  EXPECT_FALSE(report.gap().has_value());
}

TEST(Report, RelativeGapDividesByTheLargestMagnitudeWithoutAFloor) {
  EXPECT_EQ(relative_gap(10, 8), 0.2);
  EXPECT_EQ(relative_gap(-8, -10), 0.2);
  EXPECT_EQ(relative_gap(1, -1), 2);
  EXPECT_EQ(relative_gap(0, 0), 0);
  EXPECT_EQ(relative_gap(0, -0.0), 0);
  EXPECT_EQ(relative_gap(1e-13, 0), 1) << "no size of numbers is small by itself";
  for (const double scale : {0x1p-900, 0x1p-60, 0x1p60, 0x1p900}) {
    EXPECT_EQ(relative_gap(10 * scale, 8 * scale), 0.2) << scale;
  }
  EXPECT_LT(relative_gap(8, 10), 0) << "a dual above the primal is shown, not hidden";
}

TEST(Report, ABoundSaysWhetherItIsWorthAnything) {
  SolveReport report;
  report.primal_objective = 5;
  EXPECT_FALSE(report.bound().has_value());
  report.lower_bound = 0;
  EXPECT_EQ(report.bound(), BoundKind::vacuous);
  report.lower_bound = 4e-6;
  EXPECT_EQ(report.bound(), BoundKind::vacuous) << "less than a millionth";
  report.lower_bound = 6e-6;
  EXPECT_EQ(report.bound(), BoundKind::certified);
  report.primal_objective = 2e-100;
  report.lower_bound = 1e-100;
  EXPECT_EQ(report.bound(), BoundKind::certified) << "no number is small by itself";
  report.primal_objective = 5;
  report.lower_bound = -2;
  EXPECT_EQ(report.bound(), BoundKind::vacuous);
  report.dual_objective = -1;
  EXPECT_EQ(report.bound(), BoundKind::certified) << "a program's value may be negative";
}

TEST(Status, TwoOfThemAreSuccess) {
  for (const Status status : all_statuses) {
    EXPECT_EQ(is_success(status), status == Status::solved || status == Status::local_optimum);
    if (!is_success(status)) {
      EXPECT_EQ(worse(status, Status::local_optimum), status);
    }
  }
  EXPECT_EQ(worse(Status::solved, Status::local_optimum), Status::local_optimum);
}

TEST(Status, NamesAreAllDifferent) {
  std::set<std::string_view> names;
  for (const Status status : all_statuses) names.insert(to_string(status));
  EXPECT_EQ(names.size(), all_statuses.size());
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(to_string(Status::stopped_by_callback), "stopped_by_callback");
}

TEST(Status, WorseIsATotalOrderWithSolvedBest) {
  for (const Status a : all_statuses) {
    EXPECT_EQ(worse(a, a), a);
    EXPECT_EQ(worse(a, Status::solved), a);
    EXPECT_EQ(worse(Status::numerical_failure, a), Status::numerical_failure);
    for (const Status b : all_statuses) {
      EXPECT_EQ(worse(a, b), worse(b, a));
      for (const Status c : all_statuses) {
        EXPECT_EQ(worse(worse(a, b), c), worse(a, worse(b, c)));
      }
    }
  }
}

TEST(Report, GapIsEmptyWhereItIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double dual : {0.0, infinity}) {
    SolveReport report;
    report.primal_objective = infinity;
    report.dual_objective = dual;
    EXPECT_FALSE(report.gap().has_value());
    EXPECT_FALSE(report.relative_gap().has_value());
  }
}

TEST(Progress, WithoutACallbackTheAnswerIsYes) { EXPECT_EQ(ask({}, {}), Continue::yes); }

TEST(Progress, TheCallbackSeesTheProgressAndItsAnswerBecomesAStatus) {
  std::uint64_t seen = 0;
  const ProgressCallback callback = [&](const Progress& progress) {
    seen = progress.iteration;
    return Continue::time_is_up;
  };
  EXPECT_EQ(ask(callback, {.phase = "solve", .iteration = 12}), Continue::time_is_up);
  EXPECT_EQ(seen, 12u);
  EXPECT_EQ(status_of(Continue::time_is_up), Status::time_limit);
  EXPECT_EQ(status_of(Continue::stop), Status::stopped_by_callback);
}

}  // namespace

}  // namespace maxmargin
