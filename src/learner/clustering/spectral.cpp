// SPDX-License-Identifier: Apache-2.0
//
// Cuts of the similarity graph: spectral, normalized-cut, ratio-cut, min-cut.
#include "maxmargin/cluster/spectral/spectral.hpp"

#include <map>
#include <utility>

#include "cluster/spectral/stoppable_graph.hpp"
#include "core/recomputation.hpp"
#include "io/model/spectral_file.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/clustering/kept_labels.hpp"
#include "learner/clustering/kernel.hpp"

namespace maxmargin::learning {

namespace {

Clustering run_cut(const Dataset& rows, const SpectralOptions& options, const Context& context) {
  SpectralOptions own = in_context(options, context);
  own.kernel = kernel_of_points(options.kernel, rows.examples, context);
  SpectralClustering found = cluster_spectral(rows, own);
  Clustering clustering{.labels = std::move(found.labels),
                        .report = std::move(found.report),
                        .metrics = {{"normalized_cut", found.cuts.normalized_cut},
                                    {"ratio_cut", found.cuts.ratio_cut},
                                    {"cut", found.cuts.cut}},
                        .used = kernel_as_used(own.kernel.kernel()),
                        .kernel = own.kernel.kernel()};
  if (!found.eigenvalues.empty()) {
    clustering.metrics.emplace_back("last_eigenvalue", found.eigenvalues[own.k - 1]);
  }
  // A run that was stopped before there was a graph has nothing that goes on to new points.
  if (!clustering.report.primal_objective) return clustering;
  ModelDocument model{std::string(to_string(own.method))};
  model.set_number("objective", *clustering.report.primal_objective);
  keep_labels(model, clustering.labels);
  add_spectral(model, found.model);
  clustering.model = std::move(model);
  return clustering;
}

/// Calls visit(v, similarity of u and v) for all pairs that count. The pairs of a neighbour graph
/// are the method's own, since rounding decides between equally near ones; nothing else is.
class PlainGraph {
 public:
  PlainGraph(const Dataset& rows, const SpectralModel& model, const Context& context)
      : rows_(rows), model_(model) {
    if (model.neighbours) {
      edges_ = stoppable_similarity_graph(
          model.kernel, rows.examples, model.neighbours, in_verify(context));
    }
  }

  template <class Visit>
  void for_each_neighbour(std::size_t u, const Visit& visit) const {
    const auto pair = [&](std::size_t v) {
      if (v == u) return;
      visit(v, evaluate(model_.kernel, rows_.examples.row(u), rows_.examples.row(v)));
    };
    if (edges_) {
      edges_->for_each_neighbour(u, [&](std::size_t v, double) { pair(v); });
    } else {
      for (std::size_t v = 0; v < rows_.size(); ++v) pair(v);
    }
  }

 private:
  const Dataset& rows_;
  const SpectralModel& model_;
  std::optional<SimilarityGraph> edges_ = std::nullopt;
};

/// The cut of a clustering by the definition of its method, pair by pair.
double cut_objective(const Dataset& rows,
                     std::span<const std::int32_t> labels,
                     const ModelDocument& document,
                     const Context& context) {
  const SpectralModel model = spectral_of(document);
  VerifyWatch watch(context);
  const PlainGraph graph(rows, model, context);
  struct Cluster {
    double cut = 0;
    double assoc = 0;
    double size = 0;
  };
  std::map<std::int32_t, Cluster> clusters;
  for (std::size_t u = 0; u < rows.size(); ++u) {
    watch.spend(rows.size() * (1 + rows.features()));
    if (labels[u] < 0) continue;
    Cluster& own = clusters[labels[u]];
    own.size += 1;
    graph.for_each_neighbour(u, [&](std::size_t v, double s) {
      if (labels[v] < 0) return;
      own.assoc += s;
      if (labels[u] != labels[v]) own.cut += s;
    });
  }
  double sum = 0;
  for (const auto& [number, cluster] : clusters) {
    if (model.method == SpectralMethod::min_cut) {
      sum += cluster.cut / 2;
    } else if (model.method == SpectralMethod::ratio_cut) {
      sum += cluster.cut / cluster.size;
    } else if (cluster.assoc > 0) {
      sum += cluster.cut / cluster.assoc;
    }
  }
  return sum;
}

std::size_t cut_features(const ModelDocument& model) { return spectral_of(model).examples.cols(); }

ClusterAnswer cut_answer(const ModelDocument& model, const Dataset& rows, const Context& context) {
  return {.clusters = spectral_of(model).predict(rows.examples, context.threads)};
}

std::unique_ptr<const Learner> entry(SpectralMethod method,
                                     std::string_view summary,
                                     std::string_view formula,
                                     std::string_view class_name) {
  return std::make_unique<ClusterEntry<SpectralOptions>>(
      LearnerInfo{.name = to_string(method),
                  .summary = summary,
                  .task = Task::cluster,
                  .formula = formula,
                  .page = "docs/algorithms/spectral.md",
                  .example = "builtin:iris",
                  .class_name = class_name,
                  .ending = method == SpectralMethod::min_cut ? Ending::procedure : Ending::search},
      ClusterFunctions<SpectralOptions>{.run = run_cut,
                                        .objective = cut_objective,
                                        .features = cut_features,
                                        .answer = cut_answer,
                                        .training_labels = kept_labels_or_outliers,
                                        .tolerance_is_gap = false},
      SpectralOptions{.method = method, .k = 0});
}

}  // namespace

void add_spectral_methods(LearnerList& list) {
  list.push_back(entry(SpectralMethod::ng_jordan_weiss,
                       "k-means on eigenvectors of a graph (Ng, Jordan, Weiss)",
                       "min sum_c cut(c) / assoc(c), relaxed to k eigenvectors of the Laplacian",
                       "SpectralClustering"));
  list.push_back(entry(SpectralMethod::normalized_cut,
                       "normalised cuts by second eigenvectors, split by split",
                       "min sum_c cut(c) / assoc(c), split by split",
                       "NormalizedCut"));
  list.push_back(entry(SpectralMethod::ratio_cut,
                       "ratio cuts by second eigenvectors, split by split",
                       "min sum_c cut(c) / |c|, split by split",
                       "RatioCut"));
  list.push_back(entry(SpectralMethod::min_cut,
                       "exact minimum cuts of the similarity graph, O(n^3)",
                       "min 1/2 sum_c cut(c), split by split",
                       "MinCut"));
}

}  // namespace maxmargin::learning
