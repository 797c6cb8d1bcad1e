// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/scatter.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "plot/axes.hpp"
#include "plot/canvas.hpp"

namespace maxmargin {

namespace {

using svg::pixels;

std::size_t count_of(std::span<const std::int32_t> numbers) {
  std::int32_t largest = -1;
  for (const std::int32_t number : numbers) largest = std::max(largest, number);
  return static_cast<std::size_t>(largest + 1);
}

svg::Axis axis_of(DenseView points, std::size_t coordinate) {
  std::vector<double> values(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) values[i] = points(i, coordinate);
  return svg::axis_over(values);
}

/// Distance of a point from the line through two others, in their units.
double distance_from_line(const PlanePoint& point, const PlanePoint& a, const PlanePoint& b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length = std::hypot(dx, dy);
  if (length == 0) return std::hypot(point.x - a.x, point.y - a.y);
  return std::abs(dy * (point.x - a.x) - dx * (point.y - a.y)) / length;
}

/// A curve in pixels without the points that nobody can see: straight runs keep their ends.
std::vector<PlanePoint> without_invisible(const std::vector<PlanePoint>& curve) {
  constexpr double invisible = 0.1;
  constexpr std::size_t longest_run = 200;
  std::vector<PlanePoint> kept;
  for (std::size_t from = 0; from < curve.size();) {
    kept.push_back(curve[from]);
    std::size_t to = from + 1;
    const auto is_straight = [&](std::size_t end) {
      for (std::size_t p = from + 1; p < end; ++p) {
        if (distance_from_line(curve[p], curve[from], curve[end]) > invisible) return false;
      }
      return true;
    };
    while (to + 1 < curve.size() && to - from < longest_run && is_straight(to + 1)) ++to;
    from = to;
  }
  return kept;
}

class ScatterPlot {
 public:
  ScatterPlot(DenseView points, std::span<const std::int32_t> group, const ScatterOptions& options)
      : points_(points),
        group_(group),
        options_(options),
        canvas_(
            options.width, options.height, options.title.empty() ? "scatter plot" : options.title) {
    make_group_legend();
    make_marker_legend();
    make_line_legend();
    lay_out();
  }

  std::string draw() {
    if (!options_.title.empty()) {
      canvas_.text(
          (frame_.x.from + frame_.x.to) / 2, 26, options_.title, "middle", " font-size=\"16\"");
    }
    frame_.draw(canvas_);
    draw_regions();
    draw_points();
    draw_rings();
    draw_lines();
    svg::draw_legend(canvas_, legend_, frame_.x.to + 18, frame_.y.to + 10);
    return canvas_.finish();
  }

 private:
  [[nodiscard]] bool has_markers() const { return !options_.markers.empty(); }
  [[nodiscard]] std::int32_t marker_of(std::size_t i) const {
    return has_markers() ? options_.markers[i] : group_[i];
  }

  void make_group_legend() {
    std::size_t groups = count_of(group_);
    bool outliers = std::ranges::any_of(group_, [](std::int32_t g) { return g < 0; });
    for (const PlaneRegion& region : options_.regions) {
      groups = std::max(groups, static_cast<std::size_t>(std::max(region.label + 1, 0)));
      outliers = outliers || region.label < 0;
    }
    const std::vector<std::string> names = svg::names_of(
        options_.group_names.size() >= groups ? options_.group_names : std::vector<std::string>{},
        groups);
    svg::LegendPart part{.title = options_.group_title};
    for (std::size_t g = 0; g < groups; ++g) {
      const auto number = static_cast<std::int32_t>(g);
      part.entries.push_back({.name = names[g],
                              .shape = has_markers() ? 0 : svg::shape_of(number),
                              .colour = svg::colour_of(number)});
    }
    if (outliers) {
      part.entries.push_back({.name = options_.no_group_name,
                              .shape = has_markers() ? 0 : svg::cross,
                              .colour = svg::no_group_colour});
    }
    legend_.push_back(std::move(part));
  }

