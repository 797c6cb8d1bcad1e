// SPDX-License-Identifier: Apache-2.0
//
// Hierarchical clustering.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "data_source.hpp"
#include "maxmargin/cluster/hierarchical/hierarchical.hpp"
#include "maxmargin/core/weights.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "method_options.hpp"
#include "methods.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

const std::vector<std::string> linkage_names = {"single", "complete", "average", "ward"};
const std::vector<std::string> distance_names = {"euclidean", "manhattan", "cosine"};

Linkage linkage_named(const std::string& name) {
  for (const Linkage linkage :
       {Linkage::single, Linkage::complete, Linkage::average, Linkage::ward}) {
    if (to_string(linkage) == name) return linkage;
  }
  throw InternalError("no linkage named " + name);
}

Distance distance_named(const std::string& name) {
  for (const Distance distance : {Distance::euclidean, Distance::manhattan, Distance::cosine}) {
    if (to_string(distance) == name) return distance;
  }
  throw InternalError("no distance named " + name);
}

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

ModelDocument document_of(HierarchicalClustering found, const Dataset& data) {
  ModelDocument model("hierarchical");
  model.set_string("linkage", std::string(to_string(found.model.linkage)));
  model.set_string("distance", std::string(to_string(found.model.distance)));
  model.set_integer("features", whole(data.features()));
  model.set_integer("clusters", whole(found.sizes.size()));
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  model.set_dense("merges", merge_table(found.tree));
  model.set_numbers("members", {found.model.clusters.begin(), found.model.clusters.end()});
  if (!found.model.weights.empty()) model.set_numbers("weights", std::move(found.model.weights));
  add_examples(model, "points", std::move(found.model.points));
  return model;
}

ClusterAnswer run_hierarchical(const Dataset& data,
                               const Arguments& arguments,
                               ProgressCallback progress) {
  HierarchicalOptions options;
  options.k = wanted_clusters(arguments);
  options.threads = threads_of(arguments);
  options.on_progress = std::move(progress);
  const std::string linkage = arguments.choice_or("linkage", "ward", linkage_names);
  const std::string distance = arguments.choice_or("distance", "euclidean", distance_names);
  options.linkage = linkage_named(linkage);
  options.distance = distance_named(distance);
  if (options.linkage == Linkage::ward && options.distance != Distance::euclidean) {
    throw UsageError("--distance " + distance +
                     ": Ward's linkage is for euclidean distances; take "
                     "--linkage average, complete or single");
  }
  HierarchicalClustering found = cluster_hierarchical(data, options);

  ClusterAnswer answer;
  answer.labels = found.labels;
  answer.report = found.report;
  answer.metrics = {{"cut_height", found.cut_height}, {"next_height", std::nullopt}};
  if (std::isfinite(found.next_height)) answer.metrics[1].second = found.next_height;
  if (options.linkage == Linkage::ward && answer.report.primal_objective) {
    answer.metrics.emplace_back("inertia", *answer.report.primal_objective);
  }
  answer.options = {{"k", whole(options.k)}, {"linkage", linkage}, {"distance", distance}};
  if (found.tree.points > 0) answer.model = document_of(std::move(found), data);
  return answer;
}

/// Weighted sum of squares around the means of the clusters.
double plain_inertia(const Dataset& data, std::span<const std::int32_t> labels, std::size_t k) {
  DenseMatrix means(k, data.features());
  std::vector<double> mass(k, 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    data.examples.row(i).axpy_into(weight_of(data.weights, i), means.row(c));
    mass[c] += weight_of(data.weights, i);
  }
  for (std::size_t c = 0; c < k; ++c) {
    for (double& value : means.row(c)) value /= mass[c];
  }
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Row mean(means.row(static_cast<std::size_t>(labels[i])));
    sum += weight_of(data.weights, i) * data.examples.row(i).squared_distance(mean);
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

/// The distance of the two sides of the last merge made, pair by pair.
double plain_height(const Dataset& data, const ModelDocument& model, std::size_t made) {
  if (made == 0) return 0;
  const Linkage linkage = linkage_named(model.string("linkage"));
  const Distance distance = distance_named(model.string("distance"));
  const DenseMatrix& merges = model.dense("merges");
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  double sum = 0;
  double mass = 0;
  for (const std::size_t i :
       points_below(merges, data.size(), static_cast<std::size_t>(merges(made - 1, 0)))) {
    for (const std::size_t j :
         points_below(merges, data.size(), static_cast<std::size_t>(merges(made - 1, 1)))) {
      const double value = distance_between(distance, data.examples.row(i), data.examples.row(j));
      const double weight = weight_of(data.weights, i) * weight_of(data.weights, j);
      least = std::min(least, value);
      largest = std::max(largest, value);
      sum += weight * value;
      mass += weight;
    }
  }
  if (linkage == Linkage::single) return least;
  return linkage == Linkage::complete ? largest : sum / mass;
}

double hierarchical_objective(const Dataset& data,
                              std::span<const std::int32_t> labels,
                              const ModelDocument& model) {
  const auto k = static_cast<std::size_t>(model.integer("clusters"));
  if (model.string("linkage") == "ward") return plain_inertia(data, labels, k);
  return plain_height(data, model, data.size() - k);
}

std::size_t hierarchical_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

Prediction predict_hierarchical(const ModelDocument& document,
                                const Dataset& data,
                                std::optional<std::size_t> threads) {
  HierarchicalModel model{.linkage = linkage_named(document.string("linkage")),
                          .distance = distance_named(document.string("distance")),
                          .points = examples_of(document, "points")};
  const double clusters = static_cast<double>(document.integer("clusters"));
  for (const double member : document.numbers("members")) {
    if (!(member >= 0 && member < clusters && member == std::floor(member))) {
      throw ModelFormatError(
          document.source(), {}, "the model's 'members' must be cluster numbers");
    }
    model.clusters.push_back(static_cast<std::int32_t>(member));
  }
  if (document.has("weights")) model.weights = document.numbers("weights");
  return {.clusters = model.predict(data.examples, threads)};
}

constexpr std::array hierarchical_options = {Names{"linkage"}, Names{"distance"}};

constexpr std::array methods = {
    ClusterMethod{"hierarchical",
                  "merge the nearest clusters: single, complete, average or Ward linkage",
                  hierarchical_options,
                  run_hierarchical,
                  hierarchical_objective}};

constexpr std::array kinds = {
    ModelKind{"hierarchical", hierarchical_features, predict_hierarchical}};

}  // namespace

MethodTable hierarchical_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
