// SPDX-License-Identifier: Apache-2.0
#include "solver/graph/min_cut.hpp"

#include <gtest/gtest.h>

#include "graph_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

class MinCutProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(MinCutProperty, IsTheLeastOverAllPartitions) {
  for (const double missing : {0.0, 0.5, 0.8}) {
    for (const std::size_t n : {2u, 5u, 10u}) {
      const DenseMatrix s = random_similarities(n, GetParam(), missing);
      const SimilarityGraph graph(s);
      const MinCut found = min_cut(graph);
      double least = std::numeric_limits<double>::infinity();
      for_each_partition(n, 2, [&](const std::vector<std::int32_t>& labels) {
        least = std::min(least, graph_cuts(graph, labels, 2).cut);
      });
      EXPECT_NEAR(found.cut, least, 1e-14 * (1 + least));
      EXPECT_NEAR(graph_cuts(graph, found.sides, 2).cut, found.cut, 0);
      const MinCut sparse = min_cut(SimilarityGraph(to_sparse(s.view())));
      EXPECT_EQ(sparse.sides, found.sides);
    }
  }
}

TEST_P(MinCutProperty, DoesNotDependOnTheOrderOfThePoints) {
  const std::size_t n = 25;
  const SimilarityGraph graph(random_similarities(n, GetParam()));
  const std::vector<std::size_t> order = Rng(GetParam()).permutation(n);
  EXPECT_NEAR(min_cut(graph).cut, min_cut(graph.subgraph(order)).cut, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MinCutProperty, ::testing::Range<std::uint64_t>(1, 9));

// The example of Stoer and Wagner's article: eight points, minimum cut 4.
TEST(MinCut, FindsTheCutOfThePublishedExample) {
  DenseMatrix s(8, 8);
  const auto join = [&](std::size_t u, std::size_t v, double w) {
    s(u - 1, v - 1) = s(v - 1, u - 1) = w;
  };
  join(1, 2, 2);
  join(1, 5, 3);
  join(2, 3, 3);
  join(2, 5, 2);
  join(2, 6, 2);
  join(3, 4, 4);
  join(3, 7, 2);
  join(4, 7, 2);
  join(4, 8, 2);
  join(5, 6, 3);
  join(6, 7, 1);
  join(7, 8, 3);
  const MinCut found = min_cut(SimilarityGraph(s));
  EXPECT_EQ(found.cut, 4);
  const std::vector<std::int32_t> left = {0, 0, 1, 1, 0, 0, 1, 1};
  for (std::size_t u = 0; u < 8; ++u) {
    EXPECT_EQ(found.sides[u] == found.sides[0], left[u] == left[0]);
  }
}

TEST(MinCut, StopsWithTheBestSoFar) {
  const SimilarityGraph graph(random_similarities(30, 2));
  const MinCut stopped = min_cut(graph, [](const Progress&) { return Continue::stop; });
  EXPECT_EQ(stopped.status, Status::stopped_by_callback);
  EXPECT_EQ(graph_cuts(graph, stopped.sides, 2).cut, stopped.cut);
  EXPECT_THROW((void)min_cut(SimilarityGraph(DenseMatrix(1, 1))), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
