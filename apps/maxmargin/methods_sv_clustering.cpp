// SPDX-License-Identifier: Apache-2.0
//
// Support vector clustering: the pieces of the least sphere's contour.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data_source.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/weights.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "method_options.hpp"
#include "methods.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

constexpr std::array graphs = {ProximityGraph::complete,
                               ProximityGraph::knn,
                               ProximityGraph::mst,
                               ProximityGraph::delaunay,
                               ProximityGraph::support_vectors};

ProximityGraph graph_of(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const ProximityGraph graph : graphs) names.emplace_back(to_string(graph));
  const std::string name =
      arguments.choice_or("graph", to_string(SvClusteringOptions{}.graph), names);
  return *std::ranges::find_if(graphs,
                               [&](ProximityGraph graph) { return to_string(graph) == name; });
}

SvClusteringOptions options_of(const Dataset& data,
                               const Arguments& arguments,
                               ProgressCallback progress) {
  SvClusteringOptions options;
  options.kernel = method_kernel(arguments, data.examples);
  options.allow_indefinite = arguments.has("allow-indefinite");
  if (arguments.has("nu")) options.nu = outlier_share_of({.arguments = arguments});
  options.graph = graph_of(arguments);
  options.neighbours = arguments.whole("neighbours", 1).value_or(options.neighbours);
  options.samples = arguments.whole("samples", 1).value_or(options.samples);
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  options.max_iterations = arguments.whole("max-iterations", 1);
  options.memory_limit = memory_limit_of(arguments);
  options.threads = threads_of(arguments);
  options.on_progress = std::move(progress);
  return options;
}

/// The steps of a sweep as named columns.
void show_sweep(const SvSweep& sweep, ClusterAnswer& answer) {
  const auto column = [&](const char* name, const auto& value_of) {
    std::vector<double> values;
    for (const SvSweepStep& step : sweep.steps) {
      values.push_back(static_cast<double>(value_of(step)));
    }
    answer.trace.emplace_back(name, std::move(values));
  };
  column("gamma", [](const SvSweepStep& step) { return step.gamma; });
  column("squared_radius", [](const SvSweepStep& step) { return step.squared_radius; });
  column("objective", [](const SvSweepStep& step) { return step.objective; });
  column("clusters", [](const SvSweepStep& step) { return step.clusters; });
  column("support_vectors", [](const SvSweepStep& step) { return step.support_vectors; });
  column("bounded", [](const SvSweepStep& step) { return step.bounded; });
  column("outliers", [](const SvSweepStep& step) { return step.outliers; });
  column("solved", [](const SvSweepStep& step) { return step.status == Status::solved ? 1 : 0; });
  std::vector<double> chosen(sweep.steps.size(), 0.0);
  chosen[sweep.chosen] = 1;
  answer.trace.emplace_back("chosen", std::move(chosen));
}

ModelDocument document_of(const SvClustering& found,
                          const SvClusteringOptions& options,
                          const Dataset& data) {
  ModelDocument document("sv-clustering");
  document.set_number("nu", options.nu);
  document.set_string("graph", std::string(to_string(options.graph)));
  document.set_integer("neighbours", whole(found.model.neighbours));
  document.set_integer("samples", whole(found.model.samples));
  document.set_number("squared_radius", found.model.squared_radius);
  document.set_number("level", found.model.level);
  if (!data.feature_names.empty()) document.set_strings("feature_names", data.feature_names);
  document.set_numbers("member_clusters",
                       {found.model.member_clusters.begin(), found.model.member_clusters.end()});
  add_expansion(document, found.model.sphere);
  add_examples(document, "members", found.model.members);
  return document;
}

/// What rounding leaves of R^2 in sums of kernel values whose weights add up to 1: some eps of the
/// largest K_ii for each of the terms. Costs outside add up to 1 at most, so slacks double it.
double rounding_of_objective(const Dataset& data, const SvClustering& found) {
  double largest = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Row x = data.examples.row(i);
    largest = std::max(largest, std::abs(evaluate(found.model.sphere.kernel, x, x)));
  }
  const std::size_t terms = found.model.sphere.vectors.rows() + data.features() + 64;
  return 8 * static_cast<double>(terms) * std::numeric_limits<double>::epsilon() * largest;
}

