// SPDX-License-Identifier: Apache-2.0
#include "linalg/block_eigenpairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/blas.hpp"
#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

using test::random_matrix;

BlockOperator operator_of(const DenseMatrix& matrix, std::size_t threads = 1) {
  return [&matrix, threads](DenseView x, MutableDenseView y) {
    multiply_symmetric(matrix.view(), x, y, threads);
  };
}

/// Q diag(values) Q' with a random orthogonal Q.
DenseMatrix with_spectrum(const std::vector<double>& values, std::uint64_t seed) {
  const std::size_t n = values.size();
  const EigenPairs basis = eigen_symmetric(test::random_symmetric(n, seed).view());
  DenseMatrix scaled = basis.vectors;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& entry : scaled.row(i)) entry *= values[i];
  }
  DenseMatrix matrix(n, n);
  gemm(Transpose::yes, Transpose::no, 1.0, basis.vectors.view(), scaled.view(), 0.0, matrix.view());
  mirror_lower(matrix.view());
  return matrix;
}

void expect_eigenpairs(const DenseMatrix& matrix, const BlockEigen& found, double tolerance) {
  const std::size_t count = found.pairs.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> image(matrix.rows());
    gemv(Transpose::no, 1.0, matrix.view(), found.pairs.vectors.row(i), 0.0, image);
    axpy(-found.pairs.values[i], found.pairs.vectors.row(i), image);
    EXPECT_LE(std::sqrt(dot(image, image)), tolerance);
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(
          dot(found.pairs.vectors.row(i), found.pairs.vectors.row(j)), i == j ? 1 : 0, 1e-12);
    }
  }
}

class BlockEigenProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(BlockEigenProperty, LargestPairsAgreeWithLapack) {
  const DenseMatrix matrix = test::random_symmetric(200, GetParam());
  const std::vector<double> all = eigenvalues_symmetric(matrix.view());
  for (const std::size_t count : {1u, 3u, 8u}) {
    const BlockEigen found =
        largest_eigenpairs(200, operator_of(matrix), {.count = count, .tolerance = 1e-11});
    ASSERT_EQ(found.status, Status::solved);
    ASSERT_EQ(found.pairs.values.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(found.pairs.values[i], all[200 - count + i], 1e-9);
    }
    expect_eigenpairs(matrix, found, 1e-11 * all.back() * 1.5);
  }
}

TEST_P(BlockEigenProperty, EqualAndClusteredValuesAreAllFound) {
  std::vector<double> values(150, 0.0);
  for (std::size_t i = 0; i < 150; ++i) values[i] = 0.5 * static_cast<double>(i) / 150;
  for (std::size_t i = 145; i < 150; ++i) values[i] = 1;
  values[144] = 1 - 1e-7;
  const DenseMatrix matrix = with_spectrum(values, GetParam());
  const BlockEigen found =
      largest_eigenpairs(150, operator_of(matrix), {.count = 6, .tolerance = 1e-11, .scale = 1});
  ASSERT_EQ(found.status, Status::solved);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_NEAR(found.pairs.values[i], 1, 1e-11);
  EXPECT_NEAR(found.pairs.values[0], 1 - 1e-7, 1e-11);
  expect_eigenpairs(matrix, found, 2e-11);
}

TEST_P(BlockEigenProperty, InverseAsPreconditionerNeedsFewerSteps) {
  std::vector<double> values(180);
  for (std::size_t i = 0; i < 180; ++i) {
    values[i] = 1 - 1e-5 * static_cast<double>((180 - i) * (180 - i));
  }
  std::vector<double> inverse(180);
  for (std::size_t i = 0; i < 180; ++i) inverse[i] = 1 / (1 + 1e-6 - values[i]);
  const DenseMatrix matrix = with_spectrum(values, GetParam());
  const DenseMatrix solver = with_spectrum(inverse, GetParam());
  const BlockEigenOptions options{.count = 3, .tolerance = 1e-10, .scale = 1};
  const BlockEigen plain = largest_eigenpairs(180, operator_of(matrix), options);
  const BlockEigen helped =
      largest_eigenpairs(180, operator_of(matrix), options, operator_of(solver));
  EXPECT_EQ(helped.status, Status::solved);
  EXPECT_LT(2 * helped.steps, plain.steps);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(helped.pairs.values[i], values[177 + i], 1e-10);
  }
}

