// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "maxmargin/core/error.hpp"

namespace maxmargin {
namespace {

/// A function of labels from one of a point.
template <class Label>
PlaneLabels labels_by(Label label) {
  return [label](DenseView points) {
    std::vector<std::int32_t> labels;
    for (std::size_t i = 0; i < points.rows; ++i) {
      labels.push_back(label(points(i, 0), points(i, 1)));
    }
    return labels;
  };
}

/// Area enclosed by the loops, those around holes negative (shoelace).
double area(const PlaneRegion& region) {
  double twice = 0;
  for (const auto& loop : region.loops) {
    for (std::size_t p = 0; p < loop.size(); ++p) {
      const PlanePoint& a = loop[p];
      const PlanePoint& b = loop[(p + 1) % loop.size()];
      twice += a.x * b.y - b.x * a.y;
    }
  }
  return twice / 2;
}

constexpr PlaneBox box = {.x_low = -2, .x_high = 2, .y_low = -1.5, .y_high = 1.5};

TEST(TraceRegions, OneLabelIsTheWholeBox) {
  const auto regions = trace_regions(box, labels_by([](double, double) { return 4; }));
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].label, 4);
  ASSERT_EQ(regions[0].loops.size(), 1u);
  EXPECT_NEAR(area(regions[0]), 12, 1e-12);
  EXPECT_LE(regions[0].loops[0].size(), 6u);  // straight runs keep their ends alone
}

TEST(TraceRegions, AHalfPlaneEndsWhereItEnds) {
  const auto regions = trace_regions(
      box, labels_by([](double x, double) { return x < 0.123 ? 0 : 1; }), {.bisections = 30});
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_NEAR(area(regions[0]), 3 * 2.123, 1e-7);
  EXPECT_NEAR(area(regions[1]), 3 * 1.877, 1e-7);
}

TEST(TraceRegions, ADiscWithAHoleHasTwoLoopsAndItsArea) {
  const auto ring = labels_by([](double x, double y) {
    const double r = std::hypot(x, y);
    return r > 0.5 && r < 1.2 ? 0 : -1;
  });
  const auto regions = trace_regions(box, ring, {.columns = 200, .rows = 150, .bisections = 12});
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].label, -1);
  EXPECT_EQ(regions[1].loops.size(), 2u);
  const double expected = std::numbers::pi * (1.44 - 0.25);
  // Chords of cells of side 0.02 lie within side^2 / (8 r) of the arc.
  const double chord_error = 0.02 * 0.02 / (8 * 0.5) * 2 * std::numbers::pi * (1.2 + 0.5) * 2;
  EXPECT_NEAR(area(regions[1]), expected, chord_error);
  EXPECT_NEAR(area(regions[0]) + area(regions[1]), 12, 2 * chord_error);
  // Every corner of the curve is on one of the circles, to the grid's and the bisection's error.
  for (const auto& loop : regions[1].loops) {
    for (const PlanePoint& p : loop) {
      const double r = std::hypot(p.x, p.y);
      EXPECT_LT(std::min(std::abs(r - 0.5), std::abs(r - 1.2)), 0.02 / 4096 * 2);
    }
  }
}

TEST(TraceRegions, SeveralLabelsFillTheBoxTogether) {
  const auto thirds = labels_by([](double x, double y) {
    const double angle = std::atan2(y, x);
    return angle < -1 ? 0 : angle < 1.2 ? 1 : 2;
  });
  double sum = 0;
  for (const PlaneRegion& region : trace_regions(box, thirds)) sum += area(region);
  // What a cell where three regions meet leaves open is below the cell's area.
  EXPECT_NEAR(sum, 12, 4.0 / 120 * 3.0 / 84 * 2);
}

TEST(TraceRegions, OppositeCornersAreTakenAsApart) {
  // One cell, a chess board of its corners: two loops for each label.
  const auto board = labels_by([](double x, double y) { return (x > 0) == (y > 0) ? 0 : 1; });
  for (const PlaneRegion& region : trace_regions(box, board, {.columns = 1, .rows = 1})) {
    EXPECT_EQ(region.loops.size(), 2u) << region.label;
    EXPECT_GT(area(region), 0);
  }
}

TEST(TraceRegions, AllOutliersAreOneLabel) {
  const auto regions =
      trace_regions(box, labels_by([](double x, double) { return x < 0 ? -1 : -7; }));
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_EQ(regions[0].label, -1);
}

TEST(TraceRegions, RejectsWrongInput) {
  const auto any = labels_by([](double, double) { return 0; });
  EXPECT_THROW((void)trace_regions({.x_low = 1, .x_high = 1}, any), InvalidArgument);
  EXPECT_THROW((void)trace_regions({.x_high = INFINITY}, any), InvalidArgument);
  EXPECT_THROW((void)trace_regions({.y_low = NAN}, any), InvalidArgument);
  EXPECT_THROW((void)trace_regions(box, any, {.columns = 0}), InvalidArgument);
  EXPECT_THROW((void)trace_regions(box, any, {.rows = 5000}), InvalidArgument);
  EXPECT_THROW((void)trace_regions(box, any, {.bisections = 99}), InvalidArgument);
  EXPECT_THROW((void)trace_regions(box, {}), InvalidArgument);
  EXPECT_THROW((void)trace_regions(box, [](DenseView) { return std::vector<std::int32_t>{0}; }),
               InvalidArgument);
}

}  // namespace
}  // namespace maxmargin
