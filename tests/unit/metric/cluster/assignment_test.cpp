// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/metric/cluster/assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

DenseMatrix random_cost(Rng& rng, std::size_t rows, std::size_t cols, std::size_t values) {
  DenseMatrix cost(rows, cols);
  for (double& entry : cost.values()) entry = static_cast<double>(rng.index(values)) - 3;
  return cost;
}

/// The brute-force twin: all orders of the longer side.
double least_cost_by_permutations(DenseView cost) {
  const bool wide = cost.cols >= cost.rows;
  const std::size_t longer = std::max(cost.rows, cost.cols);
  const std::size_t shorter = std::min(cost.rows, cost.cols);
  std::vector<std::size_t> order(longer);
  std::iota(order.begin(), order.end(), 0);
  double least = std::numeric_limits<double>::infinity();
  do {
    double sum = 0;
    for (std::size_t k = 0; k < shorter; ++k) {
      sum += wide ? cost(k, order[k]) : cost(order[k], k);
    }
    least = std::min(least, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// One-to-one, of full size, of the claimed cost, and proven by its prices.
void expect_certified(DenseView cost, const Assignment& result) {
  ASSERT_EQ(result.column_of_row.size(), cost.rows);
  ASSERT_EQ(result.row_prices.size(), cost.rows);
  ASSERT_EQ(result.column_prices.size(), cost.cols);
  std::vector<bool> used(cost.cols, false);
  std::size_t pairs = 0;
  double sum = 0;
  for (std::size_t i = 0; i < cost.rows; ++i) {
    const auto column = result.column_of_row[i];
    if (!column) {
      EXPECT_EQ(result.row_prices[i], 0);
      continue;
    }
    ASSERT_LT(*column, cost.cols);
    EXPECT_FALSE(used[*column]);
    used[*column] = true;
    ++pairs;
    sum += cost(i, *column);
  }
  EXPECT_EQ(pairs, std::min(cost.rows, cost.cols));
  EXPECT_DOUBLE_EQ(sum, result.cost);
  double prices = 0;
  for (std::size_t i = 0; i < cost.rows; ++i) {
    for (std::size_t j = 0; j < cost.cols; ++j) {
      EXPECT_LE(result.row_prices[i] + result.column_prices[j], cost(i, j) + 1e-9);
    }
    if (cost.rows > cost.cols) {
      EXPECT_LE(result.row_prices[i], 0);
    }
    prices += result.row_prices[i];
  }
  for (std::size_t j = 0; j < cost.cols; ++j) {
    if (cost.cols > cost.rows) {
      EXPECT_LE(result.column_prices[j], 0);
      if (!used[j]) {
        EXPECT_EQ(result.column_prices[j], 0);
      }
    }
    prices += result.column_prices[j];
  }
  EXPECT_NEAR(prices, result.cost, 1e-9);
}

TEST(Assignment, EqualsBruteForceOnSmallMatrices) {
  Rng rng(1);
  for (std::size_t rows = 1; rows <= 6; ++rows) {
    for (std::size_t cols = 1; cols <= 6; ++cols) {
      for (int repeat = 0; repeat < 6; ++repeat) {
        const DenseMatrix cost = random_cost(rng, rows, cols, repeat < 3 ? 4 : 1000);
        const Assignment result = solve_assignment(cost.view());
        EXPECT_EQ(result.cost, least_cost_by_permutations(cost.view()));
        expect_certified(cost.view(), result);
      }
    }
  }
}

TEST(Assignment, PricesProveLargeMatchingsOptimal) {
  Rng rng(2);
  for (const auto& [rows, cols] : {std::pair{60, 60}, {40, 90}, {90, 40}}) {
    DenseMatrix cost(static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
    for (double& entry : cost.values()) entry = rng.normal();
    expect_certified(cost.view(), solve_assignment(cost.view()));
  }
}

TEST(Assignment, PermutingRowsAndShiftingThemChangesNothingEssential) {
  Rng rng(3);
  const DenseMatrix cost = random_cost(rng, 7, 7, 50);
  const auto order = rng.permutation(7);
  DenseMatrix moved(7, 7);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 7; ++j) moved(i, j) = cost(order[i], j) + static_cast<double>(i);
  }
  EXPECT_EQ(solve_assignment(moved.view()).cost, solve_assignment(cost.view()).cost + 21);
}

TEST(Assignment, EmptySidesMatchNothing) {
  EXPECT_EQ(solve_assignment(DenseMatrix(0, 0).view()).cost, 0);
  EXPECT_TRUE(solve_assignment(DenseMatrix(0, 3).view()).column_of_row.empty());
  const Assignment result = solve_assignment(DenseMatrix(3, 0).view());
  ASSERT_EQ(result.column_of_row.size(), 3u);
  for (const auto& column : result.column_of_row) EXPECT_FALSE(column);
}

TEST(Assignment, RefusesCostsThatAreNotFinite) {
  DenseMatrix cost(2, 2, 1.0);
  cost(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)solve_assignment(cost.view()), InvalidArgument);
  cost(1, 0) = NAN;
  EXPECT_THROW((void)solve_assignment(cost.view()), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
