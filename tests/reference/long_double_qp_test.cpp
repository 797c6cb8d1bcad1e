// SPDX-License-Identifier: Apache-2.0
// The reference's own solver against programs that are solved by hand.
#include "long_double_qp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace maxmargin::reference {
namespace {

constexpr Number infinity = std::numeric_limits<Number>::infinity();

Matrix identity(std::size_t n) {
  Matrix one(n, n);
  for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

void expect_optimum(const QuadraticProgram& program, Number value) {
  const Interval found = solve(program).optimum;
  ASSERT_TRUE(std::isfinite(found.low) && std::isfinite(found.high));
  EXPECT_LE(found.low, value + 1e-15L * std::abs(value));
  EXPECT_GE(found.high, value - 1e-15L * std::abs(value));
  EXPECT_LE(found.high - found.low, 1e-14L * std::abs(value));
}

// No start within the bounds meets the equation by chance: before, the solver ended there at once,
// with an interval of all numbers, and no learner with a bias was compared with anything.
TEST(LongDoubleQp, EquationsThatTheStartMissesAreMet) {
  // The point of the simplex nearest to 0.
  QuadraticProgram program{.q = identity(3),
                           .c = Vector(3, 0),
                           .a = Matrix(1, 3),
                           .b = {1},
                           .upper = Vector(3, infinity)};
  for (std::size_t i = 0; i < 3; ++i) program.a(0, i) = 1;
  expect_optimum(program, 1.0L / 6);
  // With a bound that binds: 0.1, 0.45, 0.45.
  program.upper = {0.1L, 1, 1};
  expect_optimum(program, (0.01L + 2 * 0.2025L) / 2);
}

// Two points at distance 2, opposite signs: the margin is 1 and the dual 1/2.
TEST(LongDoubleQp, SolvesTheDualOfTwoPoints) {
  QuadraticProgram program{
      .q = Matrix(2, 2), .c = Vector(2, -1), .a = Matrix(1, 2), .b = {0}, .upper = {10, 7}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) program.q(i, j) = 1;  // signs times products of 1 and -1
    program.a(0, i) = i == 0 ? 1 : -1;
  }
  expect_optimum(program, -0.5L);
}

}  // namespace
}  // namespace maxmargin::reference
