// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/stoppable.hpp"
#include "linalg/block_cholesky.hpp"
#include "linear_problems.hpp"
#include "maxmargin/core/rng.hpp"
#include "maxmargin/problem/symmetric_matrix.hpp"
#include "solver/interior/held_triangle.hpp"
#include "solver/interior/low_rank.hpp"
#include "solver/linear/rows.hpp"

namespace maxmargin {
namespace {

using interior::HeldTriangle;
using interior::LowRankMatrix;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// X X' with a 1 for the bias in every row, by plain sums.
DenseMatrix products(const DenseMatrix& x, double bias) {
  DenseMatrix k(x.rows(), x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < x.rows(); ++j) {
      double sum = bias * bias;
      for (std::size_t c = 0; c < x.cols(); ++c) sum += x(i, c) * x(j, c);
      k(i, j) = sum;
    }
  }
  return k;
}

std::vector<double> normal_numbers(std::size_t count, std::uint64_t seed) {
  Rng rng(seed, "numbers");
  std::vector<double> numbers(count);
  for (double& number : numbers) number = rng.normal();
  return numbers;
}

/// Positive numbers over six orders of magnitude, every seventh infinite.
std::vector<double> random_theta(std::size_t count) {
  std::vector<double> theta = normal_numbers(count, 5);
  for (std::size_t i = 0; i < count; ++i) {
    theta[i] = i % 7 == 6 ? infinity : std::pow(10.0, 1.5 * theta[i]);
  }
  return theta;
}

/// K b, and the residual of a solve, both against plain sums.
void expect_matrix(InteriorMatrix& matrix, const DenseMatrix& k) {
  const std::size_t n = k.rows();
  ASSERT_EQ(matrix.size(), n);
  const std::vector<double> b = normal_numbers(n, 3);
  std::vector<double> values(n);
  matrix.multiply(b, values);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) size = std::max(size, k(i, i));
  const double rounding = 1e-13 * size * static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(matrix.diagonal()[i], k(i, i), 1e-13 * size);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += k(i, j) * b[j];
    EXPECT_NEAR(values[i], sum, rounding);
  }
  const std::vector<double> theta = random_theta(n);
  ASSERT_TRUE(matrix.factor(theta, {}));
  // By columns x is a difference of numbers that 1/theta enlarges.
  const double enlarged = 1e-16 * size * static_cast<double>(n) / std::ranges::min(theta);
  std::vector<double> x = b;
  matrix.solve(x);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isinf(theta[i])) {
      EXPECT_EQ(x[i], 0);
      continue;
    }
    double sum = theta[i] * x[i];
    for (std::size_t j = 0; j < n; ++j) sum += k(i, j) * x[j];
    EXPECT_NEAR(sum, b[i], 1e-12 + enlarged);
  }
  // Solving must leave the matrix itself as it is.
  std::vector<double> again(n);
  matrix.multiply(b, again);
  EXPECT_EQ(again, values);
}

TEST(InteriorMatrices, ColumnsStandForTheirProducts) {
  for (const std::size_t d : {3U, 40U, 300U}) {
    const testing::LinearCase data = testing::random_linear_case(350, d, true, 11);
    const DenseMatrix k = products(data.dense, 0.5);
    LowRankMatrix dense(linear::DenseRows(data.dense.view(), 0.5), 350, 2);
    expect_matrix(dense, k);
    LowRankMatrix sparse(linear::SparseRows(data.sparse.view(), 0.5), 350, 2);
    expect_matrix(sparse, k);
  }
}

TEST(InteriorMatrices, RowsThatAreMostlyEmptyAreAddedOneByOne) {
  DenseMatrix x(3000, 60);
  Rng rng(2, "few entries");
  for (std::size_t i = 0; i < x.rows(); ++i) x(i, i % 60) = rng.normal();
  const SparseMatrix sparse = to_sparse(x.view());
  LowRankMatrix scattered(linear::SparseRows(sparse.view(), 1), x.rows(), 2);
  LowRankMatrix filled(linear::DenseRows(x.view(), 1), x.rows(), 2);
  const std::vector<double> theta = random_theta(x.rows());
  ASSERT_TRUE(scattered.factor(theta, {}));
  ASSERT_TRUE(filled.factor(theta, {}));
  std::vector<double> one = normal_numbers(x.rows(), 9);
  std::vector<double> other = one;
  scattered.solve(one);
  filled.solve(other);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-9);
}

TEST(InteriorMatrices, OneTriangleHoldsTheMatrixAndTheOtherItsFactors) {
  for (const std::size_t n : {1U, 5U, 256U, 600U}) {
    const testing::LinearCase data = testing::random_linear_case(n, 20, true, 13);
    const DenseMatrix k = products(data.dense, 0);
    const HeldMatrix held{DenseMatrix(k)};
    HeldTriangle matrix(n, interior::rows_of(held), 2);
    expect_matrix(matrix, k);
  }
}

