// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/plot/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "plot/panels.hpp"

namespace maxmargin {

namespace {

using svg::pixels;

/// Number of groups over all panels, and whether some values have none.
struct Groups {
  std::size_t count = 0;
  bool some_have_none = false;
};

Groups groups_of(std::span<const HistogramPanel> panels) {
  Groups groups;
  for (const HistogramPanel& panel : panels) {
    for (const std::int32_t g : panel.group) {
      groups.count = std::max(groups.count, static_cast<std::size_t>(std::max(g + 1, 0)));
      groups.some_have_none = groups.some_have_none || g < 0;
    }
  }
  return groups;
}

/// The counts of one panel: a row of bins a group, the last for values without one.
struct Counts {
  double low = 0;
  double width = 1;
  std::vector<std::vector<double>> of_group = {};
  double largest = 0;
};

/// Sturges' rule asks for too few bars when groups lie apart; twice its number shows them.
std::size_t default_bins(std::size_t values) {
  const double bits = std::ceil(std::log2(static_cast<double>(std::max<std::size_t>(values, 2))));
  return std::clamp<std::size_t>(2 * static_cast<std::size_t>(bits) + 8, 10, 60);
}

Counts count_values(const HistogramPanel& panel,
                    const svg::Axis& axis,
                    std::size_t groups,
                    std::size_t bins) {
  Counts counts{.low = axis.low,
                .width = (axis.high - axis.low) / static_cast<double>(bins),
                .of_group = std::vector(groups + 1, std::vector<double>(bins, 0.0))};
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    const double place = (panel.values[i] - axis.low) / (axis.high - axis.low);
    const auto bin =
        std::min(bins - 1, static_cast<std::size_t>(place * static_cast<double>(bins)));
    const std::size_t group =
        panel.group[i] < 0 ? groups : static_cast<std::size_t>(panel.group[i]);
    counts.largest = std::max(counts.largest, ++counts.of_group[group][bin]);
  }
  return counts;
}

/// The outlines over the bars of one group, one for every run of bars that are not empty.
std::string outline(const svg::Frame& frame, const Counts& counts, std::span<const double> bins) {
  const std::string base = pixels(frame.y.place(0));
  const auto left_of = [&](std::size_t bin) {
    return pixels(frame.x.place(counts.low + static_cast<double>(bin) * counts.width));
  };
  std::string path;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    if (bins[b] == 0) continue;
    if (b == 0 || bins[b - 1] == 0) path += "M" + left_of(b) + " " + base;
    path += "V" + pixels(frame.y.place(bins[b])) + "H" + left_of(b + 1);
    if (b + 1 == bins.size() || bins[b + 1] == 0) path += "V" + base + "Z";
  }
  return path;
}

svg::LegendPart legend_of(const HistogramOptions& options, const Groups& groups) {
  svg::LegendPart legend{.title = options.group_title};
  const std::vector<std::string> names = svg::names_of(options.group_names, groups.count);
  for (std::size_t g = 0; g < groups.count; ++g) {
    legend.entries.push_back({.name = names[g],
                              .sign = svg::LegendSign::bar,
                              .colour = svg::colour_of(static_cast<std::int32_t>(g))});
  }
  if (groups.some_have_none) {
    legend.entries.push_back(
        {.name = "none", .sign = svg::LegendSign::bar, .colour = svg::no_group_colour});
  }
  return legend;
}

