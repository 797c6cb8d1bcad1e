// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/svg_scatter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "io/svg_text.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

using svg::escaped;
using svg::pixels;

/// Okabe and Ito's colours, which the common kinds of colour blindness leave apart; those that are
/// faint on white come late.
constexpr std::array<std::string_view, 8> palette = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"};
constexpr std::string_view no_group_colour = "#777777";
constexpr std::string_view ink = "#222222";
constexpr std::string_view grid = "#e4e4e4";
constexpr std::size_t shape_count = 7;
constexpr int cross = 6;  ///< the last shape; also that of points without a group
constexpr double font_size = 13;
constexpr double character_width = 7.2;  ///< generous for a 13 pixel sans-serif
constexpr std::size_t name_limit = 28;

std::string_view colour_of(std::int32_t group) {
  return group < 0 ? no_group_colour : palette[static_cast<std::size_t>(group) % palette.size()];
}

int shape_of(std::int32_t marker) {
  return marker < 0 ? cross : marker % static_cast<int>(shape_count);
}

/// The outline of a marker of radius r around (x, y); shapes have about the same area.
std::string shape_path(int shape, double x, double y, double r) {
  const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
    std::string path;
    for (const auto& [dx, dy] : corners) {
      path += path.empty() ? "M" : "L";
      path += pixels(x + r * dx) + " " + pixels(y + r * dy);
    }
    return path + "Z";
  };
  switch (shape) {
    case 1:  // square
      return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case 2:  // triangle, point up
      return polygon({{0, -1.25}, {1.15, 0.8}, {-1.15, 0.8}});
    case 3:  // diamond
      return polygon({{0, -1.35}, {1.1, 0}, {0, 1.35}, {-1.1, 0}});
    case 4:  // triangle, point down
      return polygon({{0, 1.25}, {1.15, -0.8}, {-1.15, -0.8}});
    case 5:  // plus
      return polygon({{-0.4, -1.2},
                      {0.4, -1.2},
                      {0.4, -0.4},
                      {1.2, -0.4},
                      {1.2, 0.4},
                      {0.4, 0.4},
                      {0.4, 1.2},
                      {-0.4, 1.2},
                      {-0.4, 0.4},
                      {-1.2, 0.4},
                      {-1.2, -0.4},
                      {-0.4, -0.4}});
    case cross:
      return polygon({{-1.1, -0.65},
                      {-0.65, -1.1},
                      {0, -0.45},
                      {0.65, -1.1},
                      {1.1, -0.65},
                      {0.45, 0},
                      {1.1, 0.65},
                      {0.65, 1.1},
                      {0, 0.45},
                      {-0.65, 1.1},
                      {-1.1, 0.65},
                      {-0.45, 0}});
    default: {  // circle, as two arcs
      std::string path = "M";
      path += pixels(x - r) + " " + pixels(y);
      for (const double end : {x + r, x - r}) {
        path += "A";
        path += pixels(r) + " " + pixels(r) + " 0 1 0 " + pixels(end) + " " + pixels(y);
      }
      return path + "Z";
    }
  }
}

std::string marker(int shape, std::string_view colour, double x, double y, double r) {
  return "<path d=\"" + shape_path(shape, x, y, r) + "\" fill=\"" + std::string(colour) + "\"/>\n";
}

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

/// The range of a column with some air around it.
Axis axis_of(DenseView points, std::size_t column) {
  double low = points.rows == 0 ? 0.0 : points(0, column);
  double high = low;
  for (std::size_t i = 0; i < points.rows; ++i) {
    low = std::min(low, points(i, column));
    high = std::max(high, points(i, column));
  }
  // A range too small to be told apart in doubles is shown as a point in the middle.
  const double least = 1e-9 * std::max(std::abs(low), std::abs(high));
  const double air = high - low > least ? 0.04 * (high - low) : std::max(0.5, 0.5 * std::abs(low));
  return {.low = low - air, .high = high + air};
}

/// One part of the legend.
struct LegendPart {
  std::string_view title = {};
  std::vector<std::string> names = {};
  std::vector<int> shapes = {};
  std::vector<std::string_view> colours = {};
};

/// Names of the numbers 0, ..., count-1: those given, else the numbers themselves.
std::vector<std::string> names_of(std::span<const std::string> given, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t g = 0; g < count; ++g) {
    names.push_back(given.empty() ? std::to_string(g) : svg::shortened(given[g], name_limit));
  }
  return names;
}

