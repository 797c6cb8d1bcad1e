// SPDX-License-Identifier: Apache-2.0
//
// k-means in the feature space of a kernel: kernel-kmeans.
#include "maxmargin/cluster/kmeans/kernel_kmeans.hpp"
#include "core/recomputation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/parallel.hpp"
#include "core/weights.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/clustering/kept_labels.hpp"
#include "learner/clustering/kernel.hpp"
#include "learner/feature_checks.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/gram/mercer.hpp"

namespace maxmargin::learning {

namespace {

/// Kernel k-means with its kernel; one that is not positive semidefinite is a warning, no error.
struct KernelKmeansChoice {
  KernelChoice kernel = {};
  KernelKmeansOptions options = {};
  /// Taken for the sake of calls that say it to all methods.
  bool allow_indefinite = false;
  void describe(OptionVisitor& visit) {
    kernel.describe(visit);
    visit.yes_no({.name = "allow-indefinite",
                  .help = "no effect: kernels that are not positive semidefinite get a warning"},
                 allow_indefinite);
    options.describe(visit);
  }
};

/// Data whose rows are the rows of a Gram matrix.
void require_square(const Dataset& rows) {
  if (rows.size() == rows.features()) return;
  throw InvalidArgument("--kernel precomputed: " + name_of(rows) + " has " +
                        std::to_string(rows.size()) + " rows and " +
                        std::to_string(rows.features()) + " columns, must be a square matrix");
}

/// What rounding leaves of a sum of squares in feature space, a difference of sums as large as that
/// of w K_ii: some eps for each of the terms of a mean.
double rounding_of_objective(const Dataset& rows,
                             const ModelDocument& model,
                             double /*objective*/) {
  const Kernel kernel = expansion_of(model).kernel;
  const bool is_precomputed = std::holds_alternative<Precomputed>(kernel);
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row x = rows.examples.row(i);
    const double own = is_precomputed ? x.at(i) : evaluate(kernel, x, x);
    sum += weight_of(rows.weights, i) * std::abs(own);
  }
  const std::size_t terms = rows.size() + rows.features() + 64;
  return 8 * static_cast<double>(terms) * std::numeric_limits<double>::epsilon() * sum;
}

/// Kernel k-means of a Gram matrix; warns of one that is not positive semidefinite.
KernelKmeansClustering cluster_matrix(const Dataset& rows, const KernelKmeansOptions& options) {
  const DenseMatrix gram = rows.examples.to_dense();
  KernelKmeansClustering found = cluster_kernel_kmeans(gram.view(), options, rows.weights);
  // n^3 operations: not after a stop.
  if (was_stopped(found.report.status)) return found;
  const std::optional<double> negative =
      negative_eigenvalue(gram.view(), thread_count(options.context.threads));
  if (negative) {
    found.report.warnings.push_back(
        "the kernel precomputed is not positive semidefinite, an eigenvalue is " +
        format_number(*negative, 4) +
        ": distances to the means may be negative, and new points need not agree with the "
        "clusters");
  }
  return found;
}

Clustering run_kernel_kmeans(const Dataset& rows,
                             const KernelKmeansChoice& choice,
                             const Context& context) {
  const KernelKmeansOptions options = in_context(choice.options, context);
  const Kernel kernel = kernel_for(choice.kernel, rows.examples, context);
  const bool is_precomputed = std::holds_alternative<Precomputed>(kernel);
  if (is_precomputed) require_square(rows);
  KernelKmeansClustering found =
      is_precomputed ? cluster_matrix(rows, options) : cluster_kernel_kmeans(rows, kernel, options);
  ModelDocument model("kernel-kmeans");
  model.set_integer("features", static_cast<std::int64_t>(rows.features()));
  model.set_number("kernel_sse", found.kernel_sse);
  keep_labels(model, found.labels);
  add_expansion(model, std::move(found.model.centres));
  return {.labels = std::move(found.labels),
          .report = std::move(found.report),
          .metrics = {{"kernel_sse", found.kernel_sse}},
          .used = kernel_as_used(kernel),
          .model = std::move(model),
          .kernel = is_precomputed ? std::nullopt : std::optional(kernel)};
}

/// sum_i w_i K_ii - sum_c (sum_{i, j in c} w_i w_j K_ij) / W_c, pair by pair.
double kernel_kmeans_objective(const Dataset& rows,
                               std::span<const std::int32_t> labels,
                               const ModelDocument& model,
                               const Context& context) {
  const KernelExpansion centres = expansion_of(model);
  const bool is_precomputed = std::holds_alternative<Precomputed>(centres.kernel);
  const auto clusters = static_cast<std::int64_t>(centres.offsets.size());
  const auto is_cluster = [&](std::int32_t label) { return label >= 0 && label < clusters; };
  if (!std::ranges::all_of(labels, is_cluster)) return std::nan("");
  const auto value = [&](std::size_t i, std::size_t j) {
    return is_precomputed ? rows.examples.row(std::max(i, j)).at(std::min(i, j))
                          : evaluate(centres.kernel, rows.examples.row(i), rows.examples.row(j));
  };
  std::vector<double> mass(centres.offsets.size(), 0.0);
  std::vector<double> pairs(centres.offsets.size(), 0.0);
  double diagonal = 0;
  VerifyWatch watch(context);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watch.spend(i * (1 + rows.features()));
    const auto c = static_cast<std::size_t>(labels[i]);
    const double weight = weight_of(rows.weights, i);
    const double own = weight * value(i, i);
    mass[c] += weight;
    diagonal += own;
    pairs[c] += weight * own;
    for (std::size_t j = 0; j < i; ++j) {
      if (labels[j] != labels[i]) continue;
      pairs[c] += 2 * weight * weight_of(rows.weights, j) * value(i, j);
    }
  }
  double sum = diagonal;
  for (std::size_t c = 0; c < mass.size(); ++c) {
    if (mass[c] > 0) sum -= pairs[c] / mass[c];
  }
  return sum;
}

