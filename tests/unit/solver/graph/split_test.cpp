// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/graph/split.hpp"

#include <gtest/gtest.h>

#include <set>

#include "graph_cases.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

double objective(const SimilarityGraph& graph,
                 const std::vector<std::int32_t>& labels,
                 std::size_t k,
                 CutKind kind) {
  const GraphCuts cuts = graph_cuts(graph, labels, k);
  if (kind == CutKind::minimum) return cuts.cut;
  return kind == CutKind::ratio ? cuts.ratio_cut : cuts.normalized_cut;
}

/// The value a split gives to member u of its graph by its own formula.
double extended_value(const SimilarityGraph& graph, const GraphSplit& split, std::size_t u) {
  double weighted = 0;
  graph.for_each_neighbour(u, [&](std::size_t v, double s) { weighted += s * split.values[v]; });
  return weighted / (split.slope * graph.degrees()[u] - split.offset);
}

class SplitProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SplitProperty, SweepFindsTheBestThresholdAndIsNeverWorseThanTheSign) {
  const SimilarityGraph graph(random_similarities(40, GetParam(), 0.5));
  for (const CutKind kind : {CutKind::ratio, CutKind::normalized}) {
    const GraphSplit sweep = split_graph(graph, {.kind = kind, .threshold = CutThreshold::sweep});
    const GraphSplit sign = split_graph(graph, {.kind = kind, .threshold = CutThreshold::sign});
    EXPECT_LE(sweep.objective, sign.objective * (1 + 1e-12));
    EXPECT_NEAR(sweep.objective, objective(graph, sweep.sides, 2, kind), 1e-14);
    for (const double threshold : sweep.values) {
      std::vector<std::int32_t> sides;
      for (const double value : sweep.values) sides.push_back(value > threshold ? 1 : 0);
      if (std::ranges::count(sides, 1) == 0) continue;
      EXPECT_LE(sweep.objective, objective(graph, sides, 2, kind) * (1 + 1e-12));
    }
    for (std::size_t u = 0; u < 40; ++u) EXPECT_EQ(sign.sides[u], sign.values[u] >= 0 ? 1 : 0);
  }
}

TEST_P(SplitProperty, FormulaForNewPointsGivesMembersTheirOwnValue) {
  const SimilarityGraph graph(random_similarities(30, GetParam()));
  for (const CutKind kind : {CutKind::ratio, CutKind::normalized}) {
    const GraphSplit split = split_graph(graph, {.kind = kind});
    for (std::size_t u = 0; u < 30; ++u) {
      EXPECT_NEAR(extended_value(graph, split, u), split.values[u], 1e-11);
    }
  }
}

TEST_P(SplitProperty, TreeDescribesThePartition) {
  const SimilarityGraph graph(gram(Rbf{.gamma = 1}, gaussian_points(40, 2, GetParam())));
  for (const CutKind kind : {CutKind::minimum, CutKind::ratio, CutKind::normalized}) {
    for (const std::size_t k : {1u, 2u, 3u, 6u}) {
      const RecursiveSplit tree = split_recursively(graph, k, {.kind = kind});
      EXPECT_EQ(tree.nodes.size(), k - 1);
      EXPECT_EQ(std::set<std::int32_t>(tree.clusters.begin(), tree.clusters.end()).size(), k);
      for (std::size_t u = 0; u < 40 && k > 1; ++u) {
        std::int64_t node = 0;
        while (node >= 0) {
          const RecursiveSplit::Node& at = tree.nodes[static_cast<std::size_t>(node)];
          const auto place = std::ranges::find(at.members, u);
          ASSERT_NE(place, at.members.end());
          const auto i = static_cast<std::size_t>(place - at.members.begin());
          EXPECT_EQ(at.split.sides[i] == 1, at.split.values[i] > at.split.threshold);
          node = at.split.sides[i] == 1 ? at.above : at.below;
        }
        EXPECT_EQ(-1 - node, tree.clusters[u]);
      }
    }
  }
}

// Saran and Vazirani: cheapest minimum cuts first cost at most 2 - 2/k times the least k-way cut.
TEST_P(SplitProperty, RecursiveMinimumCutsAreWithinTheirGuarantee) {
  const SimilarityGraph graph(random_similarities(8, GetParam(), 0.4));
  for (const std::size_t k : {2u, 3u, 4u}) {
    double least = std::numeric_limits<double>::infinity();
    for_each_partition(8, k, [&](const std::vector<std::int32_t>& labels) {
      least = std::min(least, objective(graph, labels, k, CutKind::minimum));
    });
    const RecursiveSplit tree = split_recursively(graph, k, {.kind = CutKind::minimum});
    const double found = objective(graph, tree.clusters, k, CutKind::minimum);
    EXPECT_GE(found, least - 1e-12);
    EXPECT_LE(found, (2 - 2 / static_cast<double>(k)) * least + 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SplitProperty, ::testing::Range<std::uint64_t>(1, 7));

TEST(GraphSplit, PiecesAreFoundAtNoCost) {
  DenseMatrix s(7, 7);
  const auto join = [&](std::size_t u, std::size_t v) { s(u, v) = s(v, u) = 1; };
  join(0, 3);
  join(1, 2);
  join(2, 5);
  join(4, 6);
  const SimilarityGraph graph(s);
  for (const CutKind kind : {CutKind::minimum, CutKind::ratio, CutKind::normalized}) {
    const RecursiveSplit tree = split_recursively(graph, 3, {.kind = kind});
    EXPECT_EQ(tree.clusters, (std::vector<std::int32_t>{1, 0, 0, 1, 2, 0, 2}));
    EXPECT_EQ(tree.nodes[0].split.objective, 0);
  }
}

// A point that hangs by 1e-20 costs about 1 when it is parted from the rest, not 0.
TEST(GraphSplit, WeaklyAttachedPointIsNoClusterOfItsOwn) {
  const std::size_t blob = 6;
  for (const std::size_t at : {std::size_t{0}, blob}) {  // either end of the eigenvector
    DenseMatrix s(2 * blob + 1, 2 * blob + 1);
    for (std::size_t u = 0; u < 2 * blob; ++u) {
      for (std::size_t v = 0; v < u; ++v) s(u, v) = s(v, u) = (u < blob) == (v < blob) ? 1 : 0.01;
    }
    s(at, 2 * blob) = s(2 * blob, at) = 1e-20;
    const SimilarityGraph graph(s);
    const GraphSplit split = split_graph(graph, {.kind = CutKind::normalized});
    for (std::size_t u = 0; u < 2 * blob; ++u) {
      EXPECT_EQ(split.sides[u] == split.sides[0], u < blob) << u;
    }
    EXPECT_EQ(split.sides[2 * blob], split.sides[at]);
    EXPECT_NEAR(split.objective, 2 * 0.36 / (30 + 0.36), 1e-15);
  }
}

TEST(GraphSplit, EveryPointCanBeAClusterOfItsOwn) {
  const SimilarityGraph graph(random_similarities(6, 4));
  const RecursiveSplit tree = split_recursively(graph, 6, {});
  EXPECT_EQ(tree.clusters, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_THROW((void)split_recursively(graph, 7, {}), InvalidArgument);
  EXPECT_THROW((void)split_recursively(graph, 0, {}), InvalidArgument);
  EXPECT_THROW((void)split_graph(graph.subgraph(std::vector<std::size_t>{2}), {}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
