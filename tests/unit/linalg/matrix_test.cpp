// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/linalg/matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "linalg_support.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/linalg/row.hpp"

namespace maxmargin {
namespace {

Buffer<std::int64_t> offsets(std::vector<std::int64_t> values) {
  return Buffer<std::int64_t>(std::span<const std::int64_t>(values));
}
Buffer<std::int32_t> columns(std::vector<std::int32_t> values) {
  return Buffer<std::int32_t>(std::span<const std::int32_t>(values));
}
Buffer<double> values(std::vector<double> numbers) {
  return Buffer<double>(std::span<const double>(numbers));
}

std::string refusal(std::size_t cols,
                    std::vector<std::int64_t> o,
                    std::vector<std::int32_t> c,
                    std::vector<double> v) {
  try {
    const SparseMatrix matrix(
        cols, offsets(std::move(o)), columns(std::move(c)), values(std::move(v)));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DenseMatrix, EntriesLieRowByRow) {
  DenseMatrix matrix(2, 3);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix(i, j) = static_cast<double>(10 * i + j);
  }
  const std::vector<double> expected = {0, 1, 2, 10, 11, 12};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), matrix.values().begin()));
  EXPECT_EQ(matrix.row(1)[2], 12);
  EXPECT_EQ(matrix.view().row(1)[0], 10);
}

TEST(DenseMatrix, ViewsOfRowsKeepTheStride) {
  DenseMatrix matrix = test::random_matrix(5, 4, 1);
  const DenseView left{matrix.data(), 5, 2, 4};
  const DenseView middle = left.middle_rows(2, 4);
  EXPECT_EQ(middle.rows, 2u);
  EXPECT_EQ(middle.cols, 2u);
  EXPECT_EQ(middle(1, 1), matrix(3, 1));
  EXPECT_EQ(middle.row(0)[1], matrix(2, 1));
}

TEST(DenseMatrix, MutableViewsWriteThroughAndBecomeConstOnes) {
  DenseMatrix matrix(2, 2);
  const MutableDenseView view = matrix.view();
  view(1, 0) = 5;
  const DenseView constant = view;
  EXPECT_EQ(constant(1, 0), 5);
  EXPECT_EQ(matrix(1, 0), 5);
}

TEST(DenseMatrix, RefusesWrongNumbersOfValuesAndSizesThatOverflow) {
  EXPECT_THROW(DenseMatrix(2, 3, Buffer<double>(5)), InvalidArgument);
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW(DenseMatrix(huge, 3), InvalidArgument);
  EXPECT_THROW(static_cast<void>(FloatMatrix::uninitialized(huge, huge)), InvalidArgument);
}

TEST(DenseMatrix, CopiesAreIndependentAndMovesAreCheap) {
  DenseMatrix first(2, 2, 1.0);
  DenseMatrix second = first;
  second(0, 0) = 9;
  EXPECT_EQ(first(0, 0), 1);
  const double* where = first.data();
  const DenseMatrix third = std::move(first);
  EXPECT_EQ(third.data(), where);
}

// NOLINTBEGIN(bugprone-use-after-move): the point of these tests

TEST(DenseMatrix, MovedFromMatricesAreEmptyAndCanBeUsedAgain) {
  DenseMatrix matrix(2, 3, 1.0);
  DenseMatrix other = std::move(matrix);
  EXPECT_EQ(matrix.rows(), 0u);
  EXPECT_EQ(matrix.cols(), 0u);
  EXPECT_TRUE(matrix.values().empty());
  EXPECT_EQ(matrix.view().rows, 0u);
  matrix = std::move(other);
  EXPECT_EQ(other.rows(), 0u);
  EXPECT_EQ(matrix(1, 2), 1);
  matrix = DenseMatrix(matrix);
  EXPECT_EQ(matrix.rows(), 2u);
}

#ifdef MAXMARGIN_DEBUG_CHECKS
TEST(Matrices, RowsAndColumnsOutOfRangeAreFoundInBuildsForDebugging) {
  DenseMatrix dense(2, 3, 1.0);
  const DenseView view = dense.view();
  const SparseMatrix sparse(3, offsets({0, 1}), columns({2}), values({4}));
  EXPECT_THROW((void)dense.row(2), InvalidArgument);
  EXPECT_THROW((void)view.row(2), InvalidArgument);
  EXPECT_THROW((void)dense(0, 3), InvalidArgument);
  EXPECT_THROW((void)view(2, 0), InvalidArgument);
  EXPECT_THROW((void)view.middle_rows(1, 3), InvalidArgument);
  EXPECT_THROW((void)view.middle_rows(2, 1), InvalidArgument);
  EXPECT_THROW((void)sparse.row(1), InvalidArgument);
  EXPECT_EQ(view.middle_rows(2, 2).rows, 0u);
}
#endif

