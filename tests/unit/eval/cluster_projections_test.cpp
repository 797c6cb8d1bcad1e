// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/eval/cluster_projections.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/iris.hpp"

namespace maxmargin {
namespace {

std::vector<std::int32_t> species() { return classes_of(iris().labels).of_row; }

TEST(ClusterProjections, EveryClusterIsAboveTheRestAlongItsOwnDirection) {
  const Dataset data = iris();
  const std::vector<std::int32_t> clusters = species();
  const ClusterProjections found = cluster_projections(data, clusters, {.c = 10});
  ASSERT_EQ(found.values.cols(), 3U);
  EXPECT_EQ(found.clusters, (std::vector<std::int32_t>{0, 1, 2}));
  std::size_t above = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    above += found.values(i, static_cast<std::size_t>(clusters[i])) > 0 ? 1U : 0U;
  }
  EXPECT_GT(above, 140U);
}

TEST(ClusterProjections, TwoClustersShareOneFunction) {
  std::vector<std::int32_t> two = species();
  for (std::int32_t& cluster : two) cluster = cluster == 0 ? 0 : 1;
  const ClusterProjections found = cluster_projections(iris(), two, {}, {.threads = 2});
  ASSERT_EQ(found.values.cols(), 1U);
  const ClusterProjections alone = cluster_projections(iris(), two, {}, {.threads = 1});
  EXPECT_TRUE(std::ranges::equal(alone.values.values(), found.values.values()));
}

TEST(ClusterProjections, WrongOptionsAreRefused) {
  EXPECT_THROW((void)cluster_projections(iris(), species(), {.c = 0}), InvalidArgument);
  EXPECT_THROW((void)cluster_projections(iris(), species(), {.kernel = Kernel(Sigmoid{})}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
