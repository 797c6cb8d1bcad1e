// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/graph/similarity_graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "graph_cases.hpp"
#include "linalg/eigen_symmetric.hpp"
#include "maxmargin/core/error.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

/// L = R - S.
DenseMatrix laplacian(const DenseMatrix& s) {
  DenseMatrix l(s.rows(), s.cols());
  for (std::size_t u = 0; u < s.rows(); ++u) {
    for (std::size_t v = 0; v < s.cols(); ++v) {
      l(u, v) -= s(u, v);
      l(u, u) += s(u, v);
    }
  }
  return l;
}

double form(const DenseMatrix& a, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t u = 0; u < a.rows(); ++u) {
    for (std::size_t v = 0; v < a.cols(); ++v) sum += x[u] * a(u, v) * x[v];
  }
  return sum;
}

class GraphProperty : public ::testing::TestWithParam<std::uint64_t> {};

// seed-xu fact 17.
TEST_P(GraphProperty, CutsAreTheQuadraticFormsOfTheLaplacian) {
  const std::size_t n = 20;
  const DenseMatrix s = random_similarities(n, GetParam(), 0.3);
  const SimilarityGraph graph(s);
  const DenseMatrix l = laplacian(s);
  const DenseMatrix ones(1, n, 1.0);
  DenseMatrix image(1, n);
  graph.multiply(ones.view(), image.view(), 1);
  for (std::size_t u = 0; u < n; ++u) {  // L e = 0, of the graph's own S and of the plain one
    EXPECT_NEAR(graph.degrees()[u] - image(0, u), 0, 1e-13);
    EXPECT_NEAR(std::accumulate(l.row(u).begin(), l.row(u).end(), 0.0), 0, 1e-13);
  }
  EXPECT_GE(eigenvalues_symmetric(l.view()).front(), -1e-13);  // L is PSD

  Rng rng(GetParam());
  std::vector<std::int32_t> sides(n);
  for (std::int32_t& side : sides) side = rng.bernoulli(0.4) ? 1 : 0;
  sides[0] = 0;
  sides[1] = 1;
  const GraphCuts cuts = graph_cuts(graph, sides, 2);
  double size = 0;
  double assoc = 0;
  double total = 0;
  for (std::size_t u = 0; u < n; ++u) {
    size += sides[u];
    assoc += sides[u] * graph.degrees()[u];
    total += graph.degrees()[u];
  }
  std::vector<double> y;
  std::vector<double> f;
  std::vector<double> g;
  double f_sum = 0;
  double f_squares = 0;
  double g_sum = 0;
  double g_squares = 0;
  for (std::size_t u = 0; u < n; ++u) {
    y.push_back(sides[u] == 1 ? 1 : -1);
    f.push_back(y[u] + 1 - 2 * size / static_cast<double>(n));
    g.push_back(y[u] + 1 - 2 * assoc / total);
    f_sum += f[u];
    f_squares += f[u] * f[u];
    g_sum += g[u] * graph.degrees()[u];
    g_squares += g[u] * g[u] * graph.degrees()[u];
  }
  EXPECT_NEAR(cuts.cut, form(l, y) / 4, 1e-12 * cuts.cut);
  EXPECT_NEAR(f_sum, 0, 1e-12);
  EXPECT_NEAR(g_sum, 0, 1e-11);
  EXPECT_NEAR(cuts.ratio_cut, form(l, f) / f_squares, 1e-12 * cuts.ratio_cut);
  EXPECT_NEAR(cuts.normalized_cut, form(l, g) / g_squares, 1e-12);
  EXPECT_NEAR(cuts.normalized_cut, 2 - cuts.normalized_association, 1e-13);
}

TEST_P(GraphProperty, DenseAndSparseGraphsAgree) {
  const DenseMatrix s = random_similarities(30, GetParam(), 0.6);
  const SimilarityGraph dense(s);
  const SimilarityGraph sparse(to_sparse(s.view()));
  const DenseMatrix x = gaussian_points(3, 30, GetParam());
  DenseMatrix a(3, 30);
  DenseMatrix b(3, 30);
  dense.multiply(x.view(), a.view(), 2);
  sparse.multiply(x.view(), b.view(), 1);
  for (std::size_t i = 0; i < 90; ++i) EXPECT_NEAR(a.values()[i], b.values()[i], 1e-13);
  EXPECT_EQ(dense.components(), sparse.components());
  const std::vector<std::size_t> members = {7, 3, 20, 11};
  const SimilarityGraph part = dense.subgraph(members);
  const SimilarityGraph sparse_part = sparse.subgraph(members);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(part.degrees()[i], sparse_part.degrees()[i], 1e-14);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(part.dense()(i, j), s(members[i], members[j]));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GraphProperty, ::testing::Range<std::uint64_t>(1, 9));

TEST(SimilarityGraph, ComponentsComeLargestFirst) {
  DenseMatrix s(6, 6);
  const auto join = [&](std::size_t u, std::size_t v) { s(u, v) = s(v, u) = 1e-300; };
  join(0, 4);
  join(1, 2);
  join(2, 5);
  EXPECT_EQ(SimilarityGraph(s).components(), (std::vector<std::int32_t>{1, 0, 0, 2, 1, 0}));
}

TEST(SimilarityGraph, DiagonalIsNotLookedAt) {
  DenseMatrix s = random_similarities(5, 3);
  const SimilarityGraph plain(s);
  for (std::size_t u = 0; u < 5; ++u) s(u, u) = -7;
  const SimilarityGraph other(s);
  const SimilarityGraph sparse(to_sparse(s.view()));
  for (std::size_t u = 0; u < 5; ++u) {
    EXPECT_EQ(plain.degrees()[u], other.degrees()[u]);
    EXPECT_EQ(plain.degrees()[u], sparse.degrees()[u]);
  }
}

TEST(SimilarityGraph, NamesThePairThatIsNoSimilarity) {
  const auto complaint = [](DenseMatrix s) {
    try {
      const SimilarityGraph graph(std::move(s));
    } catch (const InvalidArgument& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  DenseMatrix s = random_similarities(9, 1);
  s(6, 2) = s(2, 6) = -0.5;
  EXPECT_NE(complaint(s).find("points 6 and 2 = -0.5"), std::string::npos) << complaint(s);
  s = random_similarities(9, 1);
  s(6, 2) = NAN;
  EXPECT_NE(complaint(s).find("points 6 and 2"), std::string::npos);
  s = random_similarities(9, 1);
  s(2, 6) = 123;
  EXPECT_NE(complaint(s).find("equal"), std::string::npos);
  EXPECT_THROW(SimilarityGraph(DenseMatrix(2, 3)), InvalidArgument);
  EXPECT_THROW(SimilarityGraph(to_sparse(matrix(2, {0, -1, -1, 0}).view())), InvalidArgument);
  EXPECT_THROW(SimilarityGraph(to_sparse(matrix(2, {0, 1, 0, 0}).view())), InvalidArgument);
  const SimilarityGraph good(random_similarities(3, 1));
  EXPECT_THROW((void)graph_cuts(good, std::vector<std::int32_t>{0, 0, 0}, 2), InvalidArgument);
  EXPECT_THROW((void)graph_cuts(good, std::vector<std::int32_t>{0, 1, 2}, 2), InvalidArgument);
  EXPECT_THROW((void)graph_cuts(good, std::vector<std::int32_t>{0, 1}, 2), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
