// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/sv-clustering.md, "The Delaunay graph"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "cluster/sv/proximity_parts.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/kernel/kernel.hpp"

namespace maxmargin {

namespace {

struct Point {
  double x = 0;
  double y = 0;
};

/// Half of the distance from 1 to the next number: the largest relative rounding.
constexpr double rounding = std::numeric_limits<double>::epsilon() / 2;

/// A sum of doubles held exactly, as numbers that do not overlap, the smallest first.
class ExactSum {
 public:
  void add(double term) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const double sum = term + parts_[k];
      const double other = sum - term;
      const double lost = (term - (sum - other)) + (parts_[k] - other);
      if (lost != 0) parts_[kept++] = lost;
      term = sum;
    }
    if (term != 0) parts_[kept++] = term;
    count_ = kept;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(std::fma(a, b, -product));
    add(product);
  }
  [[nodiscard]] double sign() const { return count_ == 0 ? 0.0 : parts_[count_ - 1]; }

 private:
  std::array<double, 16> parts_ = {};
  std::size_t count_ = 0;
};

/// > 0 when a, b, c turn left, < 0 when they turn right, 0 on one line. The sign is exact.
double turn(const Point& a, const Point& b, const Point& c) {
  const double left = (a.x - c.x) * (b.y - c.y);
  const double right = (a.y - c.y) * (b.x - c.x);
  const double determinant = left - right;
  const double bound = (3 + 16 * rounding) * rounding * (std::abs(left) + std::abs(right));
  if (std::abs(determinant) > bound) return determinant;
  ExactSum exact;
  exact.add_product(a.x, b.y);
  exact.add_product(-a.x, c.y);
  exact.add_product(-c.x, b.y);
  exact.add_product(-a.y, b.x);
  exact.add_product(a.y, c.x);
  exact.add_product(c.y, b.x);
  return exact.sign();
}

/// Whether d lies inside the circle through a, b, c (which turn left) beyond all rounding.
bool surely_in_circle(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Point p = {a.x - d.x, a.y - d.y};
  const Point q = {b.x - d.x, b.y - d.y};
  const Point r = {c.x - d.x, c.y - d.y};
  const auto lift = [](const Point& u) { return u.x * u.x + u.y * u.y; };
  const auto cross = [](const Point& u, const Point& v) { return u.x * v.y - v.x * u.y; };
  const auto size = [](const Point& u, const Point& v) {
    return std::abs(u.x * v.y) + std::abs(v.x * u.y);
  };
  const double determinant = lift(p) * cross(q, r) + lift(q) * cross(r, p) + lift(r) * cross(p, q);
  const double sizes = lift(p) * size(q, r) + lift(q) * size(r, p) + lift(r) * size(p, q);
  // What underflows in products of four factors is far below the least normal number.
  return determinant > (10 + 96 * rounding) * rounding * sizes + std::numeric_limits<double>::min();
}

constexpr std::uint32_t no_edge = std::numeric_limits<std::uint32_t>::max();

/// Triangles as triples of half-edges: half-edge e = 3 t + k leads from origin[e] to the origin of
/// the next one of its triangle, counter-clockwise; twin[e] is the other side, `no_edge` on the
/// hull.
///
/// Points come in the order of (x, y): each lies outside the hull of those before it, sees the one
/// just before it, and is joined to all of the hull it sees. Then edges are flipped until no apex
/// lies in the circle of the triangle across.
class Triangulation {
 public:
  /// Requires points in their order, the first `line` of them on one line and the next one not.
  Triangulation(const std::vector<Point>& points, std::size_t line) : points_(points) {
    hull_next_.resize(points.size(), no_edge);
    hull_previous_.resize(points.size(), no_edge);
    hull_edge_.resize(points.size(), no_edge);
    start(line);
    for (std::size_t p = line + 1; p < points.size(); ++p) insert(static_cast<std::uint32_t>(p));
  }

