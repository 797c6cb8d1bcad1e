// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/sv/clustering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "maxmargin/core/error.hpp"
#include "maxmargin/data/generators.hpp"
#include "maxmargin/data/iris.hpp"
#include "point_sets.hpp"

namespace maxmargin {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(const std::vector<ProximityEdge>& edges) {
  Pairs pairs;
  for (const ProximityEdge& edge : edges) {
    EXPECT_LT(edge.a, edge.b);
    EXPECT_TRUE(pairs.emplace(edge.a, edge.b).second) << "an edge twice";
  }
  return pairs;
}

bool is_ordered(const std::vector<ProximityEdge>& edges) {
  return std::ranges::is_sorted(edges, [](const ProximityEdge& x, const ProximityEdge& y) {
    return std::tie(x.squared_length, x.a, x.b) < std::tie(y.squared_length, y.a, y.b);
  });
}

/// Each point and its k nearest by sorting, (distance, row).
Pairs sorted_neighbours(const DenseMatrix& points, std::size_t k) {
  Pairs pairs;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (j != i) others.emplace_back(squared_distance(points.row(i), points.row(j)), j);
    }
    std::ranges::sort(others);
    for (std::size_t r = 0; r < std::min(k, others.size()); ++r) {
      pairs.emplace(std::min(i, others[r].second), std::max(i, others[r].second));
    }
  }
  return pairs;
}

std::size_t components(std::size_t n, const Pairs& pairs) {
  std::vector<std::size_t> group(n);
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t pass = 0; pass < n; ++pass) {
    for (const auto& [a, b] : pairs) group[a] = group[b] = std::min(group[a], group[b]);
  }
  return std::set<std::size_t>(group.begin(), group.end()).size();
}

/// The least total length of a spanning tree, by Prim's method.
double prim_length(const DenseMatrix& points) {
  const std::size_t n = points.rows();
  std::vector<double> reach(n, std::numeric_limits<double>::infinity());
  std::vector<bool> done(n, false);
  reach[0] = 0;
  double total = 0;
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t next = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!done[i] && (next == n || reach[i] < reach[next])) next = i;
    }
    done[next] = true;
    total += std::sqrt(reach[next]);
    for (std::size_t i = 0; i < n; ++i) {
      reach[i] = std::min(reach[i], squared_distance(points.row(i), points.row(next)));
    }
  }
  return total;
}

double total_length(const std::vector<ProximityEdge>& edges) {
  double total = 0;
  for (const ProximityEdge& edge : edges) total += std::sqrt(edge.squared_length);
  return total;
}

/// Two far clouds and a few points between.
DenseMatrix far_clouds(std::size_t n, std::size_t d, std::uint64_t seed) {
  DenseMatrix points = gaussian_points(n, d, seed);
  for (std::size_t i = 0; i < n; ++i) points(i, 0) += i % 2 == 0 ? 0.0 : 50.0;
  return points;
}

TEST(NeighbourGraph, HoldsTheNearestOfEveryPoint) {
  for (const std::size_t k : {1U, 3U, 10U}) {
    const DenseMatrix points = gaussian_points(300, 3, k);
    const std::vector<ProximityEdge> edges = neighbour_graph(points, k);
    const Pairs pairs = pairs_of(edges);
    const Pairs wanted = sorted_neighbours(points, k);
    EXPECT_TRUE(std::ranges::includes(pairs, wanted));
    EXPECT_TRUE(is_ordered(edges));
    for (const ProximityEdge& edge : edges) {
      EXPECT_EQ(edge.squared_length, squared_distance(points.row(edge.a), points.row(edge.b)));
    }
    // What was added joins the pieces and no more.
    EXPECT_EQ(pairs.size() - wanted.size(), components(300, wanted) - 1);
    EXPECT_EQ(components(300, pairs), 1U);
  }
}

TEST(NeighbourGraph, LinksFarPiecesByTheirShortestEdge) {
  const DenseMatrix points = far_clouds(80, 2, 5);
  const Pairs pairs = pairs_of(neighbour_graph(points, 10));
  double shortest = std::numeric_limits<double>::infinity();
  std::pair<std::size_t, std::size_t> link;
  for (std::size_t i = 0; i < 80; ++i) {
    for (std::size_t j = i + 1; j < 80; ++j) {
      const double distance = squared_distance(points.row(i), points.row(j));
      if ((i + j) % 2 == 1 && distance < shortest) {
        shortest = distance;
        link = {i, j};
      }
    }
  }
  EXPECT_TRUE(pairs.contains(link));
  EXPECT_EQ(
      std::ranges::count_if(pairs, [](const auto& p) { return (p.first + p.second) % 2 == 1; }), 1);
}

