// SPDX-License-Identifier: Apache-2.0
#include "solver/linear_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "linear_programs.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

LinearProgram textbook() {
  return dense_program({{1, 0}, {0, 2}, {3, 2}}, {-inf, -inf, -inf}, {4, 12, 18}, {-3, -5});
}

/// A program with a known optimal pair: choose x, prices and reduced costs that are complementary,
/// and make bounds and costs to match.
struct Known {
  LinearProgram program = {};
  double value = 0;
};
Known known_program(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Rng rng(seed);
  DenseMatrix a(rows, columns);
  for (double& value : a.values()) value = rng.bernoulli(0.6) ? rng.normal() : 0.0;
  std::vector<double> x(columns);
  std::vector<double> y(rows, 0.0);
  Known known;
  LinearProgram& program = known.program;
  program.cost.assign(columns, 0.0);
  for (std::size_t j = 0; j < columns; ++j) {
    x[j] = rng.normal();
    const double d = rng.bernoulli(0.5) ? rng.normal() : 0.0;
    program.cost[j] = d;
    program.column_lower.push_back(d > 0 ? x[j] : d < 0 ? -inf : x[j] - rng.exponential());
    program.column_upper.push_back(d < 0 ? x[j] : d > 0 ? inf : x[j] + rng.exponential());
  }
  for (std::size_t i = 0; i < rows; ++i) {
    double value = 0;
    for (std::size_t j = 0; j < columns; ++j) value += a(i, j) * x[j];
    y[i] = rng.bernoulli(0.5) ? rng.normal() : 0.0;
    program.row_lower.push_back(y[i] > 0 ? value : y[i] < 0 ? -inf : value - rng.exponential());
    program.row_upper.push_back(y[i] < 0 ? value : y[i] > 0 ? inf : value + rng.exponential());
    for (std::size_t j = 0; j < columns; ++j) program.cost[j] += a(i, j) * y[i];
  }
  for (std::size_t j = 0; j < columns; ++j) known.value += program.cost[j] * x[j];
  program.matrix = to_sparse(a.view());
  return known;
}

TEST(SolveLinearProgram, FindsTheTextbookVertexAndItsPrices) {
  for (const SimplexKind kind : {SimplexKind::dual, SimplexKind::primal}) {
    const LinearProgramSolution found = solve_linear_program(textbook(), {.simplex = kind});
    EXPECT_EQ(found.report.status, Status::solved);
    EXPECT_NEAR(found.x[0], 2, 1e-12);
    EXPECT_NEAR(found.x[1], 6, 1e-12);
    EXPECT_NEAR(found.prices[0], 0, 1e-12);
    EXPECT_NEAR(found.prices[1], -1.5, 1e-12);
    EXPECT_NEAR(found.prices[2], -1, 1e-12);
    EXPECT_NEAR(*found.report.primal_objective, -36, 1e-12);
    EXPECT_NEAR(*found.report.dual_objective, -36, 1e-12);
    EXPECT_TRUE(found.ray.empty());
  }
}

TEST(SolveLinearProgram, MeetsTheValueOfConstructedPrograms) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Known known = known_program(4 + seed, 18 - seed, seed);
    for (const SimplexKind kind : {SimplexKind::dual, SimplexKind::primal}) {
      const LinearProgramSolution found = solve_linear_program(known.program, {.simplex = kind});
      EXPECT_EQ(found.report.status, Status::solved) << found.report.message << " seed " << seed;
      const double scale = 1 + std::abs(known.value);
      EXPECT_NEAR(*found.report.primal_objective, known.value, 1e-7 * scale);
      EXPECT_NEAR(*found.report.dual_objective, known.value, 1e-7 * scale);
      EXPECT_LE(*found.report.primal_residual, 1e-8);
      EXPECT_LE(*found.report.dual_residual, 1e-8);
      // The report is what residuals() says.
      const LinearProgramResiduals again = residuals(known.program, found.x, found.prices);
      EXPECT_EQ(again.primal, *found.report.primal_objective);
      EXPECT_EQ(again.dual, *found.report.dual_objective);
    }
  }
}

TEST(SolveLinearProgram, ReportsInfeasibleWithACertificate) {
  const LinearProgram none =
      dense_program({{1, 1}, {1, 1}, {1, -1}}, {-inf, 2, 0}, {1, inf, 0}, {1, 1});
  for (const SimplexKind kind : {SimplexKind::dual, SimplexKind::primal}) {
    const LinearProgramSolution found = solve_linear_program(none, {.simplex = kind});
    ASSERT_EQ(found.report.status, Status::primal_infeasible) << found.report.message;
    const RayProof proof = infeasibility_proof(none, found.ray);
    EXPECT_GT(proof.value, 0.1);
    EXPECT_LE(proof.violation, 1e-9);
  }
}

