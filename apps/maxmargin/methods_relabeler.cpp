// SPDX-License-Identifier: Apache-2.0
//
// The SVM-Relabeler.
#include <array>
#include <cmath>

#include "maxmargin/cluster/relabeler/relabeler.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/metric/cluster/geometry.hpp"
#include "method_options.hpp"
#include "methods.hpp"
#include "option_table.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

/// An option that is a number; what it may be is the library's to check.
double number_or(const Arguments& arguments, std::string_view option, double fallback) {
  const std::optional<std::string> text = arguments.text(option);
  if (!text) return fallback;
  const std::optional<double> number = parse_number(*text);
  if (!number || !std::isfinite(*number)) {
    throw UsageError(main_flag(option) + " " + *text + ": must be a finite number");
  }
  return *number;
}

void take_machine(const Arguments& arguments, RelabelerMachineOptions& machine) {
  const bool nu = arguments.choice_or("engine", "svc", {"svc", "nu-svc"}) == "nu-svc";
  if (nu && arguments.has("C")) throw UsageError("-C: the engine nu-svc takes --nu in its place");
  if (!nu && arguments.has("nu")) throw UsageError("--nu: the engine svc takes -C in its place");
  machine.engine = nu ? RelabelerEngine::nu_svm : RelabelerEngine::c_svm;
  machine.c = number_or(arguments, "C", machine.c);
  machine.nu = number_or(arguments, "nu", machine.nu);
  machine.tolerance = arguments.positive("tolerance").value_or(machine.tolerance);
}

/// --anneal asks for annealing; a perturbation without it for climbing.
void take_search(const Arguments& arguments, RelabelerSearchOptions& search) {
  const bool anneal = arguments.has("anneal");
  for (const std::string_view option : {"temperature", "cooling", "cooling-schedule"}) {
    if (!anneal && arguments.has(option)) throw UsageError(main_flag(option) + ": needs --anneal");
  }
  const bool perturbs = arguments.has("perturb") || arguments.has("perturb-law");
  if (!anneal && !perturbs && arguments.has("anneal-steps")) {
    throw UsageError("--anneal-steps: needs --anneal or --perturb");
  }
  if (anneal) {
    search.kind = RelabelerSearch::annealing;
  } else if (perturbs) {
    search.kind = RelabelerSearch::climbing;
  }
  search.anneal_steps = arguments.whole("anneal-steps", 1).value_or(search.anneal_steps);
  search.temperature = number_or(arguments, "temperature", search.temperature);
  search.cooling = number_or(arguments, "cooling", search.cooling);
  search.perturb = number_or(arguments, "perturb", search.perturb);
  const std::string law = arguments.choice_or("perturb-law", "constant", {"constant", "stall"});
  search.perturb_law = law == "stall" ? PerturbationLaw::stall : PerturbationLaw::constant;
  const std::string schedule =
      arguments.choice_or("cooling-schedule", "geometric", {"geometric", "linear", "logarithmic"});
  search.schedule = schedule == "linear"        ? CoolingSchedule::linear
                    : schedule == "logarithmic" ? CoolingSchedule::logarithmic
                                                : CoolingSchedule::geometric;
}

RelabelerOptions options_of(const Arguments& arguments, ProgressCallback progress) {
  RelabelerOptions options;
  take_common_options(arguments, std::move(progress), options);
  take_machine(arguments, options.machine);
  take_search(arguments, options.search);
  const std::string many = arguments.choice_or("multiclass", "recursive", {"recursive", "direct"});
  if (many == "direct") {
    options.multiclass = RelabelerMulticlass::direct;
    if (options.machine.engine == RelabelerEngine::nu_svm) {
      throw UsageError("--multiclass direct: the engine must be svc");
    }
  }
  options.relabel_fraction = number_or(arguments, "relabel-fraction", options.relabel_fraction);
  options.min_cluster = arguments.whole("min-cluster", 1).value_or(options.min_cluster);
  if (arguments.has("p-value")) options.p_value = number_or(arguments, "p-value", 1);
  return options;
}

std::string name_of(RelabelerSearch kind) {
  switch (kind) {
    case RelabelerSearch::restarts:
      return "restarts";
    case RelabelerSearch::climbing:
      return "climbing";
    case RelabelerSearch::annealing:
      return "annealing";
  }
  throw InternalError("a search without a name");
}