TEST(NeighbourGraph, SparseRowsGiveTheSameGraph) {
  DenseMatrix points = gaussian_points(120, 4, 2);
  for (std::size_t i = 0; i < 120; ++i) points(i, i % 4) = 0;
  EXPECT_EQ(pairs_of(neighbour_graph(to_sparse(points.view()), 5)),
            pairs_of(neighbour_graph(points, 5)));
}

TEST(NeighbourGraph, FarOffsetsDoNotChangeIt) {
  DenseMatrix points = gaussian_points(150, 2, 3);
  const Pairs before = pairs_of(neighbour_graph(points, 5));
  for (double& x : points.values()) x = std::ldexp(std::round(std::ldexp(x, 20)), -20);
  const Pairs rounded = pairs_of(neighbour_graph(points, 5));
  for (double& x : points.values()) x += 1048576;
  EXPECT_EQ(pairs_of(neighbour_graph(points, 5)), rounded);
  EXPECT_EQ(rounded, before);
}

TEST(NeighbourGraph, OnePointFarAwayDoesNotBlurTheOthers) {
  // The mean is 1e7 away: squares about it are known to 0.02 alone.
  DenseMatrix points = gaussian_points(100, 2, 3);
  points(99, 0) = 1e9;
  EXPECT_TRUE(
      std::ranges::includes(pairs_of(neighbour_graph(points, 5)), sorted_neighbours(points, 5)));
}

TEST(NeighbourGraph, TwoFarCloudsAreAsSharpAsOne) {
  DenseMatrix points = gaussian_points(120, 2, 3);
  for (std::size_t i = 0; i < 120; ++i) points(i, 0) += i < 40 ? -1e9 : 1e9;
  EXPECT_TRUE(
      std::ranges::includes(pairs_of(neighbour_graph(points, 3)), sorted_neighbours(points, 3)));
}

TEST(NeighbourGraph, SmallAndBadInput) {
  EXPECT_TRUE(neighbour_graph(DenseMatrix(0, 2), 3).empty());
  EXPECT_TRUE(neighbour_graph(matrix(2, {1, 2}), 3).empty());
  EXPECT_EQ(neighbour_graph(matrix(1, {0, 1, 5}), 10).size(), 3U);
  EXPECT_THROW(static_cast<void>(neighbour_graph(matrix(1, {0, 1}), 0)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(neighbour_graph(matrix(1, {0, std::nan("")}), 1)),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(neighbour_graph(matrix(1, {0, 1e200, -1e200}), 1)),
               InvalidArgument);
  // Norms that do not overflow and distances that do.
  for (const std::size_t k : {1U, 2U, 3U}) {
    const DenseMatrix far = matrix(1, {1.2e154, -1.2e154, 1.1e154, -1.1e154});
    EXPECT_THROW(static_cast<void>(neighbour_graph(far, k)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(neighbour_graph(to_sparse(far.view()), k)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(minimum_spanning_tree(far)), InvalidArgument);
  }
}

TEST(SpanningTree, IsAsShortAsPrims) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const DenseMatrix& points :
         {gaussian_points(200, 2, seed), gaussian_points(60, 5, seed), far_clouds(100, 2, seed)}) {
      const std::vector<ProximityEdge> tree = minimum_spanning_tree(points);
      EXPECT_EQ(tree.size(), points.rows() - 1);
      EXPECT_EQ(components(points.rows(), pairs_of(tree)), 1U);
      EXPECT_NEAR(total_length(tree), prim_length(points), 1e-10 * prim_length(points));
      EXPECT_TRUE(is_ordered(tree));
    }
  }
}

TEST(SpanningTree, OnePointFarAwayDoesNotBlurTheOthers) {
  DenseMatrix points = far_clouds(100, 2, 3);
  points(99, 0) = 1e11;  // squares about the mean are known to some hundreds
  const std::vector<ProximityEdge> tree = minimum_spanning_tree(points);
  // All but the one long edge, which would hide the others in a sum.
  const DenseMatrix near = Examples(points).select(Rng(1).sample(99, 99)).to_dense();
  const double wanted = prim_length(near);
  EXPECT_NEAR(total_length({tree.begin(), tree.end() - 1}), wanted, 1e-10 * wanted);
}

TEST(SpanningTree, SurvivesTiesAndCopies) {
  std::vector<double> values;  // a grid, each point three times
  for (int copy = 0; copy < 3; ++copy) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) values.insert(values.end(), {double(i), double(j)});
    }
  }
  const std::vector<ProximityEdge> tree = minimum_spanning_tree(matrix(2, values));
  EXPECT_EQ(tree.size(), 107U);
  EXPECT_EQ(components(108, pairs_of(tree)), 1U);
  EXPECT_DOUBLE_EQ(total_length(tree), 35);
}

