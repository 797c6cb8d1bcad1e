// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "point_sets.hpp"
#include "svg_reading.hpp"

namespace maxmargin {
namespace {

TEST(SvgScatter, DrawsOneMarkerAPointInItsGroupsColour) {
  const DenseMatrix points = matrix(2, {0, 0, 1, 2, 3, 1, 2, 2});
  const std::vector<std::int32_t> group = {0, 1, 1, -1};
  const std::string svg = svg_scatter(points.view(), group);
  EXPECT_TRUE(is_well_formed(svg));
  const auto colours = matches(layer(svg, "points"), "fill=\"(#[0-9a-f]+)\"/>");
  ASSERT_EQ(colours.size(), 4u);
  EXPECT_EQ(colours[1], colours[2]);
  EXPECT_EQ((std::set<std::string>(colours.begin(), colours.end()).size()), 3u);
  // Two groups and the points without one.
  EXPECT_EQ(occurrences(layer(svg, "legend"), "<path"), 3u);
  EXPECT_NE(svg.find(">none</text>"), std::string::npos);
}

TEST(SvgScatter, FirstEightColoursAndSevenShapesDiffer) {
  DenseMatrix points(8, 2);
  std::vector<std::int32_t> group(8);
  for (std::size_t i = 0; i < 8; ++i) {
    points(i, 0) = 5;  // all in one place: equal paths mean equal shapes
    points(i, 1) = 5;
    group[i] = static_cast<std::int32_t>(i);
  }
  const std::string markers = layer(svg_scatter(points.view(), group), "points");
  const auto colours = matches(markers, "fill=\"(#[0-9a-f]+)\"/>");
  const auto shapes = matches(markers, "<path d=\"([^\"]+)\"");
  EXPECT_EQ((std::set<std::string>(colours.begin(), colours.end()).size()), 8u);
  EXPECT_EQ((std::set<std::string>(shapes.begin(), shapes.end()).size()), 7u);
}

TEST(SvgScatter, MarkersShowASecondDivision) {
  const DenseMatrix points = matrix(2, {5, 5, 5, 5, 5, 5, 5, 5});
  const std::vector<std::int32_t> group = {0, 0, 1, 1};
  ScatterOptions options{.group_title = "cluster",
                         .group_names = {"first", "second"},
                         .markers = {0, 1, 0, 1},
                         .marker_title = "species",
                         .marker_names = {"setosa", "virginica"}};
  const std::string svg = svg_scatter(points.view(), group, options);
  const auto shapes = matches(layer(svg, "points"), "<path d=\"([^\"]+)\"");
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0], shapes[2]);
  EXPECT_NE(shapes[0], shapes[1]);
  for (const char* name : {"cluster", "first", "second", "species", "setosa", "virginica"}) {
    EXPECT_EQ(occurrences(layer(svg, "legend"), ">" + std::string(name) + "</text>"), 1u) << name;
  }
}

TEST(SvgScatter, TicksAreRoundNumbersInsideTheFrame) {
  for (const auto& [low, high] : {std::pair{-3.2, 3.8},
                                  std::pair{0.0, 1e-7},
                                  std::pair{1e8, 1e8 + 1},
                                  std::pair{-4e12, 9e12},
                                  std::pair{0.0, 0.0},
                                  std::pair{-7e5, -7e5}}) {
    const DenseMatrix points = matrix(2, {low, 0, high, 1});
    const std::string svg = svg_scatter(points.view(), std::vector<std::int32_t>{0, 0});
    const auto texts = matches(layer(svg, "axes"), "text-anchor=\"middle\">([^<]+)<");
    ASSERT_GE(texts.size(), 3u) << low;
    ASSERT_LE(texts.size(), 14u) << low;
    double before = -INFINITY;
    for (const std::string& text : texts) {
      const double value = *parse_number(text);
      EXPECT_GT(value, before) << "ticks must differ and rise: " << text;
      before = value;
    }
    for (const std::string& x : matches(layer(svg, "axes"), "<line x1=\"([^\"]+)\"")) {
      EXPECT_GE(*parse_number(x), 0);
      EXPECT_LE(*parse_number(x), 760);
    }
  }
}

TEST(SvgScatter, PointsLieInsideTheFrameAndLargerYIsHigher) {
  const DenseMatrix points = matrix(2, {0, 0, 10, 100});
  const std::string svg = svg_scatter(points.view(), std::vector<std::int32_t>{0, 0});
  const auto xs = matches(layer(svg, "points"), "d=\"M([0-9.]+) ");
  const auto ys = matches(layer(svg, "points"), "d=\"M[0-9.]+ ([0-9.]+)A");
  ASSERT_EQ(xs.size(), 2u);
  ASSERT_EQ(ys.size(), 2u);
  EXPECT_LT(*parse_number(xs[0]), *parse_number(xs[1]));
  EXPECT_GT(*parse_number(ys[0]), *parse_number(ys[1]));
}

