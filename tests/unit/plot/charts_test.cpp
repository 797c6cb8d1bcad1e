// SPDX-License-Identifier: Apache-2.0
//
// Curves and histograms.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/plot/histogram.hpp"
#include "maxmargin/plot/lines.hpp"
#include "svg_reading.hpp"

namespace maxmargin {
namespace {

TEST(SvgLines, EverySeriesHasItsOwnFrameAndScale) {
  const std::vector<double> x = {0, 1, 2, 3};
  const std::vector<LineSeries> series = {{"objective", {100, 90, 85, 84}},
                                          {"purity", {0.5, 0.7, 0.9, 1}}};
  const std::string svg = svg_lines(x, series, {.title = "a run", .x_label = "iteration"});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(occurrences(svg, "class=\"axes\""), 2u);
  EXPECT_EQ(occurrences(svg, "class=\"curve\""), 2u);
  EXPECT_EQ(occurrences(svg, ">iteration</text>"), 1u);
  for (const char* name : {"a run", "objective", "purity"}) {
    EXPECT_NE(svg.find(">" + std::string(name) + "</text>"), std::string::npos) << name;
  }
  // Everything is inside the picture.
  const double height = *parse_number(matches(svg, "height=\"([0-9]+)\" viewBox").at(0));
  for (const std::string& y : matches(svg, " y=\"([0-9.]+)\"")) {
    EXPECT_LT(*parse_number(y), height);
  }
}

TEST(SvgLines, MissingValuesBreakTheCurve) {
  const std::vector<double> x = {0, 1, 2, 3, 4};
  const std::vector<LineSeries> series = {{"s", {1, NAN, 2, 3, INFINITY}}};
  const std::string curve = layer(svg_lines(x, series), "curve");
  EXPECT_EQ(occurrences(matches(curve, "d=\"([^\"]+)\"").at(0), "M"), 2u);
  EXPECT_EQ(occurrences(curve, "h0.01"), 1u);  // a lone value is a dot
  const std::vector<LineSeries> none = {{"s", std::vector<double>(5, NAN)}};
  EXPECT_EQ(occurrences(layer(svg_lines(x, none), "curve"), "<path"), 0u);
}

TEST(SvgLines, RejectsWrongInput) {
  const std::vector<double> x = {0, 1};
  EXPECT_THROW((void)svg_lines(x, {}), InvalidArgument);
  EXPECT_THROW((void)svg_lines(x, std::vector<LineSeries>{{"s", {1}}}), InvalidArgument);
  EXPECT_THROW((void)svg_lines(std::vector<double>{NAN}, std::vector<LineSeries>{{"s", {1}}}),
               InvalidArgument);
  const std::vector<LineSeries> good = {{"s", {1, 2}}};
  EXPECT_THROW((void)svg_lines(x, good, {.width = 5}), InvalidArgument);
  EXPECT_THROW((void)svg_lines(x, good, {.panel_height = 5}), InvalidArgument);
}

/// Heights in pixels of the bars of one outline, by the left side of each.
std::map<double, double> bar_heights(const std::string& path) {
  const double base = *parse_number(matches(path, "^M[0-9.]+ ([0-9.]+)").at(0));
  std::map<double, double> heights;
  const std::regex bar("(?:M([0-9.]+) [0-9.]+)?V([0-9.]+)(?:H([0-9.]+))?");
  double left = 0;
  for (std::sregex_iterator it(path.begin(), path.end(), bar), end; it != end; ++it) {
    if ((*it)[1].matched) left = *parse_number((*it)[1].str());
    if (!(*it)[3].matched) continue;  // back to the base line
    heights[left] = base - *parse_number((*it)[2].str());
    left = *parse_number((*it)[3].str());
  }
  return heights;
}

TEST(SvgHistogram, BarsAreAsHighAsTheirCounts) {
  // Five bins over [-0.16, 4.16]: counts 1, 2, 3, 0, 4 of group 0 and one of group 1 in the first.
  const HistogramPanel panel{.values = {0, 1, 1, 2, 2, 2, 4, 4, 4, 4, 0},
                             .group = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  const std::string svg = svg_histogram(std::vector{panel}, {.bins = 5});
  EXPECT_TRUE(is_well_formed(svg));
  const auto paths = matches(layer(svg, "bars"), "d=\"([^\"]+)\"");
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(occurrences(paths[0], "M"), 2u);  // nothing is drawn where there is nothing
  std::vector<double> heights;
  for (const auto& [left, height] : bar_heights(paths[0])) heights.push_back(height);
  ASSERT_EQ(heights.size(), 4u);
  const std::vector<double> counts = {1, 2, 3, 4};
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_NEAR(heights[b], heights[3] / 4 * counts[b], 0.02) << b;  // pixels have two decimals
  }
  EXPECT_NEAR(bar_heights(paths[1]).begin()->second, heights[0], 0.02);
  EXPECT_EQ(bar_heights(paths[1]).begin()->first, bar_heights(paths[0]).begin()->first);
}

TEST(SvgHistogram, PanelsMarksAndNames) {
  const std::vector<HistogramPanel> panels = {
      {.title = "first", .values = {-2, 2}, .group = {0, 1}},
      {.title = "second", .values = {5, 5, 5}, .group = {1, 1, -1}}};
  const std::string svg = svg_histogram(panels,
                                        {.title = "t",
                                         .x_label = "value",
                                         .group_title = "cluster",
                                         .group_names = {"a", "b"},
                                         .marks = {0, 100}});
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 1u);  // 0 is in the first panel, 100 in none
  for (const char* name : {"first", "second", "value", "cluster", "a", "b", "none"}) {
    EXPECT_EQ(occurrences(svg, ">" + std::string(name) + "</text>"), 1u) << name;
  }
}

TEST(SvgHistogram, EmptyPanelsAreEmptyFrames) {
  const std::string svg = svg_histogram(std::vector<HistogramPanel>(1));
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(occurrences(layer(svg, "bars"), "<path"), 0u);
}

TEST(SvgHistogram, RejectsWrongInput) {
  EXPECT_THROW((void)svg_histogram({}), InvalidArgument);
  const auto run = [](const HistogramPanel& panel, const HistogramOptions& options = {}) {
    (void)svg_histogram(std::vector{panel}, options);
  };
  EXPECT_THROW(run({.values = {1}, .group = {}}), InvalidArgument);
  EXPECT_THROW(run({.values = {NAN}, .group = {0}}), InvalidArgument);
  EXPECT_THROW(run({.values = {1}, .group = {1}}, {.group_names = {"a"}}), InvalidArgument);
  EXPECT_THROW(run({.values = {1}, .group = {0}}, {.bins = 0}), InvalidArgument);
  EXPECT_THROW(run({.values = {1}, .group = {0}}, {.width = 1}), InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