TEST(SolveLinearProgram, ReportsUnboundedWithACertificate) {
  const LinearProgram endless = dense_program({{1, -1}, {-1, 2}}, {-inf, -1}, {1, inf}, {-1, -1});
  for (const SimplexKind kind : {SimplexKind::dual, SimplexKind::primal}) {
    const LinearProgramSolution found = solve_linear_program(endless, {.simplex = kind});
    ASSERT_EQ(found.report.status, Status::dual_infeasible) << found.report.message;
    const RayProof proof = unboundedness_proof(endless, found.ray);
    EXPECT_LT(proof.value, -0.1);
    EXPECT_LE(proof.violation, 1e-9);
  }
}

TEST(SolveLinearProgram, CrossedBoundsAreInfeasible) {
  LinearProgram program = textbook();
  program.column_lower[0] = 2;
  program.column_upper[0] = 1;
  EXPECT_EQ(solve_linear_program(program).report.status, Status::primal_infeasible);
  program = textbook();
  program.row_lower[0] = 5;
  EXPECT_EQ(solve_linear_program(program).report.status, Status::primal_infeasible);
}

TEST(SolveLinearProgram, EmptyProgramsHaveTheirTrivialAnswers) {
  const LinearProgramSolution nothing = solve_linear_program({});
  EXPECT_EQ(nothing.report.status, Status::solved) << nothing.report.message;
  EXPECT_EQ(*nothing.report.primal_objective, 0);
  LinearProgram no_rows;
  no_rows.matrix = SparseMatrix(2, Buffer<std::int64_t>(1, 0), {}, {});
  no_rows.cost = {1, -2};
  no_rows.column_lower = {-3, 0};
  no_rows.column_upper = {4, 5};
  const LinearProgramSolution boxed = solve_linear_program(no_rows);
  EXPECT_EQ(boxed.report.status, Status::solved) << boxed.report.message;
  EXPECT_NEAR(*boxed.report.primal_objective, -13, 1e-12);
}

TEST(SolveLinearProgram, StopsAtLimitsAndOnRequest) {
  const Known known = known_program(150, 260, 5);
  const LinearProgramSolution limited = solve_linear_program(known.program, {.max_iterations = 3});
  EXPECT_EQ(limited.report.status, Status::iteration_limit);
  EXPECT_LE(limited.report.iterations, 4u);
  int calls = 0;
  const LinearProgramSolution stopped = solve_linear_program(
      known.program, {.context = {.on_progress = [&](const Progress& progress) {
                        ++calls;
                        EXPECT_EQ(progress.iteration % 100, 0u);
                        return Continue::stop;
                      }}});
  EXPECT_EQ(stopped.report.status, Status::stopped_by_callback);
  EXPECT_EQ(calls, 1);
  const LinearProgramSolution late = solve_linear_program(
      known.program,
      {.context = {.on_progress = [](const Progress&) { return Continue::time_is_up; }}});
  EXPECT_EQ(late.report.status, Status::time_limit);
}

TEST(SolveLinearProgram, ExceptionsOfTheCallbackPassThrough) {
  const Known known = known_program(150, 260, 5);
  EXPECT_THROW((void)solve_linear_program(
                   known.program, {.context = {.on_progress = [](const Progress&) -> Continue {
                                     throw std::out_of_range("mine");
                                   }}}),
               std::out_of_range);
}

TEST(SolveLinearProgram, TheSameInputGivesTheSameBits) {
  const Known known = known_program(40, 60, 8);
  const LinearProgramSolution a = solve_linear_program(known.program);
  const LinearProgramSolution b = solve_linear_program(known.program);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.prices, b.prices);
}

TEST(SolveLinearProgram, RefusesWhatClpCannotRepresent) {
  LinearProgram program = textbook();
  program.cost[0] = 1e25;  // an assertion of CLP would end the process
  EXPECT_THROW((void)solve_linear_program(program), InvalidArgument);
  program = textbook();
  program.row_upper[0] = 1e29;
  EXPECT_THROW((void)solve_linear_program(program), InvalidArgument);
  EXPECT_THROW((void)solve_linear_program(textbook(), {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)solve_linear_program(textbook(), {.accepted = -1}), InvalidArgument);
}

TEST(SolveLinearProgram, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  (void)solve_linear_program(textbook());
  (void)solve_linear_program(dense_program({{1, 1}, {1, 1}}, {-inf, 2}, {1, inf}, {1, 1}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace maxmargin
