// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/scatter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// A step of a border through a cell, from one of its edges to another (0 below, 1 right, 2 above,
/// 3 left), with the inside on the left; -1: none.
struct Step {
  int from = -1;
  int to = -1;
};

/// By the corners inside: bit 0 below left, 1 below right, 2 above right, 3 above left. Where two
/// opposite corners are inside (5 and 10), they are taken as apart.
constexpr std::array<std::array<Step, 2>, 16> steps_of_cell = {{{},
                                                                {{{0, 3}}},
                                                                {{{1, 0}}},
                                                                {{{1, 3}}},
                                                                {{{2, 1}}},
                                                                {{{0, 3}, {2, 1}}},
                                                                {{{2, 0}}},
                                                                {{{2, 3}}},
                                                                {{{3, 2}}},
                                                                {{{0, 2}}},
                                                                {{{1, 0}, {3, 2}}},
                                                                {{{1, 2}}},
                                                                {{{3, 1}}},
                                                                {{{0, 1}}},
                                                                {{{3, 0}}},
                                                                {}}};

/// The nodes of the grid with a ring of nodes around it that belong to no region: so every border
/// is closed, running along the box where the region meets it.
class LabelGrid {
 public:
  LabelGrid(const PlaneBox& box, const PlaneLabels& labels, const RegionOptions& options)
      : box_(box), labels_(labels), columns_(options.columns), rows_(options.rows) {
    ask_nodes();
    place_crossings(options.bisections);
  }

  [[nodiscard]] std::vector<PlaneRegion> regions() const {
    std::vector<PlaneRegion> found;
    for (const std::int32_t label : std::set<std::int32_t>(node_.begin(), node_.end())) {
      found.push_back({.label = label, .loops = loops_of(label)});
    }
    return found;
  }

 private:
  /// Nodes along x and y with the ring; those of the grid are 1, ..., columns_ + 1.
  [[nodiscard]] std::size_t width() const { return columns_ + 3; }
  [[nodiscard]] std::size_t height() const { return rows_ + 3; }
  [[nodiscard]] bool in_grid(std::size_t i, std::size_t j) const {
    return i >= 1 && i <= columns_ + 1 && j >= 1 && j <= rows_ + 1;
  }
  [[nodiscard]] std::int32_t label(std::size_t i, std::size_t j) const {
    return node_[(j - 1) * (columns_ + 1) + (i - 1)];
  }
  [[nodiscard]] bool inside(std::size_t i, std::size_t j, std::int32_t wanted) const {
    return in_grid(i, j) && label(i, j) == wanted;
  }
  /// Where a node lies; one of the ring, on the box.
  [[nodiscard]] PlanePoint place(std::size_t i, std::size_t j) const {
    const auto share = [](std::size_t node, std::size_t cells) {
      const std::size_t clamped = std::clamp<std::size_t>(node, 1, cells + 1);
      return static_cast<double>(clamped - 1) / static_cast<double>(cells);
    };
    return {.x = std::lerp(box_.x_low, box_.x_high, share(i, columns_)),
            .y = std::lerp(box_.y_low, box_.y_high, share(j, rows_))};
  }

  /// Edges are numbered by their lower or left node: first those along x, then those along y.
  [[nodiscard]] std::size_t edge_along_x(std::size_t i, std::size_t j) const {
    return j * width() + i;
  }
  [[nodiscard]] std::size_t edge_along_y(std::size_t i, std::size_t j) const {
    return width() * height() + j * width() + i;
  }
  [[nodiscard]] std::size_t edge_of_cell(std::size_t i, std::size_t j, int side) const {
    switch (side) {
      case 0:
        return edge_along_x(i, j);
      case 1:
        return edge_along_y(i + 1, j);
      case 2:
        return edge_along_x(i, j + 1);
      default:
        return edge_along_y(i, j);
    }
  }

  [[nodiscard]] std::vector<std::int32_t> ask(const std::vector<PlanePoint>& points) const {
    DenseMatrix coordinates(points.size(), 2);
    for (std::size_t p = 0; p < points.size(); ++p) {
      coordinates(p, 0) = points[p].x;
      coordinates(p, 1) = points[p].y;
    }
    std::vector<std::int32_t> answer = labels_(coordinates.view());
    require(answer.size() == points.size(),
            "trace_regions: " + std::to_string(answer.size()) + " labels for " +
                std::to_string(points.size()) + " points");
    return answer;
  }

  void ask_nodes() {
    std::vector<PlanePoint> points;
    for (std::size_t j = 1; j <= rows_ + 1; ++j) {
      for (std::size_t i = 1; i <= columns_ + 1; ++i) points.push_back(place(i, j));
    }
    node_ = ask(points);
    for (std::int32_t& each : node_) each = std::max(each, -1);
  }

  /// An edge whose ends have different labels: the border is between `near` (where the label is
  /// still that of the first end) and `far`.
  struct Crossing {
    std::size_t edge = 0;
    std::int32_t label = 0;
    PlanePoint near = {};
    PlanePoint far = {};
  };