  void make_marker_legend() {
    if (!has_markers()) return;
    svg::LegendPart part{.title = options_.marker_title};
    const std::vector<std::string> names =
        svg::names_of(options_.marker_names, count_of(options_.markers));
    for (std::size_t m = 0; m < names.size(); ++m) {
      part.entries.push_back({.name = names[m],
                              .shape = svg::shape_of(static_cast<std::int32_t>(m)),
                              .colour = svg::no_group_colour});
    }
    legend_.push_back(std::move(part));
  }

  void make_line_legend() {
    svg::LegendPart part;
    if (!options_.ringed.empty()) {
      part.entries.push_back({.name = options_.ring_name, .sign = svg::LegendSign::ring});
    }
    for (const ScatterLine& line : options_.lines) {
      part.entries.push_back({.name = line.name, .sign = svg::LegendSign::line});
    }
    legend_.push_back(std::move(part));
  }

  void lay_out() {
    const auto width = static_cast<double>(options_.width);
    const auto height = static_cast<double>(options_.height);
    frame_.x = axis_of(points_, 0);
    frame_.y = axis_of(points_, 1);
    frame_.x_label = options_.x_label;
    frame_.y_label = options_.y_label;
    frame_.make_ticks();
    frame_.x.from = frame_.left_room();
    frame_.x.to = width - 18 - std::min(svg::legend_width(legend_), width / 2);
    frame_.y.from = height - 34 - (options_.x_label.empty() ? 0 : 22);  // pixels grow downwards
    frame_.y.to = options_.title.empty() ? 16 : 42;
    radius_ = points_.rows <= 500 ? 4.2 : points_.rows <= 5000 ? 3.0 : 1.8;
  }

  [[nodiscard]] PlanePoint in_pixels(const PlanePoint& point) const {
    return {.x = frame_.x.place(point.x), .y = frame_.y.place(point.y)};
  }
  /// The commands of a path through these points of the plane.
  [[nodiscard]] std::string path_through(const std::vector<PlanePoint>& points) const {
    std::vector<PlanePoint> curve;
    for (const PlanePoint& point : points) curve.push_back(in_pixels(point));
    std::string path;
    for (const PlanePoint& point : without_invisible(curve)) {
      path += path.empty() ? "M" : "L";
      path += pixels(point.x) + " " + pixels(point.y);
    }
    return path;
  }

  void draw_regions() {
    if (options_.regions.empty()) return;
    canvas_.open_group("class=\"regions\" fill-opacity=\"0.16\" stroke-opacity=\"0.7\"");
    for (const PlaneRegion& region : options_.regions) {
      std::string path;
      for (const std::vector<PlanePoint>& loop : region.loops) path += path_through(loop) + "Z";
      const std::string colour(svg::colour_of(region.label));
      // Outliers are what the curves of the others leave: no curve of their own.
      const std::string stroke = region.label < 0 ? "none" : colour;
      canvas_.path(path,
                   " fill=\"" + colour + "\" fill-rule=\"evenodd\" stroke=\"" + stroke + "\"");
    }
    canvas_.close_group();
    frame_.draw_border(canvas_);  // the regions' own curves run along it
  }

  void draw_points() {
    canvas_.open_group(
        "class=\"points\" fill-opacity=\"0.8\" stroke=\"#ffffff\" stroke-width=\"0.5\"");
    for (std::size_t i = 0; i < points_.rows; ++i) {
      canvas_.marker(svg::shape_of(marker_of(i)),
                     svg::colour_of(group_[i]),
                     frame_.x.place(points_(i, 0)),
                     frame_.y.place(points_(i, 1)),
                     radius_);
    }
    canvas_.close_group();
  }

