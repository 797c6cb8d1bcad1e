// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// One curve: a value for every x; NaN and infinities are left out and break the curve.
struct LineSeries {
  std::string name = {};
  std::vector<double> values = {};
};

struct MAXMARGIN_EXPORT LinesOptions {
  std::string title = {};
  std::string x_label = {};
  /// Pixels: of the picture from side to side (200 to 20000) and of each curve's frame (60 to
  /// 20000).
  std::size_t width = 760;
  std::size_t panel_height = 190;

  void describe(OptionVisitor& visit);
};

/// Curves over the same x as one SVG document, each in a frame of its own with its own scale, one
/// above the other: an objective and a share in per cent need not share an axis. Throws
/// InvalidArgument without a series, for lengths that differ, and for an x that is not finite.
[[nodiscard]] MAXMARGIN_EXPORT std::string svg_lines(std::span<const double> x,
                                                     std::span<const LineSeries> series,
                                                     const LinesOptions& options = {});

}  // namespace maxmargin
