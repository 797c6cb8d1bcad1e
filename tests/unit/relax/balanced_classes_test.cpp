// SPDX-License-Identifier: Apache-2.0
#include "relax/balanced_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/rng.hpp"

namespace maxmargin {
namespace {

DenseMatrix random_costs(std::size_t n, std::size_t k, std::uint64_t seed) {
  Rng rng(seed, "costs");
  DenseMatrix costs(n, k);
  for (double& x : costs.values()) x = rng.normal();
  return costs;
}

double total(DenseView costs, const std::vector<std::int32_t>& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum += costs(i, static_cast<std::size_t>(labels[i]));
  }
  return sum;
}

std::vector<std::size_t> sizes_of(const std::vector<std::int32_t>& labels, std::size_t k) {
  std::vector<std::size_t> sizes(k, 0);
  for (const std::int32_t label : labels) ++sizes[static_cast<std::size_t>(label)];
  return sizes;
}

bool fits(const std::vector<std::int32_t>& labels,
          std::size_t k,
          std::size_t least,
          std::size_t most) {
  return std::ranges::all_of(sizes_of(labels, k),
                             [&](std::size_t s) { return s >= least && s <= most; });
}

/// The least total over all labellings whose sizes fit.
double brute_force(DenseView costs, std::size_t least, std::size_t most) {
  std::vector<std::int32_t> labels(costs.rows, 0);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    if (fits(labels, costs.cols, least, most)) best = std::min(best, total(costs, labels));
    std::size_t i = 0;
    while (i < labels.size() && ++labels[i] == static_cast<std::int32_t>(costs.cols)) {
      labels[i++] = 0;
    }
    if (i == labels.size()) return best;
  }
}

TEST(BalancedClasses, IsTheCheapestOfAllLabellings) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DenseMatrix costs = random_costs(8, 3, seed);
    for (const auto& [least, most] : {std::pair{2U, 3U}, {1U, 8U}, {0U, 3U}, {2U, 8U}}) {
      const std::vector<std::int32_t> labels = balanced_classes(costs.view(), least, most);
      EXPECT_TRUE(fits(labels, 3, least, most));
      EXPECT_NEAR(total(costs.view(), labels), brute_force(costs.view(), least, most), 1e-12);
    }
  }
}

// Costs that differ along one class alone make long paths worth their while.
TEST(BalancedClasses, MovesAlongPathsOfClasses) {
  DenseMatrix costs(6, 3, 10.0);
  // All want class 0; the cheapest way to fill class 2 goes through class 1.
  for (std::size_t i = 0; i < 6; ++i) costs(i, 0) = 0;
  costs(0, 1) = 0.1;
  costs(1, 1) = 0.2;
  costs(2, 1) = 0.3;
  costs(0, 2) = 0.15;
  costs(1, 2) = 9;
  const std::vector<std::int32_t> labels = balanced_classes(costs.view(), 1, 4);
  EXPECT_NEAR(total(costs.view(), labels), brute_force(costs.view(), 1, 4), 1e-12);
}

TEST(BalancedClasses, TakesTheLowestOfEqualLabelsWhenSizesFit) {
  const DenseMatrix costs(4, 3, 1.0);
  EXPECT_EQ(balanced_classes(costs.view(), 0, 4), (std::vector<std::int32_t>{0, 0, 0, 0}));
  EXPECT_TRUE(fits(balanced_classes(costs.view(), 1, 2), 3, 1, 2));
}

TEST(BalancedClasses, RefusesSizesThatNoLabellingHas) {
  const DenseMatrix costs(4, 3, 1.0);
  EXPECT_THROW((void)balanced_classes(costs.view(), 2, 2), InvalidArgument);
  EXPECT_THROW((void)balanced_classes(costs.view(), 0, 1), InvalidArgument);
  EXPECT_THROW((void)balanced_classes(costs.view(), 2, 1), InvalidArgument);
  EXPECT_THROW((void)balanced_classes(DenseMatrix(2, 0).view(), 0, 2), InvalidArgument);
  DenseMatrix broken(2, 2, 1.0);
  broken(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)balanced_classes(broken.view(), 0, 2), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