void draw_panel(svg::Canvas& canvas,
                const svg::Frame& frame,
                const Counts& counts,
                const HistogramPanel& panel,
                const HistogramOptions& options) {
  frame.draw(canvas);
  if (!panel.title.empty()) {
    canvas.text(frame.x.from, frame.y.to - 7, panel.title, "start", " font-weight=\"bold\"");
  }
  canvas.open_group("class=\"bars\" fill-opacity=\"0.38\" stroke-width=\"1.2\"");
  for (std::size_t g = 0; g < counts.of_group.size(); ++g) {
    if (std::ranges::all_of(counts.of_group[g], [](double n) { return n == 0; })) continue;
    const bool none = g + 1 == counts.of_group.size();
    const std::string colour(none ? svg::no_group_colour
                                  : svg::colour_of(static_cast<std::int32_t>(g)));
    canvas.path(outline(frame, counts, counts.of_group[g]),
                " fill=\"" + colour + "\" stroke=\"" + colour + "\"");
  }
  canvas.close_group();
  for (const double mark : options.marks) {
    if (mark < frame.x.low || mark > frame.x.high) continue;
    const double at = frame.x.place(mark);
    canvas.line(at, frame.y.from, at, frame.y.to, svg::ink, " stroke-dasharray=\"5 4\"");
  }
}

void check_panels(std::span<const HistogramPanel> panels, const HistogramOptions& options) {
  require(!panels.empty(), "svg_histogram: there must be a panel");
  for (const HistogramPanel& panel : panels) {
    require(panel.group.size() == panel.values.size(),
            "svg_histogram: " + std::to_string(panel.group.size()) + " groups for " +
                std::to_string(panel.values.size()) + " values");
    for (const double value : panel.values) {
      require_field(std::isfinite(value), "svg_histogram: a value", value, "finite");
    }
  }
  const std::size_t groups = groups_of(panels).count;
  require_field(options.group_names.empty() || options.group_names.size() >= groups,
                "number of group_names",
                static_cast<double>(options.group_names.size()),
                "at least " + std::to_string(groups) + ", or 0");
}

}  // namespace

void HistogramOptions::describe(OptionVisitor& visit) {
  visit.text({.name = "title", .help = "heading of the picture"}, title);
  visit.text({.name = "x-label", .help = "what the horizontal axis shows"}, x_label);
  visit.text({.name = "group-title", .help = "heading of the groups in the legend"}, group_title);
  visit.whole(
      {.name = "bins", .help = "bars from side to side", .fallback = "by the number of values"},
      bins,
      {.least = 1, .most = 500});
  svg::describe_panel_size(visit, width, panel_height);
}

std::string svg_histogram(std::span<const HistogramPanel> panels, const HistogramOptions& options) {
  validate(options);
  check_panels(panels, options);
  const Groups groups = groups_of(panels);
  const std::vector<svg::LegendPart> legend = {legend_of(options, groups)};
  std::vector<svg::Frame> frames;
  std::vector<Counts> counts;
  for (const HistogramPanel& panel : panels) {
    svg::Frame frame{.x = svg::axis_over(panel.values)};
    counts.push_back(count_values(
        panel, frame.x, groups.count, options.bins.value_or(default_bins(panel.values.size()))));
    frame.y = {.low = 0, .high = std::max(1.0, 1.06 * counts.back().largest)};
    frame.y_label = "points";
    frame.make_ticks(6, 4);
    std::erase_if(frame.y_ticks, [](const svg::Tick& tick) {
      return tick.value != std::floor(tick.value);  // there is no half point
    });
    frames.push_back(std::move(frame));
  }
  frames.back().x_label = options.x_label;

  const svg::PanelLayout layout{.width = options.width,
                                .panel_height = options.panel_height,
                                .gap = 58,
                                .has_title = !options.title.empty(),
                                .has_panel_titles = !panels.front().title.empty(),
                                .legend_width = svg::legend_width(legend)};
  svg::lay_out_panels(frames, layout);
  svg::Canvas canvas(options.width,
                     svg::panels_height(frames.size(), layout),
                     options.title.empty() ? "histogram" : options.title);
  const svg::Axis& top = frames.front().x;
  if (!options.title.empty()) {
    canvas.text((top.from + top.to) / 2, 22, options.title, "middle", " font-size=\"16\"");
  }
  for (std::size_t p = 0; p < frames.size(); ++p) {
    draw_panel(canvas, frames[p], counts[p], panels[p], options);
  }
  svg::draw_legend(canvas, legend, top.to + 18, frames.front().y.to + 10);
  return canvas.finish();
}

}  // namespace maxmargin
