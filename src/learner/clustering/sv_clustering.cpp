// SPDX-License-Identifier: Apache-2.0
//
// Support vector clustering, the pieces of the least sphere's contour: sv-clustering.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/conditional_options.hpp"
#include "core/recomputation.hpp"
#include "core/weights.hpp"
#include "learner/clustering/clustering.hpp"
#include "learner/clustering/kernel.hpp"
#include "maxmargin/cluster/sv/clustering.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::learning {

namespace {

/// One width of the kernel, or several from coarse to fine.
struct SvClusteringChoice {
  std::optional<std::uint64_t> widths = std::nullopt;
  SvClusteringOptions options = {};
  void describe(OptionVisitor& visit);
};

/// Shows all options but gamma, which a sweep finds, as they are.
class WidthFinder final : public ForwardingOptions {
 public:
  WidthFinder(OptionVisitor& visit, bool sweeps) : ForwardingOptions(visit), sweeps_(sweeps) {}
  void option(const OptionHelp& help, OptionValue& value) override {
    ConditionalOptions width(
        other(), !sweeps_ || help.name != "gamma", "--gamma-sweep and --gamma exclude each other");
    width.option(help, value);
  }

 private:
  bool sweeps_;
};

void SvClusteringChoice::describe(OptionVisitor& visit) {
  visit.whole({.name = "gamma-sweep",
               .help = "try so many widths from coarse to fine; more find a better one"},
              widths,
              {.least = 2});
  WidthFinder finder(visit, widths.has_value());
  options.describe(finder);
  // The widths are inverse squared distances, which is what gamma means to this kernel alone.
  const Kernel& kernel = options.kernel.kernel();
  visit.rule(!widths || std::holds_alternative<Rbf>(kernel),
             "--gamma-sweep: takes the kernel rbf alone, not " + kernel_name(kernel));
}

/// The steps of a sweep as named columns.
void show_sweep(const SvSweep& sweep, Clustering& clustering) {
  const auto column = [&](const char* name, const auto& value_of) {
    std::vector<double> values;
    for (const SvSweepStep& step : sweep.steps) {
      values.push_back(static_cast<double>(value_of(step)));
    }
    clustering.trace.emplace_back(name, std::move(values));
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
  clustering.trace.emplace_back("chosen", std::move(chosen));
}

ModelDocument document_of(const SvClustering& found, const SvClusteringOptions& options) {
  ModelDocument document("sv-clustering");
  document.set_number("nu", options.nu);
  document.set_string("graph", std::string(to_string(options.graph)));
  document.set_integer("neighbours", static_cast<std::int64_t>(found.model.neighbours));
  document.set_integer("samples", static_cast<std::int64_t>(found.model.samples));
  document.set_number("squared_radius", found.model.squared_radius);
  document.set_number("level", found.model.level);
  document.set_numbers("member_clusters",
                       {found.model.member_clusters.begin(), found.model.member_clusters.end()});
  add_expansion(document, found.model.sphere);
  add_examples(document, "members", found.model.members);
  return document;
}

/// What rounding leaves of R^2 in sums of kernel values whose weights add up to 1: some eps of the
/// largest K_ii for each of the terms. Costs outside add up to 1 at most, so slacks double it.
double rounding_of_objective(const Dataset& rows,
                             const ModelDocument& model,
                             double /*objective*/) {
  const KernelExpansion sphere = expansion_of(model);
  double largest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row x = rows.examples.row(i);
    largest = std::max(largest, std::abs(evaluate(sphere.kernel, x, x)));
  }
  const std::size_t terms = sphere.vectors.rows() + rows.features() + 64;
  return 8 * static_cast<double>(terms) * std::numeric_limits<double>::epsilon() * largest;
}

/// At one width, or at the best of several: the width is in `options` then.
SvClustering cluster_points(const Dataset& rows,
                            const std::optional<std::uint64_t>& widths,
                            const Context& context,
                            SvClusteringOptions& options,
                            Clustering& clustering) {
  if (!widths) {
    options.kernel = kernel_for(options.kernel, rows.examples, context);
    return cluster_sv(rows, options);
  }
  const std::vector<double> gammas = sweep_gammas(rows.examples, *widths, {.context = context});
  SvSweep sweep = sweep_sv_clustering(rows, gammas, options);
  show_sweep(sweep, clustering);
  options.kernel = with_gamma(options.kernel.kernel(), sweep.steps[sweep.chosen].gamma);
  return std::move(sweep.clustering);
}

Clustering run_sv_clustering(const Dataset& rows,
                             const SvClusteringChoice& choice,
                             const Context& context) {
  SvClusteringOptions options = in_context(choice.options, context);
  Clustering clustering;
  SvClustering found = cluster_points(rows, choice.widths, context, options, clustering);
  const Kernel& kernel = options.kernel.kernel();
  clustering.labels = std::move(found.labels);
  clustering.report = std::move(found.report);
  if (found.sizes.size() == 1 && rows.size() > 1 && gamma_of(kernel)) {
    clustering.report.warnings.push_back("one cluster at gamma " +
                                         format_number(*gamma_of(kernel), 6) +
                                         ": a larger --gamma, or --gamma-sweep, may show more");
  }
  clustering.metrics = {{"clusters", static_cast<double>(found.sizes.size())},
                        {"squared_radius", found.model.squared_radius},
                        {"support_vectors", static_cast<double>(found.support_vectors)},
                        {"bounded", static_cast<double>(found.bounded)},
                        {"outliers", static_cast<double>(found.outliers)},
                        {"segments", static_cast<double>(found.segments)}};
  clustering.used = kernel_as_used(kernel);
  // The width that was found is what the same clusters come from again.
  if (choice.widths) clustering.used.emplace_back("gamma_sweep", std::monostate{});
  if (found.model.members.rows() > 0) {
    clustering.model = document_of(found, options);
  }
  clustering.kernel = kernel;
  return clustering;
}

constexpr double not_true = std::numeric_limits<double>::quiet_NaN();

/// R^2 + sum_i C_i zeta_i from the model's multipliers and radius, every kernel value by the plain
/// formula. Not a number when the model is not what it says: multipliers outside their bounds or
/// with another sum than 1, a dual above the primal, or an outlier within the contour (or the
/// other way round).
double sv_clustering_objective(const Dataset& rows,
                               std::span<const std::int32_t> labels,
                               const ModelDocument& model,
                               const Context& context) {
  constexpr double rounding = 1e-9;
  const KernelExpansion sphere = expansion_of(model);
  if (sphere.training_rows.size() != sphere.vectors.rows()) {
    throw ModelFormatError(model.source(), {}, "the model's vectors name no rows of the training");
  }
  const double nu = model.number("nu");
  const double squared_radius = model.number("squared_radius");
  const double level = model.number("level");
  const std::size_t vectors = sphere.vectors.rows();
  double total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) total += weight_of(rows.weights, i);
  const auto cost = [&](std::size_t i) {
    const double weight = weight_of(rows.weights, i);
    if (!(weight > 0)) return 0.0;
    return nu > 0 ? std::min(1.0, weight / (nu * total)) : 1.0;
  };

