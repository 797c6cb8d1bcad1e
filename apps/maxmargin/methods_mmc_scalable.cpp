// SPDX-License-Identifier: Apache-2.0
//
// Maximum-margin clustering of many points: alternating, cutting planes, low-rank kernels.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "maxmargin/cluster/mmc_alternating.hpp"
#include "maxmargin/cluster/mmc_cutting_plane.hpp"
#include "maxmargin/io/machine_file.hpp"
#include "maxmargin/problem/factored_saddle.hpp"
#include "method_options.hpp"
#include "methods.hpp"
#include "mmc_options.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;

/// What may separate the bound from its recomputation: features differ by rounding.
constexpr double bound_rounding = 1e-6;
/// Up to so many points the bound knows the mean of what features miss.
constexpr std::size_t most_summed_points = 20000;

MmcAlternatingOptions alternating_options(const Arguments& arguments, ProgressCallback progress) {
  MmcAlternatingOptions options;
  take_common_options(arguments, std::move(progress), options);
  if (options.k < 2) {
    throw UsageError("-k " + std::to_string(options.k) + ": the margin needs two clusters or more");
  }
  options.c = arguments.positive("C").value_or(options.c);
  options.balance = balance_of(arguments, options.balance);
  options.bias = mmc_bias(arguments);
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

/// How far a recomputed objective may be off: hinges and values are sums of rounded terms.
double rounding_of(const KernelExpansion& functions, std::size_t n, double c, double objective) {
  double largest = 1;
  for (std::size_t r = 0; r < functions.coefficients.cols(); ++r) {
    double sum = 1;
    for (std::size_t v = 0; v < functions.coefficients.rows(); ++v) {
      sum += std::abs(functions.coefficients(v, r));
    }
    largest = std::max(largest, sum);
  }
  return 64 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
         (c * static_cast<double>(n) * largest + objective);
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
          {"roundings", whole(relaxation.roundings)},
          {"winner", relaxation.winner},
          {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")}};
}

ClusterAnswer alternating_answer(const Dataset& data,
                                 const Arguments& arguments,
                                 const MmcAlternatingOptions& options) {
  const Kernel kernel = method_kernel(arguments, data.examples);
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw UsageError("--kernel precomputed: mmc-alternating takes points; use --method mmc");
  }
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
  answer.objective_doubt =
      rounding_of(found.model.functions, data.size(), options.c, found.objective);
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
  options.c = arguments.positive("C").value_or(options.c);
  options.balance = balance_of(arguments, options.balance);
  options.bias = mmc_bias(arguments);
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
  answer.objective_doubt =
      rounding_of(found.model.functions, data.size(), options.c, found.objective);
  answer.model = machine_document(
      "mmc-cutting-plane", data, options, found.objective, std::move(found.model.functions));
  return answer;
}

/// Coordinates of all points along the span of the landmarks, by Cholesky's rule written out.
DenseMatrix plain_features(const Dataset& data,
                           const Kernel& kernel,
                           std::span<const double> landmarks,
                           std::vector<double>& missed) {
  const std::size_t m = landmarks.size();
  const auto row_of = [&](std::size_t l) {
    return data.examples.row(static_cast<std::size_t>(landmarks[l]));
  };
  const auto coordinates = [&](const Row& x, const DenseMatrix& factor, std::span<double> z) {
    for (std::size_t l = 0; l < z.size(); ++l) {
      double sum = evaluate(kernel, row_of(l), x);
      for (std::size_t j = 0; j < l; ++j) sum -= factor(l, j) * z[j];
      z[l] = sum / factor(l, l);
    }
  };
  DenseMatrix factor(m, m);
  for (std::size_t k = 0; k < m; ++k) {
    coordinates(row_of(k), factor, factor.row(k).first(k));
    double square = evaluate(kernel, row_of(k), row_of(k));
    for (std::size_t j = 0; j < k; ++j) square -= factor(k, j) * factor(k, j);
    factor(k, k) = std::sqrt(std::max(square, std::numeric_limits<double>::min()));
  }
  DenseMatrix features(data.size(), m);
  missed.assign(data.size(), 0.0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Row x = data.examples.row(i);
    coordinates(x, factor, features.row(i));
    missed[i] = evaluate(kernel, x, x);
    for (const double z : features.row(i)) missed[i] -= z * z;
    missed[i] = std::max(0.0, missed[i]);
  }
  return features;
}

/// |mean h| of what the features miss: |mean phi|^2 by all kernel values, less |mean z|^2.
double plain_missed_mean(const Dataset& data, const Kernel& kernel, double mean_square) {
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double own = evaluate(kernel, data.examples.row(i), data.examples.row(i));
    sum += own;
    largest = std::max(largest, std::abs(own));
    for (std::size_t j = 0; j < i; ++j) {
      sum += 2 * evaluate(kernel, data.examples.row(i), data.examples.row(j));
    }
  }
  const auto n = static_cast<double>(data.size());
  // A little more than the run allows for its rounding.
  const double rounding = 2e-12 * largest;
  return std::sqrt(std::max(sum / (n * n) - mean_square + rounding, rounding));
}