std::size_t count_of(std::span<const std::int32_t> numbers) {
  std::int32_t largest = -1;
  for (const std::int32_t number : numbers) largest = std::max(largest, number);
  return static_cast<std::size_t>(largest + 1);
}

class ScatterPlot {
 public:
  ScatterPlot(DenseView points, std::span<const std::int32_t> group, const ScatterOptions& options)
      : points_(points), group_(group), options_(options) {
    make_legend();
    lay_out();
  }

  std::string draw() {
    open();
    draw_axes();
    draw_points();
    draw_legend();
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] bool has_markers() const { return !options_.markers.empty(); }
  [[nodiscard]] std::int32_t marker_of(std::size_t i) const {
    return has_markers() ? options_.markers[i] : group_[i];
  }

  void make_legend() {
    const std::size_t groups = count_of(group_);
    LegendPart colours{options_.group_title, names_of(options_.group_names, groups), {}, {}};
    for (std::size_t g = 0; g < groups; ++g) {
      const auto number = static_cast<std::int32_t>(g);
      colours.shapes.push_back(has_markers() ? 0 : shape_of(number));
      colours.colours.push_back(colour_of(number));
    }
    if (std::ranges::any_of(group_, [](std::int32_t g) { return g < 0; })) {
      colours.names.emplace_back("none");
      colours.shapes.push_back(has_markers() ? 0 : cross);
      colours.colours.push_back(no_group_colour);
    }
    legend_.push_back(std::move(colours));
    if (!has_markers()) return;
    const std::size_t kinds = count_of(options_.markers);
    LegendPart shapes{options_.marker_title, names_of(options_.marker_names, kinds), {}, {}};
    for (std::size_t m = 0; m < kinds; ++m) {
      shapes.shapes.push_back(shape_of(static_cast<std::int32_t>(m)));
      shapes.colours.push_back(no_group_colour);
    }
    legend_.push_back(std::move(shapes));
  }

  void lay_out() {
    std::size_t longest = 0;
    for (const LegendPart& part : legend_) {
      longest = std::max(longest, svg::length(svg::shortened(part.title, name_limit)));
      for (const std::string& name : part.names) longest = std::max(longest, svg::length(name) + 3);
    }
    const auto width = static_cast<double>(options_.width);
    const auto height = static_cast<double>(options_.height);
    const double legend_width = std::min(
        longest == 0 ? 0.0 : character_width * static_cast<double>(longest) + 16, width / 2);
    x_ = axis_of(points_, 0);
    y_ = axis_of(points_, 1);
    x_ticks_ = svg::round_ticks(x_.low, x_.high, 6);
    y_ticks_ = svg::round_ticks(y_.low, y_.high, 6);
    std::size_t widest = 0;
    for (const svg::Tick& tick : y_ticks_) widest = std::max(widest, tick.text.size());
    x_.from =
        22 + character_width * static_cast<double>(widest) + (options_.y_label.empty() ? 0 : 20);
    x_.to = width - 18 - legend_width;
    y_.from = height - 34 - (options_.x_label.empty() ? 0 : 22);  // pixels grow downwards
    y_.to = options_.title.empty() ? 16 : 42;
    radius_ = points_.rows <= 500 ? 4.2 : points_.rows <= 5000 ? 3.0 : 1.8;
  }

  void open() {
    const std::string width = std::to_string(options_.width);
    const std::string height = std::to_string(options_.height);
    out_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "role=\"img\" width=\"" +
        width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
        "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"" + pixels(font_size) +
        "\">\n<title>" + escaped(options_.title.empty() ? "scatter plot" : options_.title) +
        "</title>\n<rect width=\"" + width + "\" height=\"" + height + "\" fill=\"#ffffff\"/>\n";
    if (!options_.title.empty()) {
      text((x_.from + x_.to) / 2, 26, options_.title, "middle", " font-size=\"16\"");
    }
  }

  void text(double x,
            double y,
            std::string_view words,
            std::string_view anchor,
            std::string_view more = {}) {
    out_ += "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" fill=\"" + std::string(ink) +
            "\" text-anchor=\"" + std::string(anchor) + "\"" + std::string(more) + ">" +
            escaped(words) + "</text>\n";
  }

  void line(double x1, double y1, double x2, double y2, std::string_view colour) {
    out_ += "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) +
            "\" y2=\"" + pixels(y2) + "\" stroke=\"" + std::string(colour) + "\"/>\n";
  }

