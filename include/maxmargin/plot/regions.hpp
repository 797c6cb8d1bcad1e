// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"
#include "maxmargin/linalg/matrix.hpp"

/// Where in the plane a model says what.
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

}  // namespace maxmargin
