// SPDX-License-Identifier: Apache-2.0
#include "linalg/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using test::epsilon;
using test::largest_difference;
using test::plain_product;
using test::random_positive_definite;
using test::spectral_scale;
using test::transposed;

std::vector<double> random_vector(std::size_t n, std::uint64_t seed) {
  const DenseMatrix row = test::random_matrix(1, n, seed);
  return {row.values().begin(), row.values().end()};
}

TEST(Cholesky, FactorTimesItsTransposeIsTheMatrix) {
  for (const std::size_t n : {1u, 2u, 7u, 64u, 130u}) {
    SCOPED_TRACE(n);
    const DenseMatrix a = random_positive_definite(n, n);
    const auto cholesky = Cholesky::factor(a.view());
    ASSERT_TRUE(cholesky.has_value());
    ASSERT_EQ(cholesky->size(), n);
    const DenseMatrix lower = cholesky->lower();
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GT(lower(i, i), 0);
      for (std::size_t j = i + 1; j < n; ++j) EXPECT_EQ(lower(i, j), 0);
    }
    // Higham, Accuracy and Stability, theorem 10.3: backward error (n+1) eps per entry of |L||L'|.
    EXPECT_LE(largest_difference(plain_product(lower, transposed(lower)), a),
              2 * static_cast<double>(n + 1) * epsilon * spectral_scale(a));
  }
}

TEST(Cholesky, SeveralThreadsFindTheSameFactor) {
  const std::size_t n = 600;
  const DenseMatrix a = random_positive_definite(n, 9);
  const DenseMatrix plain = Cholesky::factor(a.view())->lower();
  const auto one = Cholesky::factor(a.view(), 1e-14, 1, {});
  const auto four = Cholesky::factor(a.view(), 1e-14, 4, {});
  ASSERT_TRUE(one && four);
  EXPECT_EQ(largest_difference(one->lower(), four->lower()), 0);
  EXPECT_LE(largest_difference(one->lower(), plain),
            static_cast<double>(n) * epsilon * spectral_scale(a));
  EXPECT_FALSE(
      Cholesky::factor(a.view(), 1e-14, 2, [](const Progress&) { return Continue::time_is_up; }));
  EXPECT_FALSE(Cholesky::factor(DenseMatrix(n, n).view(), 1e-14, 2, {}));
}

TEST(Cholesky, ThreeByThreeByHand) {
  // [[4 . .] [2 5 .] [-2 3 6]] = L L' with L = [[2 . .] [1 2 .] [-1 2 1]]; determinant 16.
  DenseMatrix a(3, 3);
  a(0, 0) = 4;
  a(1, 0) = 2;
  a(1, 1) = 5;
  a(2, 0) = -2;
  a(2, 1) = 3;
  a(2, 2) = 6;
  const auto cholesky = Cholesky::factor(a.view());
  ASSERT_TRUE(cholesky.has_value());
  DenseMatrix expected(3, 3);
  expected(0, 0) = 2;
  expected(1, 0) = 1;
  expected(1, 1) = 2;
  expected(2, 0) = -1;
  expected(2, 1) = 2;
  expected(2, 2) = 1;
  EXPECT_EQ(largest_difference(cholesky->lower(), expected), 0);
  EXPECT_NEAR(cholesky->log_determinant(), std::log(16.0), 4 * epsilon);
}

TEST(Cholesky, AppendingRowByRowEqualsFactoringAtOnce) {
  constexpr std::size_t n = 40;
  const DenseMatrix a = random_positive_definite(n, 3);
  Cholesky grown;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(grown.append(a.row(i).first(i), a(i, i)));
    const auto whole = Cholesky::factor({a.data(), i + 1, i + 1, n});
    ASSERT_TRUE(whole.has_value());
    EXPECT_LE(largest_difference(grown.lower(), whole->lower()), 1e-13 * spectral_scale(a));
    EXPECT_NEAR(grown.log_determinant(), whole->log_determinant(), 1e-12);
  }
}

TEST(Cholesky, AppendContinuesAFactor) {
  constexpr std::size_t n = 12;
  const DenseMatrix a = random_positive_definite(n, 8);
  auto cholesky = Cholesky::factor({a.data(), n - 1, n - 1, n});
  ASSERT_TRUE(cholesky.has_value());
  ASSERT_TRUE(cholesky->append(a.row(n - 1).first(n - 1), a(n - 1, n - 1)));
  const DenseMatrix lower = cholesky->lower();
  EXPECT_LE(largest_difference(plain_product(lower, transposed(lower)), a),
            2 * (n + 1) * epsilon * spectral_scale(a));
}

TEST(Cholesky, SolveHasASmallResidual) {
  for (const std::size_t n : {1u, 5u, 60u}) {
    SCOPED_TRACE(n);
    const DenseMatrix a = random_positive_definite(n, 20 + n);
    const auto cholesky = Cholesky::factor(a.view());
    ASSERT_TRUE(cholesky.has_value());
    const std::vector<double> b = random_vector(n, n);
    std::vector<double> x = b;
    cholesky->solve(x);
    double largest_x = 0;
    for (const double value : x) largest_x = std::max(largest_x, std::abs(value));
    for (std::size_t i = 0; i < n; ++i) {
      double image = 0;
      for (std::size_t j = 0; j < n; ++j) image += a(i, j) * x[j];
      // Theorem 10.4 ibid.: (A + E) x = b with |E| below about 4 n eps |L| |L'|.
      EXPECT_NEAR(
          image, b[i], 4 * static_cast<double>(n + 1) * epsilon * spectral_scale(a) * largest_x);
    }
  }
}

