// SPDX-License-Identifier: Apache-2.0
//
// Kernel k-means.
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "data_source.hpp"
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/weights.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"
#include "method_options.hpp"
#include "methods.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

const std::vector<std::string> start_names = {"plus-plus", "random", "sequential"};

KernelKmeansStart start_named(const std::string& name) {
  for (const KernelKmeansStart start :
       {KernelKmeansStart::plus_plus, KernelKmeansStart::random, KernelKmeansStart::sequential}) {
    if (to_string(start) == name) return start;
  }
  throw InternalError("no start named " + name);
}

/// Data whose rows are the rows of a Gram matrix.
void require_square(const Dataset& data) {
  if (data.size() == data.features()) return;
  throw UsageError("--kernel precomputed: " + data.source + " has " + std::to_string(data.size()) +
                   " rows and " + std::to_string(data.features()) +
                   " columns, must be a square matrix");
}

/// What rounding leaves of a sum of squares in feature space, a difference of sums as large as that
/// of w K_ii: some eps for each of the terms of a mean.
double rounding_of_objective(const Dataset& data, const Kernel& kernel) {
  const bool is_precomputed = std::holds_alternative<Precomputed>(kernel);
  double sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Row x = data.examples.row(i);
    const double own = is_precomputed ? x.at(i) : evaluate(kernel, x, x);
    sum += weight_of(data.weights, i) * std::abs(own);
  }
  const std::size_t terms = data.size() + data.features() + 64;
  return 8 * static_cast<double>(terms) * std::numeric_limits<double>::epsilon() * sum;
}

/// Kernel k-means of a Gram matrix; warns of one that is not positive semidefinite.
KernelKmeansClustering cluster_matrix(const Dataset& data, const KernelKmeansOptions& options) {
  const DenseMatrix gram = data.examples.to_dense();
  KernelKmeansClustering found = cluster_kernel_kmeans(gram.view(), options, data.weights);
  // n^3 operations: not after a stop.
  if (was_stopped(found.report.status)) return found;
  const std::optional<double> negative =
      negative_eigenvalue(gram.view(), thread_count(options.threads));
  if (negative) {
    found.report.warnings.push_back(
        "the kernel precomputed is not positive semidefinite, an eigenvalue is " +
        format_number(*negative, 4) +
        ": distances to the means may be negative, and new points need not agree with the "
        "clusters");
  }
  return found;
}

ClusterAnswer run_kernel_kmeans(const Dataset& data,
                                const Arguments& arguments,
                                ProgressCallback progress) {
  KernelKmeansOptions options;
  take_common_options(arguments, std::move(progress), options);
  const std::string start = arguments.choice_or("start", "plus-plus", start_names);
  options.start = start_named(start);
  options.memory_limit = memory_limit_of(arguments);
  const Kernel kernel = method_kernel(arguments, data.examples, "scale", true);
  const bool is_precomputed = std::holds_alternative<Precomputed>(kernel);
  if (is_precomputed) require_square(data);
  KernelKmeansClustering found =
      is_precomputed ? cluster_matrix(data, options) : cluster_kernel_kmeans(data, kernel, options);

  ClusterAnswer answer;
  answer.labels = std::move(found.labels);
  answer.report = std::move(found.report);
  answer.metrics = {{"kernel_sse", found.kernel_sse}};
  answer.objective_doubt = rounding_of_objective(data, kernel);
  answer.options = {{"k", whole(options.k)}};
  show_kernel(kernel, answer.options);
  answer.options.emplace_back("start", start);
  answer.options.emplace_back("restarts", whole(options.restarts));
  answer.options.emplace_back("max_iterations", whole(options.max_iterations));
  answer.options.emplace_back("seed", whole(options.seed));
  if (!is_precomputed) answer.kernel = kernel;
  ModelDocument model("kernel-kmeans");
  model.set_integer("seed", whole(options.seed));
  model.set_integer("restarts", whole(options.restarts));
  model.set_integer("features", whole(data.features()));
  model.set_number("kernel_sse", found.kernel_sse);
  if (answer.report.lower_bound) model.set_number("lower_bound", *answer.report.lower_bound);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  add_expansion(model, std::move(found.model.centres));
  answer.model = std::move(model);
  return answer;
}

/// sum_i w_i K_ii - sum_c (sum_{i, j in c} w_i w_j K_ij) / W_c, pair by pair.
double kernel_kmeans_objective(const Dataset& data,
                               std::span<const std::int32_t> labels,
                               const ModelDocument& model) {
  const KernelExpansion centres = expansion_of(model);
  const bool is_precomputed = std::holds_alternative<Precomputed>(centres.kernel);
  const auto value = [&](std::size_t i, std::size_t j) {
    return is_precomputed ? data.examples.row(std::max(i, j)).at(std::min(i, j))
                          : evaluate(centres.kernel, data.examples.row(i), data.examples.row(j));
  };
  std::vector<double> mass(centres.offsets.size(), 0.0);
  std::vector<double> pairs(centres.offsets.size(), 0.0);
  double diagonal = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    const double weight = weight_of(data.weights, i);
    const double own = weight * value(i, i);
    mass[c] += weight;
    diagonal += own;
    pairs[c] += weight * own;
    for (std::size_t j = 0; j < i; ++j) {
      if (labels[j] != labels[i]) continue;
      pairs[c] += 2 * weight * weight_of(data.weights, j) * value(i, j);
    }
  }
  double sum = diagonal;
  for (std::size_t c = 0; c < mass.size(); ++c) sum -= pairs[c] / mass[c];
  return sum;
}

std::size_t kernel_kmeans_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

Prediction predict_kernel_kmeans(const ModelDocument& model,
                                 const Dataset& data,
                                 std::optional<std::size_t> threads) {
  KernelKmeansModel clusters{.centres = expansion_of(model)};
  auto* precomputed = std::get_if<Precomputed>(&clusters.centres.kernel);
  if (precomputed == nullptr) return {.clusters = clusters.predict(data.examples, threads)};
  precomputed->matrix = std::make_shared<const DenseMatrix>(data.examples.to_dense());
  return {.clusters = clusters.predict(index_examples(data.size()), threads)};
}

constexpr std::array kernel_kmeans_options = {Names{"kernel"},
                                              Names{"gamma"},
                                              Names{"degree"},
                                              Names{"coef0"},
                                              Names{"allow-indefinite"},
                                              Names{"memory-limit"},
                                              Names{"start"}};

constexpr std::array methods = {
    ClusterMethod{"kernel-kmeans",
                  "k-means in the feature space of a kernel, with a lower bound",
                  kernel_kmeans_options,
                  run_kernel_kmeans,
                  kernel_kmeans_objective}};

constexpr std::array kinds = {
    ModelKind{"kernel-kmeans", kernel_kmeans_features, predict_kernel_kmeans}};

}  // namespace

MethodTable kernel_kmeans_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
