// SPDX-License-Identifier: Apache-2.0
//
// Methods around points of the input space: k-means and k-medoids.
#include <array>
#include <cmath>
#include <limits>

#include "data_source.hpp"
#include "maxmargin/cluster/kmeans/kmeans.hpp"
#include "maxmargin/cluster/kmedoids/kmedoids.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "method_options.hpp"
#include "methods.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

/// weight_i x distance(row i, the row of `centres` its label names), summed in plain order.
template <class Distance>
double plain_sum(const Dataset& data,
                 std::span<const std::int32_t> labels,
                 const Examples& centres,
                 Distance distance) {
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double weight = data.weights.empty() ? 1 : data.weights[i];
    const Row centre = centres.row(static_cast<std::size_t>(labels[i]));
    sum += weight * distance(data.examples.row(i), centre);
  }
  return sum;
}

// k-means

ClusterAnswer run_kmeans(const Dataset& data,
                         const Arguments& arguments,
                         ProgressCallback progress) {
  KmeansOptions options;
  take_common_options(arguments, std::move(progress), options);
  KmeansClustering found = cluster_kmeans(data, options);

  ClusterAnswer answer;
  answer.labels = std::move(found.labels);
  answer.report = std::move(found.report);
  // With the linear kernel the feature space is the input space.
  answer.metrics = {{"inertia", found.inertia}, {"kernel_sse", found.inertia}};
  answer.options = {{"k", whole(options.k)},
                    {"restarts", whole(options.restarts)},
                    {"max_iterations", whole(options.max_iterations)},
                    {"seed", whole(options.seed)}};
  ModelDocument model("kmeans");
  model.set_integer("seed", whole(options.seed));
  model.set_integer("restarts", whole(options.restarts));
  model.set_number("inertia", found.inertia);
  if (answer.report.lower_bound) model.set_number("lower_bound", *answer.report.lower_bound);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  model.set_dense("centres", std::move(found.model.centres));
  answer.model = std::move(model);
  return answer;
}

double kmeans_objective(const Dataset& data,
                        std::span<const std::int32_t> labels,
                        const ModelDocument& model) {
  return plain_sum(data, labels, model.dense("centres"), [](const Row& x, const Row& centre) {
    return x.squared_distance(centre);
  });
}

std::size_t kmeans_features(const ModelDocument& model) { return model.dense("centres").cols(); }

Prediction predict_kmeans(const ModelDocument& model,
                          const Dataset& data,
                          std::optional<std::size_t> threads) {
  return {.clusters =
              KmeansModel{.centres = model.dense("centres")}.predict(data.examples, threads)};
}

// k-medoids

/// Sum of squares around the (weighted) means of the clusters.
double inertia_of(const Dataset& all, std::span<const std::int32_t> labels, std::size_t k) {
  if (all.weights.empty()) return sum_of_squares(all.examples, labels).total;
  Dataset data{.examples = all.examples, .weights = all.weights};
  if (!data.examples.is_dense()) {
    data.examples = drop_empty_columns(data.examples.sparse().view());
  }
  require_memory_for_numbers(k, data.features(), "the means of the clusters");
  DenseMatrix means(k, data.features());
  std::vector<double> total(k, 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    data.examples.row(i).axpy_into(data.weights[i], means.row(c));
    total[c] += data.weights[i];
  }
  for (std::size_t c = 0; c < k; ++c) {
    for (double& entry : means.row(c)) entry /= total[c] > 0 ? total[c] : 1;
  }
  return plain_sum(
      data, labels, means, [](const Row& x, const Row& mean) { return x.squared_distance(mean); });
}

/// The medoids as they were stored: dense or sparse like the data they come from.
Examples medoids_of(const ModelDocument& model) {
  for (const ModelDocument::Section& section : model.sections()) {
    const bool sparse = std::holds_alternative<SparseMatrix>(section.content);
    if (section.name == "medoids" && sparse) return model.sparse("medoids");
  }
  return model.dense("medoids");
}

