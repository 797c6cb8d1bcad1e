// SPDX-License-Identifier: Apache-2.0
//
// Trees of merges: hierarchical.
#include "maxmargin/cluster/hierarchical/hierarchical.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/recomputation.hpp"
#include "core/weights.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/named_field.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::learning {

namespace {

/// One merge a row: the two clusters and the height.
DenseMatrix merge_table(const Dendrogram& tree) {
  DenseMatrix table(tree.merges.size(), 3);
  for (std::size_t t = 0; t < tree.merges.size(); ++t) {
    table(t, 0) = static_cast<double>(tree.merges[t].first);
    table(t, 1) = static_cast<double>(tree.merges[t].second);
    table(t, 2) = tree.merges[t].height;
  }
  return table;
}

ModelDocument document_of(HierarchicalClustering found, std::size_t features) {
  ModelDocument model("hierarchical");
  model.set_string("linkage", std::string(to_string(found.model.linkage)));
  model.set_string("distance", std::string(to_string(found.model.distance)));
  model.set_integer("features", static_cast<std::int64_t>(features));
  model.set_integer("clusters", static_cast<std::int64_t>(found.sizes.size()));
  model.set_dense("merges", merge_table(found.tree));
  model.set_numbers("members", {found.model.clusters.begin(), found.model.clusters.end()});
  if (!found.model.weights.empty()) model.set_numbers("weights", std::move(found.model.weights));
  add_examples(model, "points", std::move(found.model.points));
  return model;
}

Clustering run_hierarchical(const Dataset& rows,
                            const HierarchicalOptions& options,
                            const Context& context) {
  HierarchicalClustering found = cluster_hierarchical(rows, in_context(options, context));
  Clustering clustering{
      .labels = found.labels,
      .report = found.report,
      .metrics = {{"cut_height", found.cut_height}, {"next_height", std::nullopt}}};
  if (std::isfinite(found.next_height)) clustering.metrics[1].second = found.next_height;
  if (options.linkage == Linkage::ward && found.report.primal_objective) {
    clustering.metrics.emplace_back("inertia", *found.report.primal_objective);
  }
  if (found.tree.points > 0) clustering.model = document_of(std::move(found), rows.features());
  return clustering;
}

/// Weighted sum of squares around the means of the clusters.
double plain_inertia(const Dataset& rows, std::span<const std::int32_t> labels, std::size_t k) {
  DenseMatrix means(k, rows.features());
  std::vector<double> mass(k, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    rows.examples.row(i).axpy_into(weight_of(rows.weights, i), means.row(c));
    mass[c] += weight_of(rows.weights, i);
  }
  for (std::size_t c = 0; c < k; ++c) {
    for (double& value : means.row(c)) value /= mass[c];
  }
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row mean(means.row(static_cast<std::size_t>(labels[i])));
    sum += weight_of(rows.weights, i) * rows.examples.row(i).squared_distance(mean);
  }
  return sum;
}

/// The points below node `node` of the tree.
std::vector<std::size_t> points_below(const DenseMatrix& merges, std::size_t n, std::size_t node) {
  std::vector<std::size_t> points;
  std::vector<std::size_t> open = {node};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (next < n) {
      points.push_back(next);
      continue;
    }
    open.push_back(static_cast<std::size_t>(merges(next - n, 0)));
    open.push_back(static_cast<std::size_t>(merges(next - n, 1)));
  }
  return points;
}

std::size_t clusters_of(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("clusters"));
}

