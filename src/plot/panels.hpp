// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "maxmargin/core/option.hpp"
#include "plot/axes.hpp"

namespace maxmargin::svg {

/// Frames one above the other, aligned at their sides.
struct PanelLayout {
  std::size_t width = 760;
  std::size_t panel_height = 190;
  /// Room under every frame; the last one's numbers and label need at least 56.
  double gap = 56;
  bool has_title = false;
  bool has_panel_titles = false;
  double legend_width = 0;
};

/// Gives the frames their pixels. They must have their ranges, labels and ticks.
void lay_out_panels(std::span<Frame> frames, const PanelLayout& layout);

/// Height of the picture.
[[nodiscard]] std::size_t panels_height(std::size_t count, const PanelLayout& layout);

/// Options width and panel-height.
void describe_panel_size(OptionVisitor& visit, std::size_t& width, std::size_t& panel_height);

}  // namespace maxmargin::svg
