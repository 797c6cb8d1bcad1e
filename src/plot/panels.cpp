// SPDX-License-Identifier: Apache-2.0
#include "plot/panels.hpp"

#include <algorithm>
#include <string>

namespace maxmargin::svg {

namespace {

double top_of(const PanelLayout& layout) {
  return (layout.has_title ? 42 : 16) + (layout.has_panel_titles ? 18 : 0);
}

}  // namespace

std::size_t panels_height(std::size_t count, const PanelLayout& layout) {
  const double each = static_cast<double>(layout.panel_height) + layout.gap;
  return static_cast<std::size_t>(top_of(layout) + static_cast<double>(count) * each);
}

void lay_out_panels(std::span<Frame> frames, const PanelLayout& layout) {
  double left = 0;
  for (const Frame& frame : frames) left = std::max(left, frame.left_room());
  const auto width = static_cast<double>(layout.width);
  double top = top_of(layout);
  for (Frame& frame : frames) {
    frame.x.from = left;
    frame.x.to = width - 18 - std::min(layout.legend_width, width / 2);
    frame.y.to = top;
    frame.y.from = top + static_cast<double>(layout.panel_height);
    top = frame.y.from + layout.gap;
  }
}

void describe_panel_size(OptionVisitor& visit, std::size_t& width, std::size_t& panel_height) {
  visit.whole(
      {.name = "width", .help = "of the picture in pixels"}, width, {.least = 200, .most = 20000});
  visit.whole({.name = "panel-height", .help = "of each frame in pixels"},
              panel_height,
              {.least = 60, .most = 20000});
}

}  // namespace maxmargin::svg