TEST(SpanningTree, IsTheSameForAnyNumberOfThreads) {
  const DenseMatrix points = far_clouds(600, 3, 9);
  const Pairs one = pairs_of(minimum_spanning_tree(points, 1));
  EXPECT_EQ(pairs_of(minimum_spanning_tree(points, 2)), one);
  EXPECT_EQ(pairs_of(minimum_spanning_tree(points, 4)), one);
}

// Delaunay

long double cross(const DenseMatrix& p, std::size_t a, std::size_t b, std::size_t c) {
  return (static_cast<long double>(p(b, 0)) - p(a, 0)) *
             (static_cast<long double>(p(c, 1)) - p(a, 1)) -
         (static_cast<long double>(p(b, 1)) - p(a, 1)) *
             (static_cast<long double>(p(c, 0)) - p(a, 0));
}

/// Whether some circle through a and b has no point inside: the definition of a Delaunay edge. On
/// the circles through a and b, with centres at m + s n, point c is inside for s beyond (or below)
/// a bound; the edge is there when the bounds leave an s.
bool has_empty_circle(const DenseMatrix& p, std::size_t a, std::size_t b, double slack) {
  long double low = -std::numeric_limits<long double>::infinity();
  long double high = std::numeric_limits<long double>::infinity();
  const long double mx = (static_cast<long double>(p(a, 0)) + p(b, 0)) / 2;
  const long double my = (static_cast<long double>(p(a, 1)) + p(b, 1)) / 2;
  const long double nx = -(static_cast<long double>(p(b, 1)) - p(a, 1));
  const long double ny = static_cast<long double>(p(b, 0)) - p(a, 0);
  const long double half = (nx * nx + ny * ny) / 4;
  for (std::size_t c = 0; c < p.rows(); ++c) {
    if (c == a || c == b) continue;
    const long double dx = p(c, 0) - mx;
    const long double dy = p(c, 1) - my;
    const long double along = dx * nx + dy * ny;
    const long double excess = dx * dx + dy * dy - half;  // outside when excess >= 2 s along
    if (along == 0) {
      if (excess < 0) return false;
    } else if (along > 0) {
      high = std::min(high, excess / (2 * along));
    } else {
      low = std::max(low, excess / (2 * along));
    }
  }
  return low <= high + slack;
}

std::size_t hull_points(const DenseMatrix& p) {
  std::size_t count = 0;  // a point is on the hull when some other point has all on one side
  for (std::size_t a = 0; a < p.rows(); ++a) {
    bool on_hull = false;
    for (std::size_t b = 0; b < p.rows() && !on_hull; ++b) {
      if (b == a) continue;
      bool all_left = true;
      for (std::size_t c = 0; c < p.rows() && all_left; ++c) all_left = cross(p, a, b, c) >= 0;
      on_hull = all_left;
    }
    count += on_hull ? 1U : 0U;
  }
  return count;
}

TEST(Delaunay, EdgesAreThoseWithAnEmptyCircle) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const DenseMatrix points = gaussian_points(60, 2, seed);
    const Pairs pairs = pairs_of(delaunay_graph(points));
    for (std::size_t a = 0; a < 60; ++a) {
      for (std::size_t b = a + 1; b < 60; ++b) {
        EXPECT_EQ(pairs.contains({a, b}), has_empty_circle(points, a, b, 0)) << a << " " << b;
      }
    }
    // Euler: a triangulation of n points with h on the hull.
    EXPECT_EQ(pairs.size(), 3 * 60 - 3 - hull_points(points));
  }
}

TEST(Delaunay, GridsHaveTheirSidesAndOneDiagonalACell) {
  for (const double shift : {0.0, 1000.0, 0.1}) {
    std::vector<double> values;
    for (int i = 0; i < 7; ++i) {
      for (int j = 0; j < 5; ++j) values.insert(values.end(), {i + shift, j - shift});
    }
    const DenseMatrix points = matrix(2, values);
    const Pairs pairs = pairs_of(delaunay_graph(points));
    EXPECT_EQ(pairs.size(), 6U * 5 + 7 * 4 + 6 * 4);
    for (const auto& [a, b] : pairs) {
      EXPECT_LE(squared_distance(points.row(a), points.row(b)), 2.001);
    }
  }
}