/// Does the certificate prove the bound that the model claims?
bool proves(const Dataset& data, const ModelDocument& model, const Kernel& kernel) {
  if (!model.has("lower_bound")) return true;
  std::vector<double> missed;
  DenseMatrix features =
      model.has("certificate.landmarks")
          ? plain_features(data, kernel, model.numbers("certificate.landmarks"), missed)
          : data.examples.to_dense();
  const auto n = static_cast<double>(data.size());
  const std::string& bias = model.string("bias");
  if (bias == "center") {
    double mean_square = 0;
    for (std::size_t j = 0; j < features.cols(); ++j) {
      double mean = 0;
      for (std::size_t i = 0; i < features.rows(); ++i) mean += features(i, j) / n;
      mean_square += mean * mean;
      for (std::size_t i = 0; i < features.rows(); ++i) features(i, j) -= mean;
    }
    double mean = 0;
    for (const double square : missed) mean += std::sqrt(square) / n;
    if (!missed.empty() && data.size() <= most_summed_points) {
      mean = std::min(mean, plain_missed_mean(data, kernel, mean_square));
    }
    for (double& square : missed) square = std::pow(std::sqrt(square) + mean, 2);
  } else if (bias == "constant") {
    DenseMatrix wider(features.rows(), features.cols() + 1, 1.0);
    for (std::size_t i = 0; i < features.rows(); ++i) {
      std::ranges::copy(features.row(i), wider.row(i).begin());
    }
    features = std::move(wider);
  }
  const FactoredSaddle problem{
      .features = features.view(), .c = model.number("C"), .missed = missed};
  const double proved = factored_saddle_bound(problem, model.numbers("certificate.weights"));
  return model.number("lower_bound") * (1 - bound_rounding) <= proved;
}

/// 1/2 |w|^2 + C sum of losses from model and data. Not a number, so that nothing agrees with it,
/// when the certificate does not prove the bound that the model claims.
double machine_objective(const Dataset& data,
                         std::span<const std::int32_t> labels,
                         const ModelDocument& model) {
  const KernelExpansion machine = expansion_of(model);
  const std::size_t count = machine.coefficients.cols();
  const std::size_t n = data.size();
  std::vector<double> offsets = machine.offsets;
  const bool constant = model.string("bias") == "constant";
  double square = 0;
  for (std::size_t v = 0; v < machine.vectors.rows(); ++v) {
    for (std::size_t u = 0; u < machine.vectors.rows(); ++u) {
      const double value = evaluate(machine.kernel, machine.vectors.row(v), machine.vectors.row(u));
      for (std::size_t r = 0; r < count; ++r) {
        square += machine.coefficients(v, r) * machine.coefficients(u, r) * value;
      }
    }
  }
  DenseMatrix values(n, count);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t v = 0; v < machine.vectors.rows(); ++v) {
      const double value = evaluate(machine.kernel, machine.vectors.row(v), data.examples.row(i));
      for (std::size_t r = 0; r < count; ++r) {
        values(i, r) += machine.coefficients(v, r) * value;
      }
    }
  }
  for (std::size_t r = 0; r < count; ++r) {
    if (constant) square += offsets[r] * offsets[r];
    if (model.string("bias") != "center") continue;
    // A centred machine takes its own mean off, whatever the file says.
    offsets[r] = 0;
    for (std::size_t i = 0; i < n; ++i) offsets[r] -= values(i, r) / static_cast<double>(n);
  }
  double losses = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = static_cast<std::size_t>(labels[i]);
    double loss = 0;
    if (count == 1) {
      loss = 1 - (own == 0 ? 1 : -1) * (values(i, 0) + offsets[0]);
    } else {
      for (std::size_t r = 0; r < count; ++r) {
        if (r == own) continue;
        loss = std::max(loss, 1 + values(i, r) + offsets[r] - values(i, own) - offsets[own]);
      }
    }
    losses += std::max(0.0, loss);
  }
  if (!proves(data, model, machine.kernel)) return std::nan("");
  return 0.5 * square + model.number("C") * losses;
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

constexpr std::array alternating_names = {Names{"kernel"},
                                          Names{"gamma"},
                                          Names{"degree"},
                                          Names{"coef0"},
                                          Names{"C"},
                                          Names{"tolerance"},
                                          Names{"memory-limit"},
                                          Names{"balance"},
                                          Names{"bias"},
                                          Names{"steps"},
                                          Names{"features"},
                                          Names{"bound"}};
constexpr std::array cutting_names = {
    Names{"kernel"}, Names{"C"}, Names{"tolerance"}, Names{"balance"}, Names{"bias"}};

constexpr std::array methods = {
    ClusterMethod{"mmc-alternating",
                  "maximum-margin clustering of many points: train and relabel in turn",
                  alternating_names,
                  run_alternating,
                  machine_objective},
    ClusterMethod{"mmc-cutting-plane",
                  "maximum-margin clustering into two by cutting planes, linear, very many points",
                  cutting_names,
                  run_cutting_plane,
                  machine_objective}};

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
  options.relaxation = true;
  return alternating_answer(data, arguments, options);
}

double mmc_features_objective(const Dataset& data,
                              std::span<const std::int32_t> labels,
                              const ModelDocument& model) {
  return machine_objective(data, labels, model);
}

MethodTable mmc_scalable_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
