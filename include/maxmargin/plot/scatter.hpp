// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Scatter plots, and where in the plane a model says what.
namespace maxmargin {

struct PlanePoint {
  double x = 0;
  double y = 0;
};

/// Closed curves, the last point joined to the first; the region lies to their left.
struct PlaneRegion {
  /// Negative: the outliers.
  std::int32_t label = 0;
  std::vector<std::vector<PlanePoint>> loops = {};
};

/// A rectangle of the plane.
struct PlaneBox {
  double x_low = 0;
  double x_high = 1;
  double y_low = 0;
  double y_high = 1;
};

/// The label of every point, which has two coordinates a row.
using PlaneLabels = std::function<std::vector<std::int32_t>(DenseView points)>;

struct MAXMARGIN_EXPORT RegionOptions {
  /// Cells of the grid along x and y, from 1 to 2000 each: what is narrower than a cell may be
  /// missed.
  std::size_t columns = 120;
  std::size_t rows = 84;
  /// Each halves the error of a border's place along an edge of the grid; at most 40.
  std::size_t bisections = 6;

  void describe(OptionVisitor& visit);
};

/// The regions of equal label in the box, one a label, by rising label: marching squares on a grid,
/// each crossing of a border with an edge found by bisection, so nothing is asked of the labels but
/// themselves. `labels` is called with many points at a time, 1 + bisections times. Throws
/// InvalidArgument for an empty or infinite box and for labels of another number.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<PlaneRegion> trace_regions(
    const PlaneBox& box, const PlaneLabels& labels, const RegionOptions& options = {});

/// A line over a scatter plot, dashed.
struct ScatterLine {
  std::string name = {};
  std::vector<PlanePoint> points = {};
};

/// What stands around the points of a scatter plot. Text is UTF-8 and may hold any character.
struct MAXMARGIN_EXPORT ScatterOptions {
  std::string title = {};
  std::string x_label = {};
  std::string y_label = {};
  /// Heading of the groups in the legend, such as "cluster".
  std::string group_title = {};
  /// One name a group; empty: their numbers.
  std::vector<std::string> group_names = {};
  /// A second division of the points, shown by the shape of the marker; negative: none known.
  /// Empty: shapes follow the groups, so that colour is never the only sign.
  std::vector<std::int32_t> markers = {};
  std::string marker_title = {};
  std::vector<std::string> marker_names = {};
  /// Tinted in the colours of their groups behind the points (trace_regions over scatter_box).
  std::vector<PlaneRegion> regions = {};
  /// Points with a ring around them (support vectors), by number, and what the ring means.
  std::vector<std::size_t> ringed = {};
  std::string ring_name = {};
  std::vector<ScatterLine> lines = {};
  /// What the points without a group are called in the legend.
  std::string no_group_name = "none";
  /// Size in pixels; at least 200 x 150.
  std::size_t width = 760;
  std::size_t height = 480;

  void describe(OptionVisitor& visit);
};

/// A scatter plot of points in the plane as one self-contained SVG document: axes with round
/// numbers, a legend, colours that colour-blind readers tell apart (eight, then they repeat) and
/// differing marker shapes (seven). `group` has one number a point; negative ones (outliers) are
/// grey crosses. The same input gives the same bytes. Throws InvalidArgument unless the points have
/// two finite coordinates and all lengths fit.
[[nodiscard]] MAXMARGIN_EXPORT std::string svg_scatter(DenseView points,
                                                       std::span<const std::int32_t> group,
                                                       const ScatterOptions& options = {});

/// The part of the plane that svg_scatter shows of these points: their box and some air.
[[nodiscard]] MAXMARGIN_EXPORT PlaneBox scatter_box(DenseView points);

}  // namespace maxmargin