const std::vector<std::string> distance_names = {"euclidean", "manhattan", "cosine"};

Distance distance_named(const std::string& name) {
  for (const Distance distance : {Distance::euclidean, Distance::manhattan, Distance::cosine}) {
    if (to_string(distance) == name) return distance;
  }
  throw InternalError("no distance named " + name);
}

ClusterAnswer run_kmedoids(const Dataset& data,
                           const Arguments& arguments,
                           ProgressCallback progress) {
  KmedoidsOptions options;
  take_common_options(arguments, std::move(progress), options);
  const std::string distance = arguments.choice_or("distance", "euclidean", distance_names);
  KmedoidsClustering found = cluster_kmedoids(data, distance_named(distance), options);

  ClusterAnswer answer;
  answer.labels = std::move(found.labels);
  answer.report = std::move(found.report);
  const double inertia = inertia_of(data, answer.labels, options.k);
  answer.metrics = {{"cost", found.cost}, {"inertia", inertia}, {"kernel_sse", inertia}};
  answer.options = {{"k", whole(options.k)},
                    {"distance", distance},
                    {"restarts", whole(options.restarts)},
                    {"max_iterations", whole(options.max_iterations)},
                    {"seed", whole(options.seed)}};
  ModelDocument model("kmedoids");
  model.set_string("distance", distance);
  model.set_integer("seed", whole(options.seed));
  model.set_integer("restarts", whole(options.restarts));
  model.set_number("cost", found.cost);
  if (answer.report.lower_bound) model.set_number("lower_bound", *answer.report.lower_bound);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  Examples medoids = data.examples.select(found.medoids);
  if (medoids.is_dense()) {
    model.set_dense("medoids", std::move(medoids.dense()));
  } else {
    model.set_sparse("medoids", std::move(medoids.sparse()));
  }
  answer.model = std::move(model);
  return answer;
}

double kmedoids_objective(const Dataset& data,
                          std::span<const std::int32_t> labels,
                          const ModelDocument& model) {
  const Distance distance = distance_named(model.string("distance"));
  return plain_sum(data, labels, medoids_of(model), [&](const Row& x, const Row& medoid) {
    return distance_between(distance, x, medoid);
  });
}

std::size_t kmedoids_features(const ModelDocument& model) { return medoids_of(model).cols(); }

Prediction predict_kmedoids(const ModelDocument& model,
                            const Dataset& data,
                            std::optional<std::size_t> threads) {
  const Distance distance = distance_named(model.string("distance"));
  const Examples medoids = medoids_of(model);
  Prediction prediction{.clusters = std::vector<std::int32_t>(data.size())};
  constexpr std::size_t rows_at_once = 256;
  parallel_chunks(thread_count(threads),
                  data.size(),
                  rows_at_once,
                  [&](std::size_t /*chunk*/, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      double least = std::numeric_limits<double>::infinity();
                      for (std::size_t c = 0; c < medoids.rows(); ++c) {
                        const double d =
                            distance_between(distance, data.examples.row(i), medoids.row(c));
                        if (d < least) {
                          least = d;
                          prediction.clusters[i] = static_cast<std::int32_t>(c);
                        }
                      }
                    }
                  });
  return prediction;
}

// The tables

constexpr std::array kmedoids_options = {Names{"distance"}};

constexpr std::array methods = {
    ClusterMethod{"kmeans",
                  "Lloyd's k-means: least squares around k means, with a lower bound",
                  {},
                  run_kmeans,
                  kmeans_objective},
    ClusterMethod{"kmedoids",
                  "k-medoids: least sum of distances to k of the points, any distance",
                  kmedoids_options,
                  run_kmedoids,
                  kmedoids_objective}};

constexpr std::array kinds = {ModelKind{"kmeans", kmeans_features, predict_kmeans},
                              ModelKind{"kmedoids", kmedoids_features, predict_kmedoids}};

}  // namespace

MethodTable partition_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