ReportFields used_options(const RelabelerOptions& options,
                          const Kernel& kernel,
                          const Arguments& arguments) {
  ReportFields fields = {{"k", whole(options.k)}};
  show_kernel(kernel, fields);
  const bool nu = options.machine.engine == RelabelerEngine::nu_svm;
  fields.emplace_back("engine", std::string(nu ? "nu-svc" : "svc"));
  if (nu) {
    fields.emplace_back("nu", options.machine.nu);
  } else {
    fields.emplace_back("C", options.machine.c);
  }
  fields.emplace_back("tolerance", options.machine.tolerance);
  fields.emplace_back("relabel_fraction", options.relabel_fraction);
  fields.emplace_back("min_cluster", whole(options.min_cluster));
  fields.emplace_back("multiclass", arguments.text_or("multiclass", "recursive"));
  fields.emplace_back("search", name_of(options.search.kind));
  if (options.search.kind != RelabelerSearch::restarts) {
    fields.emplace_back("anneal_steps", whole(options.search.anneal_steps));
    fields.emplace_back("perturb", options.search.perturb);
    fields.emplace_back("perturb_law", arguments.text_or("perturb-law", "constant"));
  }
  if (options.search.kind == RelabelerSearch::annealing) {
    fields.emplace_back("temperature", options.search.temperature);
    fields.emplace_back("cooling", options.search.cooling);
    fields.emplace_back("cooling_schedule", arguments.text_or("cooling-schedule", "geometric"));
  }
  if (options.p_value) fields.emplace_back("p_value", *options.p_value);
  fields.emplace_back("restarts", whole(options.restarts));
  fields.emplace_back("max_iterations", whole(options.max_iterations));
  fields.emplace_back("seed", whole(options.seed));
  return fields;
}

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
                          const Dataset& data,
                          const RelabelerOptions& options) {
  ModelDocument document("relabeler");
  document.set_integer("seed", whole(options.seed));
  document.set_integer("restarts", whole(options.restarts));
  document.set_number("kernel_sse", found.kernel_sse);
  document.set_integer("clusters", whole(model.rule.clusters));
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
  if (!data.feature_names.empty()) document.set_strings("feature_names", data.feature_names);
  add_expansion(document, std::get<KernelExpansion>(std::move(model.functions)));
  return document;
}

std::int32_t child_of(const ModelDocument& document, double stored) {
  if (!(std::abs(stored) < 1e9) || stored != std::floor(stored)) {
    throw ModelFormatError(document.source(), {}, "the tree holds what is no whole number");
  }
  return static_cast<std::int32_t>(stored);
}

RelabelerModel model_of(const ModelDocument& document) {
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
    model.validate();
  } catch (const InvalidArgument& problem) {
    throw ModelFormatError(document.source(), {}, problem.what());
  }
  return model;
}

ClusterAnswer run_relabeler(const Dataset& data,
                            const Arguments& arguments,
                            ProgressCallback progress) {
  const RelabelerOptions options = options_of(arguments, std::move(progress));
  const Kernel kernel = kernel_of_points(arguments, data.examples, "scale", true);
  TrainedRelabeler trained = cluster_relabeler(data, kernel, options);
  RelabelerClustering& found = trained.clustering;

  ClusterAnswer answer;
  answer.labels = found.labels;
  answer.report = found.report;
  const auto runs = static_cast<double>(std::max<std::size_t>(1, found.counts.runs));
  answer.metrics = {{"inertia", sum_of_squares(data.examples, found.labels).total},
                    {"kernel_sse", found.kernel_sse},
                    {"svm_objective", found.objective},
                    {"training_error", found.training_error},
                    {"p_value", found.p_value},
                    {"runs", static_cast<double>(found.counts.runs)},
                    {"mean_iterations", static_cast<double>(found.counts.fits) / runs},
                    {"collapsed", static_cast<double>(found.counts.collapsed) / runs}};
  answer.options = used_options(options, kernel, arguments);
  answer.kernel = kernel;
  answer.trace = trace_of(found);
  answer.model = document_of(std::move(trained.model), found, data, options);
  return answer;
}

/// The kernel sum of squares from pairs, in plain order.
double relabeler_objective(const Dataset& data,
                           std::span<const std::int32_t> labels,
                           const ModelDocument& model) {
  const Kernel kernel = expansion_of(model).kernel;
  const std::int64_t clusters = model.integer("clusters");
  double total = 0;
  for (std::int32_t c = 0; c < clusters; ++c) {
    double size = 0;
    double trace = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (labels[i] != c) continue;
      const Row x = data.examples.row(i);
      size += 1;
      trace += evaluate(kernel, x, x);
      for (std::size_t j = 0; j < i; ++j) {
        if (labels[j] == c) pairs += evaluate(kernel, x, data.examples.row(j));
      }
    }
    if (size > 0) total += trace - (trace + 2 * pairs) / size;
  }
  return total;
}

std::size_t relabeler_features(const ModelDocument& model) {
  return expansion_of(model).vectors.cols();
}

Prediction predict_relabeler(const ModelDocument& model,
                             const Dataset& data,
                             std::optional<std::size_t> threads) {
  return {.clusters = model_of(model).predict(data.examples, threads)};
}

constexpr std::array relabeler_options = {Names{"kernel"},
                                          Names{"gamma"},
                                          Names{"degree"},
                                          Names{"coef0"},
                                          Names{"allow-indefinite"},
                                          Names{"engine"},
                                          Names{"C"},
                                          Names{"nu"},
                                          Names{"tolerance"},
                                          Names{"multiclass"},
                                          Names{"relabel-fraction"},
                                          Names{"min-cluster"},
                                          Names{"p-value"},
                                          Names{"perturb"},
                                          Names{"perturb-law"},
                                          Names{"anneal"},
                                          Names{"anneal-steps"},
                                          Names{"temperature"},
                                          Names{"cooling"},
                                          Names{"cooling-schedule"},
                                          Names{"config"}};

constexpr std::array methods = {
    ClusterMethod{"relabeler",
                  "SVM-Relabeler: a machine that corrects random labels until it makes no error",
                  relabeler_options,
                  run_relabeler,
                  relabeler_objective}};

Examples relabeler_vectors(const ModelDocument& model) { return expansion_of(model).vectors; }

constexpr std::array kinds = {
    ModelKind{"relabeler", relabeler_features, predict_relabeler, relabeler_vectors}};

}  // namespace

MethodTable relabeler_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
