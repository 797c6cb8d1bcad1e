// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/lp_svm.hpp"
#include "maxmargin/core/options.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

DenseMatrix identity(std::size_t n) {
  DenseMatrix matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) matrix(i, i) = 1;
  return matrix;
}

// seed-merat fact 14: K = I, z = (1, 1, 1, -1), C = 10 has the optimum 2, where the printed
// constraint would give 6.
TEST(LpSvmResiduals, IdentityWitnessIsOptimal) {
  const DenseMatrix gram = identity(4);
  const LpSvm problem{.gram = gram.view(), .signs = {1, 1, 1, -1}, .costs = {10, 10, 10, 10}};
  const LpSvmFunction best{.coefficients = {0, 0, 0, -2}, .offset = 1};
  const std::vector<double> l = {1.0 / 3, 1.0 / 3, 1.0 / 3, 1};
  const LpSvmResiduals found = residuals(problem, best, l);
  EXPECT_NEAR(found.primal, 2, 1e-15);
  EXPECT_NEAR(found.dual, 2, 1e-15);
  EXPECT_EQ(found.sign_violation, 0);
  EXPECT_EQ(found.dual_shrinkage, 0);
}

TEST(LpSvmResiduals, RepairMakesAnyMultipliersALowerBound) {
  Rng rng(4);
  const std::size_t n = 12;
  DenseMatrix gram(n, n);
  for (double& value : gram.values()) value = rng.normal();
  LpSvm problem{.gram = gram.view(), .costs = std::vector<double>(n, 0.8)};
  for (std::size_t i = 0; i < n; ++i) {
    problem.signs.push_back(static_cast<std::int8_t>(i % 2 == 0 ? 1 : -1));
  }
  for (const LpSvmForm form : {LpSvmForm::slides, LpSvmForm::l1_norm}) {
    problem.form = form;
    for (int round = 0; round < 50; ++round) {
      LpSvmFunction function{.coefficients = std::vector<double>(n)};
      std::vector<double> l(n);
      for (std::size_t i = 0; i < n; ++i) {
        function.coefficients[i] = problem.signs[i] * rng.exponential() * 0.1;
        l[i] = rng.normal(0.3, 0.5);
      }
      function.offset = rng.normal();
      const LpSvmResiduals found = residuals(problem, function, l);
      EXPECT_GE(found.primal, found.dual);
      EXPECT_GE(found.dual, 0);
    }
  }
}

TEST(LpSvmResiduals, SeeWrongSignsAndMissedMargins) {
  const DenseMatrix gram = identity(2);
  LpSvm problem{.gram = gram.view(), .signs = {1, -1}, .costs = {1, 1}};
  const std::vector<double> none = {0, 0};
  EXPECT_EQ(residuals(problem, {{-0.5, -1}, 0}, none).sign_violation, 0.5);
  problem.form = LpSvmForm::l1_norm;
  EXPECT_EQ(residuals(problem, {{-0.5, -1}, 0}, none).sign_violation, 0);
  EXPECT_EQ(residuals(problem, {{-0.5, -1}, 0}, none).primal, 3);
  problem.costs = {inf, inf};
  EXPECT_EQ(residuals(problem, {{0.5, -1}, 0}, none).primal, inf);
  EXPECT_EQ(residuals(problem, {{0.5, -1}, 0}, none).slack_violation, 0.5);
  EXPECT_EQ(residuals(problem, {{1, -1}, 0}, none).primal, 2);
}

TEST(LpSvmProgram, HasOneRowAFunctionAndTheBalance) {
  DenseMatrix gram(2, 2);
  gram(0, 0) = 1;
  gram(0, 1) = 2;
  gram(1, 0) = 3;
  gram(1, 1) = 4;
  LpSvm problem{.gram = gram.view(), .signs = {1, -1}, .costs = {5, inf}};
  const LinearProgram slides = dual_program(problem);
  EXPECT_NO_THROW(validate(slides));
  // Row j holds z_j z_i K_ij: it reads the matrix by columns.
  const DenseMatrix rows = to_dense(slides.matrix.view());
  const std::vector<double> expected = {1, -3, -2, 4, 1, -1};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), rows.values().begin()));
  EXPECT_EQ(slides.column_upper, (std::vector<double>{5, inf}));
  EXPECT_EQ(slides.row_lower, (std::vector<double>{-inf, -inf, 0}));
  problem.form = LpSvmForm::l1_norm;
  problem.bias = false;
  const LinearProgram free = dual_program(problem);
  EXPECT_EQ(free.rows(), 2u);
  EXPECT_EQ(free.row_lower, (std::vector<double>{-1, -1}));
  EXPECT_EQ(to_dense(free.matrix.view())(1, 1), -4);
}

TEST(LpSvmProgram, InseparableExamplesHaveAProof) {
  // The same point with both labels.
  const DenseMatrix gram(2, 2, 1.0);
  const LpSvm problem{.gram = gram.view(), .signs = {1, -1}, .costs = {inf, inf}};
  EXPECT_EQ(inseparability_violation(problem, std::vector<double>{1, 1}), 0);
  const DenseMatrix apart = identity(2);
  const LpSvm separable{.gram = apart.view(), .signs = {1, -1}, .costs = {inf, inf}};
  EXPECT_EQ(inseparability_violation(separable, std::vector<double>{1, 1}), 0.5);
}

TEST(LpSvmValidate, NamesWhatIsWrong) {
  const DenseMatrix gram = identity(2);
  EXPECT_THROW((static_cast<void>(
                   dual_program(LpSvm{.gram = gram.view(), .signs = {1, 0}, .costs = {1, 1}}))),
               InvalidArgument);
  EXPECT_THROW((static_cast<void>(
                   dual_program(LpSvm{.gram = gram.view(), .signs = {1, -1}, .costs = {1, 0}}))),
               InvalidArgument);
  EXPECT_THROW(
      (static_cast<void>(dual_program(LpSvm{.gram = gram.view(), .signs = {1}, .costs = {1}}))),
      InvalidArgument);
  const DenseMatrix bad(2, 2, NAN);
  EXPECT_THROW((static_cast<void>(
                   dual_program(LpSvm{.gram = bad.view(), .signs = {1, -1}, .costs = {1, 1}}))),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