  /// Calls visit(a, b) once for every edge.
  template <class Visit>
  void for_each_edge(const Visit& visit) const {
    for (std::uint32_t e = 0; e < origin_.size(); ++e) {
      if (twin_[e] == no_edge || e < twin_[e]) visit(origin_[e], origin_[next(e)]);
    }
  }

 private:
  static std::uint32_t next(std::uint32_t e) { return e % 3 == 2 ? e - 2 : e + 1; }
  static std::uint32_t previous(std::uint32_t e) { return e % 3 == 0 ? e + 2 : e - 1; }

  /// A fan from the first point off the line to the points on it.
  void start(std::size_t line) {
    std::vector<std::uint32_t> chain(line);
    std::iota(chain.begin(), chain.end(), std::uint32_t{0});
    const auto apex = static_cast<std::uint32_t>(line);
    // The chain runs clockwise as seen from the apex, as the visible part of a hull does.
    if (turn(points_[0], points_[1], points_[line]) > 0) std::ranges::reverse(chain);
    join(chain, apex);
    // The far side of the line is hull, too.
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const auto e = static_cast<std::uint32_t>(3 * i + 2);  // from chain[i + 1] to chain[i]
      hull_next_[chain[i + 1]] = chain[i];
      hull_previous_[chain[i]] = chain[i + 1];
      hull_edge_[chain[i + 1]] = e;
    }
    flip_stack_.clear();
  }

  /// Triangles (c_i, p, c_(i+1)) along a chain that p sees; links them to each other and to the
  /// hull. Pushes the edges of the chain for flipping.
  void join(const std::vector<std::uint32_t>& chain, std::uint32_t p) {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const auto e = static_cast<std::uint32_t>(origin_.size());
      origin_.insert(origin_.end(), {chain[i], p, chain[i + 1]});
      const std::uint32_t across = hull_edge_[chain[i]];
      twin_.insert(twin_.end(), {i > 0 ? e - 2 : no_edge, no_edge, across});
      if (i > 0) twin_[e - 2] = e;
      if (across != no_edge) twin_[across] = e + 2;
      flip_stack_.push_back(e + 2);
    }
    const auto last = static_cast<std::uint32_t>(origin_.size()) - 3;
    const auto first = static_cast<std::uint32_t>(last - 3 * (chain.size() - 2));
    hull_next_[chain.front()] = p;
    hull_edge_[chain.front()] = first;
    hull_previous_[p] = chain.front();
    hull_next_[p] = chain.back();
    hull_previous_[chain.back()] = p;
    hull_edge_[p] = last + 1;
  }

  void insert(std::uint32_t p) {
    const auto sees = [&](std::uint32_t from) {
      return turn(points_[from], points_[hull_next_[from]], points_[p]) < 0;
    };
    // The point before sees this one; the visible part of the hull runs to both sides of it.
    std::uint32_t first = p - 1;
    while (sees(hull_previous_[first])) first = hull_previous_[first];
    std::vector<std::uint32_t> chain = {first};
    while (sees(chain.back())) chain.push_back(hull_next_[chain.back()]);
    require(chain.size() >= 2, "a point sees nothing of the hull");
    join(chain, p);
    flip();
  }

  /// Lawson's flips. Each one is certain to be right, so they cannot go round in circles.
  void flip() {
    while (!flip_stack_.empty()) {
      const std::uint32_t e = flip_stack_.back();
      flip_stack_.pop_back();
      const std::uint32_t t = twin_[e];
      if (t == no_edge) continue;
      const std::uint32_t a = origin_[previous(e)];
      const std::uint32_t b = origin_[previous(t)];
      if (!surely_in_circle(
              points_[origin_[e]], points_[origin_[next(e)]], points_[a], points_[b])) {
        continue;
      }
      // From u-v with apexes a and b to the triangles (b, v, a) and (a, u, b).
      const std::uint32_t outer_a = twin_[previous(e)];
      const std::uint32_t outer_b = twin_[previous(t)];
      origin_[e] = b;
      origin_[t] = a;
      connect(e, outer_b);
      connect(t, outer_a);
      twin_[previous(e)] = previous(t);
      twin_[previous(t)] = previous(e);
      flip_stack_.insert(flip_stack_.end(), {e, next(e), t, next(t)});
    }
  }

  void connect(std::uint32_t e, std::uint32_t outer) {
    twin_[e] = outer;
    if (outer != no_edge) {
      twin_[outer] = e;
    } else {
      hull_edge_[origin_[e]] = e;
    }
  }

  const std::vector<Point>& points_;
  std::vector<std::uint32_t> origin_;
  std::vector<std::uint32_t> twin_;
  std::vector<std::uint32_t> hull_next_;  ///< by vertex on the hull, counter-clockwise
  std::vector<std::uint32_t> hull_previous_;
  std::vector<std::uint32_t> hull_edge_;  ///< the half-edge to hull_next_
  std::vector<std::uint32_t> flip_stack_;
};