  void draw_rings() {
    if (options_.ringed.empty()) return;
    canvas_.open_group("class=\"rings\"");
    for (const std::size_t i : options_.ringed) {
      canvas_.ring(frame_.x.place(points_(i, 0)), frame_.y.place(points_(i, 1)), 1.5 * radius_ + 1);
    }
    canvas_.close_group();
  }

  void draw_lines() {
    if (options_.lines.empty()) return;
    // Not beyond the frame.
    const auto inside = [](const svg::Axis& axis, double value) {
      return std::clamp(value, axis.low, axis.high);
    };
    canvas_.open_group("class=\"lines\" fill=\"none\" stroke-dasharray=\"6 4\"");
    for (const ScatterLine& line : options_.lines) {
      std::vector<PlanePoint> points;
      for (const PlanePoint& point : line.points) {
        points.push_back({.x = inside(frame_.x, point.x), .y = inside(frame_.y, point.y)});
      }
      canvas_.path(path_through(points),
                   " stroke=\"" + std::string(svg::ink) + "\" stroke-width=\"1.4\"");
    }
    canvas_.close_group();
  }

  DenseView points_;
  std::span<const std::int32_t> group_;
  const ScatterOptions& options_;
  svg::Canvas canvas_;
  svg::Frame frame_;
  std::vector<svg::LegendPart> legend_;
  double radius_ = 4;
};

void require_points(DenseView points) {
  require_field(points.rows == 0 || points.cols == 2,
                "svg_scatter: coordinates a point",
                static_cast<double>(points.cols),
                "2");
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (const double value : points.row(i)) {
      if (std::abs(value) <= 1e300) continue;
      require_field(false,
                    "svg_scatter: a coordinate of point " + std::to_string(i),
                    value,
                    "finite and at most 1e300");
    }
  }
}

}  // namespace

void ScatterOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "title", .help = "heading of the picture"}, title);
  visit.text({.name = "x-label", .help = "what the horizontal axis shows"}, x_label);
  visit.text({.name = "y-label", .help = "what the upright axis shows"}, y_label);
  visit.text({.name = "group-title", .help = "heading of the groups in the legend"}, group_title);
  visit.text({.name = "marker-title", .help = "heading of the markers in the legend"},
             marker_title);
  visit.text({.name = "ring-name", .help = "what a ring around a point means"}, ring_name);
  visit.text({.name = "no-group-name", .help = "what points without a group are called"},
             no_group_name);
  visit.whole(
      {.name = "width", .help = "of the picture in pixels"}, width, {.least = 200, .most = 20000});
  visit.whole({.name = "height", .help = "of the picture in pixels"},
              height,
              {.least = 150, .most = 20000});
}

PlaneBox scatter_box(DenseView points) {
  require_points(points);
  const svg::Axis x = axis_of(points, 0);
  const svg::Axis y = axis_of(points, 1);
  return {.x_low = x.low, .x_high = x.high, .y_low = y.low, .y_high = y.high};
}

std::string svg_scatter(DenseView points,
                        std::span<const std::int32_t> group,
                        const ScatterOptions& options) {
  validate(options);
  require_points(points);
  require(group.size() == points.rows, "svg_scatter: there must be one group a point");
  require(options.markers.empty() || options.markers.size() == points.rows,
          "markers: there must be one a point");
  const auto require_names = [](const std::vector<std::string>& names,
                                std::span<const std::int32_t> numbers,
                                std::string_view field) {
    require_field(names.empty() || names.size() >= count_of(numbers),
                  field,
                  static_cast<double>(names.size()),
                  "at least " + std::to_string(count_of(numbers)) + ", or 0");
  };
  require_names(options.group_names, group, "number of group_names");
  require_names(options.marker_names, options.markers, "number of marker_names");
  for (const std::size_t i : options.ringed) {
    require_field(i < points.rows,
                  "ringed: a point",
                  static_cast<double>(i),
                  "below the number of points, " + std::to_string(points.rows));
  }
  return ScatterPlot(points, group, options).draw();
}

}  // namespace maxmargin
