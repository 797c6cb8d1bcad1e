// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/blas.hpp"
#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

/// Normal entries, their norm about 2 sqrt(n), and 3 sqrt(n) I: the condition number is about 5.
DenseMatrix positive_definite(std::size_t n, std::uint64_t seed) {
  DenseMatrix matrix = test::random_symmetric(n, seed);
  for (std::size_t i = 0; i < n; ++i) matrix(i, i) += 3 * std::sqrt(static_cast<double>(n));
  return matrix;
}

TEST(BlockCholesky, SolvesWhatItFactored) {
  for (const std::size_t n : {1u, 7u, 256u, 257u, 600u}) {
    const DenseMatrix matrix = positive_definite(n, n);
    const auto factor = BlockCholesky::factor(matrix, 2);
    ASSERT_TRUE(factor.has_value());
    EXPECT_EQ(factor->size(), n);
    for (const std::size_t count : {1u, 9u, 11u}) {  // one alone goes another way
      const DenseMatrix wanted = test::random_matrix(count, n, 3);
      DenseMatrix rows(count, n);
      gemm(Transpose::no, Transpose::no, 1.0, wanted.view(), matrix.view(), 0.0, rows.view());
      factor->solve_rows(rows.view(), 2);
      const double tolerance = 100 * static_cast<double>(n) * test::epsilon;
      for (std::size_t i = 0; i < rows.values().size(); ++i) {
        EXPECT_NEAR(rows.values()[i], wanted.values()[i], tolerance);
      }
    }
  }
}

TEST(BlockCholesky, ReadsTheLowerTriangleAndGivesTheSameBitsForAnyThreadCount) {
  DenseMatrix matrix = positive_definite(520, 4);
  for (std::size_t i = 0; i < 520; ++i) {
    for (std::size_t j = i + 1; j < 520; ++j) matrix(i, j) = 1e300;
  }
  const DenseMatrix right = test::random_matrix(20, 520, 5);
  DenseMatrix one = right;
  BlockCholesky::factor(matrix, 1)->solve_rows(one.view(), 1);
  for (const double value : one.values()) ASSERT_LT(std::abs(value), 1e6);
  for (const std::size_t threads : {2u, 4u}) {
    DenseMatrix other = right;
    BlockCholesky::factor(matrix, threads)->solve_rows(other.view(), threads);
    EXPECT_TRUE(std::ranges::equal(one.values(), other.values()));
  }
}

TEST(BlockCholesky, AsksBeforeEveryPanelWhetherToGoOn) {
  const DenseMatrix matrix = positive_definite(600, 6);
  std::size_t asked = 0;
  const auto count = [&](const Progress& progress) {
    EXPECT_EQ(progress.iteration, asked++);
    EXPECT_EQ(progress.max_iterations, 3u);
    return Continue::yes;
  };
  EXPECT_TRUE(BlockCholesky::factor(matrix, 2, count).has_value());
  EXPECT_EQ(asked, 3u);
  const auto stop = [](const Progress& progress) {
    return progress.iteration == 1 ? Continue::time_is_up : Continue::yes;
  };
  EXPECT_FALSE(BlockCholesky::factor(matrix, 2, stop).has_value());
}

TEST(BlockCholesky, RefusesWhatIsNotPositiveDefinite) {
  DenseMatrix matrix = positive_definite(400, 2);
  matrix(350, 350) = -1;
  EXPECT_FALSE(BlockCholesky::factor(matrix, 2).has_value());
  matrix(350, 350) = NAN;
  EXPECT_FALSE(BlockCholesky::factor(matrix, 2).has_value());
  EXPECT_THROW((void)BlockCholesky::factor(DenseMatrix(2, 3), 1), InvalidArgument);
  DenseMatrix rows(1, 3);
  EXPECT_THROW(BlockCholesky::factor(positive_definite(2, 1), 1)->solve_rows(rows.view(), 1),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