/// The points scaled by a power of two, which loses nothing, so that no product overflows.
/// Coordinates below 2^-400 of the largest become 0, so that no product of two underflows.
std::vector<Point> scaled_points(DenseView points) {
  double largest = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    largest = std::max({largest, std::abs(points(i, 0)), std::abs(points(i, 1))});
  }
  const int exponent = largest > 0 ? -std::ilogb(largest) : 0;
  const auto scaled = [&](double value) {
    const double result = std::ldexp(value, exponent);
    return std::abs(result) < 0x1p-400 ? 0.0 : result;
  };
  std::vector<Point> result;
  result.reserve(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    result.push_back({scaled(points(i, 0)), scaled(points(i, 1))});
  }
  return result;
}

}  // namespace

std::vector<ProximityEdge> delaunay_graph(const Examples& points) {
  require(points.cols() == 2,
          "the points have " + std::to_string(points.cols()) + " features, must have 2");
  check_domain(Linear{}, points);
  const DenseMatrix plane = points.to_dense();
  const std::vector<Point> scaled = scaled_points(plane.view());
  std::vector<std::uint32_t> order(plane.rows());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::sort(order, [&](std::uint32_t i, std::uint32_t j) {
    return std::tie(scaled[i].x, scaled[i].y, i) < std::tie(scaled[j].x, scaled[j].y, j);
  });
  std::vector<ProximityEdge> edges;
  const auto add = [&](std::uint32_t i, std::uint32_t j) {
    const double dx = plane(i, 0) - plane(j, 0);
    const double dy = plane(i, 1) - plane(j, 1);
    const double squared_length = dx * dx + dy * dy;
    require(std::isfinite(squared_length), sv_clustering::too_far);
    edges.push_back({std::min(i, j), std::max(i, j), squared_length});
  };
  // Of equal points the first takes part, the others are joined to it.
  std::vector<std::uint32_t> distinct;
  std::vector<Point> sorted;
  for (const std::uint32_t i : order) {
    if (!sorted.empty() && sorted.back().x == scaled[i].x && sorted.back().y == scaled[i].y) {
      add(distinct.back(), i);
    } else {
      distinct.push_back(i);
      sorted.push_back(scaled[i]);
    }
  }
  std::size_t line = std::min<std::size_t>(2, sorted.size());
  while (line < sorted.size() && turn(sorted[0], sorted[1], sorted[line]) == 0) ++line;
  if (line == sorted.size()) {
    for (std::size_t p = 1; p < line; ++p) add(distinct[p - 1], distinct[p]);
  } else {
    Triangulation(sorted, line).for_each_edge([&](std::uint32_t p, std::uint32_t q) {
      add(distinct[p], distinct[q]);
    });
  }
  sv_clustering::order_edges(edges);
  return edges;
}

}  // namespace maxmargin
