// SPDX-License-Identifier: Apache-2.0
//
// Maximum-margin clustering by convex relaxation.
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "bias_names.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"
#include "methods.hpp"
#include "mmc_options.hpp"
#include "mmc_parts.hpp"
#include "option_names.hpp"

namespace maxmargin::tool {

namespace {

/// What may separate the bound from its recomputation: the kernel matrix differs by rounding.
constexpr double bound_rounding = 1e-6;

MmcOptions options_of(const Arguments& arguments, ProgressCallback progress) {
  MmcOptions options;
  options.k = wanted_clusters(arguments);
  if (options.k != 2) {
    throw UsageError("-k " + std::to_string(options.k) +
                     ": the method mmc makes two clusters or more");
  }
  if (arguments.has("anchors")) {
    throw UsageError("--anchors: two clusters have a bound of their own, only -k 3 or more use it");
  }
  if (arguments.choice_or("balance-form", "total", {"total", "rows"}) == "rows") {
    options.balance_form = LabelBalance::rows;
  }
  options.hyperplanes = arguments.whole("restarts", 1).value_or(options.hyperplanes);
  take_relaxation_options(arguments, std::move(progress), options);
  return options;
}

ModelDocument document_of(const Dataset& data, const MmcOptions& options, TrainedMmc& trained) {
  const MmcClustering& found = trained.clustering;
  ModelDocument model("mmc");
  model.set_integer("seed", whole(options.seed));
  model.set_integer("features", whole(data.features()));
  model.set_number("C", options.c);
  model.set_string("bias", std::string(to_string(options.bias)));
  model.set_string(
      "balance_form",
      std::string(to_string(options.balance ? options.balance_form : LabelBalance::none)));
  model.set_number("imbalance",
                   static_cast<double>(data.size()) -
                       2 * static_cast<double>(mmc_least_size(data.size(), options.balance)));
  model.set_number("objective", found.objective);
  model.set_number("lower_bound", found.relaxation.lower_bound);
  model.set_numbers("certificate.lambda", found.certificate.lambda);
  model.set_numbers("certificate.diagonal", found.certificate.diagonal);
  if (!found.certificate.balance.empty()) {
    model.set_numbers("certificate.balance", found.certificate.balance);
  }
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  add_machine(model, std::move(trained.model.function), data.size());
  return model;
}

ClusterAnswer run_mmc(const Dataset& data, const Arguments& arguments, ProgressCallback progress) {
  if (arguments.has("features")) return run_mmc_on_features(data, arguments, std::move(progress));
  if (wanted_clusters(arguments) > 2) {
    return run_multiclass_mmc(data, arguments, std::move(progress));
  }
  const MmcOptions options = options_of(arguments, std::move(progress));
  const KernelData given = kernel_data(data, arguments);
  TrainedMmc trained = cluster_mmc(given.data, given.kernel, options);
  const MmcClustering& found = trained.clustering;

  ClusterAnswer answer;
  answer.labels = found.labels;
  answer.report = found.report;
  const MmcRelaxation& relaxation = found.relaxation;
  answer.objects = {
      {"relaxation",
       {{"value", relaxation.value},
        {"lower_bound", relaxation.lower_bound},
        {"relative_gap", relaxation.relative_gap},
        {"rank", whole(relaxation.rank)},
        {"roundings", whole(relaxation.roundings)},
        {"winner", relaxation.winner},
        {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")}}}};
  // Hinges and coefficients are sums over all points.
  answer.objective_doubt = 64 * static_cast<double>(data.size()) *
                           std::numeric_limits<double>::epsilon() *
                           (options.c * static_cast<double>(data.size()) + found.objective);
  answer.options = relaxation_options(
      options, given.kernel, to_string(options.balance_form), options.hyperplanes);
  if (!std::holds_alternative<Precomputed>(given.kernel)) answer.kernel = given.kernel;
  answer.model = document_of(data, options, trained);
  return answer;
}

/// Does the model's certificate prove this bound, up to rounding?
bool proves(const ModelDocument& model, DenseMatrix gram, double bound) {
  apply_plain_bias(model, gram);
  LabelSaddle problem{.matrix = gram.view(), .c = model.number("C")};
  const std::string& form = model.string("balance_form");
  problem.balance = form == "rows"    ? LabelBalance::rows
                    : form == "total" ? LabelBalance::total
                                      : LabelBalance::none;
  problem.imbalance = model.number("imbalance");
  LabelCertificate certificate{.lambda = model.numbers("certificate.lambda"),
                               .diagonal = model.numbers("certificate.diagonal")};
  if (model.has("certificate.balance")) certificate.balance = model.numbers("certificate.balance");
  return proves_label_bound(problem, certificate, bound / problem.c * (1 - bound_rounding));
}

/// 1/2 |w|^2 + C sum of hinges from model and data, pair by pair. Not a number, so that nothing
/// agrees with it, when the certificate does not prove the bound that the model claims, or the
/// machine has an offset that it cannot have.
double mmc_objective(const Dataset& data,
                     std::span<const std::int32_t> labels,
                     const ModelDocument& model) {
  if (model.learner() == multiclass_mmc_kind) return multiclass_mmc_objective(data, labels, model);
  if (model.learner() != "mmc") return mmc_machine_objective(data, labels, model);
  const KernelExpansion function = expansion_of(model);
  const std::size_t n = data.size();
  DenseMatrix gram = plain_gram(function.kernel, data.examples);
  // The expansion may leave out points of coefficient 0.
  std::vector<double> a(n, 0.0);
  for (std::size_t v = 0; v < function.training_rows.size(); ++v) {
    a.at(function.training_rows[v]) = function.coefficients(v, 0);
  }
  const double offset = function.offsets.front();
  double square = bias_of(model, "bias") == KernelBias::constant ? offset * offset : 0.0;
  double slacks = 0;
  DenseMatrix values(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    double& value = values(i, 0);
    for (std::size_t j = 0; j < n; ++j) value += a[j] * gram(i, j);
    square += a[i] * value;
    slacks += std::max(0.0, 1 - (labels[i] == 0 ? 1 : -1) * (value + offset));
  }
  if (!have_fitting_offsets(model, function, values.view(), largest_square_of(gram))) {
    return std::nan("");
  }
  const double claimed = model.number("lower_bound");
  if (!proves(model, std::move(gram), claimed)) return std::nan("");
  return 0.5 * square + model.number("C") * slacks;
}

std::size_t mmc_features(const ModelDocument& model) {
  return static_cast<std::size_t>(model.integer("features"));
}

Prediction predict_mmc(const ModelDocument& model,
                       const Dataset& data,
                       std::optional<std::size_t> threads) {
  MachineInput input = machine_input(model, data);
  const MmcModel machine{.function = std::move(input.function)};
  return {.clusters = machine.predict(input.examples, threads)};
}

Examples mmc_vectors(const ModelDocument& model) { return expansion_of(model).vectors; }

constexpr std::array mmc_options = joined(kernel_names,
                                          names("C",
                                                "tolerance",
                                                "memory-limit",
                                                "balance",
                                                "balance-form",
                                                "anchors",
                                                "bias",
                                                "features"));

constexpr std::array methods = {
    ClusterMethod{"mmc",
                  "maximum-margin clustering by convex relaxation, with a lower bound",
                  mmc_options,
                  run_mmc,
                  mmc_objective}};

constexpr std::array kinds = {
    ModelKind{"mmc", mmc_features, predict_mmc, mmc_vectors},
    ModelKind{multiclass_mmc_kind, mmc_features, predict_multiclass_mmc, mmc_vectors}};

}  // namespace

MethodTable mmc_methods() { return {methods, kinds}; }

}  // namespace maxmargin::tool
