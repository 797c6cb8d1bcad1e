// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/s3vm.md, "Baselines"
#include "cluster/spectral/labels.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/core/require.hpp"
#include "maxmargin/metric/cluster/assignment.hpp"

namespace maxmargin {

namespace {

/// Labelled rows by cluster and class.
DenseMatrix count_labels(std::span<const std::int32_t> cluster_of_row,
                         std::size_t clusters,
                         std::span<const std::int32_t> class_of_row,
                         std::size_t classes) {
  DenseMatrix counts(clusters, classes);
  for (std::size_t i = 0; i < cluster_of_row.size(); ++i) {
    require(cluster_of_row[i] >= -1 && cluster_of_row[i] < static_cast<std::int64_t>(clusters),
            "a cluster number is out of range");
    require(class_of_row[i] >= -1 && class_of_row[i] < static_cast<std::int64_t>(classes),
            "a class number is out of range");
    if (cluster_of_row[i] < 0 || class_of_row[i] < 0) continue;
    counts(static_cast<std::size_t>(cluster_of_row[i]),
           static_cast<std::size_t>(class_of_row[i])) += 1;
  }
  return counts;
}

/// Place of each class in the order by number of labelled rows, most first; 0 is the first.
std::vector<std::size_t> ranks_by_size(std::span<const std::int32_t> class_of_row,
                                       std::size_t classes) {
  std::vector<std::size_t> sizes(classes, 0);
  for (const std::int32_t c : class_of_row) {
    if (c >= 0) ++sizes[static_cast<std::size_t>(c)];
  }
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<std::size_t> ranks(classes);
  for (std::size_t k = 0; k < classes; ++k) ranks[order[k]] = k;
  return ranks;
}

}  // namespace

std::vector<std::int32_t> name_clusters(std::span<const std::int32_t> cluster_of_row,
                                        std::size_t clusters,
                                        std::span<const std::int32_t> class_of_row,
                                        std::size_t classes) {
  require(cluster_of_row.size() == class_of_row.size(), "one cluster and one class a row");
  require(classes > 0, "at least one class");
  const DenseMatrix counts = count_labels(cluster_of_row, clusters, class_of_row, classes);
  const std::vector<std::size_t> ranks = ranks_by_size(class_of_row, classes);
  // Right answers count more than all preferences together.
  const double preferences = static_cast<double>(clusters * classes) + 1;
  DenseMatrix costs(clusters, classes);
  for (std::size_t k = 0; k < clusters; ++k) {
    for (std::size_t c = 0; c < classes; ++c) {
      costs(k, c) = static_cast<double>(ranks[c]) - preferences * counts(k, c);
    }
  }
  const Assignment matched = solve_assignment(costs.view());
  std::vector<std::int32_t> names;
  for (std::size_t k = 0; k < clusters; ++k) {
    std::size_t name = 0;
    if (matched.column_of_row[k]) {
      name = *matched.column_of_row[k];
    } else {
      const auto row = costs.row(k);
      name = static_cast<std::size_t>(std::ranges::min_element(row) - row.begin());
    }
    names.push_back(static_cast<std::int32_t>(name));
  }
  return names;
}

std::vector<Label> SpectralLabelling::predict(const Examples& examples) const {
  std::vector<Label> labels;
  for (const std::int32_t cluster : clustering.model.predict(examples)) {
    const std::int32_t name =
        cluster < 0 ? frequent_class : class_of_cluster[static_cast<std::size_t>(cluster)];
    labels.push_back(classes[static_cast<std::size_t>(name)]);
  }
  return labels;
}

SpectralLabelling label_by_spectral(const Dataset& data, SpectralOptions options) {
  const std::string place = data.source.empty() ? "" : data.source + ": ";
  const Classes classes = classes_of(data.labels);
  require(classes.count() > 0, place + "no row has a label to name clusters by");
  require(classes.count() > 1,
          place + "all labels are " + classes.names.front().text() +
              "; a classifier wants at least two classes");
  options.k = classes.count();
  SpectralLabelling result;
  result.clustering = cluster_spectral(data, options);
  result.classes = classes.names;
  const std::vector<std::int32_t>& clusters = result.clustering.labels;
  result.class_of_cluster =
      name_clusters(clusters, result.clustering.sizes.size(), classes.of_row, classes.count());
  const std::vector<std::size_t> sizes = classes.sizes();
  result.frequent_class =
      static_cast<std::int32_t>(std::ranges::max_element(sizes) - sizes.begin());
  std::size_t labelled = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const std::int32_t name = clusters[i] < 0
                                  ? result.frequent_class
                                  : result.class_of_cluster[static_cast<std::size_t>(clusters[i])];
    result.class_of_row.push_back(name);
    if (classes.of_row[i] < 0) continue;
    ++labelled;
    wrong += name != classes.of_row[i] ? 1U : 0U;
  }
  result.labelled_error = static_cast<double>(wrong) / static_cast<double>(labelled);
  return result;
}

}  // namespace maxmargin
