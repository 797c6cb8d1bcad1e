// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plot/canvas.hpp"
#include "plot/text.hpp"

/// Frames with axes, and the legend beside them: what every chart is built of.
namespace maxmargin::svg {

/// A range of values and the pixels it is drawn on.
struct Axis {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;

  [[nodiscard]] double place(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

/// The range of the finite values with some air around it; [0, 1] without any.
[[nodiscard]] Axis axis_over(std::span<const double> values);

/// Two axes on their piece of the canvas.
struct Frame {
  Axis x = {};
  Axis y = {};
  std::vector<Tick> x_ticks = {};
  std::vector<Tick> y_ticks = {};
  std::string x_label = {};
  std::string y_label = {};

  /// Round numbers on both axes.
  void make_ticks(std::size_t x_wanted = 6, std::size_t y_wanted = 6);
  /// Room left of the frame for the numbers and the label of the y axis.
  [[nodiscard]] double left_room() const;
  void draw(Canvas& canvas) const;
  /// The rectangle around it, which draw() draws too.
  void draw_border(Canvas& canvas) const;
};

/// What a legend shows before a name.
enum class LegendSign { marker, ring, line, bar };

struct LegendEntry {
  std::string name = {};
  LegendSign sign = LegendSign::marker;
  int shape = 0;
  std::string_view colour = ink;
};

struct LegendPart {
  std::string title = {};
  std::vector<LegendEntry> entries = {};
};

/// Names of the numbers 0, ..., count-1: those given, else the numbers themselves.
[[nodiscard]] std::vector<std::string> names_of(std::span<const std::string> given,
                                                std::size_t count);

/// Pixels a legend needs to the right of the frame, 0 when it is empty.
[[nodiscard]] double legend_width(std::span<const LegendPart> parts);
void draw_legend(Canvas& canvas, std::span<const LegendPart> parts, double left, double top);

}  // namespace maxmargin::svg