ClusterAnswer run_sv_clustering(const Dataset& data,
                                const Arguments& arguments,
                                ProgressCallback progress) {
  SvClusteringOptions options = options_of(data, arguments, std::move(progress));
  const std::optional<std::uint64_t> widths = arguments.whole("gamma-sweep", 2);
  if (widths && arguments.has("gamma")) {
    throw UsageError("--gamma-sweep and --gamma exclude each other");
  }
  // The widths are inverse squared distances, which is what gamma means to this kernel alone.
  if (widths && !std::holds_alternative<Rbf>(options.kernel)) {
    throw UsageError("--gamma-sweep: takes the kernel rbf alone, not " +
                     kernel_name(options.kernel));
  }
  ClusterAnswer answer;
  SvClustering found;
  if (widths) {
    const std::vector<double> gammas =
        sweep_gammas(data.examples,
                     *widths,
                     {.seed = arguments.whole("seed", 0).value_or(0), .threads = options.threads});
    SvSweep sweep = sweep_sv_clustering(data, gammas, options);
    show_sweep(sweep, answer);
    options.kernel = with_gamma(options.kernel, sweep.steps[sweep.chosen].gamma);
    found = std::move(sweep.clustering);
  } else {
    found = cluster_sv(data, options);
  }
  answer.labels = std::move(found.labels);
  answer.report = std::move(found.report);
  if (found.sizes.size() == 1 && data.size() > 1 && gamma_of(options.kernel)) {
    answer.report.warnings.push_back("one cluster at gamma " +
                                     format_number(*gamma_of(options.kernel), 6) +
                                     ": a larger --gamma, or --gamma-sweep, may show more");
  }
  answer.metrics = {{"clusters", static_cast<double>(found.sizes.size())},
                    {"squared_radius", found.model.squared_radius},
                    {"support_vectors", static_cast<double>(found.support_vectors)},
                    {"bounded", static_cast<double>(found.bounded)},
                    {"outliers", static_cast<double>(found.outliers)},
                    {"segments", static_cast<double>(found.segments)}};
  show_kernel(options.kernel, answer.options);
  answer.options.emplace_back("nu", options.nu);
  answer.options.emplace_back("graph", std::string(to_string(options.graph)));
  answer.options.emplace_back("neighbours", whole(options.neighbours));
  answer.options.emplace_back("samples", whole(options.samples));
  answer.options.emplace_back("tolerance", options.tolerance);
  if (widths) answer.options.emplace_back("gamma_sweep", whole(*widths));
  if (found.model.members.rows() > 0) {
    answer.model = document_of(found, options, data);
    answer.objective_doubt = rounding_of_objective(data, found);
  }
  answer.kernel = options.kernel;
  return answer;
}

constexpr double not_true = std::numeric_limits<double>::quiet_NaN();