TEST(Delaunay, WholeNumbersFullOfTiesAreTriangulated) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed, "ties");
    const std::size_t range = 2 + rng.index(6);
    std::set<std::pair<double, double>> places;
    for (std::size_t draws = 3 + rng.index(25); draws > 0; --draws) {
      places.emplace(static_cast<double>(rng.index(range)), static_cast<double>(rng.index(range)));
    }
    std::vector<double> values;
    for (const auto& [x, y] : places) values.insert(values.end(), {x, y});
    const DenseMatrix points = matrix(2, values);
    const std::size_t n = points.rows();
    bool on_a_line = true;
    for (std::size_t i = 2; i < n; ++i) on_a_line = on_a_line && cross(points, 0, 1, i) == 0;
    const Pairs pairs = pairs_of(delaunay_graph(points));
    EXPECT_EQ(pairs.size(), on_a_line ? n - 1 : 3 * n - 3 - hull_points(points)) << seed;
    for (const auto& [a, b] : pairs) {
      // Whole numbers this small: the bounds of empty circles differ by far more if they do.
      EXPECT_TRUE(has_empty_circle(points, a, b, 1e-9)) << seed;
    }
  }
}

TEST(Delaunay, NearlyStraightLinesStayATriangulation) {
  // Points a rounding away from a line: signs of areas are all below what doubles resolve.
  Rng rng(7);
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) {
    const double x = rng.uniform(0, 1);
    values.insert(values.end(), {x, 0.1 + 0.3 * x});
  }
  values.insert(values.end(), {0.5, 10});
  const DenseMatrix points = matrix(2, values);
  const Pairs pairs = pairs_of(delaunay_graph(points));
  EXPECT_EQ(components(41, pairs), 1U);
  EXPECT_LE(pairs.size(), 3U * 41 - 6);
  EXPECT_GE(pairs.size(), 2U * 41 - 3);
}

TEST(Delaunay, LinesArePathsAndCopiesHangOnTheirFirst) {
  EXPECT_EQ(pairs_of(delaunay_graph(matrix(2, {3, 3, 1, 1, 2, 2, 0, 0}))),
            (Pairs{{1, 3}, {1, 2}, {0, 2}}));
  EXPECT_EQ(pairs_of(delaunay_graph(matrix(2, {0, 5, 0, 1, 0, 3}))), (Pairs{{1, 2}, {0, 2}}));
  EXPECT_EQ(pairs_of(delaunay_graph(matrix(2, {0, 0, 1, 0, 0, 1, 0, 0, 1, 0}))),
            (Pairs{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 4}}));
  EXPECT_TRUE(delaunay_graph(matrix(2, {1, 2})).empty());
  EXPECT_TRUE(delaunay_graph(DenseMatrix(0, 2)).empty());
  EXPECT_EQ(delaunay_graph(matrix(2, {1, 2, 1, 2, 1, 2})).size(), 2U);
}

TEST(Delaunay, ContainsTheSpanningTree) {
  const Dataset rings = generate_circles({.n = 300, .seed = 4});
  const Pairs triangulation = pairs_of(delaunay_graph(rings.examples));
  EXPECT_TRUE(
      std::ranges::includes(triangulation, pairs_of(minimum_spanning_tree(rings.examples))));
}

TEST(Delaunay, ScalesFromTinyToHuge) {
  const DenseMatrix points = gaussian_points(50, 2, 8);
  const Pairs wanted = pairs_of(delaunay_graph(points));
  for (const int exponent : {-400, -40, 40, 400}) {
    DenseMatrix scaled = points;
    for (double& x : scaled.values()) x = std::ldexp(x, exponent);
    EXPECT_EQ(pairs_of(delaunay_graph(scaled)), wanted) << exponent;
  }
}

TEST(Delaunay, TinyPointsBesideLargeOnesDoNotUnderflow) {
  for (const int exponent : {-100, -270, -300, -390, -500, -600, -1000}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      // Grids have points on one circle: all signs hang on the least digits.
      DenseMatrix points = gaussian_points(60, 2, seed);
      for (std::size_t i = 0; i < 50; ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          points(i, j) = std::ldexp(i < 25 ? std::round(2 * points(i, j)) : points(i, j), exponent);
        }
      }
      const Pairs pairs = pairs_of(delaunay_graph(points));
      EXPECT_EQ(components(60, pairs), 1U) << exponent;
      EXPECT_LE(pairs.size(), 3U * 60 - 6) << exponent;
    }
  }
}

TEST(Delaunay, RefusesSquaresThatOverflow) {
  EXPECT_THROW(static_cast<void>(delaunay_graph(matrix(2, {0, 0, 1e200, 0, 0, 1e200}))),
               InvalidArgument);
}

TEST(Delaunay, RefusesOtherThanTwoFeatures) {
  EXPECT_THROW(static_cast<void>(delaunay_graph(iris().examples)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(delaunay_graph(matrix(1, {1, 2}))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(delaunay_graph(matrix(2, {1, std::nan("")}))), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