TEST(InteriorMatrices, SumsKeepMoreDigitsThanTheirTerms) {
  // Pairs of rows that cancel but for what a sum of doubles has no digits for.
  const std::size_t n = 600;
  DenseMatrix k(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t last = std::max(i, j);
      k(i, j) = 0x1p52 + static_cast<double>(last % 2 == 0 ? last : 1);
    }
  }
  const HeldMatrix held{DenseMatrix(k)};
  const HeldTriangle matrix(n, interior::rows_of(held), 2);
  std::vector<double> b(n);
  for (std::size_t j = 0; j < n; ++j) b[j] = j % 2 == 0 ? 1.25 : -1.25;
  std::vector<double> values(n);
  matrix.multiply(b, values);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;  // of differences, which are exact
    for (std::size_t j = 0; j < n; j += 2) sum += 1.25 * (k(i, j) - k(i, j + 1));
    EXPECT_EQ(values[i], sum);
  }
}

TEST(InteriorMatrices, WholeNumbersHaveNoRounding) {
  // At any scale by a power of two: entries beyond 2^53 units are rounded, those below are not.
  for (const int power : {-100, 0, 77}) {
    const std::size_t n = 300;
    DenseMatrix k(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) k(i, j) = std::ldexp(double(1 + (i + j) % 9), power);
    }
    k(280, 2) = k(2, 280) = std::ldexp(0x1p60, power);
    const HeldMatrix held{DenseMatrix(k)};
    std::vector<double> errors(n);
    const std::vector<double> b(n, 0.5);
    HeldTriangle(n, interior::rows_of(held), 1).multiply_errors(b, errors);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(errors[i], i == 2 || i == 280 ? std::ldexp(0x1p6, power) : 0) << i;
    }
    // A single entry with lower digits says that all may be rounded.
    k(5, 5) += std::ldexp(0x1p-51, power);
    const HeldMatrix broken{DenseMatrix(k)};
    HeldTriangle(n, interior::rows_of(broken), 1).multiply_errors(b, errors);
    EXPECT_GT(errors[7], std::ldexp(0x1p-53, power));
  }
}

TEST(InteriorMatrices, AskBetweenBlocks) {
  // 1,000 rows are four blocks: sums and fills take minutes where there are more of them.
  const testing::LinearCase data = testing::random_linear_case(1000, 20, true, 19);
  LowRankMatrix sums(linear::DenseRows(data.dense.view(), 1), 1000, 1);
  int calls = 0;
  EXPECT_FALSE(sums.factor(std::vector<double>(1000, 1.0), [&](const Progress&) {
    return ++calls == 2 ? Continue::stop : Continue::yes;
  }));
  EXPECT_EQ(calls, 2);
  const HeldMatrix held{products(data.dense, 1)};
  calls = 0;
  const auto build = [&] {
    return HeldTriangle(
               1000,
               interior::rows_of(held),
               1,
               false,
               [&](const Progress&) { return ++calls == 2 ? Continue::stop : Continue::yes; })
        .size();
  };
  EXPECT_THROW(static_cast<void>(build()), Stopped);
  EXPECT_EQ(calls, 2);
}

TEST(InteriorMatrices, BitsDoNotDependOnThreads) {
  const testing::LinearCase data = testing::random_linear_case(5000, 300, true, 17);
  const std::vector<double> theta = random_theta(5000);
  std::vector<std::vector<double>> found;
  for (const std::size_t threads : {1U, 2U, 4U}) {
    LowRankMatrix matrix(linear::DenseRows(data.dense.view(), 1), 5000, threads);
    std::vector<double> x = normal_numbers(5000, 1);
    ASSERT_TRUE(matrix.factor(theta, {}));
    matrix.solve(x);
    found.push_back(x);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(InteriorMatrices, DependentColumnsAreNoObstacle) {
  DenseMatrix x(50, 4);
  Rng rng(4, "copies");
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 4; ++j) x(i, j) = j == 0 ? 1e6 * rng.normal() : x(i, 0);
  }
  LowRankMatrix matrix(linear::DenseRows(x.view(), 1), 50, 1);
  EXPECT_TRUE(matrix.factor(std::vector<double>(50, 1e-12), {}));
}

TEST(BlockCholesky, LeavesWhatIsAboveTheBlocksOfTheDiagonal) {
  const std::size_t n = 2 * cholesky_block + 50;
  DenseMatrix matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      matrix(i, j) = j > i ? static_cast<double>(i + 2 * j) : (i == j ? 4.0 : 1.0 / double(n));
    }
  }
  ASSERT_TRUE(factor_lower(matrix.view(), 2));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = (i / cholesky_block + 1) * cholesky_block; j < n; ++j) {
      ASSERT_EQ(matrix(i, j), static_cast<double>(i + 2 * j));
    }
  }
}

}  // namespace
}  // namespace maxmargin
