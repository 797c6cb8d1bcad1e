// SPDX-License-Identifier: Apache-2.0
//
// The SVM-Relabeler: relabeler.
#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "core/recomputation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learner/clustering/clustering.hpp"
#include "learner/clustering/kept_labels.hpp"
#include "learner/clustering/kernel.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"

namespace maxmargin::learning {

namespace {

/// The relabeler with its kernel; one that is not positive semidefinite is a warning, no error.
struct RelabelerChoice {
  RelabelerOptions options = {};
  KernelChoice kernel = {};
  /// Changes nothing.
  bool allow_indefinite = false;
  void describe(OptionVisitor& visit) {
    options.describe(visit);
    kernel.describe(visit);
    visit.yes_no({.name = "allow-indefinite",
                  .help = "without effect: kernels that are not positive semidefinite are taken"},
                 allow_indefinite);
  }
};

using Columns = std::vector<std::pair<std::string, std::vector<double>>>;

/// The fits of the best run; of a chain, its runs.
Columns trace_of(const RelabelerClustering& found) {
  Columns columns;
  const auto column = [&](const char* name, const auto& steps, auto value) {
    std::vector<double> values;
    for (const auto& step : steps) values.push_back(value(step));
    columns.emplace_back(name, std::move(values));
  };
  if (!found.search_trace.empty()) {
    using Step = RelabelSearchStep;
    column("kernel_sse", found.search_trace, [](const Step& s) { return s.kernel_sse; });
    column("current_sse", found.search_trace, [](const Step& s) { return s.current; });
    column("best_sse", found.search_trace, [](const Step& s) { return s.best; });
    column("temperature", found.search_trace, [](const Step& s) { return s.temperature; });
    column("perturbation", found.search_trace, [](const Step& s) { return s.perturbation; });
    return columns;
  }
  column("kernel_sse", found.trace, [](const RelabelStep& s) { return s.kernel_sse; });
  column("objective", found.trace, [](const RelabelStep& s) { return s.objective; });
  column("training_error", found.trace, [](const RelabelStep& s) { return s.training_error; });
  if (!found.trace.empty() && found.trace.front().purity) {
    column("purity", found.trace, [](const RelabelStep& s) { return s.purity.value_or(0); });
  }
  return columns;
}

ModelDocument document_of(RelabelerModel model,
                          const RelabelerClustering& found,
                          const RelabelerOptions& options) {
  ModelDocument document("relabeler");
  document.set_integer("restarts", static_cast<std::int64_t>(options.restarts));
  document.set_number("kernel_sse", found.kernel_sse);
  document.set_integer("clusters", static_cast<std::int64_t>(model.rule.clusters));
  if (!model.rule.tree.empty()) {
    std::vector<double> below;
    std::vector<double> not_below;
    for (const RelabelerSplit& split : model.rule.tree) {
      below.push_back(split.below);
      not_below.push_back(split.not_below);
    }
    document.set_numbers("tree.below", std::move(below));
    document.set_numbers("tree.not_below", std::move(not_below));
  }
  keep_labels(document, found.labels);
  add_expansion(document, std::get<KernelExpansion>(std::move(model.functions)));
  return document;
}

std::int32_t child_of(const ModelDocument& document, double stored) {
  if (!(std::abs(stored) < 1e9) || stored != std::floor(stored)) {
    throw ModelFormatError(document.source(), {}, "the tree holds what is no whole number");
  }
  return static_cast<std::int32_t>(stored);
}

RelabelerModel relabeler_of(const ModelDocument& document) {
  RelabelerModel model{.functions = expansion_of(document)};
  const std::int64_t clusters = document.integer("clusters");
  model.rule.clusters = static_cast<std::size_t>(std::max<std::int64_t>(0, clusters));
  if (document.has("tree.below")) {
    const std::vector<double>& below = document.numbers("tree.below");
    const std::vector<double>& not_below = document.numbers("tree.not_below");
    if (below.size() != not_below.size()) {
      throw ModelFormatError(document.source(), {}, "the tree's two sides differ in length");
    }
    for (std::size_t f = 0; f < below.size(); ++f) {
      model.rule.tree.push_back({child_of(document, below[f]), child_of(document, not_below[f])});
    }
  }
  try {
    validate(model.functions);
    model.rule.validate(function_count(model.functions));
  } catch (const InvalidArgument& problem) {
    throw ModelFormatError(document.source(), {}, problem.what());
  }
  return model;
}

Clustering run_relabeler(const Dataset& rows,
                         const RelabelerChoice& choice,
                         const Context& context) {
  const RelabelerOptions options = in_context(choice.options, context);
  const Kernel kernel = kernel_of_points(choice.kernel, rows.examples, context);
  TrainedRelabeler trained = cluster_relabeler(rows, kernel, options);
  RelabelerClustering& found = trained.clustering;

  Clustering clustering{.labels = found.labels, .report = found.report};
  const auto runs = static_cast<double>(std::max<std::size_t>(1, found.counts.runs));
  if (!rows.holds_strings) {
    clustering.metrics = {{"inertia", sum_of_squares(rows.examples, found.labels).total}};
  }
  clustering.metrics.insert(clustering.metrics.end(),
                            {{"kernel_sse", found.kernel_sse},
                             {"svm_objective", found.objective},
                             {"training_error", found.training_error},
                             {"p_value", found.p_value},
                             {"runs", static_cast<double>(found.counts.runs)},
                             {"mean_iterations", static_cast<double>(found.counts.fits) / runs},
                             {"collapsed", static_cast<double>(found.counts.collapsed) / runs}});
  clustering.used = kernel_as_used(kernel);
  clustering.used.emplace_back("search", std::string(to_string(options.search.kind)));
  clustering.kernel = kernel;
  clustering.trace = trace_of(found);
  clustering.model = document_of(std::move(trained.model), found, options);
  return clustering;
}

/// The kernel sum of squares from pairs, in plain order.
double relabeler_objective(const Dataset& rows,
                           std::span<const std::int32_t> labels,
                           const ModelDocument& model,
                           const Context& context) {
  const RelabelerModel relabeler = relabeler_of(model);
  const Kernel& kernel = std::get<KernelExpansion>(relabeler.functions).kernel;
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  const auto clusters = static_cast<std::int32_t>(std::min(relabeler.rule.clusters, most));
  const auto is_cluster = [&](std::int32_t label) { return label >= 0 && label < clusters; };
  if (!std::ranges::all_of(labels, is_cluster)) return std::nan("");
  VerifyWatch watch(context);
  double total = 0;
  for (std::int32_t c = 0; c < clusters; ++c) {
    double size = 0;
    double trace = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (labels[i] != c) continue;
      watch.spend(i * (1 + rows.features()));
      const Row x = rows.examples.row(i);
      size += 1;
      trace += evaluate(kernel, x, x);
      for (std::size_t j = 0; j < i; ++j) {
        if (labels[j] == c) pairs += evaluate(kernel, x, rows.examples.row(j));
      }
    }
    if (size > 0) total += trace - (trace + 2 * pairs) / size;
  }
  return total;
}

std::size_t relabeler_features(const ModelDocument& model) {
  return expansion_of(model).vectors.cols();
}

ClusterAnswer relabeler_answer(const ModelDocument& model,
                               const Dataset& rows,
                               const Context& context) {
  return {.clusters = relabeler_of(model).predict(rows.examples, context.threads)};
}

Examples relabeler_vectors(const ModelDocument& model) { return expansion_of(model).vectors; }

}  // namespace

void add_relabeler(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<RelabelerChoice>>(
      LearnerInfo{
          .name = "relabeler",
          .summary = "a machine corrects random labels until it makes no error",
          .task = Task::cluster,
          .formula = "labels that a machine repeats, of least sum_c tr(K_c) - 1'K_c 1 / n_c",
          .page = "docs/algorithms/relabeler.md",
          .example = "builtin:iris",
          .class_name = "Relabeler",
          .ending = Ending::search},
      ClusterFunctions<RelabelerChoice>{.run = run_relabeler,
                                        .objective = relabeler_objective,
                                        .features = relabeler_features,
                                        .answer = relabeler_answer,
                                        .support_vectors = relabeler_vectors,
                                        .training_labels = kept_labels,
                                        .records_steps = always_records},
      RelabelerChoice{.options = {.k = 0}}));
}

}  // namespace maxmargin::learning
