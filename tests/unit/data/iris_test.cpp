// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/iris.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace maxmargin {
namespace {

/// Sum of squared distances of rows [begin, end) to their mean.
double sum_of_squares(const DenseMatrix& x, std::size_t begin, std::size_t end) {
  double total = 0;
  for (std::size_t j = 0; j < x.cols(); ++j) {
    double mean = 0;
    for (std::size_t i = begin; i < end; ++i) mean += x(i, j);
    mean /= static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) total += (x(i, j) - mean) * (x(i, j) - mean);
  }
  return total;
}

// seed-merat appendix A.1: the sums are exact to the printed digits, so a wrong entry shows.
TEST(Iris, ColumnSumsAreThoseOfTheTable) {
  const Dataset data = iris();
  ASSERT_EQ(data.size(), 150u);
  ASSERT_EQ(data.features(), 4u);
  const std::array<double, 4> expected = {876.5, 458.6, 563.7, 179.9};
  for (std::size_t j = 0; j < 4; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < 150; ++i) sum += data.examples.dense()(i, j);
    EXPECT_NEAR(sum, expected[j], 1e-10) << "column " << j;
  }
}

// seed-merat appendix A.1.
TEST(Iris, SumsOfSquaresAreThoseOfTheTable) {
  const Dataset data = iris();
  const DenseMatrix x = data.examples.to_dense();
  EXPECT_NEAR(sum_of_squares(x, 0, 150), 681.3706, 1e-9);
  EXPECT_NEAR(sum_of_squares(x, 0, 50), 15.151, 1e-9);
  EXPECT_NEAR(sum_of_squares(x, 50, 100), 30.6164, 1e-9);
  EXPECT_NEAR(sum_of_squares(x, 100, 150), 43.53, 1e-9);
  EXPECT_NEAR(sum_of_squares(x, 0, 50) + sum_of_squares(x, 50, 150), 154.947, 5e-4);
}

TEST(Iris, Rows102And143AreTheOnlyEqualPair) {
  const Dataset data = iris();
  const DenseMatrix x = data.examples.to_dense();
  std::vector<std::pair<std::size_t, std::size_t>> equal;
  for (std::size_t i = 0; i < 150; ++i) {
    for (std::size_t k = i + 1; k < 150; ++k) {
      if (std::ranges::equal(x.row(i), x.row(k))) equal.emplace_back(i + 1, k + 1);
    }
  }
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_EQ(equal[0], std::pair(std::size_t{102}, std::size_t{143}));
}

TEST(Iris, HasFiftyRowsOfEachNamedClassInOrder) {
  const Dataset data = iris();
  EXPECT_NO_THROW(data.validate());
  const Classes classes = classes_of(data.labels);
  ASSERT_EQ(classes.count(), 3u);
  EXPECT_EQ(classes.names[0].text(), "setosa");
  EXPECT_EQ(classes.names[1].text(), "versicolor");
  EXPECT_EQ(classes.names[2].text(), "virginica");
  for (std::size_t i = 0; i < 150; ++i) {
    ASSERT_EQ(classes.of_row[i], static_cast<std::int32_t>(i / 50));
  }
  EXPECT_EQ(
      data.feature_names,
      (std::vector<std::string>{"sepal_length", "sepal_width", "petal_length", "petal_width"}));
  EXPECT_EQ(data.source, "builtin:iris");
}

}  // namespace
}  // namespace maxmargin