/// Those of the run, which the centres of a kernel that is not positive semidefinite need not give
/// back. Earlier models have none.
std::vector<std::int32_t> labels_if_kept(const ModelDocument& model) {
  return has_kept_labels(model) ? kept_labels(model) : std::vector<std::int32_t>{};
}

std::size_t kernel_kmeans_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

ClusterAnswer kernel_kmeans_answer(const ModelDocument& model,
                                   const Dataset& rows,
                                   const Context& context) {
  KernelKmeansModel clusters{.centres = expansion_of(model)};
  auto* precomputed = std::get_if<Precomputed>(&clusters.centres.kernel);
  if (precomputed == nullptr) return {.clusters = clusters.predict(rows.examples, context.threads)};
  precomputed->matrix = std::make_shared<const DenseMatrix>(rows.examples.to_dense());
  return {.clusters = clusters.predict(index_examples(rows.size()), context.threads)};
}

}  // namespace

void add_kernel_kmeans(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<KernelKmeansChoice>>(
      LearnerInfo{.name = "kernel-kmeans",
                  .summary = "k-means in the feature space of a kernel, with a bound",
                  .task = Task::cluster,
                  .formula = "min sum_i w_i |phi(x_i) - m_c(i)|^2, m_c the mean of cluster c",
                  .page = "docs/algorithms/kernel-kmeans.md",
                  .example = "builtin:iris",
                  .class_name = "KernelKMeans",
                  .ending = Ending::search},
      ClusterFunctions<KernelKmeansChoice>{.run = run_kernel_kmeans,
                                           .objective = kernel_kmeans_objective,
                                           .features = kernel_kmeans_features,
                                           .answer = kernel_kmeans_answer,
                                           .training_labels = labels_if_kept,
                                           .doubt = rounding_of_objective},
      KernelKmeansChoice{.options = {.k = 0}}));
}

}  // namespace maxmargin::learning
