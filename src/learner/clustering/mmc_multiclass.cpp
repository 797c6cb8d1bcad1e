// SPDX-License-Identifier: Apache-2.0
//
// mmc into more than two clusters by convex relaxation.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "learner/clustering/kept_labels.hpp"
#include "learner/clustering/kernel.hpp"
#include "learner/clustering/mmc_parts.hpp"
#include "maxmargin/cluster/mmc/multiclass.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/model/machine_file.hpp"

namespace maxmargin::learning {

namespace {

MulticlassMmcOptions options_of(const MmcChoice& choice, const Context& context) {
  MulticlassMmcOptions options = in_context(MulticlassMmcOptions{.k = choice.k,
                                                                 .c = choice.c,
                                                                 .balance = choice.balance,
                                                                 .bias = choice.bias,
                                                                 .tolerance = choice.tolerance},
                                            context);
  options.restarts = choice.restarts.value_or(options.restarts);
  options.max_iterations = choice.max_iterations.value_or(options.max_iterations);
  options.anchors = choice.anchors.value_or(std::min(options.k, default_anchors));
  return options;
}

/// A number of a list, which must be a whole one from `first` to below `end`.
template <class T>
T whole_between(const ModelDocument& model, double number, double first, std::int64_t end) {
  if (number >= first && number < static_cast<double>(end) && number == std::floor(number)) {
    return static_cast<T>(number);
  }
  throw ModelFormatError(
      model.source(), {}, "the certificate names a row or cluster that is not there");
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
  model.set_integer("proofs", static_cast<std::int64_t>(found.proofs.size()));
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
  const std::int64_t count = model.integer("proofs");
  // Each has sections of its own.
  if (count < 0 || static_cast<std::size_t>(count) > model.sections().size()) {
    throw ModelFormatError(model.source(), {}, "the model's 'proofs' is no number of proofs");
  }
  std::vector<ClassProof> proofs(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < proofs.size(); ++k) {
    for (const double label : model.numbers(proof_name(k, "labels"))) {
      proofs[k].labels.push_back(
          whole_between<std::int32_t>(model, label, -1, model.integer("clusters")));
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

ModelDocument document_of(const Dataset& rows,
                          const MulticlassMmcOptions& options,
                          TrainedMulticlassMmc& trained) {
  MulticlassMmc& found = trained.clustering;
  const ClusterSizes sizes = balanced_sizes(rows.size(), options.k, options.balance);
  ModelDocument model = mmc_document(rows, options, found.objective);
  model.set_integer("clusters", static_cast<std::int64_t>(options.k));
  model.set_integer("least", static_cast<std::int64_t>(sizes.least));
  model.set_integer("most", static_cast<std::int64_t>(sizes.most));
  model.set_number("lower_bound", found.relaxation.lower_bound);
  add_proofs(model, found);
  keep_labels(model, found.labels);
  add_machine(model, std::move(trained.model.functions), rows.size());
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
  for (const double row : model.numbers("anchors")) {
    anchors.push_back(
        whole_between<std::size_t>(model, row, 0, static_cast<std::int64_t>(gram.rows())));
  }
  // Ways to tell points apart are more than exponential in their number.
  if (anchors.size() > most_anchors) return false;
  const std::vector<ClassProof> proofs = proofs_of(model);
  return problem.c * proven_class_bound(problem, anchors, proofs) >= bound * (1 - bound_rounding);
}

}  // namespace

Clustering run_multiclass_mmc(const Dataset& rows,
                              const MmcChoice& choice,
                              const Context& context) {
  const MulticlassMmcOptions options = options_of(choice, context);
  const KernelData given = kernel_data(rows, choice.kernel, context);
  TrainedMulticlassMmc trained = cluster_multiclass_mmc(given.rows, given.kernel, options);
  const MulticlassMmc& found = trained.clustering;

  Clustering clustering{.labels = found.labels, .report = found.report};
  const MulticlassRelaxation& relaxation = found.relaxation;
  clustering.objects = {{"relaxation",
                         {{"value", relaxation.value},
                          {"lower_bound", relaxation.lower_bound},
                          {"relative_gap", relaxation.relative_gap},
                          {"rank", static_cast<std::int64_t>(relaxation.rank)},
                          {"roundings", static_cast<std::int64_t>(relaxation.roundings)},
                          {"winner", relaxation.winner},
                          {"bound", bound_word(relaxation.lower_bound, clustering.report)},
                          {"status", std::string(to_string(relaxation.status))},
                          {"bound_from", std::string(to_string(relaxation.bound))}}}};
  clustering.used = kernel_as_used(given.kernel);
  if (options.balance) clustering.used.emplace_back("balance_form", std::string("rows"));
  clustering.used.emplace_back("anchors", static_cast<std::int64_t>(*options.anchors));
  clustering.used.emplace_back("restarts", static_cast<std::int64_t>(options.restarts));
  clustering.used.emplace_back("max_iterations", static_cast<std::int64_t>(options.max_iterations));
  if (!std::holds_alternative<Precomputed>(given.kernel)) clustering.kernel = given.kernel;
  clustering.model = document_of(rows, options, trained);
  return clustering;
}

double multiclass_mmc_objective(const Dataset& rows,
                                std::span<const std::int32_t> labels,
                                const ModelDocument& model,
                                const Context& context) {
  const KernelExpansion function = expansion_of(model);
  const std::size_t n = rows.size();
  const std::size_t clusters = function.offsets.size();
  if (model.integer("clusters") != static_cast<std::int64_t>(clusters)) {
    throw ModelFormatError(
        model.source(), {}, "the model's 'clusters' must be the number of its functions");
  }
  if (!are_balanced(labels, model)) return std::nan("");
  if (!could_be_training(function, rows, labels, clusters)) return std::nan("");
  DenseMatrix gram = plain_gram(function.kernel, rows.examples, context);
  // The expansion may leave out points of coefficient 0.
  DenseMatrix a(n, clusters);
  for (std::size_t v = 0; v < function.training_rows.size(); ++v) {
    for (std::size_t r = 0; r < clusters; ++r) {
      a(function.training_rows[v], r) = function.coefficients(v, r);
    }
  }
  const bool constant = bias_of(model) == KernelBias::constant;
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

}  // namespace maxmargin::learning