/// The clusters at the cut, whatever their numbers: the new rule need not give a point its own.
std::vector<std::int32_t> labels_of_tree(const ModelDocument& model) {
  const DenseMatrix& merges = model.dense("merges");
  const std::size_t points = merges.rows() + 1;
  const std::size_t k = clusters_of(model);
  if (merges.rows() > 0 && merges.cols() != 3) {
    throw ModelFormatError(
        model.source(), {}, "the model's 'merges' must be two clusters and a height each");
  }
  if (k < 1 || k > points) {
    throw ModelFormatError(
        model.source(), {}, "the model's 'clusters' must be a number from 1 to the points");
  }
  const std::size_t nodes = 2 * points - k;  // points and merges made
  std::vector<bool> is_below(nodes, false);
  for (std::size_t t = 0; t < points - k; ++t) {
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const double node = merges(t, side);
      if (!(node >= 0 && node < static_cast<double>(points + t) && node == std::floor(node))) {
        throw ModelFormatError(
            model.source(), {}, "the model's 'merges' must name points and earlier merges");
      }
      if (is_below[static_cast<std::size_t>(node)]) {
        throw ModelFormatError(model.source(), {}, "the model's 'merges' merge a cluster twice");
      }
      is_below[static_cast<std::size_t>(node)] = true;
    }
  }
  std::vector<std::int32_t> labels(points, 0);
  std::int32_t next = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (is_below[node]) continue;
    for (const std::size_t point : points_below(merges, points, node)) labels[point] = next;
    ++next;
  }
  return labels;
}

/// The distance of the two sides of the last merge made, pair by pair.
double plain_height(const Dataset& rows,
                    const ModelDocument& model,
                    std::size_t made,
                    const Context& context) {
  if (made == 0) return 0;
  const Linkage linkage = named_field<Linkage>(model, "linkage");
  const Distance distance = named_field<Distance>(model, "distance");
  const DenseMatrix& merges = model.dense("merges");
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  double sum = 0;
  double mass = 0;
  const std::vector<std::size_t> others =
      points_below(merges, rows.size(), static_cast<std::size_t>(merges(made - 1, 1)));
  VerifyWatch watch(context);
  for (const std::size_t i :
       points_below(merges, rows.size(), static_cast<std::size_t>(merges(made - 1, 0)))) {
    watch.spend(others.size() * (1 + rows.features()));
    for (const std::size_t j : others) {
      const double value = distance_between(distance, rows.examples.row(i), rows.examples.row(j));
      const double weight = weight_of(rows.weights, i) * weight_of(rows.weights, j);
      least = std::min(least, value);
      largest = std::max(largest, value);
      sum += weight * value;
      mass += weight;
    }
  }
  if (linkage == Linkage::single) return least;
  return linkage == Linkage::complete ? largest : sum / mass;
}

double hierarchical_objective(const Dataset& rows,
                              std::span<const std::int32_t> labels,
                              const ModelDocument& model,
                              const Context& context) {
  const std::size_t k = clusters_of(model);
  if (model.string("linkage") == "ward") return plain_inertia(rows, labels, k);
  return plain_height(rows, model, rows.size() - k, context);
}

std::size_t hierarchical_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

HierarchicalModel hierarchical_of(const ModelDocument& document) {
  HierarchicalModel model{.linkage = named_field<Linkage>(document, "linkage"),
                          .distance = named_field<Distance>(document, "distance"),
                          .points = examples_of(document, "points")};
  const auto clusters = static_cast<double>(document.integer("clusters"));
  for (const double member : document.numbers("members")) {
    if (!(member >= 0 && member < clusters && member == std::floor(member))) {
      throw ModelFormatError(
          document.source(), {}, "the model's 'members' must be cluster numbers");
    }
    model.clusters.push_back(static_cast<std::int32_t>(member));
  }
  if (document.has("weights")) model.weights = document.numbers("weights");
  return model;
}

ClusterAnswer hierarchical_answer(const ModelDocument& model,
                                  const Dataset& rows,
                                  const Context& context) {
  return {.clusters = hierarchical_of(model).predict(rows.examples, context.threads)};
}

}  // namespace

void add_hierarchical_methods(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<HierarchicalOptions>>(
      LearnerInfo{.name = "hierarchical",
                  .summary = "merge the nearest: single, complete, average, Ward linkage",
                  .task = Task::cluster,
                  .formula = "merge the two clusters a, b of least d(a, b) until k are left",
                  .page = "docs/algorithms/hierarchical.md",
                  .example = "builtin:iris",
                  .class_name = "HierarchicalClustering",
                  .ending = Ending::procedure},
      ClusterFunctions<HierarchicalOptions>{.run = run_hierarchical,
                                            .objective = hierarchical_objective,
                                            .features = hierarchical_features,
                                            .answer = hierarchical_answer,
                                            .training_labels = labels_of_tree},
      HierarchicalOptions{.k = 0}));
}

}  // namespace maxmargin::learning
