// SPDX-License-Identifier: Apache-2.0
#include "learner/clustering/measures.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cluster/spectral/labels.hpp"
#include "maxmargin/learner/cluster.hpp"
#include "maxmargin/metric/classification.hpp"
#include "maxmargin/metric/cluster/clustering.hpp"

namespace maxmargin::learning {

namespace {

/// Error on the rows whose labels were hidden, when clusters are named by the labels that were not.
/// Outliers have no name.
double transductive_error_of(const LabelColumn& given,
                             const LabelColumn& all,
                             std::span<const std::int32_t> clusters) {
  const Classes truth = classes_of(all);
  std::vector<std::int32_t> known = truth.of_row;
  for (std::size_t row = 0; row < known.size(); ++row) {
    if (!given.is_labelled(row)) known[row] = -1;
  }
  const auto count = static_cast<std::size_t>(*std::ranges::max_element(clusters) + 1);
  const std::vector<std::int32_t> names = name_clusters(clusters, count, known, truth.count());
  std::vector<std::int32_t> predicted;
  predicted.reserve(clusters.size());
  for (const std::int32_t cluster : clusters) {
    predicted.push_back(cluster < 0 ? -1 : names[static_cast<std::size_t>(cluster)]);
  }
  return transductive_error(truth.of_row, predicted, known);
}

}  // namespace

void add_label_measures(const TableData& data,
                        std::span<const std::int32_t> clusters,
                        RunReport& report) {
  const LabelColumn& labels = data.all_labels ? *data.all_labels : data.data.labels;
  if (labels.labelled_count() == 0) return;
  const Contingency table(classes_of(labels).of_row, clusters);
  report.metrics.emplace_back("misassignment", misassignment(table));
  report.metrics.emplace_back("majority_error", majority_error(table));
  report.metrics.emplace_back("purity", purity(table));
  report.metrics.emplace_back("ari", adjusted_rand_index(table));
  report.metrics.emplace_back("nmi", normalized_mutual_information(table));
  if (data.all_labels) {
    report.metrics.emplace_back("transductive_error",
                                transductive_error_of(data.data.labels, labels, clusters));
  }
}

ClusterCounts count_clusters(std::span<const std::int32_t> labels) {
  std::set<std::int32_t> clusters;
  ClusterCounts counts;
  for (const std::int32_t label : labels) {
    if (label < 0) {
      ++counts.outliers;
    } else {
      clusters.insert(label);
    }
  }
  counts.clusters = clusters.size();
  return counts;
}

}  // namespace maxmargin::learning

namespace maxmargin {

std::string cluster_lines(std::span<const std::int32_t> clusters) {
  std::string lines;
  for (const std::int32_t cluster : clusters) {
    lines += cluster < 0 ? "outlier" : std::to_string(cluster);
    lines += '\n';
  }
  return lines;
}

}  // namespace maxmargin
