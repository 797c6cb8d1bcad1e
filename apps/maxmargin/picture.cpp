// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/io/model/scaler_file.hpp"
#include "maxmargin/learner/projection.hpp"
#include "maxmargin/plot/scatter.hpp"

namespace maxmargin::tool {

namespace {

/// More classes than these are not told apart by marker shapes.
constexpr std::size_t most_marker_classes = 7;

struct PlanePoints {
  DenseMatrix points = {};
  std::string x_label = {};
  std::string y_label = {};
};

std::string feature_label(const Dataset& data, std::size_t j) {
  return data.feature_names.empty() ? "feature " + std::to_string(j + 1) : data.feature_names[j];
}

/// Coordinates along the first two directions (fewer when there are none), and their names.
PlanePoints along_directions(const DenseMatrix& scores,
                             const std::string& name,
                             const std::vector<double>& shares) {
  const auto label = [&](std::size_t direction) {
    std::string numbered = name + " " + std::to_string(direction + 1);
    if (direction >= shares.size()) return numbered;
    return numbered + " (" + format_number(100 * shares[direction], 3) + " % of the variance)";
  };
  PlanePoints plane{
      .points = DenseMatrix(scores.rows(), 2), .x_label = label(0), .y_label = label(1)};
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < scores.cols(); ++j) plane.points(i, j) = scores(i, j);
  }
  return plane;
}

/// Two features are drawn as they are, one along the x axis, more by their principal components, in
/// the feature space of a kernel where one is given.
PlanePoints in_the_plane(const Dataset& data,
                         const Context& context,
                         const std::optional<Kernel>& kernel) {
  if (data.features() <= 2 && !data.holds_strings) {
    PlanePoints plane{.points = DenseMatrix(data.size(), 2)};
    for (std::size_t i = 0; i < data.size(); ++i) {
      data.examples.row(i).for_each([&](std::size_t j, double v) { plane.points(i, j) = v; });
    }
    if (data.features() > 0) plane.x_label = feature_label(data, 0);
    if (data.features() > 1) plane.y_label = feature_label(data, 1);
    return plane;
  }
  const Dataset points{
      .examples = data.examples, .holds_strings = data.holds_strings, .source = data.source};
  if (kernel) {
    const TrainedProjection found = train_projection(
        ProjectionKind::kernel_pca, points, {.kernel = *kernel, .allow_indefinite = true}, context);
    const auto& model = std::get<KernelPcaModel>(found.projection.value());
    return along_directions(
        model.training_scores(), "kernel principal component", model.explained_shares());
  }
  const Projection found = train_projection(ProjectionKind::pca, points, {}, context).projection;
  return along_directions(found.transform(points, context),
                          "principal component",
                          std::get<PcaModel>(found.value()).explained_shares());
}

bool are_equal(const Row& a, const Row& b) {
  bool equal = true;
  for_each_pair(a, b, [&](double x, double z) { equal = equal && x == z; });
  return equal;
}

/// The classes of the data as shapes, unless the groups are these classes.
void add_markers(const TableData& table,
                 std::span<const std::int32_t> groups,
                 ScatterOptions& scatter) {
  const LabelColumn& labels = table.all_labels ? *table.all_labels : table.data.labels;
  const Classes classes = classes_of(labels);
  if (classes.count() == 0 || classes.count() > most_marker_classes) return;
  if (std::ranges::equal(classes.of_row, groups)) return;
  scatter.markers = classes.of_row;
  scatter.marker_title = "class";
  for (const Label& name : classes.names) scatter.marker_names.push_back(name.text());
}

}  // namespace

std::vector<std::size_t> rows_among(const Examples& examples, const Examples& vectors) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < examples.rows(); ++i) {
    for (std::size_t v = 0; v < vectors.rows(); ++v) {
      if (!are_equal(examples.row(i), vectors.row(v))) continue;
      found.push_back(i);
      break;
    }
  }
  return found;
}

std::vector<std::int32_t> groups_of(const Model& model,
                                    const Examples& points,
                                    const Context& context) {
  if (machine_kind(model.document()) == MachineKind::none) {
    return model.learner()
        .predict(model, TableData{.data = {.examples = points}}, {}, context)
        .clusters;
  }
  const Machine& machine = model.machine();
  if (const auto* classifier = std::get_if<Classifier>(&machine)) {
    return classifier->answer(points, {.context = context}).classes;
  }
  std::vector<std::int32_t> sides;
  for (const double value : std::get<Regressor>(machine).predict(points, {.context = context})) {
    sides.push_back(value >= 0 ? 0 : -1);
  }
  return sides;
}

void show_model(const Model& model, const Dataset& data, const Context& context, Picture& picture) {
  picture.group_of = [model, context](const Examples& points) {
    return groups_of(model, points, context);
  };
  if (machine_kind(model.document()) != MachineKind::none) {
    const Machine& machine = model.machine();
    const auto* sums = std::get_if<KernelExpansion>(&functions_of(machine));
    if (sums == nullptr) return;
    picture.support_vectors = rows_among(scaled_for(machine, data.examples), sums->vectors);
  } else if (const auto vectors = model.learner().support_vectors(model)) {
    picture.support_vectors =
        rows_among(load_scaler(model.document()).apply(data.examples), *vectors);
  }
}

std::string cluster_picture(const TableData& table,
                            const Training& trained,
                            const Context& context) {
  Picture picture{.title = table.data.source + ", " + trained.report.name};
  if (!trained.model) return draw(table, trained.clusters, picture, context);
  if (table.data.holds_strings) {
    return draw(table, trained.clusters, picture, context, trained.kernel);
  }
  show_model(*trained.model, table.data, context, picture);
  if (table.data.features() <= 2) return draw(table, trained.clusters, picture, context);
  // Principal components are those of the features as the method saw them.
  TableData seen = table;
  seen.data.examples = load_scaler(trained.model->document()).apply(std::move(seen.data.examples));
  return draw(seen, trained.clusters, picture, context);
}

std::string draw(const TableData& table,
                 std::span<const std::int32_t> groups,
                 const Picture& picture,
                 const Context& context,
                 const std::optional<Kernel>& kernel) {
  const PlanePoints plane = in_the_plane(table.data, context, kernel);
  ScatterOptions scatter{.title = picture.title,
                         .x_label = plane.x_label,
                         .y_label = plane.y_label,
                         .group_title = picture.group_title,
                         .group_names = picture.group_names,
                         .ringed = picture.support_vectors,
                         .ring_name = "support vector",
                         .no_group_name = picture.no_group_name};
  add_markers(table, groups, scatter);
  if (picture.group_of && table.data.features() == 2 && table.data.size() > 0) {
    scatter.regions = trace_regions(scatter_box(plane.points.view()), [&](DenseView points) {
      DenseMatrix copy(points.rows, points.cols);
      for (std::size_t i = 0; i < points.rows; ++i) {
        std::ranges::copy(points.row(i), copy.row(i).begin());
      }
      return picture.group_of(std::move(copy));
    });
  }
  return svg_scatter(plane.points.view(), groups, scatter);
}

}  // namespace maxmargin::tool
