// SPDX-License-Identifier: Apache-2.0
//
// Maximum-margin clustering by convex relaxation: mmc.
#include "maxmargin/cluster/mmc/mmc.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cluster/mmc/describe.hpp"
#include "core/cluster_count.hpp"
#include "core/conditional_options.hpp"
#include "learner/clustering/kept_labels.hpp"
#include "learner/clustering/kernel.hpp"
#include "learner/clustering/mmc_parts.hpp"
#include "learner/named_field.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"
#include "model/describe.hpp"

namespace maxmargin::learning {

void MmcChoice::describe(OptionVisitor& visit) {
  const std::string given = "-k " + std::to_string(k) + ": ";
  describe_cluster_count(visit, k);
  visit.rule(k >= 2, given + "the method mmc makes two clusters or more");
  describe_semidefinite_kernel(visit, kernel, "sv-clustering and relabeler");
  describe_margin(visit, c, balance);
  describe_landmarks(visit, landmarks);
  visit.rule(!landmarks || k == 2,
             given + "the method mmc makes two clusters of features; mmc-alternating makes more");
  ConditionalOptions of_matrix(
      visit, !landmarks, "the bound from --features does not use the balance");
  of_matrix.name({.name = "balance-form",
                  .help = "how the relaxation has the balance: total, or rows as published",
                  .fallback = "total; rows for three clusters or more"},
                 balance_form,
                 {},
                 {LabelBalance::total, LabelBalance::rows});
  of_matrix.rule(k <= 2 || balance_form != LabelBalance::total,
                 "--balance-form total: more than two clusters have the form rows");
  ConditionalOptions of_several(
      visit,
      k > 2 && !landmarks,
      landmarks ? "the bound from --features does not use them"
                : "two clusters have a bound of their own, only -k 3 or more use it");
  describe_anchors(of_several, anchors);
  describe_bias(visit, bias);
  describe_gap(visit, tolerance);
  visit.whole({.name = "restarts",
               .help = "random roundings or starts, of which the best is kept",
               .fallback = "20; 10 with --features"},
              restarts,
              {.least = 1});
  visit.whole({.name = "max-iterations",
               .help = "upper limit on the steps of the relaxation, or the trainings of a start",
               .fallback = "2000; 50 with --features"},
              max_iterations,
              {.least = 1});
}

namespace {

Clustering run_two_mmc(const Dataset& rows, const MmcChoice& choice, const Context& context) {
  MmcOptions options = in_context(MmcOptions{.c = choice.c,
                                             .balance = choice.balance,
                                             .bias = choice.bias,
                                             .tolerance = choice.tolerance},
                                  context);
  options.balance_form = choice.balance_form.value_or(options.balance_form);
  options.restarts = choice.restarts.value_or(options.restarts);
  options.max_iterations = choice.max_iterations.value_or(options.max_iterations);
  const KernelData given = kernel_data(rows, choice.kernel, context);
  TrainedMmc trained = cluster_mmc(given.rows, given.kernel, options);
  MmcClustering& found = trained.clustering;

  Clustering clustering{.labels = found.labels, .report = std::move(found.report)};
  const MmcRelaxation& relaxation = found.relaxation;
  clustering.objects = {{"relaxation",
                         {{"value", relaxation.value},
                          {"lower_bound", relaxation.lower_bound},
                          {"relative_gap", relaxation.relative_gap},
                          {"rank", static_cast<std::int64_t>(relaxation.rank)},
                          {"roundings", static_cast<std::int64_t>(relaxation.roundings)},
                          {"winner", relaxation.winner},
                          {"bound", bound_word(relaxation.lower_bound, clustering.report)},
                          {"status", std::string(to_string(relaxation.status))}}}};
  clustering.used = kernel_as_used(given.kernel);
  const std::string form(to_string(options.balance ? options.balance_form : LabelBalance::none));
  if (options.balance) clustering.used.emplace_back("balance_form", form);
  clustering.used.emplace_back("restarts", static_cast<std::int64_t>(options.restarts));
  clustering.used.emplace_back("max_iterations", static_cast<std::int64_t>(options.max_iterations));
  if (!std::holds_alternative<Precomputed>(given.kernel)) clustering.kernel = given.kernel;

  ModelDocument model = mmc_document(rows, options, found.objective);
  const std::size_t least = balanced_sizes(rows.size(), 2, options.balance).least;
  model.set_string("balance_form", form);
  model.set_number("imbalance", static_cast<double>(rows.size()) - 2 * static_cast<double>(least));
  model.set_number("lower_bound", relaxation.lower_bound);
  model.set_numbers("certificate.lambda", std::move(found.certificate.lambda));
  model.set_numbers("certificate.diagonal", std::move(found.certificate.diagonal));
  if (!found.certificate.balance.empty()) {
    model.set_numbers("certificate.balance", std::move(found.certificate.balance));
  }
  keep_labels(model, clustering.labels);
  add_machine(model, std::move(trained.model.functions), rows.size());
  clustering.model = std::move(model);
  return clustering;
}

/// Does the model's certificate prove this bound, up to rounding?
bool proves(const ModelDocument& model, DenseMatrix gram, double bound) {
  apply_plain_bias(model, gram);
  LabelSaddle problem{.matrix = gram.view(), .c = model.number("C")};
  problem.balance = named_field<LabelBalance>(model, "balance_form");
  problem.imbalance = model.number("imbalance");
  LabelCertificate certificate{.lambda = model.numbers("certificate.lambda"),
                               .diagonal = model.numbers("certificate.diagonal")};
  if (model.has("certificate.balance")) certificate.balance = model.numbers("certificate.balance");
  return proves_label_bound(problem, certificate, bound / problem.c * (1 - bound_rounding));
}

/// 1/2 |w|^2 + C sum of hinges from model and data, pair by pair; not a number as
/// multiclass_mmc_objective.
double two_mmc_objective(const Dataset& rows,
                         std::span<const std::int32_t> labels,
                         const ModelDocument& model,
                         const Context& context) {
  const KernelExpansion function = expansion_of(model);
  if (!could_be_training(function, rows, labels, 2)) return std::nan("");
  const std::size_t n = rows.size();
  DenseMatrix gram = plain_gram(function.kernel, rows.examples, context);
  // The expansion may leave out points of coefficient 0.
  std::vector<double> a(n, 0.0);
  for (std::size_t v = 0; v < function.training_rows.size(); ++v) {
    a[function.training_rows[v]] = function.coefficients(v, 0);
  }
  const double offset = function.offsets.front();
  double square = bias_of(model) == KernelBias::constant ? offset * offset : 0.0;
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

Clustering run_mmc(const Dataset& rows, const MmcChoice& choice, const Context& context) {
  if (choice.landmarks) return run_mmc_on_features(rows, choice, context);
  return choice.k > 2 ? run_multiclass_mmc(rows, choice, context)
                      : run_two_mmc(rows, choice, context);
}

double mmc_objective(const Dataset& rows,
                     std::span<const std::int32_t> labels,
                     const ModelDocument& model,
                     const Context& context) {
  switch (mmc_body(model)) {
    case MmcBody::two:
      return two_mmc_objective(rows, labels, model, context);
    case MmcBody::several:
      return multiclass_mmc_objective(rows, labels, model, context);
    case MmcBody::features:
      return mmc_machine_objective(rows, labels, model, context);
  }
  return std::nan("");
}

/// The search on features alone goes step by step.
bool records_of_mmc(const MmcChoice& choice) { return choice.landmarks.has_value(); }

double mmc_doubt(const Dataset& rows, const ModelDocument& model, double objective) {
  if (mmc_body(model) == MmcBody::features) return mmc_machine_doubt(rows, model, objective);
  return at_most_visible(rounding_of_sums(rows.size(), model.number("C"), objective), objective);
}

/// A machine on features is held up by no points of its training.
Examples mmc_vectors(const ModelDocument& model) {
  if (mmc_body(model) == MmcBody::features) return DenseMatrix(0, mmc_features(model));
  return expansion_of(model).vectors;
}

}  // namespace

void add_mmc(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<MmcChoice>>(
      LearnerInfo{
          .name = "mmc",
          .summary = "maximum-margin clusters by convex relaxation, with a bound",
          .task = Task::cluster,
          .formula = "min over labels y, w of 1/2 |w|^2 + C sum_i max(0, 1 - y_i w.phi(x_i))",
          .page = "docs/algorithms/mmc.md",
          .example = "builtin:circles,n=40",
          .class_name = "MMC",
          .ending = Ending::search},
      ClusterFunctions<MmcChoice>{.run = run_mmc,
                                  .objective = mmc_objective,
                                  .features = mmc_features,
                                  .answer = mmc_answer,
                                  .support_vectors = mmc_vectors,
                                  .training_labels = kept_labels,
                                  .records_steps = records_of_mmc,
                                  .doubt = mmc_doubt,
                                  .proved_bound = mmc_bound}));
}

}  // namespace maxmargin::learning
