// SPDX-License-Identifier: Apache-2.0
//
// Maximum-margin clustering into more than two clusters by convex relaxation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bias_names.hpp"
#include "maxmargin/cluster/mmc/multiclass.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "mmc_options.hpp"
#include "mmc_parts.hpp"

namespace maxmargin::tool {

namespace {

/// What may separate the bound from its recomputation: the kernel matrix differs by rounding.
constexpr double bound_rounding = 1e-6;

MulticlassMmcOptions options_of(const Arguments& arguments, ProgressCallback progress) {
  MulticlassMmcOptions options;
  options.k = wanted_clusters(arguments);
  if (arguments.choice_or("balance-form", "rows", {"total", "rows"}) != "rows") {
    throw UsageError("--balance-form total: more than two clusters have the form rows");
  }
  options.gaussians = arguments.whole("restarts", 1).value_or(options.gaussians);
  options.anchors = arguments.whole("anchors", 0).value_or(std::min(options.k, default_anchors));
  if (*options.anchors > most_anchors) {
    throw UsageError("--anchors " + std::to_string(*options.anchors) + ": must be 0 to " +
                     std::to_string(most_anchors));
  }
  take_relaxation_options(arguments, std::move(progress), options);
  return options;
}

std::string proof_name(std::size_t number, const char* part) {
  return "proof" + std::to_string(number) + "." + part;
}

/// The lower triangle, row by row: all that is read of such a matrix.
std::vector<double> lower_triangle(const DenseMatrix& matrix) {
  std::vector<double> packed;
  packed.reserve(matrix.rows() * (matrix.rows() + 1) / 2);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const std::span<const double> row = matrix.row(i).first(i + 1);
    packed.insert(packed.end(), row.begin(), row.end());
  }
  return packed;
}

DenseMatrix from_lower_triangle(const std::vector<double>& packed, std::size_t rows) {
  if (packed.size() != rows * (rows + 1) / 2) {
    throw InvalidArgument("a certificate's entries do not fit its diagonal");
  }
  DenseMatrix matrix(rows, rows);
  auto next = packed.begin();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix(i, j) = *next++;
  }
  return matrix;
}

/// Moves the proofs, which are large, into the model.
void add_proofs(ModelDocument& model, MulticlassMmc& found) {
  model.set_integer("proofs", whole(found.proofs.size()));
  model.set_numbers("anchors", {found.anchors.begin(), found.anchors.end()});
  for (std::size_t k = 0; k < found.proofs.size(); ++k) {
    ClassProof proof = std::move(found.proofs[k]);
    model.set_numbers(proof_name(k, "labels"), {proof.labels.begin(), proof.labels.end()});
    model.set_dense(proof_name(k, "lambda"), proof.certificate.lambda);
    model.set_numbers(proof_name(k, "diagonal"), proof.certificate.diagonal);
    model.set_numbers(proof_name(k, "rows"), proof.certificate.rows);
    model.set_numbers(proof_name(k, "sizes"), proof.certificate.sizes);
    model.set_numbers(proof_name(k, "entries"), lower_triangle(proof.certificate.entries));
    model.set_dense(proof_name(k, "memberships"), proof.certificate.memberships);
    model.set_dense(proof_name(k, "corner"), proof.certificate.corner);
  }
}

std::vector<ClassProof> proofs_of(const ModelDocument& model) {
  std::vector<ClassProof> proofs(static_cast<std::size_t>(model.integer("proofs")));
  for (std::size_t k = 0; k < proofs.size(); ++k) {
    for (const double label : model.numbers(proof_name(k, "labels"))) {
      proofs[k].labels.push_back(static_cast<std::int32_t>(label));
    }
    proofs[k].certificate = {
        .lambda = model.dense(proof_name(k, "lambda")),
        .diagonal = model.numbers(proof_name(k, "diagonal")),
        .rows = model.numbers(proof_name(k, "rows")),
        .sizes = model.numbers(proof_name(k, "sizes")),
        .entries = from_lower_triangle(model.numbers(proof_name(k, "entries")),
                                       model.numbers(proof_name(k, "diagonal")).size()),
        .memberships = model.dense(proof_name(k, "memberships")),
        .corner = model.dense(proof_name(k, "corner"))};
  }
  return proofs;
}

ModelDocument document_of(const Dataset& data,
                          const MulticlassMmcOptions& options,
                          TrainedMulticlassMmc& trained) {
  MulticlassMmc& found = trained.clustering;
  const ClassRules rules = balanced_sizes(data.size(), options.k, options.balance);
  ModelDocument model(multiclass_mmc_kind);
  model.set_integer("seed", whole(options.seed));
  model.set_integer("features", whole(data.features()));
  model.set_integer("clusters", whole(options.k));
  model.set_number("C", options.c);
  model.set_string("bias", std::string(to_string(options.bias)));
  model.set_integer("least", whole(rules.least.front()));
  model.set_integer("most", whole(rules.most.front()));
  model.set_number("objective", found.objective);
  model.set_number("lower_bound", found.relaxation.lower_bound);
  add_proofs(model, found);
  if (!data.feature_names.empty()) model.set_strings("feature_names", data.feature_names);
  add_machine(model, std::move(trained.model.function), data.size());
  return model;
}

