// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <vector>

#include "maxmargin/core/number.hpp"
#include "maxmargin/io/svg_scatter.hpp"
#include "maxmargin/model/pca.hpp"

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

/// Two features are drawn as they are, one along the x axis, more by their principal components.
PlanePoints in_the_plane(const Dataset& data, std::optional<std::size_t> threads) {
  PlanePoints plane;
  if (data.features() <= 2) {
    plane.points = DenseMatrix(data.size(), 2);
    for (std::size_t i = 0; i < data.size(); ++i) {
      data.examples.row(i).for_each([&](std::size_t j, double v) { plane.points(i, j) = v; });
    }
    if (data.features() > 0) plane.x_label = feature_label(data, 0);
    if (data.features() > 1) plane.y_label = feature_label(data, 1);
    return plane;
  }
  const PcaModel pca = train_pca(data.examples, {.components = 2, .threads = threads});
  const std::vector<double> shares = pca.explained_shares();
  const auto label = [&](std::size_t component) {
    const std::string name = "principal component " + std::to_string(component + 1);
    if (component >= shares.size()) return name;
    return name + " (" + format_number(100 * shares[component], 3) + " % of the variance)";
  };
  const DenseMatrix scores = pca.transform(data.examples, threads);
  plane.points = DenseMatrix(data.size(), 2);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t j = 0; j < scores.cols(); ++j) plane.points(i, j) = scores(i, j);
  }
  plane.x_label = label(0);
  plane.y_label = label(1);
  return plane;
}

}  // namespace

std::string cluster_picture(const LoadedData& loaded,
                            std::span<const std::int32_t> clusters,
                            const std::string& method,
                            std::optional<std::size_t> threads) {
  const PlanePoints plane = in_the_plane(loaded.data, threads);
  ScatterOptions options{.title = loaded.data.source + ", " + method,
                         .x_label = plane.x_label,
                         .y_label = plane.y_label,
                         .group_title = "cluster"};
  const LabelColumn& labels = loaded.all_labels ? *loaded.all_labels : loaded.data.labels;
  const Classes classes = classes_of(labels);
  if (classes.count() > 0 && classes.count() <= most_marker_classes) {
    options.markers = classes.of_row;
    options.marker_title = "class";
    for (const Label& name : classes.names) options.marker_names.push_back(name.text());
  }
  return svg_scatter(plane.points.view(), clusters, options);
}

}  // namespace maxmargin::tool