  VerifyWatch watch(context);
  double sum = 0;
  double norm = 0;
  double dual = 0;
  for (std::size_t k = 0; k < vectors; ++k) {
    watch.spend(vectors * (1 + rows.features()));
    const double beta = 0.5 * sphere.coefficients(k, 0);
    if (sphere.training_rows[k] >= rows.size()) return not_true;
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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watch.spend(vectors * (1 + rows.features()));
    const Row x = rows.examples.row(i);
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

/// sum_k beta_k K_kk - sum_kl beta_k beta_l K_kl from the model's multipliers, by the plain
/// formula.
double sv_clustering_dual(const ModelDocument& model) {
  const KernelExpansion sphere = expansion_of(model);
  double dual = 0;
  for (std::size_t k = 0; k < sphere.vectors.rows(); ++k) {
    const double beta = 0.5 * sphere.coefficients(k, 0);
    dual += beta * evaluate(sphere.kernel, sphere.vectors.row(k), sphere.vectors.row(k));
    for (std::size_t l = 0; l < sphere.vectors.rows(); ++l) {
      const double product = evaluate(sphere.kernel, sphere.vectors.row(k), sphere.vectors.row(l));
      dual -= beta * 0.5 * sphere.coefficients(l, 0) * product;
    }
  }
  return dual;
}

SvClusterModel sv_model_of(const ModelDocument& document) {
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
    validate(model);
  } catch (const InvalidArgument& broken) {
    throw ModelFormatError(document.source(), {}, broken.what());
  }
  return model;
}

std::size_t sv_clustering_features(const ModelDocument& model) {
  return examples_of(model, "members").cols();
}

ClusterAnswer sv_clustering_answer(const ModelDocument& model,
                                   const Dataset& rows,
                                   const Context& context) {
  return {.clusters = sv_model_of(model).predict(rows.examples, context.threads)};
}

bool records_of_sweep(const SvClusteringChoice& choice) { return choice.widths.has_value(); }

Examples sv_clustering_vectors(const ModelDocument& model) { return expansion_of(model).vectors; }

}  // namespace

void add_sv_clustering(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<SvClusteringChoice>>(
      LearnerInfo{.name = "sv-clustering",
                  .summary = "pieces of the contour of the least sphere in feature space",
                  .task = Task::cluster,
                  .formula = "min R^2 + sum_i C_i z_i s.t. |phi(x_i) - a|^2 <= R^2 + z_i, z_i >= 0",
                  .page = "docs/algorithms/sv-clustering.md",
                  .example = "builtin:circles",
                  .class_name = "SVClustering"},
      ClusterFunctions<SvClusteringChoice>{.run = run_sv_clustering,
                                           .objective = sv_clustering_objective,
                                           .features = sv_clustering_features,
                                           .answer = sv_clustering_answer,
                                           .support_vectors = sv_clustering_vectors,
                                           .records_steps = records_of_sweep,
                                           .dual = sv_clustering_dual,
                                           .doubt = rounding_of_objective}));
}

}  // namespace maxmargin::learning
