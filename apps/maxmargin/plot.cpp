// SPDX-License-Identifier: Apache-2.0
//
// maxmargin plot: data with clusters or decision regions, the trace of a run, projections, Q-Q.
#include <algorithm>

#include "cluster_run.hpp"
#include "cluster_trace.hpp"
#include "commands.hpp"
#include "learner_options.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "maxmargin/metric/cluster/random_labellings.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "maxmargin/plot/histogram.hpp"
#include "maxmargin/plot/lines.hpp"
#include "maxmargin/plot/scatter.hpp"
#include "method_options.hpp"
#include "outputs.hpp"
#include "plot_subject.hpp"

namespace maxmargin::tool {

namespace {

const std::vector<std::string> pictures = {"clusters", "trace", "projections", "qq"};

/// More histograms than these in one picture are not looked at.
constexpr std::size_t most_projections = 8;

std::string plot_clusters(const Arguments& arguments) {
  PlotSubject subject = load_subject(arguments);
  const Examples& examples = subject.loaded.data.examples;
  if (arguments.has("kernel") && examples.cols() > 2) {
    subject.picture.kernel = method_kernel(arguments, examples, "scale", true);
  }
  return draw(subject.loaded, subject.groups, subject.picture);
}

std::string plot_trace(const Arguments& arguments) {
  for (const std::string_view option : {"model", "labels"}) {
    if (!arguments.has(option)) continue;
    throw UsageError("--" + std::string(option) + ": a trace is drawn from its table alone");
  }
  const std::string& path = arguments.positionals.at(0);
  const TraceTable table = read_trace(path);
  if (table.columns.size() < 2 || table.columns.front().empty()) {
    throw FileError(path, "holds no trace: a table of numbers under a header is expected");
  }
  std::vector<LineSeries> series;
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    series.push_back({.name = table.names[c], .values = table.columns[c]});
  }
  return svg_lines(table.columns.front(), series, {.title = path, .x_label = table.names.front()});
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

/// Trains a machine on the groups, one function a group (one in all for two), and shows the values
/// of each.
std::vector<HistogramPanel> refitted_panels(const PlotSubject& subject,
                                            const Arguments& arguments) {
  std::vector<std::size_t> rows;
  std::vector<std::int32_t> groups;
  std::vector<double> labels;
  for (std::size_t i = 0; i < subject.groups.size(); ++i) {
    if (subject.groups[i] < 0) continue;
    rows.push_back(i);
    groups.push_back(subject.groups[i]);
    labels.push_back(subject.groups[i]);
  }
  const bool several = std::ranges::adjacent_find(groups, std::not_equal_to{}) != groups.end();
  if (!several) throw UsageError("--what projections: there must be at least two groups");
  Examples examples = subject.loaded.data.examples.select(rows);
  if (subject.scaler) examples = subject.scaler->apply(std::move(examples));
  Dataset data{.examples = std::move(examples),
               .labels = LabelColumn::from_numbers(labels),
               .source = subject.loaded.data.source};
  const TrainingInput input{.arguments = arguments};
  const TrainedClassifier trained =
      train_svc(data,
                {.c = cost_of(input, true),
                 .kernel = method_kernel(arguments, data.examples),
                 .multiclass = MulticlassKind::one_vs_rest,
                 .allow_indefinite = arguments.has("allow-indefinite"),
                 .control = {.threads = threads_of(arguments)}});
  const Classifier& model = trained.model;
  const DenseMatrix values =
      decision_values(model.functions,
                      data.examples,
                      {.threads = threads_of(arguments), .precision = ValuePrecision::exact});
  std::vector<std::string> titles;
  for (std::size_t f = 0; values.cols() > 1 && f < values.cols(); ++f) {
    const auto group = static_cast<std::size_t>(model.classes[f].number());
    const auto& names = subject.picture.group_names;
    titles.push_back((names.empty() ? std::to_string(group) : names[group]) + " against the rest");
  }
  return panels_of(values, titles, groups);
}

std::string plot_projections(const Arguments& arguments) {
  const PlotSubject subject = load_subject(arguments);
  const Picture& picture = subject.picture;
  const bool own = subject.values.cols() > 0;
  return svg_histogram(own ? panels_of(subject.values, subject.function_names, subject.groups)
                           : refitted_panels(subject, arguments),
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
std::string plot_quantiles(const Arguments& arguments) {
  const PlotSubject subject = load_subject(arguments);
  std::vector<std::size_t> rows;
  std::vector<std::int32_t> groups;
  for (std::size_t i = 0; i < subject.groups.size(); ++i) {
    if (subject.groups[i] < 0) continue;
    rows.push_back(i);
    groups.push_back(subject.groups[i]);
  }
  const std::size_t k = count_clusters(groups).clusters;
  if (k < 2) throw UsageError("--what qq: there must be at least two groups");
  const Examples examples = subject.loaded.data.examples.select(rows);
  const std::optional<std::size_t> threads = threads_of(arguments);
  require_memory_for_numbers(rows.size(), rows.size(), "the kernel matrix of --what qq");
  const DenseMatrix values =
      gram(method_kernel(arguments, examples, "scale", true), examples, {.threads = threads});
  const ChanceLaw law = chance_law(
      values.view(), {.k = k, .seed = arguments.whole("seed", 0).value_or(0), .threads = threads});
  if (!law.fit) throw UsageError("--what qq: random labels all have the same sum of squares");
  const double own = kernel_sum_of_squares(values.view(), groups).total;

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

}  // namespace

int run_plot(const Arguments& arguments) {
  const std::string what = arguments.choice_or("what", "clusters", pictures);
  if (arguments.text("kernel") == "precomputed") {
    throw UsageError("--kernel precomputed: a picture needs the points");
  }
  Outputs outputs;
  outputs.open("output", arguments.text_or("output", "-"));
  outputs.file("output")->write(what == "trace"         ? plot_trace(arguments)
                                : what == "projections" ? plot_projections(arguments)
                                : what == "qq"          ? plot_quantiles(arguments)
                                                        : plot_clusters(arguments));
  outputs.commit();
  return 0;
}

}  // namespace maxmargin::tool
