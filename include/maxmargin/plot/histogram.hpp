// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// One histogram: values and the group each belongs to.
struct HistogramPanel {
  /// Stands above its frame.
  std::string title = {};
  std::vector<double> values = {};
  /// One a value; negative: no group.
  std::vector<std::int32_t> group = {};
};

struct MAXMARGIN_EXPORT HistogramOptions {
  std::string title = {};
  std::string x_label = {};
  std::string group_title = {};
  /// One name a group; empty: their numbers.
  std::vector<std::string> group_names = {};
  /// Dashed upright lines, at the border and the margins of a machine, say.
  std::vector<double> marks = {};
  /// Bars from side to side, at most 500; unset: by the number of values.
  std::optional<std::size_t> bins = std::nullopt;
  /// Pixels: of the picture from side to side (200 to 20000) and of each frame (60 to 20000).
  std::size_t width = 760;
  std::size_t panel_height = 240;

  void describe(OptionVisitor& visit);
};

/// Histograms one above the other as one SVG document; the groups of a panel lie over one another,
/// see-through, with outlines. Throws InvalidArgument without a panel, for lengths that differ, for
/// a value that is not finite and for fewer names than groups.
[[nodiscard]] MAXMARGIN_EXPORT std::string svg_histogram(std::span<const HistogramPanel> panels,
                                                         const HistogramOptions& options = {});

}  // namespace maxmargin
