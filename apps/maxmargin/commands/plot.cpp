// SPDX-License-Identifier: Apache-2.0
//
// maxmargin plot: data with clusters or decision regions, the trace of a run, projections, Q-Q.
#include <algorithm>
#include <cmath>
#include <functional>

#include "commands/commands.hpp"
#include "commands/common.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/eval/cluster_projections.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/metric/cluster/random_labellings.hpp"
#include "maxmargin/plot/histogram.hpp"
#include "maxmargin/plot/lines.hpp"
#include "maxmargin/plot/scatter.hpp"
#include "plot_subject.hpp"

namespace maxmargin::tool {
enum class PictureKind { clusters, trace, projections, quantiles };
}

namespace maxmargin {
template <>
inline constexpr auto names_of<tool::PictureKind> =
    name_table<tool::PictureKind>({{"clusters", tool::PictureKind::clusters},
                                   {"trace", tool::PictureKind::trace},
                                   {"projections", tool::PictureKind::projections},
                                   {"qq", tool::PictureKind::quantiles}});
}

namespace maxmargin::tool {

namespace {

/// More histograms than these in one picture are not looked at.
constexpr std::size_t most_projections = 8;

struct PlotOptions {
  PictureKind what = PictureKind::clusters;
  std::optional<std::string> output = std::nullopt;
  SubjectOptions subject = {};
  /// Of the machine that is fitted for projections; the kernel also of the components drawn.
  ClusterMachine machine = {};
  Context context = {};

  void describe(OptionVisitor& visit) {
    visit.name({.name = "what", .help = "what to draw", .value = "PICTURE"}, what);
    visit.text({.name = "output",
                .help = "where to write the picture (SVG)",
                .value = "FILE",
                .fallback = "standard output",
                .alias = "o"},
               output);
    subject.describe(visit);
    machine.describe(visit);
    context.describe(visit);
    visit.rule(!std::holds_alternative<Precomputed>(machine.kernel.kernel()),
               "--kernel precomputed: a picture needs the points");
    visit.rule(what != PictureKind::trace || (!subject.model && !subject.labels),
               "--what trace: a trace is drawn from its table alone, without --model and --labels");
  }
  [[nodiscard]] Kernel kernel_for(const Examples& examples) const {
    return machine.kernel.resolved(examples, {.context = context});
  }
};

/// What a picture is made of.
struct PlotInput {
  const std::string& where;
  const OptionTexts& source;
  const PlotOptions& own;
  bool kernel_was_given = false;

