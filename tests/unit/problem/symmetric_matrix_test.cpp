// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/problem/symmetric_matrix.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

std::vector<double> row_in_double(const RowBlock& block, std::size_t place) {
  return std::visit(
      [&](const auto& rows) { return std::vector<double>(rows[place].begin(), rows[place].end()); },
      block.rows);
}

std::vector<double> one_row(const SymmetricMatrix& matrix, std::size_t i) {
  return row_in_double(matrix.rows({&i, 1}), 0);
}

TEST(HeldMatrix, HandsOutItsRowsInTheOrderAskedFor) {
  const HeldMatrix held(matrix(3, {1, 2, 3, 2, 5, 6, 3, 6, 9}));
  EXPECT_EQ(held.size(), 3U);
  EXPECT_EQ(held.rows_held(), 3U);
  EXPECT_EQ(std::vector<double>(held.diagonal().begin(), held.diagonal().end()),
            (std::vector<double>{1, 5, 9}));
  const std::vector<std::size_t> wanted = {2, 0, 2};
  const RowBlock block = held.rows(wanted);
  EXPECT_TRUE(std::holds_alternative<RowBlock::Double>(block.rows));
  EXPECT_EQ(row_in_double(block, 0), (std::vector<double>{3, 6, 9}));
  EXPECT_EQ(row_in_double(block, 1), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(row_in_double(block, 2), (std::vector<double>{3, 6, 9}));
}

TEST(HeldMatrix, KeepsTheDiagonalInDoubleBesideFloatRows) {
  FloatMatrix entries(2, 2);
  entries(0, 0) = entries(1, 1) = 1.1F;
  entries(0, 1) = entries(1, 0) = 0.25F;
  const HeldMatrix held(std::move(entries), {1.1, 1.1});
  EXPECT_EQ(held.diagonal()[0], 1.1);
  EXPECT_TRUE(std::holds_alternative<RowBlock::Single>(held.rows({}).rows));
  EXPECT_EQ(one_row(held, 1)[0], 0.25);
}

TEST(HeldMatrix, RejectsWhatIsNotSquare) {
  EXPECT_THROW(HeldMatrix(DenseMatrix(2, 3)), InvalidArgument);
  EXPECT_THROW(HeldMatrix(FloatMatrix(2, 3), {1, 1}), InvalidArgument);
  EXPECT_THROW(HeldMatrix(FloatMatrix(2, 2), {1}), InvalidArgument);
}

template <class M>
class CachedMatrix : public ::testing::Test {};
using CachedKinds = ::testing::Types<CachedKernelMatrix, DoubleCachedKernelMatrix>;
TYPED_TEST_SUITE(CachedMatrix, CachedKinds);

TYPED_TEST(CachedMatrix, HoldsTheGramMatrixHoweverSmallItsCache) {
  const Examples examples = gaussian_points(23, 3, 5);
  const Kernel kernel = Rbf{.gamma = 0.4};
  const DenseMatrix expected = gram(kernel, examples);
  const double tolerance = std::is_same_v<TypeParam, CachedKernelMatrix> ? 1e-6 : 1e-14;
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{600}}) {
    const TypeParam cached(kernel, examples, {.cache_bytes = bytes});
    EXPECT_EQ(cached.size(), 23U);
    EXPECT_LE(cached.rows_held(), 23U);
    std::vector<std::size_t> backwards(23);
    std::iota(backwards.rbegin(), backwards.rend(), std::size_t{0});
    backwards.push_back(7);  // again
    const RowBlock block = cached.rows(backwards);
    for (std::size_t k = 0; k < backwards.size(); ++k) {
      const std::vector<double> row = row_in_double(block, k);
      for (std::size_t j = 0; j < row.size(); ++j) {
        ASSERT_NEAR(row[j], expected(backwards[k], j), tolerance);
      }
    }
  }
}

TYPED_TEST(CachedMatrix, ARowDoesNotDependOnWhatElseWasAskedFor) {
  const Examples examples = gaussian_points(40, 4, 9);
  const Kernel kernel = Polynomial{.gamma = 0.3, .coef0 = 1, .degree = 3};
  const TypeParam small(kernel, examples, {.cache_bytes = 1000, .context = {.threads = 1}});
  const TypeParam large(kernel, examples, {.cache_bytes = 1 << 20, .context = {.threads = 4}});
  std::vector<std::size_t> all(40);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const RowBlock together = large.rows(all);
  for (const std::size_t i : {0U, 17U, 39U, 17U}) {
    EXPECT_EQ(one_row(small, i), row_in_double(together, i));
  }
}

TYPED_TEST(CachedMatrix, RowsOutliveTheirPlaceInTheCache) {
  const Examples examples = gaussian_points(30, 2, 3);
  const TypeParam cached(Linear{}, examples, {.cache_bytes = 300});
  const std::size_t first = 0;
  const RowBlock kept = cached.rows({&first, 1});
  const std::vector<double> before = row_in_double(kept, 0);
  for (std::size_t i = 1; i < 30; ++i) static_cast<void>(cached.rows({&i, 1}));
  EXPECT_EQ(row_in_double(kept, 0), before);
}

TYPED_TEST(CachedMatrix, OfNoExamplesIsEmpty) {
  const Examples none = DenseMatrix(0, 2);
  const TypeParam cached(Linear{}, none);
  EXPECT_EQ(cached.size(), 0U);
  EXPECT_EQ(cached.rows_held(), 0U);
}

}  // namespace
}  // namespace maxmargin
