// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/sizes.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

void expect_sizes(std::size_t n,
                  std::size_t k,
                  std::optional<double> balance,
                  std::size_t least,
                  std::size_t most) {
  SCOPED_TRACE(std::to_string(n) + " points in " + std::to_string(k));
  const ClusterSizes sizes = balanced_sizes(n, k, balance);
  EXPECT_EQ(sizes.least, least);
  EXPECT_EQ(sizes.most, most);
}

TEST(BalancedSizes, RoundOutwardsOfTwo) {
  expect_sizes(200, 2, 0.1, 90, 110);
  expect_sizes(5, 2, 0.0, 2, 3);
  expect_sizes(7, 2, 0.1, 3, 4);
  expect_sizes(10, 2, 0.95, 1, 9);
  expect_sizes(10, 2, std::nullopt, 1, 9);
  expect_sizes(2, 2, 0.0, 1, 1);
}

TEST(BalancedSizes, RoundOutwardsOfSeveralAndFit) {
  expect_sizes(10, 3, 0.1, 3, 4);
  expect_sizes(9, 3, 0.0, 3, 3);
  expect_sizes(5, 3, std::nullopt, 1, 3);
  expect_sizes(7, 3, std::nullopt, 1, 5);
  // As many clusters as points: one each.
  expect_sizes(4, 4, 0.5, 1, 1);
  // No more than the others leave.
  expect_sizes(5, 4, 0.9, 1, 2);
}

// What two clusters may have is what they leave each other.
TEST(BalancedSizes, OfTwoAddUp) {
  for (std::size_t n = 2; n < 400; ++n) {
    for (const double balance : {0.0, 0.05, 0.1, 0.3, 0.7, 0.99}) {
      const ClusterSizes sizes = balanced_sizes(n, 2, balance);
      EXPECT_EQ(sizes.least + sizes.most, n) << balance;
    }
  }
}

TEST(BalancedSizes, NeedAPointACluster) {
  EXPECT_THROW((void)balanced_sizes(2, 3, 0.1), InvalidArgument);
  EXPECT_THROW((void)balanced_sizes(2, 0, 0.1), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
