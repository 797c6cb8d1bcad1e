// SPDX-License-Identifier: Apache-2.0
#include "plot/canvas.hpp"

#include <initializer_list>
#include <utility>

#include "plot/text.hpp"

namespace maxmargin::svg {

namespace {

/// Those that are faint on white come late.
constexpr std::array<std::string_view, 8> palette = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"};

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

}  // namespace

std::string_view colour_of(std::int32_t group) {
  return group < 0 ? no_group_colour : palette[static_cast<std::size_t>(group) % palette.size()];
}

int shape_of(std::int32_t group) {
  return group < 0 ? cross : group % static_cast<int>(shape_count);
}

Canvas::Canvas(std::size_t width, std::size_t height, std::string_view title) {
  const std::string w = std::to_string(width);
  const std::string h = std::to_string(height);
  out_ =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "role=\"img\" width=\"" +
      w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " + h +
      "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"" + pixels(font_size) +
      "\">\n<title>" + escaped(title) + "</title>\n<rect width=\"" + w + "\" height=\"" + h +
      "\" fill=\"#ffffff\"/>\n";
}

void Canvas::text(
    double x, double y, std::string_view words, std::string_view anchor, std::string_view more) {
  out_ += "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" fill=\"" + std::string(ink) +
          "\" text-anchor=\"" + std::string(anchor) + "\"" + std::string(more) + ">" +
          escaped(words) + "</text>\n";
}

void Canvas::line(
    double x1, double y1, double x2, double y2, std::string_view colour, std::string_view more) {
  out_ += "<line x1=\"" + pixels(x1) + "\" y1=\"" + pixels(y1) + "\" x2=\"" + pixels(x2) +
          "\" y2=\"" + pixels(y2) + "\" stroke=\"" + std::string(colour) + "\"" +
          std::string(more) + "/>\n";
}

void Canvas::frame(double x, double y, double width, double height) {
  out_ += "<rect x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" width=\"" + pixels(width) +
          "\" height=\"" + pixels(height) + "\" fill=\"none\" stroke=\"" + std::string(ink) +
          "\"/>\n";
}

void Canvas::path(std::string_view commands, std::string_view attributes) {
  out_ += "<path d=\"" + std::string(commands) + "\"" + std::string(attributes) + "/>\n";
}

void Canvas::marker(int shape, std::string_view colour, double x, double y, double radius) {
  path(shape_path(shape, x, y, radius), " fill=\"" + std::string(colour) + "\"");
}

void Canvas::ring(double x, double y, double radius) {
  out_ += "<circle cx=\"" + pixels(x) + "\" cy=\"" + pixels(y) + "\" r=\"" + pixels(radius) +
          "\" fill=\"none\" stroke=\"" + std::string(ink) + "\" stroke-width=\"1.2\"/>\n";
}

void Canvas::open_group(std::string_view attributes) {
  out_ += "<g " + std::string(attributes) + ">\n";
}

void Canvas::close_group() { out_ += "</g>\n"; }

std::string Canvas::finish() { return std::move(out_) + "</svg>\n"; }

}  // namespace maxmargin::svg