  void draw_axes() {
    out_ += "<g class=\"axes\">\n";
    for (const svg::Tick& tick : x_ticks_) {
      const double x = x_.place(tick.value);
      line(x, y_.from, x, y_.to, grid);
      line(x, y_.from, x, y_.from + 5, ink);
      text(x, y_.from + 20, tick.text, "middle");
    }
    for (const svg::Tick& tick : y_ticks_) {
      const double y = y_.place(tick.value);
      line(x_.from, y, x_.to, y, grid);
      line(x_.from - 5, y, x_.from, y, ink);
      text(x_.from - 9, y + 4.5, tick.text, "end");
    }
    out_ += "<rect x=\"" + pixels(x_.from) + "\" y=\"" + pixels(y_.to) + "\" width=\"" +
            pixels(x_.to - x_.from) + "\" height=\"" + pixels(y_.from - y_.to) +
            "\" fill=\"none\" stroke=\"" + std::string(ink) + "\"/>\n";
    if (!options_.x_label.empty()) {
      text((x_.from + x_.to) / 2, y_.from + 44, options_.x_label, "middle");
    }
    if (!options_.y_label.empty()) {
      const std::string middle = pixels((y_.from + y_.to) / 2);
      text(18,
           (y_.from + y_.to) / 2,
           options_.y_label,
           "middle",
           " transform=\"rotate(-90 18 " + middle + ")\"");
    }
    out_ += "</g>\n";
  }

  void draw_points() {
    out_ += "<g class=\"points\" fill-opacity=\"0.8\" stroke=\"#ffffff\" stroke-width=\"0.5\">\n";
    for (std::size_t i = 0; i < points_.rows; ++i) {
      out_ += marker(shape_of(marker_of(i)),
                     colour_of(group_[i]),
                     x_.place(points_(i, 0)),
                     y_.place(points_(i, 1)),
                     radius_);
    }
    out_ += "</g>\n";
  }

  void draw_legend() {
    out_ += "<g class=\"legend\">\n";
    const double left = x_.to + 18;
    double y = y_.to + 10;
    for (const LegendPart& part : legend_) {
      if (part.names.empty()) continue;
      if (!part.title.empty()) {
        text(left, y + 3, svg::shortened(part.title, name_limit), "start", " font-weight=\"bold\"");
        y += 21;
      }
      for (std::size_t e = 0; e < part.names.size(); ++e) {
        out_ += marker(part.shapes[e], part.colours[e], left + 6, y - 1.5, 4.8);
        text(left + 18, y + 3, part.names[e], "start");
        y += 19;
      }
      y += 12;
    }
    out_ += "</g>\n";
  }

  DenseView points_;
  std::span<const std::int32_t> group_;
  const ScatterOptions& options_;
  std::vector<LegendPart> legend_;
  Axis x_;
  Axis y_;
  std::vector<svg::Tick> x_ticks_;
  std::vector<svg::Tick> y_ticks_;
  double radius_ = 4;
  std::string out_;
};

}  // namespace

void ScatterOptions::validate() const {
  constexpr std::size_t largest = 20000;
  require_field(width >= 200 && width <= largest,
                "ScatterOptions.width",
                static_cast<double>(width),
                "from 200 to 20000");
  require_field(height >= 150 && height <= largest,
                "ScatterOptions.height",
                static_cast<double>(height),
                "from 150 to 20000");
}

std::string svg_scatter(DenseView points,
                        std::span<const std::int32_t> group,
                        const ScatterOptions& options) {
  options.validate();
  require_field(points.rows == 0 || points.cols == 2,
                "svg_scatter: coordinates a point",
                static_cast<double>(points.cols),
                "2");
  require(group.size() == points.rows, "svg_scatter: there must be one group a point");
  require(options.markers.empty() || options.markers.size() == points.rows,
          "ScatterOptions.markers: there must be one a point");
  const auto require_names = [](const std::vector<std::string>& names,
                                std::span<const std::int32_t> numbers,
                                std::string_view field) {
    require_field(names.empty() || names.size() >= count_of(numbers),
                  field,
                  static_cast<double>(names.size()),
                  "at least " + std::to_string(count_of(numbers)) + ", or 0");
  };
  require_names(options.group_names, group, "number of ScatterOptions.group_names");
  require_names(options.marker_names, options.markers, "number of ScatterOptions.marker_names");
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (const double value : points.row(i)) {
      require_field(std::abs(value) <= 1e300,
                    "svg_scatter: a coordinate of point " + std::to_string(i),
                    value,
                    "finite and at most 1e300");
    }
  }
  return ScatterPlot(points, group, options).draw();
}

}  // namespace maxmargin
