// SPDX-License-Identifier: Apache-2.0
#include "linalg/sparse.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// About a third of the entries are not 0; row 2 is empty where there is one.
DenseMatrix thin_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  DenseMatrix matrix = test::random_matrix(rows, cols, seed);
  Rng rng(seed, "zeros");
  for (double& value : matrix.values()) {
    if (rng.bernoulli(2.0 / 3)) value = 0;
  }
  if (rows > 2) std::fill(matrix.row(2).begin(), matrix.row(2).end(), 0.0);
  return matrix;
}

TEST(Sparse, ProductsEqualPlainLoopsOnTheDenseTwin) {
  for (const std::size_t rows : {1u, 4u, 30u}) {
    for (const std::size_t cols : {1u, 7u, 25u}) {
      const DenseMatrix twin = thin_matrix(rows, cols, rows + cols);
      const SparseMatrix a = to_sparse(twin.view());
      for (const Transpose op : {Transpose::no, Transpose::yes}) {
        const DenseMatrix op_twin = op == Transpose::yes ? test::transposed(twin) : twin;
        for (const double beta : {0.0, 1.0, -2.0}) {
          for (const std::size_t width : {1u, 3u}) {
            const DenseMatrix b = test::random_matrix(op_twin.cols(), width, 5);
            const DenseMatrix product = test::plain_product(op_twin, b);
            const DenseMatrix before = beta == 0 ? DenseMatrix(op_twin.rows(), width, nan)
                                                 : test::random_matrix(op_twin.rows(), width, 6);
            DenseMatrix c = before;
            spmm(op, 1.5, a.view(), b.view(), beta, c.view());
            DenseMatrix y = before;
            if (width == 1) spmv(op, 1.5, a.view(), b.values(), beta, y.values());
            for (std::size_t i = 0; i < c.values().size(); ++i) {
              const double expected =
                  1.5 * product.values()[i] + (beta == 0 ? 0 : beta * before.values()[i]);
              EXPECT_NEAR(c.values()[i], expected, 1e-13);
              if (width == 1) {
                EXPECT_NEAR(y.values()[i], expected, 1e-13);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Sparse, ViewsWithStridesAreRespected) {
  const DenseMatrix twin = thin_matrix(5, 6, 1);
  const SparseMatrix a = to_sparse(twin.view());
  const DenseMatrix b = test::random_matrix(6, 2, 2);
  DenseMatrix wide_b(6, 4, nan);
  DenseMatrix wide_c(5, 3, 7.0);
  for (std::size_t i = 0; i < 6; ++i) std::copy_n(b.row(i).data(), 2, wide_b.row(i).data());
  spmm(Transpose::no,
       1.0,
       a.view(),
       {wide_b.data(), 6, 2, 4},
       0.0,
       MutableDenseView{wide_c.data(), 5, 2, 3});
  const DenseMatrix product = test::plain_product(twin, b);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(wide_c(i, j), product(i, j), 1e-14);
    EXPECT_EQ(wide_c(i, 2), 7);
  }
}

TEST(Sparse, EmptyMatricesScaleTheResultOnly) {
  const SparseMatrix none = to_sparse(DenseMatrix(3, 0).view());
  std::vector<double> y(3, 4.0);
  spmv(Transpose::no, 1.0, none.view(), {}, 0.5, y);
  EXPECT_EQ(y, std::vector<double>(3, 2.0));
  spmv(Transpose::yes, 1.0, none.view(), y, 0.0, {});
}

TEST(Sparse, SizesThatDoNotFitAreRefused) {
  const SparseMatrix a = to_sparse(thin_matrix(3, 4, 3).view());
  std::vector<double> three(3);
  std::vector<double> four(4);
  EXPECT_THROW(spmv(Transpose::no, 1, a.view(), three, 0, four), InvalidArgument);
  EXPECT_THROW(spmv(Transpose::yes, 1, a.view(), four, 0, three), InvalidArgument);
  DenseMatrix c(3, 2);
  EXPECT_THROW(spmm(Transpose::no, 1, a.view(), DenseMatrix(4, 3).view(), 0, c.view()),
               InvalidArgument);
  EXPECT_THROW(spmm(Transpose::no, 1, a.view(), DenseMatrix(3, 2).view(), 0, c.view()),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
