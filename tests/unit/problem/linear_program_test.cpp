// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/linear_program.hpp"
#include "maxmargin/core/options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linear_programs.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// min -3x - 5y, x <= 4, 2y <= 12, 3x + 2y <= 18, x, y >= 0: x = 2, y = 6, value -36.
LinearProgram textbook() {
  return dense_program({{1, 0}, {0, 2}, {3, 2}}, {-inf, -inf, -inf}, {4, 12, 18}, {-3, -5});
}

TEST(LinearProgramResiduals, OptimalPairHasNoGapAndNoViolation) {
  const std::vector<double> x = {2, 6};
  const std::vector<double> prices = {0, -1.5, -1};
  const LinearProgramResiduals found = residuals(textbook(), x, prices);
  EXPECT_EQ(found.primal, -36);
  EXPECT_EQ(found.dual, -36);
  EXPECT_EQ(found.primal_violation, 0);
  EXPECT_EQ(found.dual_violation, 0);
}

TEST(LinearProgramResiduals, SeeEveryKindOfWrongAnswer) {
  const LinearProgram program = textbook();
  const std::vector<double> good = {0, -1.5, -1};
  EXPECT_EQ(residuals(program, std::vector<double>{-1, 0}, good).primal_violation, 1);
  EXPECT_EQ(residuals(program, std::vector<double>{5, 0}, good).primal_violation, 1);
  EXPECT_EQ(residuals(program, std::vector<double>{4, 6}, good).primal_violation, 6);
  // A positive price leans on a lower bound that does not exist.
  EXPECT_EQ(residuals(program, std::vector<double>{0, 0}, std::vector<double>{0.25, -1.5, -1})
                .dual_violation,
            0.25);
  // Too small prices leave a negative reduced cost of a column without an upper bound.
  EXPECT_EQ(
      residuals(program, std::vector<double>{0, 0}, std::vector<double>{0, 0, 0}).dual_violation,
      5);
}

TEST(LinearProgramResiduals, AnyFeasiblePricesGiveALowerBound) {
  // With x <= 10 and y <= 10 all prices <= 0 are feasible, and -36 stays the optimum.
  LinearProgram program = textbook();
  program.column_upper = {10, 10};
  for (const double a : {0.0, -0.5, -3.0}) {
    for (const double b : {0.0, -1.0, -2.0}) {
      const LinearProgramResiduals found =
          residuals(program, std::vector<double>{0, 0}, std::vector<double>{a, b, -1});
      EXPECT_EQ(found.dual_violation, 0);
      EXPECT_LE(found.dual, -36);
    }
  }
}

TEST(LinearProgramProofs, AcceptAndRejectRays) {
  // x + y <= 1 and x + y >= 2.
  const LinearProgram none = dense_program({{1, 1}, {1, 1}}, {-inf, 2}, {1, inf}, {1, 1});
  const RayProof good = infeasibility_proof(none, std::vector<double>{-3, 3});
  EXPECT_EQ(good.value, 1);
  EXPECT_EQ(good.violation, 0);
  EXPECT_GT(infeasibility_proof(none, std::vector<double>{3, -3}).violation, 0);
  EXPECT_EQ(infeasibility_proof(none, std::vector<double>{0, 0}).value, 0);

  // min -x - y, x - y <= 1.
  const LinearProgram endless = dense_program({{1, -1}}, {-inf}, {1}, {-1, -1});
  const RayProof falls = unboundedness_proof(endless, std::vector<double>{2, 2});
  EXPECT_EQ(falls.value, -2);
  EXPECT_EQ(falls.violation, 0);
  EXPECT_EQ(unboundedness_proof(endless, std::vector<double>{1, 0}).violation, 1);
  EXPECT_EQ(unboundedness_proof(endless, std::vector<double>{0, -1}).violation, 1);
}

TEST(LinearProgramValidate, NamesWhatIsWrong) {
  EXPECT_NO_THROW(validate(textbook()));
  LinearProgram program = textbook();
  program.cost[0] = NAN;
  EXPECT_THROW(validate(program), InvalidArgument);
  program = textbook();
  program.row_lower[1] = inf;
  EXPECT_THROW(validate(program), InvalidArgument);
  program = textbook();
  program.column_upper[1] = -inf;
  EXPECT_THROW(validate(program), InvalidArgument);
  program = textbook();
  program.row_upper.pop_back();
  EXPECT_THROW(validate(program), InvalidArgument);
  EXPECT_THROW((void)residuals(textbook(), std::vector<double>{1}, std::vector<double>{0, 0, 0}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