TEST(SvgScatter, TextIsEscapedAndBadBytesAreReplaced) {
  const DenseMatrix points = matrix(2, {0, 0});
  const ScatterOptions options{.title = "a < b & \"c\" \x01 \xff \xc3\xa9",
                               .x_label = "</svg><script>",
                               .group_names = {"<&>"}};
  const std::string svg = svg_scatter(points.view(), std::vector<std::int32_t>{0}, options);
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot; ? ? \xc3\xa9"), std::string::npos);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;&amp;&gt;"), std::string::npos);
  EXPECT_TRUE(is_well_formed(svg));
}

TEST(SvgScatter, LongNamesAreShortenedAndLeaveRoomForThePlot) {
  const DenseMatrix points = matrix(2, {0, 0, 1, 1});
  const ScatterOptions options{.group_names = {std::string(500, 'x')}, .width = 300};
  const std::string svg = svg_scatter(points.view(), std::vector<std::int32_t>{0, 0}, options);
  EXPECT_NE(svg.find("xxx...<"), std::string::npos);
  EXPECT_LT(svg.size(), 6000u);
}

TEST(SvgScatter, EmptyInputIsAnEmptyPlot) {
  const std::string svg = svg_scatter(DenseMatrix(0, 2).view(), {});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(occurrences(svg, "<path"), 0u);
}

TEST(SvgScatter, RejectsWrongInput) {
  const DenseMatrix points = matrix(2, {0, 0, 1, 1});
  const std::vector<std::int32_t> group = {0, 1};
  const auto run = [&](const ScatterOptions& options) {
    (void)svg_scatter(points.view(), group, options);
  };
  EXPECT_THROW(run({.group_names = {"one"}}), InvalidArgument);
  EXPECT_THROW(run({.markers = {0}}), InvalidArgument);
  EXPECT_THROW(run({.markers = {0, 2}, .marker_names = {"a", "b"}}), InvalidArgument);
  EXPECT_THROW(run({.width = 10}), InvalidArgument);
  EXPECT_THROW(run({.height = 100000}), InvalidArgument);
  EXPECT_THROW((void)svg_scatter(points.view(), std::vector<std::int32_t>{0}), InvalidArgument);
  EXPECT_THROW((void)svg_scatter(DenseMatrix(2, 3).view(), group), InvalidArgument);
  EXPECT_THROW((void)svg_scatter(matrix(2, {0, NAN, 1, 1}).view(), group), InvalidArgument);
}

TEST(SvgScatter, RingsLinesAndRegionsAreDrawnAndNamed) {
  const DenseMatrix points = matrix(2, {0, 0, 1, 1, 0, 1});
  const std::vector<std::int32_t> group = {0, 1, -1};
  const PlaneBox box = scatter_box(points.view());
  const ScatterOptions options{
      .regions = {{.label = 0, .loops = {{{box.x_low, box.y_low}, {0.5, box.y_low}, {0.5, 0.5}}}},
                  {.label = -1, .loops = {{{0.5, 0.5}, {1, 0.5}, {1, 1}}}}},
      .ringed = {1, 2},
      .ring_name = "support vector",
      .lines = {{.name = "y = x", .points = {{-9, -9}, {9, 9}}}},
      .no_group_name = "outlier"};
  const std::string svg = svg_scatter(points.view(), group, options);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(occurrences(layer(svg, "regions"), "<path"), 2u);
  EXPECT_EQ(occurrences(layer(svg, "rings"), "<circle"), 2u);
  EXPECT_EQ(occurrences(layer(svg, "lines"), "<path"), 1u);
  for (const char* name : {"support vector", "y = x", "outlier"}) {
    EXPECT_EQ(occurrences(layer(svg, "legend"), ">" + std::string(name) + "</text>"), 1u) << name;
  }
  // A line that leaves the frame ends at it.
  for (const std::string& y : matches(layer(svg, "lines"), "[ML][0-9.-]+ ([0-9.-]+)")) {
    EXPECT_GE(*parse_number(y), 0);
    EXPECT_LE(*parse_number(y), 480);
  }
  // Regions lie behind the points.
  EXPECT_LT(svg.find("class=\"regions\""), svg.find("class=\"points\""));
}

TEST(SvgScatter, RefusesARingAroundNoPoint) {
  const DenseMatrix points = matrix(2, {0, 0});
  EXPECT_THROW((void)svg_scatter(points.view(), std::vector<std::int32_t>{0}, {.ringed = {1}}),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
