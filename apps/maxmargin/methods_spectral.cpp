// SPDX-License-Identifier: Apache-2.0
//
// Cuts of the similarity graph: spectral, normalized-cut, ratio-cut, min-cut.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "data_source.hpp"
#include "maxmargin/cluster/spectral/spectral.hpp"
#include "maxmargin/io/model/spectral_file.hpp"
#include "method_options.hpp"
#include "methods.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

SpectralOptions options_of(const Dataset& data,
                           const Arguments& arguments,
                           ProgressCallback progress,
                           SpectralMethod method) {
  SpectralOptions options{.method = method};
  take_common_options(arguments, std::move(progress), options);
  // Cuts need values >= 0, not a positive semidefinite kernel.
  options.kernel = kernel_of_points(arguments, data.examples, "neighbour", true);
  options.neighbours = arguments.whole("neighbours", 1);
  options.refinements = arguments.whole("refinements", 0).value_or(options.refinements);
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  const std::string threshold = arguments.choice_or("threshold", "sweep", {"sign", "sweep"});
  options.threshold = threshold == "sign" ? CutThreshold::sign : CutThreshold::sweep;
  return options;
}

ReportFields used_options(const SpectralOptions& options) {
  ReportFields fields = {{"k", whole(options.k)}};
  show_kernel(*options.kernel, fields);
  if (options.neighbours) {
    fields.emplace_back("neighbours", whole(*options.neighbours));
  } else {
    fields.emplace_back("neighbours", std::monostate{});
  }
  if (options.method == SpectralMethod::ng_jordan_weiss) {
    fields.emplace_back("restarts", whole(options.restarts));
    fields.emplace_back("max_iterations", whole(options.max_iterations));
    fields.emplace_back("refinements", whole(options.refinements));
  } else if (options.method != SpectralMethod::min_cut) {
    fields.emplace_back("threshold",
                        std::string(options.threshold == CutThreshold::sign ? "sign" : "sweep"));
  }
  if (options.method != SpectralMethod::min_cut) {
    fields.emplace_back("tolerance", options.tolerance);
  }
  fields.emplace_back("seed", whole(options.seed));
  return fields;
}

template <SpectralMethod method>
ClusterAnswer run(const Dataset& data, const Arguments& arguments, ProgressCallback progress) {
  const SpectralOptions options = options_of(data, arguments, std::move(progress), method);
  SpectralClustering found = cluster_spectral(data, options);

  ClusterAnswer answer;
  answer.labels = std::move(found.labels);
  answer.report = std::move(found.report);
  answer.metrics = {{"normalized_cut", found.cuts.normalized_cut},
                    {"ratio_cut", found.cuts.ratio_cut},
                    {"cut", found.cuts.cut}};
  if (!found.eigenvalues.empty()) {
    answer.metrics.emplace_back("last_eigenvalue", found.eigenvalues[options.k - 1]);
  }
  answer.options = used_options(options);
  answer.kernel = options.kernel;
  ModelDocument model{std::string(to_string(method))};
  model.set_integer("seed", whole(options.seed));
  model.set_number("objective", *answer.report.primal_objective);
  if (answer.report.lower_bound) model.set_number("lower_bound", *answer.report.lower_bound);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  add_spectral(model, found.model);
  answer.model = std::move(model);
  return answer;
}

/// Calls visit(v, similarity of u and v) for all pairs that count. The pairs of a neighbour graph
/// are the method's own, since rounding decides between equally near ones; nothing else is.
class PlainGraph {
 public:
  PlainGraph(const Dataset& data, const SpectralModel& model) : data_(data), model_(model) {
    if (model.neighbours) {
      edges_ = similarity_graph(model.kernel, data.examples, model.neighbours);
    }
  }

  template <class Visit>
  void for_each_neighbour(std::size_t u, const Visit& visit) const {
    const auto pair = [&](std::size_t v) {
      if (v == u) return;
      visit(v, evaluate(model_.kernel, data_.examples.row(u), data_.examples.row(v)));
    };
    if (edges_) {
      edges_->for_each_neighbour(u, [&](std::size_t v, double) { pair(v); });
    } else {
      for (std::size_t v = 0; v < data_.size(); ++v) pair(v);
    }
  }

 private:
  const Dataset& data_;
  const SpectralModel& model_;
  std::optional<SimilarityGraph> edges_ = std::nullopt;
};

/// The cut of a clustering by the definition of its method, pair by pair.
double cut_objective(const Dataset& data,
                     std::span<const std::int32_t> labels,
                     const ModelDocument& document) {
  const SpectralModel model = spectral_of(document);
  const PlainGraph graph(data, model);
  struct Cluster {
    double cut = 0;
    double assoc = 0;
    double size = 0;
  };
  std::map<std::int32_t, Cluster> clusters;
  for (std::size_t u = 0; u < data.size(); ++u) {
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

std::size_t features_of_model(const ModelDocument& model) {
  return spectral_of(model).examples.cols();
}

Prediction predict(const ModelDocument& model,
                   const Dataset& data,
                   std::optional<std::size_t> threads) {
  return {.clusters = spectral_of(model).predict(data.examples, threads)};
}

// The tables

constexpr std::array embedding_options = {Names{"kernel"},
                                          Names{"gamma"},
                                          Names{"degree"},
                                          Names{"coef0"},
                                          Names{"neighbours"},
                                          Names{"tolerance"},
                                          Names{"refinements"}};
constexpr std::array threshold_options = {Names{"kernel"},
                                          Names{"gamma"},
                                          Names{"degree"},
                                          Names{"coef0"},
                                          Names{"neighbours"},
                                          Names{"tolerance"},
                                          Names{"threshold"}};
constexpr std::array min_cut_options = {
    Names{"kernel"}, Names{"gamma"}, Names{"degree"}, Names{"coef0"}, Names{"neighbours"}};

constexpr std::array methods = {
    ClusterMethod{"spectral",
                  "Ng, Jordan and Weiss: k-means on eigenvectors of the similarity graph",
                  embedding_options,
                  run<SpectralMethod::ng_jordan_weiss>,
                  cut_objective},
    ClusterMethod{"normalized-cut",
                  "normalised cuts by second eigenvectors, again and again for k > 2",
                  threshold_options,
                  run<SpectralMethod::normalized_cut>,
                  cut_objective},
    ClusterMethod{"ratio-cut",
                  "ratio cuts by second eigenvectors, again and again for k > 2",
                  threshold_options,
                  run<SpectralMethod::ratio_cut>,
                  cut_objective},
    ClusterMethod{"min-cut",
                  "exact minimum cuts of the similarity graph, O(n^3)",
                  min_cut_options,
                  run<SpectralMethod::min_cut>,
                  cut_objective}};

constexpr std::array kinds = {ModelKind{"spectral", features_of_model, predict},
                              ModelKind{"normalized-cut", features_of_model, predict},
                              ModelKind{"ratio-cut", features_of_model, predict},
                              ModelKind{"min-cut", features_of_model, predict}};

}  // namespace

MethodTable spectral_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
