// SPDX-License-Identifier: Apache-2.0
#include "solver/graph/cut_refinement.hpp"

#include <gtest/gtest.h>

#include "graph_cases.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

class RefinementProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RefinementProperty, EndsLowerWhereNoSingleMoveHelps) {
  const std::size_t n = 30;
  const std::size_t k = 3;
  const SimilarityGraph graph(random_similarities(n, GetParam(), 0.7));
  Rng rng(GetParam());
  std::vector<std::int32_t> start(n);
  for (std::size_t u = 0; u < n; ++u) {
    start[u] = static_cast<std::int32_t>(u < k ? u : rng.index(k));
  }
  const double before = graph_cuts(graph, start, k).normalized_cut;
  const CutRefinement found = refine_normalized_cut(graph, start, k, 100);
  EXPECT_LT(found.passes, 100u);
  EXPECT_GT(found.moves, 0u);
  const double after = graph_cuts(graph, found.clusters, k).normalized_cut;
  EXPECT_LT(after, before);
  std::vector<std::int32_t> moved = found.clusters;
  for (std::size_t u = 0; u < n; ++u) {
    if (std::ranges::count(moved, moved[u]) < 2) continue;
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(k); ++c) {
      moved[u] = c;
      EXPECT_GE(graph_cuts(graph, moved, k).normalized_cut, after - 1e-11);
    }
    moved[u] = found.clusters[u];
  }
  const CutRefinement sparse =
      refine_normalized_cut(SimilarityGraph(to_sparse(graph.dense())), start, k, 100, 1);
  EXPECT_EQ(sparse.clusters, found.clusters);
  EXPECT_EQ(refine_normalized_cut(graph, start, k, 0).clusters, start);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RefinementProperty, ::testing::Range<std::uint64_t>(1, 9));

// Four blobs, and a point with the same similarity to each that keeps company with one that hangs
// on it by 1e-20. Parted, the latter costs 1 as the two did together, and whichever blob takes the
// former pays for it: the pair stays.
TEST(CutRefinement, RestThatHangsByLittleIsNotTakenForNothing) {
  const std::size_t blob = 5;
  const std::size_t hub = 4 * blob;
  DenseMatrix s(hub + 2, hub + 2);
  for (std::size_t u = 0; u < hub; ++u) {
    for (std::size_t v = 0; v < u; ++v) s(u, v) = s(v, u) = u / blob == v / blob ? 1 : 0;
    if (u % blob == 0) s(u, hub) = s(hub, u) = 0.25;
  }
  s(hub, hub + 1) = s(hub + 1, hub) = 1e-20;
  const SimilarityGraph graph(s);
  std::vector<std::int32_t> start(hub + 2, 4);
  for (std::size_t u = 0; u < hub; ++u) start[u] = static_cast<std::int32_t>(u / blob);
  const std::vector<std::int32_t> wanted = start;
  start[1] = 2;  // one to put right
  const CutRefinement found = refine_normalized_cut(graph, start, 5, 20);
  EXPECT_EQ(found.clusters, wanted);
  EXPECT_EQ(found.moves, 1u);
}

TEST(CutRefinement, CallbackEndsItWithTheMovesSoFar) {
  const SimilarityGraph graph(random_similarities(30, 3, 0.7));
  std::vector<std::int32_t> start(30);
  for (std::size_t u = 0; u < 30; ++u) start[u] = static_cast<std::int32_t>(u % 3);
  for (const std::size_t allowed : {0u, 1u}) {
    const CutRefinement found =
        refine_normalized_cut(graph, start, 3, 20, 1, [&](const Progress& progress) {
          return progress.iteration < allowed ? Continue::yes : Continue::time_is_up;
        });
    EXPECT_EQ(found.status, Status::time_limit);
    EXPECT_EQ(found.passes, allowed);
    EXPECT_EQ(found.clusters, refine_normalized_cut(graph, start, 3, allowed).clusters);
  }
}

TEST(CutRefinement, RejectsWhatIsNoPartition) {
  const SimilarityGraph graph(random_similarities(4, 1));
  EXPECT_THROW((void)refine_normalized_cut(graph, {0, 0, 0, 0}, 2, 5), InvalidArgument);
  EXPECT_THROW((void)refine_normalized_cut(graph, {0, 1}, 2, 5), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
