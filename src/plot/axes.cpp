// SPDX-License-Identifier: Apache-2.0
#include "plot/axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin::svg {

namespace {

constexpr std::size_t name_limit = 28;

}  // namespace

Axis axis_over(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {};
  // A range too small to be told apart in doubles is shown as a point in the middle.
  const double least = 1e-9 * std::max(std::abs(low), std::abs(high));
  const double air = high - low > least ? 0.04 * (high - low) : std::max(0.5, 0.5 * std::abs(low));
  return {.low = low - air, .high = high + air};
}

void Frame::make_ticks(std::size_t x_wanted, std::size_t y_wanted) {
  x_ticks = round_ticks(x.low, x.high, x_wanted);
  y_ticks = round_ticks(y.low, y.high, y_wanted);
}

double Frame::left_room() const {
  std::size_t widest = 0;
  for (const Tick& tick : y_ticks) widest = std::max(widest, tick.text.size());
  return 22 + character_width * static_cast<double>(widest) + (y_label.empty() ? 0 : 20);
}

void Frame::draw(Canvas& canvas) const {
  canvas.open_group("class=\"axes\"");
  for (const Tick& tick : x_ticks) {
    const double at = x.place(tick.value);
    canvas.line(at, y.from, at, y.to, grid);
    canvas.line(at, y.from, at, y.from + 5, ink);
    canvas.text(at, y.from + 20, tick.text, "middle");
  }
  for (const Tick& tick : y_ticks) {
    const double at = y.place(tick.value);
    canvas.line(x.from, at, x.to, at, grid);
    canvas.line(x.from - 5, at, x.from, at, ink);
    canvas.text(x.from - 9, at + 4.5, tick.text, "end");
  }
  draw_border(canvas);
  if (!x_label.empty()) canvas.text((x.from + x.to) / 2, y.from + 44, x_label, "middle");
  if (!y_label.empty()) {
    const double middle = (y.from + y.to) / 2;
    const std::string turn = " transform=\"rotate(-90 18 " + pixels(middle) + ")\"";
    canvas.text(18, middle, y_label, "middle", turn);
  }
  canvas.close_group();
}

void Frame::draw_border(Canvas& canvas) const {
  canvas.frame(x.from, y.to, x.to - x.from, y.from - y.to);
}

std::vector<std::string> names_of(std::span<const std::string> given, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < count; ++g) {
    names.push_back(given.empty() ? std::to_string(g) : shortened(given[g], name_limit));
  }
  return names;
}

double legend_width(std::span<const LegendPart> parts) {
  std::size_t longest = 0;
  for (const LegendPart& part : parts) {
    if (part.entries.empty()) continue;
    longest = std::max(longest, length(shortened(part.title, name_limit)));
    for (const LegendEntry& entry : part.entries) {
      longest = std::max(longest, length(entry.name) + 3);
    }
  }
  return longest == 0 ? 0.0 : character_width * static_cast<double>(longest) + 16;
}

void draw_legend(Canvas& canvas, std::span<const LegendPart> parts, double left, double top) {
  canvas.open_group("class=\"legend\"");
  double y = top;
  for (const LegendPart& part : parts) {
    if (part.entries.empty()) continue;
    if (!part.title.empty()) {
      canvas.text(left, y + 3, shortened(part.title, name_limit), "start", " font-weight=\"bold\"");
      y += 21;
    }
    for (const LegendEntry& entry : part.entries) {
      const double middle = y - 1.5;
      switch (entry.sign) {
        case LegendSign::marker:
          canvas.marker(entry.shape, entry.colour, left + 6, middle, 4.8);
          break;
        case LegendSign::ring:
          canvas.ring(left + 6, middle, 5.6);
          break;
        case LegendSign::line:
          canvas.line(left, middle, left + 13, middle, entry.colour, " stroke-width=\"1.8\"");
          break;
        case LegendSign::bar:
          canvas.path("M" + pixels(left) + " " + pixels(middle - 5) + "h12v10h-12Z",
                      " fill=\"" + std::string(entry.colour) + "\" fill-opacity=\"0.5\"");
          break;
      }
      canvas.text(left + 18, y + 3, entry.name, "start");
      y += 19;
    }
    y += 12;
  }
  canvas.close_group();
}

}  // namespace maxmargin::svg