/// Are the clusters' sizes within the model's range?
bool are_balanced(std::span<const std::int32_t> labels, const ModelDocument& model) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(model.integer("clusters")), 0);
  for (const std::int32_t label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= sizes.size()) return false;
    ++sizes[static_cast<std::size_t>(label)];
  }
  return std::ranges::all_of(sizes, [&](std::int64_t size) {
    return size >= model.integer("least") && size <= model.integer("most");
  });
}

/// Do the model's certificates prove this bound, up to rounding?
bool proves(const ModelDocument& model, DenseMatrix gram, double bound) {
  if (!(bound > 0)) return true;
  apply_plain_bias(model, gram);
  const auto clusters = static_cast<std::size_t>(model.integer("clusters"));
  const ClassSaddle problem{
      .matrix = gram.view(),
      .c = model.number("C"),
      .classes = clusters,
      .least = std::vector<double>(clusters, static_cast<double>(model.integer("least"))),
      .most = std::vector<double>(clusters, static_cast<double>(model.integer("most")))};
  std::vector<std::size_t> anchors;
  for (const double row : model.numbers("anchors"))
    anchors.push_back(static_cast<std::size_t>(row));
  const std::vector<ClassProof> proofs = proofs_of(model);
  return problem.c * proven_class_bound(problem, anchors, proofs) >= bound * (1 - bound_rounding);
}

}  // namespace

ClusterAnswer run_multiclass_mmc(const Dataset& data,
                                 const Arguments& arguments,
                                 ProgressCallback progress) {
  const MulticlassMmcOptions options = options_of(arguments, std::move(progress));
  const KernelData given = kernel_data(data, arguments);
  TrainedMulticlassMmc trained = cluster_multiclass_mmc(given.data, given.kernel, options);
  const MulticlassMmc& found = trained.clustering;

  ClusterAnswer answer;
  answer.labels = found.labels;
  answer.report = found.report;
  const MulticlassRelaxation& relaxation = found.relaxation;
  answer.objects = {{"relaxation",
                     {{"value", relaxation.value},
                      {"lower_bound", relaxation.lower_bound},
                      {"relative_gap", relaxation.relative_gap},
                      {"rank", whole(relaxation.rank)},
                      {"roundings", whole(relaxation.roundings)},
                      {"winner", relaxation.winner},
                      {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")},
                      {"bound_from", std::string(to_string(relaxation.bound))}}}};
  // Losses and coefficients are sums over all points.
  answer.objective_doubt = 64 * static_cast<double>(data.size()) *
                           std::numeric_limits<double>::epsilon() *
                           (options.c * static_cast<double>(data.size()) + found.objective);
  answer.options = relaxation_options(options, given.kernel, "rows", options.gaussians);
  answer.options.emplace_back("anchors", whole(*options.anchors));
  if (!std::holds_alternative<Precomputed>(given.kernel)) answer.kernel = given.kernel;
  answer.model = document_of(data, options, trained);
  return answer;
}

/// 1/2 sum_r |w_r|^2 + C sum of losses from model and data, pair by pair. Not a number, so that
/// nothing agrees with it, when the labels are none of those that the bound is about, the
/// certificates do not prove the bound that the model claims, or a machine has an offset that it
/// cannot have.
double multiclass_mmc_objective(const Dataset& data,
                                std::span<const std::int32_t> labels,
                                const ModelDocument& model) {
  if (!are_balanced(labels, model)) return std::nan("");
  const KernelExpansion function = expansion_of(model);
  const std::size_t n = data.size();
  const std::size_t clusters = function.offsets.size();
  DenseMatrix gram = plain_gram(function.kernel, data.examples);
  // The expansion may leave out points of coefficient 0.
  DenseMatrix a(n, clusters);
  for (std::size_t v = 0; v < function.training_rows.size(); ++v) {
    for (std::size_t r = 0; r < clusters; ++r) {
      a(function.training_rows[v], r) = function.coefficients(v, r);
    }
  }
  const bool constant = bias_of(model, "bias") == KernelBias::constant;
  double square = 0;
  double losses = 0;
  DenseMatrix values(n, clusters);
  for (std::size_t r = 0; r < clusters; ++r) {
    const double offset = function.offsets[r];
    if (constant) square += offset * offset;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) values(i, r) += a(j, r) * gram(i, j);
      square += a(i, r) * values(i, r);
    }
  }
  if (!have_fitting_offsets(model, function, values.view(), largest_square_of(gram))) {
    return std::nan("");
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < clusters; ++r) values(i, r) += function.offsets[r];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = static_cast<std::size_t>(labels[i]);
    double rival = values(i, own);
    for (std::size_t r = 0; r < clusters; ++r) {
      if (r != own) rival = std::max(rival, 1 + values(i, r));
    }
    losses += rival - values(i, own);
  }
  const double claimed = model.number("lower_bound");
  if (!proves(model, std::move(gram), claimed)) return std::nan("");
  return 0.5 * square + model.number("C") * losses;
}

Prediction predict_multiclass_mmc(const ModelDocument& model,
                                  const Dataset& data,
                                  std::optional<std::size_t> threads) {
  MachineInput input = machine_input(model, data);
  const MulticlassMmcModel machine{.function = std::move(input.function)};
  return {.clusters = machine.predict(input.examples, threads)};
}

}  // namespace maxmargin::tool