TEST_P(BlockEigenProperty, AnswerIsTheSameForAnyThreadCount) {
  const DenseMatrix matrix = test::random_symmetric(600, GetParam());
  const BlockEigenOptions options{.count = 2, .tolerance = 1e-6};
  const BlockEigen one = largest_eigenpairs(600, operator_of(matrix, 1), options);
  for (const std::size_t threads : {2u, 4u}) {
    const BlockEigen other = largest_eigenpairs(600, operator_of(matrix, threads), options);
    EXPECT_EQ(one.pairs.values, other.pairs.values);
    EXPECT_TRUE(std::ranges::equal(one.pairs.vectors.values(), other.pairs.vectors.values()));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlockEigenProperty, ::testing::Range<std::uint64_t>(1, 4));

TEST(BlockEigen, KnownStartIsTakenUp) {
  const DenseMatrix matrix = test::random_symmetric(120, 5);
  const EigenPairs all = eigen_symmetric(matrix.view());
  const BlockEigen found = largest_eigenpairs(120,
                                              operator_of(matrix),
                                              {.count = 1, .tolerance = 1e-10},
                                              {},
                                              all.vectors.view().middle_rows(119, 120));
  EXPECT_EQ(found.steps, 1u);
  EXPECT_NEAR(found.pairs.values[0], all.values.back(), 1e-11);
}

TEST(BlockEigen, ZeroAndMultiplesOfTheIdentityEndAtOnce) {
  const DenseMatrix zero(100, 100);
  const BlockEigen nothing = largest_eigenpairs(100, operator_of(zero), {.count = 2});
  EXPECT_EQ(nothing.status, Status::solved);
  EXPECT_EQ(nothing.pairs.values, (std::vector<double>{0, 0}));
  DenseMatrix identity(100, 100);
  for (std::size_t i = 0; i < 100; ++i) identity(i, i) = 3;
  const BlockEigen same = largest_eigenpairs(100, operator_of(identity), {.count = 2});
  EXPECT_EQ(same.steps, 1u);
  EXPECT_NEAR(same.pairs.values[0], 3, 1e-12);
}

TEST(BlockEigen, LimitAndCallbackReturnTheBestSoFar) {
  const DenseMatrix matrix = test::random_symmetric(300, 7);
  BlockEigenOptions options{.count = 2, .tolerance = 1e-12, .max_steps = 3};
  const BlockEigen cut = largest_eigenpairs(300, operator_of(matrix), options);
  EXPECT_EQ(cut.status, Status::iteration_limit);
  EXPECT_EQ(cut.steps, 3u);
  expect_eigenpairs(matrix, cut, cut.residual * 1.001);
  options.context.on_progress = [](const Progress&) { return Continue::time_is_up; };
  EXPECT_EQ(largest_eigenpairs(300, operator_of(matrix), options).status, Status::time_limit);
}

TEST(BlockEigen, RejectsWhatItCannotSolve) {
  const DenseMatrix matrix = test::random_symmetric(5, 1);
  EXPECT_THROW((void)largest_eigenpairs(5, operator_of(matrix), {.count = 6}), InvalidArgument);
  EXPECT_THROW((void)largest_eigenpairs(5, operator_of(matrix), {.count = 0}), InvalidArgument);
  EXPECT_THROW((void)largest_eigenpairs(5, operator_of(matrix), {.tolerance = 0}), InvalidArgument);
  EXPECT_THROW((void)largest_eigenpairs(5, operator_of(matrix), {.max_steps = 0}), InvalidArgument);
  EXPECT_THROW((void)largest_eigenpairs(5, operator_of(matrix), {.scale = -1}), InvalidArgument);
  EXPECT_THROW((void)largest_eigenpairs(5, {}, {}), InvalidArgument);
  DenseMatrix broken = matrix;
  broken(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)largest_eigenpairs(5, operator_of(broken), {}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
