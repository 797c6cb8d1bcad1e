// SPDX-License-Identifier: Apache-2.0
//
// Methods around points of the input space: kmeans and kmedoids.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/weights.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/named_field.hpp"
#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin::learning {

namespace {

/// weight_i x distance(row i, the row of `centres` its label names), summed in plain order.
template <class Between>
double plain_sum(const Dataset& rows,
                 std::span<const std::int32_t> labels,
                 const Examples& centres,
                 Between distance) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row centre = centres.row(static_cast<std::size_t>(labels[i]));
    sum += weight_of(rows.weights, i) * distance(rows.examples.row(i), centre);
  }
  return sum;
}

// k-means

Clustering run_kmeans(const Dataset& rows, const KmeansOptions& options, const Context& context) {
  KmeansClustering found = cluster_kmeans(rows, in_context(options, context));
  ModelDocument model("kmeans");
  model.set_number("inertia", found.inertia);
  model.set_dense("centres", std::move(found.model.centres));
  return {.labels = std::move(found.labels),
          .report = std::move(found.report),
          // With the linear kernel the feature space is the input space.
          .metrics = {{"inertia", found.inertia}, {"kernel_sse", found.inertia}},
          .model = std::move(model)};
}

const DenseMatrix& centres_of(const ModelDocument& model) {
  const DenseMatrix& centres = model.dense("centres");
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (centres.rows() == 0 || !std::ranges::all_of(centres.values(), is_finite)) {
    throw ModelFormatError(
        model.source(), {}, "the model's 'centres' must have a row, and finite numbers");
  }
  return centres;
}

double kmeans_objective(const Dataset& rows,
                        std::span<const std::int32_t> labels,
                        const ModelDocument& model,
                        const Context& /*context*/) {
  return plain_sum(rows, labels, centres_of(model), [](const Row& x, const Row& centre) {
    return x.squared_distance(centre);
  });
}

std::size_t kmeans_features(const ModelDocument& model) { return model.dense("centres").cols(); }

ClusterAnswer kmeans_answer(const ModelDocument& model,
                            const Dataset& rows,
                            const Context& context) {
  const KmeansModel kmeans{.centres = centres_of(model)};
  return {.clusters = kmeans.predict(rows.examples, context.threads)};
}

// k-medoids

/// k-medoids with the distance it is about.
struct KmedoidsChoice {
  Distance distance = Distance::euclidean;
  KmedoidsOptions options = {};
  void describe(OptionVisitor& visit) {
    options.describe(visit);
    describe_distance(visit, distance);
  }
};

/// Sum of squares around the (weighted) means of the clusters.
double inertia_of(const Dataset& all, std::span<const std::int32_t> labels, std::size_t k) {
  if (all.weights.empty()) return sum_of_squares(all.examples, labels).total;
  Dataset rows{.examples = all.examples, .weights = all.weights};
  if (!rows.examples.is_dense()) {
    rows.examples = drop_empty_columns(rows.examples.sparse());
  }
  require_memory_for_numbers(k, rows.features(), "the means of the clusters");
  DenseMatrix means(k, rows.features());
  std::vector<double> total(k, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    rows.examples.row(i).axpy_into(rows.weights[i], means.row(c));
    total[c] += rows.weights[i];
  }
  for (std::size_t c = 0; c < k; ++c) {
    for (double& entry : means.row(c)) entry /= total[c] > 0 ? total[c] : 1;
  }
  return plain_sum(
      rows, labels, means, [](const Row& x, const Row& mean) { return x.squared_distance(mean); });
}

KmedoidsModel kmedoids_of(const ModelDocument& document) {
  KmedoidsModel model{.distance = named_field<Distance>(document, "distance"),
                      .medoids = examples_of(document, "medoids")};
  if (model.medoids.rows() == 0) {
    throw ModelFormatError(document.source(), {}, "the model's 'medoids' must have a row");
  }
  return model;
}

Clustering run_kmedoids(const Dataset& rows, const KmedoidsChoice& choice, const Context& context) {
  KmedoidsClustering found =
      cluster_kmedoids(rows, choice.distance, in_context(choice.options, context));
  const double inertia = inertia_of(rows, found.labels, choice.options.k);
  ModelDocument model("kmedoids");
  model.set_string("distance", std::string(to_string(choice.distance)));
  model.set_number("cost", found.cost);
  add_examples(model, "medoids", rows.examples.select(found.medoids));
  return {.labels = std::move(found.labels),
          .report = std::move(found.report),
          .metrics = {{"cost", found.cost}, {"inertia", inertia}, {"kernel_sse", inertia}},
          .model = std::move(model)};
}

double kmedoids_objective(const Dataset& rows,
                          std::span<const std::int32_t> labels,
                          const ModelDocument& document,
                          const Context& /*context*/) {
  const KmedoidsModel model = kmedoids_of(document);
  return plain_sum(rows, labels, model.medoids, [&](const Row& x, const Row& medoid) {
    return distance_between(model.distance, x, medoid);
  });
}

std::size_t kmedoids_features(const ModelDocument& model) {
  return examples_of(model, "medoids").cols();
}

ClusterAnswer kmedoids_answer(const ModelDocument& model,
                              const Dataset& rows,
                              const Context& context) {
  return {.clusters = kmedoids_of(model).predict(rows.examples, context.threads)};
}

}  // namespace

void add_partition_methods(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<KmeansOptions>>(
      LearnerInfo{.name = "kmeans",
                  .summary = "least squares around k means (Lloyd), with a lower bound",
                  .task = Task::cluster,
                  .formula = "min sum_i w_i min_c |x_i - m_c|^2 over k points m_c",
                  .page = "docs/algorithms/kmeans.md",
                  .example = "builtin:iris",
                  .class_name = "KMeans",
                  .ending = Ending::search},
      ClusterFunctions<KmeansOptions>{run_kmeans, kmeans_objective, kmeans_features, kmeans_answer},
      KmeansOptions{.k = 0}));
  list.push_back(std::make_unique<ClusterEntry<KmedoidsChoice>>(
      LearnerInfo{.name = "kmedoids",
                  .summary = "least sum of distances to k of the points, any distance",
                  .task = Task::cluster,
                  .formula = "min sum_i w_i min_{m in M} d(x_i, m) over k of the points, M",
                  .page = "docs/algorithms/kmedoids.md",
                  .example = "builtin:iris",
                  .class_name = "KMedoids",
                  .ending = Ending::search},
      ClusterFunctions<KmedoidsChoice>{
          run_kmedoids, kmedoids_objective, kmedoids_features, kmedoids_answer},
      KmedoidsChoice{.options = {.k = 0}}));
}

}  // namespace maxmargin::learning
