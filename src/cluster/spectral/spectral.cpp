// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/spectral/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cluster/equal_rows.hpp"
#include "cluster/spectral/stoppable_graph.hpp"
#include "core/cluster_count.hpp"
#include "core/settle.hpp"
#include "core/stoppable.hpp"
#include "linalg/blas.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/kernel/gamma.hpp"
#include "maxmargin/solver/graph/spectral_embedding.hpp"
#include "maxmargin/solver/kmeans/kmeans.hpp"
#include "solver/cluster_numbers.hpp"
#include "solver/graph/cut_refinement.hpp"

namespace maxmargin {

namespace {

void require_clusterable(const Dataset& data, const SpectralOptions& options) {
  require(data.size() > 0, "there must be at least one point");
  require(data.weights.empty(), "the cuts have no place for example weights");
  const std::size_t distinct = distinct_rows(data.examples, options.k);
  require_cluster_count(distinct >= options.k,
                        options.k,
                        "at most the number of distinct points, " + std::to_string(distinct));
}

Kernel kernel_for(const Dataset& data, const SpectralOptions& options) {
  Kernel kernel = options.kernel.resolved(data.examples, {.context = options.context});
  validate(kernel);
  return kernel;
}

SpectralEmbeddingOptions embedding_options(const SpectralOptions& options) {
  return {.count = std::max<std::size_t>(options.k, 2),
          .laplacian = options.method == SpectralMethod::ratio_cut ? Laplacian::unnormalized
                                                                   : Laplacian::normalized,
          .tolerance = options.tolerance,
          .context = options.context};
}

CutKind cut_kind(SpectralMethod method) {
  if (method == SpectralMethod::min_cut) return CutKind::minimum;
  return method == SpectralMethod::ratio_cut ? CutKind::ratio : CutKind::normalized;
}

double objective_of(const GraphCuts& cuts, SpectralMethod method) {
  if (method == SpectralMethod::min_cut) return cuts.cut;
  return method == SpectralMethod::ratio_cut ? cuts.ratio_cut : cuts.normalized_cut;
}

/// Points with similarity to others, which is what can be cut.
std::vector<std::size_t> connected_points(const SimilarityGraph& graph) {
  std::vector<std::size_t> points;
  for (std::size_t u = 0; u < graph.size(); ++u) {
    if (graph.degrees()[u] > 0) points.push_back(u);
  }
  return points;
}

DenseMatrix means_of(DenseView rows, const ClusterNumbers& numbers) {
  DenseMatrix means(numbers.sizes.size(), rows.cols);
  for (std::size_t u = 0; u < rows.rows; ++u) {
    const auto c = static_cast<std::size_t>(numbers.labels[u]);
    axpy(1 / static_cast<double>(numbers.sizes[c]), rows.row(u), means.row(c));
  }
  return means;
}

/// spectral.md step 3.
std::vector<std::int32_t> cluster_rows(const SimilarityGraph& graph,
                                       const SpectralEmbedding& embedding,
                                       const SpectralOptions& options,
                                       SpectralClustering& result) {
  const std::size_t n = graph.size();
  const std::size_t k = options.k;
  auto rows = DenseMatrix::uninitialized(n, k);
  DenseMatrix& coefficients = result.model.coefficients;
  coefficients = DenseMatrix(k, n);
  for (std::size_t c = 0; c < k; ++c) {
    // S R^-1/2 u = mu R^1/2 u: divided by mu and r(x)^1/2 this is how u goes on to new points; the
    // latter factor is the same for all c and does not change the direction.
    const double mu = 1 - embedding.eigenvalues[c];
    const std::span<const double> vector = embedding.vectors.row(c);
    for (std::size_t u = 0; u < n; ++u) {
      rows(u, c) = vector[u];
      coefficients(c, u) = mu > 0 ? vector[u] / std::sqrt(graph.degrees()[u]) / mu : 0.0;
    }
  }
  for (std::size_t u = 0; u < n; ++u) {
    const double length = std::sqrt(dot(rows.row(u), rows.row(u)));
    for (double& entry : rows.row(u)) entry = length > 0 ? entry / length : 0.0;
  }
  KmeansSolution solution = solve_kmeans(rows.view(),
                                         {.k = k,
                                          .restarts = options.restarts,
                                          .max_iterations = options.max_iterations,
                                          .context = options.context,
                                          .lower_bound_limit = 0});
  result.report.status = worse(result.report.status, solution.report.status);
  result.report.iterations += solution.report.iterations;
  for (std::string& warning : solution.report.warnings) {
    result.report.warnings.push_back("k-means on the embedding: " + warning);
  }
  CutRefinement refined =
      refine_normalized_cut(graph,
                            std::move(solution.labels),
                            k,
                            was_stopped(result.report.status) ? 0 : options.refinements,
                            options.context.threads,
                            options.context.on_progress);
  result.report.status = worse(result.report.status, refined.status);
  result.report.iterations += refined.passes;
  if (refined.moves == 0) {
    result.model.centres = std::move(solution.centres);
    return std::move(refined.clusters);
  }
  ClusterNumbers numbers = number_by_size(refined.clusters, k);
  result.model.centres = means_of(rows.view(), numbers);
  return std::move(numbers.labels);
}

/// The splits as the model holds them.
void store_splits(const RecursiveSplit& tree, std::size_t n, SpectralModel& model) {
  model.coefficients = DenseMatrix(tree.nodes.size(), n);
  model.splits = DenseMatrix(tree.nodes.size(), 5);
  for (std::size_t t = 0; t < tree.nodes.size(); ++t) {
    const RecursiveSplit::Node& node = tree.nodes[t];
    for (std::size_t i = 0; i < node.members.size(); ++i) {
      model.coefficients(t, node.members[i]) = node.split.values[i];
    }
    const std::span<double> row = model.splits.row(t);
    row[0] = node.split.threshold;
    row[1] = node.split.slope;
    row[2] = node.split.offset;
    row[3] = static_cast<double>(node.below);
    row[4] = static_cast<double>(node.above);
  }
}

/// What the partition's cost cannot be below.
std::optional<double> lower_bound_of(const SpectralEmbedding& embedding,
                                     const SpectralOptions& options,
                                     std::size_t n,
                                     double objective,
                                     Status status) {
  if (options.method != SpectralMethod::min_cut) {
    return embedding.status == Status::solved ? std::optional(embedding.lower_bound) : std::nullopt;
  }
  if (status != Status::solved) return std::nullopt;
  // Cheapest splits first cost at most 2 - 2/k times the least k-way cut (Saran and Vazirani).
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const auto k = static_cast<double>(options.k);
  return objective / (2 - 2 / k) * std::max(0.0, 1 - 4 * epsilon * static_cast<double>(n));
}

/// The connected points in k >= 2 clusters.
std::vector<std::int32_t> cluster_graph(const SimilarityGraph& graph,
                                        const SpectralOptions& options,
                                        PhaseTimer& timer,
                                        SpectralClustering& result) {
  SpectralEmbedding embedding;
  if (options.method != SpectralMethod::min_cut) {
    timer.enter("eigenvectors");
    embedding = spectral_embedding(graph, embedding_options(options));
    result.report.status = embedding.status;
    result.report.iterations = embedding.iterations;
    result.eigenvalues = embedding.eigenvalues;
  }
  std::vector<std::int32_t> clusters;
  if (options.method == SpectralMethod::ng_jordan_weiss) {
    timer.enter("k-means");
    clusters = cluster_rows(graph, embedding, options, result);
  } else {
    timer.enter("split");
    RecursiveSplit tree =
        split_recursively(graph,
                          options.k,
                          {.kind = cut_kind(options.method),
                           .threshold = options.threshold,
                           .embedding = embedding_options(options)},
                          options.method == SpectralMethod::min_cut ? nullptr : &embedding);
    result.report.status = worse(result.report.status, tree.status);
    result.report.iterations += tree.iterations;
    store_splits(tree, graph.size(), result.model);
    clusters = std::move(tree.clusters);
  }
  timer.enter("measure cuts");
  result.cuts = graph_cuts(graph, clusters, options.k, options.context.threads);
  const double objective = objective_of(result.cuts, options.method);
  result.report.primal_objective = objective;
  result.report.lower_bound =
      lower_bound_of(embedding, options, graph.size(), objective, result.report.status);
  return clusters;
}

void warn_of_pieces(const SimilarityGraph& graph, std::size_t k, SolveReport& report) {
  const std::vector<std::int32_t> components = graph.components();
  const auto count = static_cast<std::size_t>(*std::ranges::max_element(components)) + 1;
  if (count > k) {
    report.warnings.push_back("the similarity graph falls into " + std::to_string(count) +
                              " pieces, more than k = " + std::to_string(k) +
                              ": which pieces share a cluster is arbitrary; a wider kernel joins "
                              "them");
  }
}

/// For a run that was stopped before there was a graph: every point is with the nearest of the
/// first k that differ. What the cuts cost is not known, and there is no model.
void take_nearest_to_first(const Dataset& data,
                           const SpectralOptions& options,
                           Status status,
                           SpectralClustering& result) {
  ClusterNumbers numbers = number_by_size(
      nearest_seeds(data.examples, first_distinct_rows(data.examples, options.k)), options.k);
  result.labels = std::move(numbers.labels);
  result.sizes = std::move(numbers.sizes);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  result.cuts = {.cut = unknown, .ratio_cut = unknown, .normalized_cut = unknown};
  result.report.status = status;
  result.report.message =
      "stopped before there was a graph: each point is with the nearest of the first distinct ones";
}

}  // namespace

void SpectralOptions::describe(OptionVisitor& visit) {
  describe_cluster_count(visit, k);
  kernel.describe(visit);
  visit.whole({.name = "neighbours",
               .help = "keep the similarities to so many nearest points; more make a denser graph"},
              neighbours,
              {.least = 1},
              "all");
  if (method == SpectralMethod::min_cut) return;
  if (method == SpectralMethod::ng_jordan_weiss) {
    describe_restarts(visit, restarts, max_iterations);
    visit.whole({.name = "refinements",
                 .help = "passes of moves of single points that lower the cut; 0: none"},
                refinements);
  } else {
    visit.name({.name = "threshold", .help = "where an eigenvector is cut"}, threshold);
  }
  visit.number({.name = "tolerance", .help = "residual at which an eigenvector is good enough"},
               tolerance,
               spectral_tolerance);
}

SpectralClustering cluster_spectral(const Dataset& data, const SpectralOptions& options) {
  validate(options);
  require_clusterable(data, options);
  PhaseTimer timer;
  timer.enter("similarity");
  SpectralClustering result;
  result.model.method = options.method;
  result.model.kernel = kernel_for(data, options);
  result.model.neighbours = options.neighbours;
  const std::size_t n = data.size();
  std::optional<SimilarityGraph> made;
  try {
    made = stoppable_similarity_graph(
        result.model.kernel, data.examples, options.neighbours, options.context);
  } catch (const Stopped& stopped) {
    take_nearest_to_first(data, options, status_of(stopped.answer()), result);
    result.report.seconds = timer.finish();
    return result;
  }
  SimilarityGraph& graph = *made;
  result.model.examples = data.examples.owned();
  result.labels.assign(n, 0);
  if (options.k == 1) {  // nothing is cut, whatever the similarities
    result.model.clusters = result.labels;
    result.sizes = {n};
    result.cuts = graph_cuts(graph, result.labels, 1, options.context.threads);
    result.report.primal_objective = 0;
    result.report.lower_bound = 0;
    result.report.seconds = timer.finish();
    return result;
  }
  const std::vector<std::size_t> members = connected_points(graph);
  if (members.size() < n) {
    graph = graph.subgraph(members);
    result.model.examples = data.examples.select(members);
    result.report.warnings.push_back(std::to_string(n - members.size()) +
                                     " point(s) have no similarity to any other and are outliers");
  }
  const std::size_t distinct = distinct_rows(result.model.examples, options.k);
  require_cluster_count(distinct >= options.k,
                        options.k,
                        "at most the number of distinct points with a similarity > 0 to another, " +
                            std::to_string(distinct) + "; a wider kernel gives more");
  warn_of_pieces(graph, options.k, result.report);
  result.model.clusters = cluster_graph(graph, options, timer, result);
  result.labels.assign(n, -1);
  result.sizes.assign(options.k, 0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    result.labels[members[i]] = result.model.clusters[i];
    ++result.sizes[static_cast<std::size_t>(result.model.clusters[i])];
  }
  settle_end(result.report,
             options.method == SpectralMethod::min_cut ? Ending::procedure : Ending::search);
  result.report.seconds = timer.finish();
  return result;
}

std::vector<double> spectral_eigenvalues(const Dataset& data,
                                         std::size_t count,
                                         const SpectralOptions& options) {
  validate(options);
  require_clusterable(data, {.k = 1});
  SimilarityGraph graph = similarity_graph(
      kernel_for(data, options), data.examples, options.neighbours, options.context.threads);
  const std::vector<std::size_t> members = connected_points(graph);
  if (members.empty()) return {};
  if (members.size() < graph.size()) graph = graph.subgraph(members);
  SpectralEmbeddingOptions wanted = embedding_options(options);
  wanted.count = std::min(count, graph.size());
  wanted.laplacian = Laplacian::normalized;
  return spectral_embedding(graph, wanted).eigenvalues;
}

}  // namespace maxmargin