  void place_crossings(std::size_t bisections) {
    std::vector<Crossing> crossings;
    crossing_.assign(2 * width() * height(), {});
    const auto look_at = [&](std::size_t edge,
                             std::size_t i,
                             std::size_t j,
                             std::size_t other_i,
                             std::size_t other_j) {
      const bool first = in_grid(i, j);
      const bool second = in_grid(other_i, other_j);
      crossing_[edge] = first ? place(i, j) : place(other_i, other_j);
      if (!first || !second || label(i, j) == label(other_i, other_j)) return;
      crossings.push_back({edge, label(i, j), place(i, j), place(other_i, other_j)});
    };
    for (std::size_t j = 0; j < height(); ++j) {
      for (std::size_t i = 0; i < width(); ++i) {
        if (i + 1 < width()) look_at(edge_along_x(i, j), i, j, i + 1, j);
        if (j + 1 < height()) look_at(edge_along_y(i, j), i, j, i, j + 1);
      }
    }
    const auto middle = [](const Crossing& c) {
      return PlanePoint{std::midpoint(c.near.x, c.far.x), std::midpoint(c.near.y, c.far.y)};
    };
    for (std::size_t round = 0; round < bisections && !crossings.empty(); ++round) {
      std::vector<PlanePoint> points;
      for (const Crossing& c : crossings) points.push_back(middle(c));
      const std::vector<std::int32_t> answer = ask(points);
      for (std::size_t c = 0; c < crossings.size(); ++c) {
        const bool same = std::max(answer[c], -1) == crossings[c].label;
        (same ? crossings[c].near : crossings[c].far) = points[c];
      }
    }
    for (const Crossing& c : crossings) crossing_[c.edge] = middle(c);
  }

  [[nodiscard]] std::vector<std::vector<PlanePoint>> loops_of(std::int32_t wanted) const {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> next(crossing_.size(), none);
    for (std::size_t j = 0; j + 1 < height(); ++j) {
      for (std::size_t i = 0; i + 1 < width(); ++i) {
        const std::size_t corners =
            (inside(i, j, wanted) ? 1u : 0u) | (inside(i + 1, j, wanted) ? 2u : 0u) |
            (inside(i + 1, j + 1, wanted) ? 4u : 0u) | (inside(i, j + 1, wanted) ? 8u : 0u);
        for (const Step& step : steps_of_cell[corners]) {
          if (step.from < 0) continue;
          next[edge_of_cell(i, j, step.from)] = edge_of_cell(i, j, step.to);
        }
      }
    }
    std::vector<std::vector<PlanePoint>> loops;
    for (std::size_t start = 0; start < next.size(); ++start) {
      if (next[start] == none) continue;
      std::vector<PlanePoint> loop;
      for (std::size_t edge = start; next[edge] != none;) {
        add_point(loop, crossing_[edge]);
        edge = std::exchange(next[edge], none);
      }
      if (loop.size() >= 3) loops.push_back(std::move(loop));
    }
    return loops;
  }

  /// Straight runs along the box or the grid need their ends alone.
  static void add_point(std::vector<PlanePoint>& loop, const PlanePoint& point) {
    const std::size_t n = loop.size();
    if (n > 0 && loop[n - 1].x == point.x && loop[n - 1].y == point.y) return;
    if (n > 1) {
      const bool upright = loop[n - 2].x == loop[n - 1].x && loop[n - 1].x == point.x;
      const bool level = loop[n - 2].y == loop[n - 1].y && loop[n - 1].y == point.y;
      if (upright || level) loop.pop_back();
    }
    loop.push_back(point);
  }

  PlaneBox box_;
  const PlaneLabels& labels_;
  std::size_t columns_;
  std::size_t rows_;
  /// Labels of the nodes of the grid, row by row.
  std::vector<std::int32_t> node_;
  /// By edge: where a border crosses it.
  std::vector<PlanePoint> crossing_;
};

}  // namespace

void RegionOptions::describe(OptionVisitor& visit) {
  visit.whole({.name = "columns", .help = "cells of the grid along x; more show narrower regions"},
              columns,
              {.least = 1, .most = 2000});
  visit.whole({.name = "rows", .help = "cells of the grid along y; more show narrower regions"},
              rows,
              {.least = 1, .most = 2000});
  visit.whole({.name = "bisections", .help = "each halves the error of a border's place"},
              bisections,
              {.least = 0, .most = 40});
}

std::vector<PlaneRegion> trace_regions(const PlaneBox& box,
                                       const PlaneLabels& labels,
                                       const RegionOptions& options) {
  validate(options);
  require(static_cast<bool>(labels), "trace_regions: the function of labels is empty");
  const auto is_range = [](double low, double high) {
    return std::isfinite(low) && std::isfinite(high) && low < high;
  };
  require(is_range(box.x_low, box.x_high) && is_range(box.y_low, box.y_high),
          "trace_regions: the box must be finite and not empty");
  return LabelGrid(box, labels, options).regions();
}

}  // namespace maxmargin