TEST(SparseMatrix, RowsHoldTheirEntries) {
  const SparseMatrix matrix(
      5, offsets({0, 2, 2, 5}), columns({1, 4, 0, 2, 3}), values({1, 2, 3, 4, 5}));
  EXPECT_EQ(matrix.rows(), 3u);
  EXPECT_EQ(matrix.cols(), 5u);
  EXPECT_EQ(matrix.entries(), 5u);
  EXPECT_EQ(matrix.row(1).columns.size(), 0u);
  EXPECT_EQ(matrix.row(2).columns[1], 2);
  EXPECT_EQ(matrix.row(2).values[1], 4);
}

TEST(SparseMatrix, DefaultAndMovedFromMatricesAreEmpty) {
  SparseMatrix matrix;
  EXPECT_EQ(matrix.rows(), 0u);
  EXPECT_EQ(matrix.entries(), 0u);
  EXPECT_EQ(matrix.view().offsets.size(), 1u);
  matrix = SparseMatrix(3, offsets({0, 1}), columns({2}), values({4}));
  SparseMatrix other = std::move(matrix);
  EXPECT_EQ(other.rows(), 1u);
  EXPECT_EQ(matrix.rows(), 0u);
  EXPECT_EQ(matrix.cols(), 0u);
  EXPECT_EQ(matrix.entries(), 0u);
  EXPECT_EQ(matrix.view().offsets.size(), 1u);
  matrix = std::move(other);
  EXPECT_EQ(other.rows(), 0u);
  EXPECT_EQ(matrix.row(0).values[0], 4);
}

// NOLINTEND(bugprone-use-after-move)

TEST(SparseMatrix, RefusesBrokenPartsAndNamesTheRow) {
  EXPECT_EQ(refusal(3, {0, 1, 2}, {0, 2}, {1, 2}), "accepted");
  EXPECT_NE(refusal(3, {}, {}, {}).find("offsets"), std::string::npos);
  EXPECT_NE(refusal(3, {1, 2}, {0, 1}, {1, 2}).find("offsets"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 1}, {0, 1}, {1, 2}).find("last offset"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 2}, {0, 1}, {1}).find("last offset"), std::string::npos);
  EXPECT_NE(refusal(3, {0, -1}, {}, {}).find("last offset"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 1, 3}, {0, 2, 2}, {1, 2, 3}).find("row 1"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 1, 3}, {0, 2, 1}, {1, 2, 3}).find("row 1"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 1}, {3}, {1}).find("row 0"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 1}, {-1}, {1}).find("row 0"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 2, 1, 2}, {0, 1}, {1, 2}).find("row 1"), std::string::npos);
  EXPECT_NE(refusal(3, {0, 9, 2}, {0, 1}, {1, 2}).find("row 0"), std::string::npos);
  EXPECT_NE(refusal(3, {0, -5, 2}, {0, 1}, {1, 2}).find("row 0"), std::string::npos);
  EXPECT_NE(refusal(std::size_t{1} << 31, {0}, {}, {}).find("2^31"), std::string::npos);
}

TEST(SparseMatrix, DenseAndSparseConversionsInvertEachOther) {
  DenseMatrix dense = test::random_matrix(7, 9, 2);
  Rng rng(3);
  for (double& value : dense.values()) {
    if (rng.bernoulli(0.7)) value = 0;
  }
  for (double& value : dense.row(4)) value = 0;
  const SparseMatrix sparse = to_sparse(dense.view());
  EXPECT_EQ(test::largest_difference(to_dense(sparse.view()), dense), 0);
  std::size_t nonzero = 0;
  for (const double value : dense.values()) nonzero += value != 0 ? 1 : 0;
  EXPECT_EQ(sparse.entries(), nonzero);
}

TEST(SparseMatrix, ConversionsOfEmptyMatricesKeepTheirSizes) {
  EXPECT_EQ(to_sparse(DenseMatrix(0, 4).view()).cols(), 4u);
  EXPECT_EQ(to_sparse(DenseMatrix(3, 0).view()).rows(), 3u);
  const SparseMatrix sparse(6, offsets({0, 0, 0}), columns({}), values({}));
  EXPECT_EQ(to_dense(sparse.view()).rows(), 2u);
  EXPECT_EQ(to_dense(sparse.view()).cols(), 6u);
  EXPECT_EQ(to_dense(SparseView{}).rows(), 0u);
}

TEST(SparseMatrix, DroppingEmptyColumnsKeepsOrderAndDistances) {
  DenseMatrix dense(3, 6);
  dense(0, 1) = 2;
  dense(0, 4) = 3;
  dense(2, 4) = 5;
  const SparseMatrix sparse = to_sparse(dense.view());
  const SparseMatrix compact = drop_empty_columns(sparse.view());
  ASSERT_EQ(compact.cols(), 2u);
  ASSERT_EQ(compact.rows(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(Row(compact.row(i)).squared_distance(Row(compact.row(j))),
                Row(sparse.row(i)).squared_distance(Row(sparse.row(j))));
    }
  }
  EXPECT_EQ(drop_empty_columns(SparseMatrix().view()).cols(), 0u);
}

}  // namespace
}  // namespace maxmargin