TEST(Cholesky, TriangularSolvesMultiplyBack) {
  constexpr std::size_t n = 9;
  const auto cholesky = Cholesky::factor(random_positive_definite(n, 30).view());
  ASSERT_TRUE(cholesky.has_value());
  const DenseMatrix lower = cholesky->lower();
  const std::vector<double> b = random_vector(n, 31);
  std::vector<double> x = b;
  cholesky->solve_lower(x);
  std::vector<double> z = b;
  cholesky->solve_lower_transposed(z);
  for (std::size_t i = 0; i < n; ++i) {
    double forward = 0;
    double backward = 0;
    for (std::size_t j = 0; j < n; ++j) {
      forward += lower(i, j) * x[j];
      backward += lower(j, i) * z[j];
    }
    EXPECT_NEAR(forward, b[i], 1e-12);
    EXPECT_NEAR(backward, b[i], 1e-12);
  }
}

TEST(Cholesky, LogDeterminantIsTheSumOfTheLogsOfADiagonal) {
  DenseMatrix a(50, 50);
  double expected = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    a(i, i) = std::pow(10.0, static_cast<double>(i) / 5 - 5);
    expected += std::log(a(i, i));
  }
  const auto cholesky = Cholesky::factor(a.view());
  ASSERT_TRUE(cholesky.has_value());
  EXPECT_NEAR(cholesky->log_determinant(), expected, 1e-12);
}

TEST(Cholesky, EmptyMatrixHasAnEmptyFactorThatCanGrow) {
  auto cholesky = Cholesky::factor(DenseMatrix(0, 0).view());
  ASSERT_TRUE(cholesky.has_value());
  EXPECT_EQ(cholesky->size(), 0u);
  EXPECT_EQ(cholesky->log_determinant(), 0);
  cholesky->solve({});
  EXPECT_EQ(cholesky->lower().rows(), 0u);
  ASSERT_TRUE(cholesky->append({}, 9.0));
  std::vector<double> x = {18.0};
  cholesky->solve(x);
  EXPECT_EQ(x[0], 2.0);
}

TEST(Cholesky, RefusesMatricesThatAreNotPositiveDefinite) {
  EXPECT_FALSE(Cholesky::factor(DenseMatrix(1, 1, 0.0).view()).has_value());
  EXPECT_FALSE(Cholesky::factor(DenseMatrix(1, 1, -1.0).view()).has_value());
  EXPECT_FALSE(Cholesky::factor(DenseMatrix(3, 3, 1.0).view()).has_value());
  DenseMatrix indefinite(2, 2, 2.0);
  indefinite(0, 0) = indefinite(1, 1) = 1;
  EXPECT_FALSE(Cholesky::factor(indefinite.view()).has_value());
}

TEST(Cholesky, PivotToleranceDecidesWhatIsNearSingular) {
  // Pivots 1 and 1e-6.
  DenseMatrix a(2, 2, 1.0);
  a(1, 1) = 1 + 1e-6;
  EXPECT_TRUE(Cholesky::factor(a.view(), 1e-7).has_value());
  EXPECT_FALSE(Cholesky::factor(a.view(), 1e-5).has_value());
  Cholesky grown;
  ASSERT_TRUE(grown.append({}, 1.0));
  EXPECT_FALSE(grown.append(a.row(1).first(1), a(1, 1), 1e-5));
  EXPECT_TRUE(grown.append(a.row(1).first(1), a(1, 1), 1e-7));
}

TEST(Cholesky, RefusedAppendChangesNothing) {
  constexpr std::size_t n = 10;
  const DenseMatrix a = random_positive_definite(n, 12);
  auto cholesky = Cholesky::factor(a.view());
  ASSERT_TRUE(cholesky.has_value());
  const DenseMatrix before = cholesky->lower();
  // A copy of the last row depends on it, so its pivot is zero up to rounding.
  EXPECT_FALSE(cholesky->append(a.row(n - 1), a(n - 1, n - 1), 1e-12));
  EXPECT_FALSE(cholesky->append(std::vector<double>(n, 0.0), 0.0));
  EXPECT_FALSE(cholesky->append(std::vector<double>(n, 0.0), -1.0));
  EXPECT_FALSE(cholesky->append(std::vector<double>(n, 1e200), 1.0));  // pivot -infinity
  EXPECT_EQ(cholesky->size(), n);
  EXPECT_EQ(largest_difference(cholesky->lower(), before), 0);
  EXPECT_TRUE(cholesky->append(std::vector<double>(n, 0.0), 1.0));
}

TEST(Cholesky, CopiesAreIndependent) {
  Cholesky first;
  ASSERT_TRUE(first.append({}, 4.0));
  Cholesky second = first;
  ASSERT_TRUE(second.append(std::vector<double>{1.0}, 4.0));
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(second.size(), 2u);
}

TEST(Cholesky, WrongArgumentsThrow) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(Cholesky::factor(DenseMatrix(2, 3).view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(Cholesky::factor(DenseMatrix(2, 2, nan).view())), InvalidArgument);
  EXPECT_THROW(static_cast<void>(Cholesky::factor(DenseMatrix(1, 1, 1.0).view(), -1)),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(Cholesky::factor(DenseMatrix(1, 1, 1.0).view(), nan)),
               InvalidArgument);
  Cholesky cholesky;
  EXPECT_THROW(static_cast<void>(cholesky.append(std::vector<double>{1.0}, 1.0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(cholesky.append({}, nan)), InvalidArgument);
  ASSERT_TRUE(cholesky.append({}, 1.0));
  EXPECT_THROW(static_cast<void>(cholesky.append(std::vector<double>{nan}, 1.0)), InvalidArgument);
  std::vector<double> b(2);
  EXPECT_THROW(cholesky.solve(b), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
