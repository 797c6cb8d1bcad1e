// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/lines.hpp"

#include <cmath>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "plot/panels.hpp"

namespace maxmargin {

namespace {

using svg::pixels;

/// The pieces of a curve between missing values; a piece of one point is a dot.
void draw_curve(svg::Canvas& canvas,
                const svg::Frame& frame,
                std::span<const double> x,
                const LineSeries& series,
                std::string_view colour) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = series.values[i];
    if (!std::isfinite(y)) {
      drawing = false;
      continue;
    }
    const std::string at = pixels(frame.x.place(x[i])) + " " + pixels(frame.y.place(y));
    path += (drawing ? "L" : "M") + at;
    const bool last = i + 1 == x.size() || !std::isfinite(series.values[i + 1]);
    if (!drawing && last) path += "h0.01";
    drawing = true;
  }
  if (path.empty()) return;
  canvas.path(path,
              " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" "
              "stroke-width=\"1.8\" stroke=\"" +
                  std::string(colour) + "\"");
}

}  // namespace

void LinesOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "title", .help = "heading of the picture"}, title);
  visit.text({.name = "x-label", .help = "what the horizontal axis shows"}, x_label);
  svg::describe_panel_size(visit, width, panel_height);
}

std::string svg_lines(std::span<const double> x,
                      std::span<const LineSeries> series,
                      const LinesOptions& options) {
  validate(options);
  require(!series.empty(), "svg_lines: there must be a series");
  for (const double value : x) require_field(std::isfinite(value), "svg_lines: x", value, "finite");
  std::vector<svg::Frame> frames;
  for (const LineSeries& curve : series) {
    require(curve.values.size() == x.size(),
            "svg_lines: the series " + curve.name + " has " + std::to_string(curve.values.size()) +
                " values for " + std::to_string(x.size()) + " x");
    svg::Frame frame{.x = svg::axis_over(x), .y = svg::axis_over(curve.values)};
    frame.y_label = svg::shortened(curve.name, options.panel_height / 8);
    frame.make_ticks(6, 4);
    frames.push_back(std::move(frame));
  }
  frames.back().x_label = options.x_label;

  const svg::PanelLayout layout{.width = options.width,
                                .panel_height = options.panel_height,
                                .gap = series.size() == 1 ? 56.0 : 40.0,
                                .has_title = !options.title.empty()};
  svg::lay_out_panels(frames, layout);
  const std::size_t label_room = layout.gap < 56 ? 16 : 0;
  svg::Canvas canvas(options.width,
                     svg::panels_height(frames.size(), layout) + label_room,
                     options.title.empty() ? "curves" : options.title);
  if (!options.title.empty()) {
    const svg::Axis& top = frames.front().x;
    canvas.text((top.from + top.to) / 2, 26, options.title, "middle", " font-size=\"16\"");
  }
  for (std::size_t s = 0; s < frames.size(); ++s) {
    frames[s].draw(canvas);
    canvas.open_group("class=\"curve\"");
    draw_curve(canvas, frames[s], x, series[s], svg::colour_of(static_cast<std::int32_t>(s)));
    canvas.close_group();
  }
  return canvas.finish();
}

}  // namespace maxmargin