  [[nodiscard]] PlotSubject load() const {
    return load_subject(where, source, own.subject, own.context);
  }
};

std::string plot_clusters(const PlotInput& input) {
  const PlotSubject subject = input.load();
  const Examples& examples = subject.table.data.examples;
  std::optional<Kernel> kernel;
  if (input.kernel_was_given && examples.cols() > 2) kernel = input.own.kernel_for(examples);
  return draw(subject.table, subject.groups, subject.picture, input.own.context, kernel);
}

std::string plot_trace(const PlotInput& input) {
  const TraceTable table = read_trace(input.where);
  if (table.columns.size() < 2 || table.columns.front().empty()) {
    throw FileError(input.where, "holds no trace: a table of numbers under a header is expected");
  }
  for (std::size_t row = 0; row < table.columns.front().size(); ++row) {
    if (std::isfinite(table.columns.front()[row])) continue;
    throw ParseError(input.where,
                     {.line = row + 2},
                     "the first column, " + table.names.front() + ", must be finite numbers");
  }
  std::vector<LineSeries> series;
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    series.push_back({.name = table.names[c], .values = table.columns[c]});
  }
  return svg_lines(
      table.columns.front(), series, {.title = input.where, .x_label = table.names.front()});
}

/// The values of the first functions and who they belong to. Without titles for one alone.
std::vector<HistogramPanel> panels_of(const DenseMatrix& values,
                                      const std::vector<std::string>& titles,
                                      const std::vector<std::int32_t>& groups) {
  std::vector<HistogramPanel> panels;
  for (std::size_t f = 0; f < std::min(values.cols(), most_projections); ++f) {
    std::vector<double> column(values.rows());
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = values(i, f);
    panels.push_back({.title = titles.empty() ? std::string() : titles[f],
                      .values = std::move(column),
                      .group = groups});
  }
  return panels;
}

/// The rows that are in a group, and their groups.
struct GroupedRows {
  std::vector<std::size_t> rows = {};
  std::vector<std::int32_t> groups = {};
};

GroupedRows grouped_rows(const PlotSubject& subject) {
  GroupedRows found;
  for (std::size_t i = 0; i < subject.groups.size(); ++i) {
    if (subject.groups[i] < 0) continue;
    found.rows.push_back(i);
    found.groups.push_back(subject.groups[i]);
  }
  return found;
}

/// Trains a machine on the groups, one function a group (one in all for two), and shows the values
/// of each.
std::vector<HistogramPanel> refitted_panels(const PlotSubject& subject, const PlotOptions& own) {
  const GroupedRows grouped = grouped_rows(subject);
  const auto& groups = grouped.groups;
  const bool several = std::ranges::adjacent_find(groups, std::not_equal_to{}) != groups.end();
  if (!several) {
    throw UsageError("--what projections: there must be at least two groups", "plot");
  }
  Examples examples = subject.table.data.examples.select(grouped.rows);
  if (subject.scaler) examples = subject.scaler->apply(std::move(examples));
  const Dataset data{.examples = std::move(examples), .source = subject.table.data.source};
  const ClusterProjections found = cluster_projections(data, groups, own.machine, own.context);
  const DenseMatrix& values = found.values;
  std::vector<std::string> titles;
  for (std::size_t f = 0; values.cols() > 1 && f < values.cols(); ++f) {
    const auto group = static_cast<std::size_t>(found.clusters[f]);
    const auto& names = subject.picture.group_names;
    titles.push_back((names.empty() ? std::to_string(group) : names[group]) + " against the rest");
  }
  return panels_of(values, titles, groups);
}

std::string plot_projections(const PlotInput& input) {
  const PlotSubject subject = input.load();
  const Picture& picture = subject.picture;
  const bool own = subject.values.cols() > 0;
  return svg_histogram(own ? panels_of(subject.values, subject.function_names, subject.groups)
                           : refitted_panels(subject, input.own),
                       {.title = picture.title + (own ? "" : ", refitted SVM"),
                        .x_label = "value of the machine, w . phi(x) + b",
                        .group_title = picture.group_title,
                        .group_names = picture.group_names,
                        .marks = {-1, 0, 1}});
}

/// The points of a Q-Q plot that can be told apart: the tails in full, the crowd thinned out.
DenseMatrix visible_points(const std::vector<std::pair<double, double>>& pairs) {
  constexpr double steps = 150;
  const double step = (pairs.back().first - pairs.front().first) / steps;
  std::vector<std::pair<double, double>> kept;
  for (const auto& pair : pairs) {
    const bool last = &pair == &pairs.back();
    if (kept.empty() || last || pair.first - kept.back().first >= step) kept.push_back(pair);
  }
  DenseMatrix points(kept.size(), 2);
  for (std::size_t p = 0; p < kept.size(); ++p) {
    points(p, 0) = kept[p].first;
    points(p, 1) = kept[p].second;
  }
  return points;
}

/// The sums of squares of random labels against the law fitted to them.
std::string plot_quantiles(const PlotInput& input) {
  const PlotSubject subject = input.load();
  const GroupedRows grouped = grouped_rows(subject);
  std::vector<std::int32_t> different = grouped.groups;
  std::ranges::sort(different);
  const std::size_t k =
      static_cast<std::size_t>(std::unique(different.begin(), different.end()) - different.begin());
  if (k < 2) throw UsageError("--what qq: there must be at least two groups", "plot");
  const Examples examples = subject.table.data.examples.select(grouped.rows);
  const Context& context = input.own.context;
  require_memory_for_numbers(
      grouped.rows.size(), grouped.rows.size(), "the kernel matrix of --what qq");
  const DenseMatrix values = gram(input.own.kernel_for(examples), examples, {.context = context});
  const ChanceLaw law = chance_law(values.view(), {.k = k, .context = context.quiet()});
  if (!law.fit) {
    throw UsageError("--what qq: random labels all have the same sum of squares", "plot");
  }
  const double own = kernel_sum_of_squares(values.view(), grouped.groups).total;

  const DenseMatrix points = visible_points(quantile_pairs(law.fit->law, law.sums));
  const PlaneBox box = scatter_box(points.view());
  const double low = std::max(box.x_low, box.y_low);
  const double high = std::min(box.x_high, box.y_high);
  return svg_scatter(points.view(),
                     std::vector<std::int32_t>(points.rows(), 0),
                     {.title = subject.picture.title + ": kernel SSE " + format_number(own, 6) +
                               ", p = " + format_number(law.p_value(own), 3),
                      .x_label = "quantile of the fitted S_B law",
                      .y_label = "kernel SSE of random labels",
                      .group_names = {"labellings"},
                      .lines = {{.name = "equal", .points = {{low, low}, {high, high}}}}});
}

std::string picture_of(const PlotInput& input) {
  switch (input.own.what) {
    case PictureKind::trace:
      return plot_trace(input);
    case PictureKind::projections:
      return plot_projections(input);
    case PictureKind::quantiles:
      return plot_quantiles(input);
    case PictureKind::clusters:
      break;
  }
  return plot_clusters(input);
}

}  // namespace

std::vector<OptionGroup> plot_groups(const Learner* /*learner*/) {
  OptionGroup data{"The data", source_options(DataKind::table)};
  // What to colour by here, not a part of the data.
  const std::vector<OptionDescription> own = describe_options(SubjectOptions{});
  std::erase_if(data.options, [&](const auto& option) {
    return std::ranges::any_of(own, [&](const auto& each) { return each.name == option.name; });
  });
  return {group_of<PlotOptions>("Options"), std::move(data)};
}

int run_plot(Call& call) {
  const bool kernel_was_given = call.has(describe_options(KernelChoice{}).front().name);
  PlotOptions own;
  call.take(own);
  bound_memory(own.context);
  Outputs outputs(call, {{"output", own.output.value_or("-")}});
  outputs.file("output")->write(
      picture_of({call.positionals.at(0), call.given, own, kernel_was_given}));
  outputs.commit();
  return 0;
}

}  // namespace maxmargin::tool
