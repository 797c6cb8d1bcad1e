// SPDX-License-Identifier: Apache-2.0
//
// Maximum-margin clustering of many points: alternating, cutting planes, low-rank kernels.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/cluster/mmc/cutting_plane.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "method_options.hpp"
#include "methods.hpp"
#include "mmc_options.hpp"
#include "option_names.hpp"

namespace maxmargin::tool {

namespace {

MmcAlternatingOptions alternating_options(const Arguments& arguments, ProgressCallback progress) {
  MmcAlternatingOptions options;
  take_common_options(arguments, std::move(progress), options);
  if (options.k < 2) {
    throw UsageError("-k " + std::to_string(options.k) + ": the margin needs two clusters or more");
  }
  options.c = mmc_cost(arguments, options.c);
  options.balance = balance_of(arguments, options.balance);
  options.bias = bias_of(arguments, options.bias);
  options.landmarks = mmc_landmarks(arguments);
  if (arguments.choice_or("steps", "relabel", {"relabel", "sdp"}) == "sdp") {
    options.steps = MmcSteps::sdp;
  }
  if (options.steps == MmcSteps::sdp && options.k != 2) {
    throw UsageError("--steps sdp: only for two clusters, not -k " + std::to_string(options.k));
  }
  options.relaxation = arguments.choice_or("bound", "none", {"none", "relaxation"}) == "relaxation";
  if (options.relaxation && options.k != 2) {
    throw UsageError("--bound relaxation: only for two clusters, not -k " +
                     std::to_string(options.k));
  }
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  options.memory_limit = memory_limit_of(arguments);
  return options;
}

/// The fields that all methods of the family show.
template <class Options>
void show_common(const Options& options, ReportFields& fields) {
  fields.emplace_back("C", options.c);
  if (options.balance) {
    fields.emplace_back("balance", *options.balance);
  } else {
    fields.emplace_back("balance", std::string("none"));
  }
  fields.emplace_back("bias", std::string(to_string(options.bias)));
  fields.emplace_back("tolerance", options.tolerance);
  fields.emplace_back("max_iterations", whole(options.max_iterations));
  fields.emplace_back("restarts", whole(options.restarts));
  fields.emplace_back("seed", whole(options.seed));
}

/// How far a recomputed objective may be off. A value is a sum over m vectors, of products over d
/// features, less a mean over n points; no part of it is above sum_v |coefficient_v| |v| times the
/// longest |x|.
double rounding_of(const KernelExpansion& functions,
                   const Dataset& data,
                   double c,
                   double objective) {
  const std::vector<double> squares = kernel_diagonal(functions.kernel, functions.vectors);
  double length = 0;
  for (std::size_t r = 0; r < functions.coefficients.cols(); ++r) {
    double sum = 0;
    for (std::size_t v = 0; v < squares.size(); ++v) {
      sum += std::abs(functions.coefficients(v, r)) * std::sqrt(squares[v]);
    }
    length = std::max(length, sum);
  }
  const std::vector<double> of_points = kernel_diagonal(functions.kernel, data.examples);
  const double reach = std::sqrt(*std::ranges::max_element(of_points));
  const auto n = static_cast<double>(data.size());
  const double terms = static_cast<double>(squares.size() + data.features()) + std::sqrt(n);
  const double summed = c * n * (1 + length * reach) + length * length;
  return std::numeric_limits<double>::epsilon() * (4 * terms * summed + 64 * n * objective);
}

/// The machine and what its objective is recomputed from.
template <class Options>
ModelDocument machine_document(const char* name,
                               const Dataset& data,
                               const Options& options,
                               double objective,
                               KernelExpansion functions) {
  ModelDocument model(name);
  model.set_integer("seed", whole(options.seed));
  model.set_integer("features", whole(data.features()));
  model.set_number("C", options.c);
  model.set_string("bias", std::string(to_string(options.bias)));
  model.set_number("objective", objective);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  add_expansion(model, std::move(functions));
  return model;
}

ReportFields alternation_fields(const MmcAlternatingClustering& found) {
  return {{"starts", whole(found.starts)},
          {"winner", found.winner},
          {"trainings", whole(found.trainings)},
          {"training_bound", found.training_bound},
          {"steps", whole(found.trace.size())},
          {"features", whole(found.features)},
          {"missed", found.missed},
          {"relaxed_steps", whole(found.relaxed_trace.size())}};
}

ReportFields relaxation_fields(const MmcAlternatingClustering& found) {
  if (!found.relaxation) return {{"lower_bound", 0.0}, {"bound", std::string("vacuous")}};
  const MmcRelaxation& relaxation = *found.relaxation;
  return {{"value", relaxation.value},
          {"lower_bound", relaxation.lower_bound},
          {"relative_gap", relaxation.relative_gap},
          {"rank", whole(relaxation.rank)},
          {"winner", relaxation.winner},
          {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")}};
}

ClusterAnswer alternating_answer(const Dataset& data,
                                 const Arguments& arguments,
                                 const MmcAlternatingOptions& options) {
  const Kernel kernel = kernel_of_points(arguments, data.examples);
  MmcAlternatingClustering found = cluster_mmc_alternating(data, kernel, options);
  ClusterAnswer answer;
  answer.labels = found.labels;
  answer.report = found.report;
  answer.objects = {{"relaxation", relaxation_fields(found)},
                    {"alternation", alternation_fields(found)}};
  answer.trace = {{"objective", found.trace}};
  answer.kernel = kernel;
  answer.options = {{"k", whole(options.k)}};
  show_kernel(kernel, answer.options);
  show_common(options, answer.options);
  answer.options.emplace_back("steps", std::string(to_string(options.steps)));
  if (options.landmarks) {
    answer.options.emplace_back("features", "nystroem:" + std::to_string(*options.landmarks));
  }
  answer.options.emplace_back("bound", std::string(options.relaxation ? "relaxation" : "none"));
  answer.objective_doubt = rounding_of(found.model.functions, data, options.c, found.objective);
  answer.model = machine_document(
      "mmc-alternating", data, options, found.objective, std::move(found.model.functions));
  if (found.relaxation) {
    answer.model->set_number("lower_bound", found.relaxation->lower_bound);
    answer.model->set_numbers("certificate.weights", std::move(found.certificate));
    if (!found.landmark_rows.empty()) {
      answer.model->set_numbers(
          "certificate.landmarks",
          std::vector<double>(found.landmark_rows.begin(), found.landmark_rows.end()));
    }
  }
  return answer;
}

ClusterAnswer run_alternating(const Dataset& data,
                              const Arguments& arguments,
                              ProgressCallback progress) {
  return alternating_answer(data, arguments, alternating_options(arguments, std::move(progress)));
}

ClusterAnswer run_cutting_plane(const Dataset& data,
                                const Arguments& arguments,
                                ProgressCallback progress) {
  MmcCuttingPlaneOptions options;
  take_common_options(arguments, std::move(progress), options);
  if (options.k != 2) {
    throw UsageError("-k " + std::to_string(options.k) +
                     ": the method mmc-cutting-plane makes two clusters");
  }
  if (arguments.choice_or("kernel", "linear", {"linear"}) != "linear") {
    throw InternalError("mmc-cutting-plane knows the linear kernel alone");
  }
  options.c = mmc_cost(arguments, options.c);
  options.balance = balance_of(arguments, options.balance);
  options.bias = bias_of(arguments, options.bias);
  options.tolerance = arguments.positive("tolerance").value_or(options.tolerance);
  MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(data, options);
  ClusterAnswer answer;
  answer.labels = found.labels;
  answer.report = found.report;
  answer.objects = {
      {"relaxation", {{"lower_bound", 0.0}, {"bound", std::string("vacuous")}}},
      {"cutting_plane",
       {{"starts", whole(found.starts)},
        {"winner", found.winner},
        {"cuts", whole(found.cuts)},
        {"steps", whole(found.trace.size())},
        {"step_gap", found.step_gap},
        {"search_objective", found.trace.empty() ? found.objective : found.trace.back()},
        {"training_bound", found.training_bound}}}};
  answer.trace = {{"objective", found.trace}};
  answer.kernel = Linear{};
  answer.options = {{"k", whole(options.k)}, {"kernel", std::string("linear")}};
  show_common(options, answer.options);
  answer.objective_doubt = rounding_of(found.model.functions, data, options.c, found.objective);
  answer.model = machine_document(
      "mmc-cutting-plane", data, options, found.objective, std::move(found.model.functions));
  return answer;
}

std::size_t machine_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

Prediction predict_machine(const ModelDocument& model,
                           const Dataset& data,
                           std::optional<std::size_t> threads) {
  const MmcFunctions machine{.functions = expansion_of(model)};
  return {.clusters = machine.predict(data.examples, threads)};
}

constexpr std::array alternating_names = joined(
    kernel_names,
    names("C", "tolerance", "memory-limit", "balance", "bias", "steps", "features", "bound"));
constexpr std::array cutting_names = names("kernel", "C", "tolerance", "balance", "bias");

constexpr std::array methods = {
    ClusterMethod{"mmc-alternating",
                  "maximum-margin clustering of many points: train and relabel in turn",
                  alternating_names,
                  run_alternating,
                  mmc_machine_objective},
    ClusterMethod{"mmc-cutting-plane",
                  "maximum-margin clustering into two by cutting planes, linear, very many points",
                  cutting_names,
                  run_cutting_plane,
                  mmc_machine_objective}};

constexpr std::array kinds = {ModelKind{"mmc-alternating", machine_features, predict_machine},
                              ModelKind{"mmc-cutting-plane", machine_features, predict_machine}};

}  // namespace

ClusterAnswer run_mmc_on_features(const Dataset& data,
                                  const Arguments& arguments,
                                  ProgressCallback progress) {
  MmcAlternatingOptions options = alternating_options(arguments, std::move(progress));
  if (options.k != 2) {
    throw UsageError("-k " + std::to_string(options.k) +
                     ": the method mmc makes two clusters of features; mmc-alternating makes more");
  }
  if (arguments.has("balance-form")) {
    throw UsageError("--balance-form: the bound from --features does not use the balance");
  }
  if (arguments.has("anchors")) {
    throw UsageError("--anchors: the bound from --features does not use them");
  }
  options.method = "mmc";
  options.relaxation = true;
  return alternating_answer(data, arguments, options);
}

MethodTable mmc_scalable_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