/// R^2 + sum_i C_i zeta_i from the model's multipliers and radius, every kernel value by the plain
/// formula. Not a number when the model is not what it says: multipliers outside their bounds or
/// with another sum than 1, a dual above the primal, or an outlier within the contour (or the
/// other way round).
double sv_clustering_objective(const Dataset& data,
                               std::span<const std::int32_t> labels,
                               const ModelDocument& model) {
  constexpr double rounding = 1e-9;
  const KernelExpansion sphere = expansion_of(model);
  const double nu = model.number("nu");
  const double squared_radius = model.number("squared_radius");
  const double level = model.number("level");
  const std::size_t vectors = sphere.vectors.rows();
  double total = 0;
  for (std::size_t i = 0; i < data.size(); ++i) total += weight_of(data.weights, i);
  const auto cost = [&](std::size_t i) {
    const double weight = weight_of(data.weights, i);
    if (!(weight > 0)) return 0.0;
    return nu > 0 ? std::min(1.0, weight / (nu * total)) : 1.0;
  };

  double sum = 0;
  double norm = 0;
  double dual = 0;
  for (std::size_t k = 0; k < vectors; ++k) {
    const double beta = 0.5 * sphere.coefficients(k, 0);
    if (!(beta >= 0 && beta <= cost(sphere.training_rows[k]) * (1 + rounding))) return not_true;
    sum += beta;
    dual += beta * evaluate(sphere.kernel, sphere.vectors.row(k), sphere.vectors.row(k));
    for (std::size_t l = 0; l < vectors; ++l) {
      const double product = evaluate(sphere.kernel, sphere.vectors.row(k), sphere.vectors.row(l));
      norm += beta * 0.5 * sphere.coefficients(l, 0) * product;
    }
  }
  if (!(std::abs(sum - 1) <= rounding)) return not_true;
  dual -= norm;

  double primal = squared_radius;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Row x = data.examples.row(i);
    double distance = evaluate(sphere.kernel, x, x) + norm;
    for (std::size_t k = 0; k < vectors; ++k) {
      distance -= sphere.coefficients(k, 0) * evaluate(sphere.kernel, sphere.vectors.row(k), x);
    }
    primal += cost(i) * std::max(0.0, distance - squared_radius);
    const double doubt = rounding * (std::abs(norm) + std::abs(level));
    const bool is_outlier = labels[i] < 0;
    if (is_outlier ? distance < level - doubt : distance > level + doubt) return not_true;
  }
  return dual <= primal + rounding * (std::abs(norm) + std::abs(primal)) ? primal : not_true;
}

SvClusterModel model_of(const ModelDocument& document) {
  SvClusterModel model;
  model.sphere = expansion_of(document);
  model.squared_radius = document.number("squared_radius");
  model.level = document.number("level");
  model.members = examples_of(document, "members");
  for (const double cluster : document.numbers("member_clusters")) {
    constexpr double limit = std::numeric_limits<std::int32_t>::max();
    if (!(cluster >= 0 && cluster <= limit && cluster == std::floor(cluster))) {
      throw ModelFormatError(
          document.source(), {}, "the model's 'member_clusters' must hold whole numbers from 0");
    }
    model.member_clusters.push_back(static_cast<std::int32_t>(cluster));
  }
  const auto count = [&](std::string_view name) {
    const std::int64_t value = document.integer(name);
    if (value < 1) {
      throw ModelFormatError(
          document.source(), {}, "the model's '" + std::string(name) + "' must be >= 1");
    }
    return static_cast<std::size_t>(value);
  };
  model.neighbours = count("neighbours");
  model.samples = count("samples");
  try {
    model.validate();
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, broken.what());
  }
  return model;
}

std::size_t sv_clustering_features(const ModelDocument& model) {
  return examples_of(model, "members").cols();
}

Prediction predict_sv_clustering(const ModelDocument& model,
                                 const Dataset& data,
                                 std::optional<std::size_t> threads) {
  return {.clusters = model_of(model).predict(data.examples, threads)};
}

constexpr std::array sv_options = {Names{"kernel"},
                                   Names{"gamma"},
                                   Names{"degree"},
                                   Names{"coef0"},
                                   Names{"nu"},
                                   Names{"tolerance"},
                                   Names{"allow-indefinite"},
                                   Names{"memory-limit"},
                                   Names{"graph"},
                                   Names{"neighbours"},
                                   Names{"samples"},
                                   Names{"gamma-sweep"}};

constexpr std::array methods = {
    ClusterMethod{.name = "sv-clustering",
                  .summary = "support vector clustering: pieces of the least sphere's contour",
                  .options = sv_options,
                  .run = run_sv_clustering,
                  .objective = sv_clustering_objective,
                  .takes_clusters = false}};

Examples sv_clustering_vectors(const ModelDocument& model) { return expansion_of(model).vectors; }

constexpr std::array kinds = {ModelKind{
    "sv-clustering", sv_clustering_features, predict_sv_clustering, sv_clustering_vectors}};

}  // namespace

MethodTable sv_clustering_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
