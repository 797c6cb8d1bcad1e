// SPDX-License-Identifier: Apache-2.0
//
// Maximum-margin clustering of many points: mmc-alternating, mmc-cutting-plane, and mmc on
// features.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "learner/clustering/kept_labels.hpp"
#include "learner/clustering/kernel.hpp"
#include "learner/clustering/mmc_parts.hpp"
#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/cluster/mmc/cutting_plane.hpp"
#include "maxmargin/io/model/machine_file.hpp"
#include "maxmargin/kernel/gram/gram.hpp"
#include "model/describe.hpp"

namespace maxmargin::learning {

namespace {

/// Alternating clustering with its kernel.
struct AlternatingChoice {
  MmcAlternatingOptions options = {};
  KernelChoice kernel = {};
  void describe(OptionVisitor& visit) {
    options.describe(visit);
    describe_semidefinite_kernel(visit, kernel, "sv-clustering and relabeler");
  }
};

/// Cutting planes know one kernel, which may be named all the same.
struct CuttingPlaneChoice {
  MmcCuttingPlaneOptions options = {};
  void describe(OptionVisitor& visit);
};

class LinearKernelValue final : public detail::NameChoice {
 public:
  LinearKernelValue() : NameChoice({name}) {}
  [[nodiscard]] bool set(std::string_view text) override { return text == name; }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return std::string(name); }

 private:
  static constexpr std::string_view name = "linear";
};

void CuttingPlaneChoice::describe(OptionVisitor& visit) {
  options.describe(visit);
  LinearKernelValue kernel;
  visit.option({.name = "kernel", .help = "similarity of two rows: linear alone"}, kernel);
}

/// How far a recomputed objective may be off. A value is a sum over m vectors, of products over d
/// features, less a mean over n points; no part of it is above sum_v |coefficient_v| |v| times the
/// longest |x|.
double rounding_of(const KernelExpansion& functions,
                   const Dataset& rows,
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
  const std::vector<double> of_points = kernel_diagonal(functions.kernel, rows.examples);
  const double reach = std::sqrt(*std::ranges::max_element(of_points));
  const auto n = static_cast<double>(rows.size());
  const double terms = static_cast<double>(squares.size() + rows.features()) + std::sqrt(n);
  const double summed = c * n * (1 + length * reach) + length * length;
  return std::numeric_limits<double>::epsilon() * (4 * terms * summed + 64 * n * objective);
}

ReportFields alternation_fields(const MmcAlternatingClustering& found) {
  return {{"starts", static_cast<std::int64_t>(found.starts)},
          {"winner", found.winner},
          {"trainings", static_cast<std::int64_t>(found.trainings)},
          {"training_bound", found.training_bound},
          {"steps", static_cast<std::int64_t>(found.trace.size())},
          {"features", static_cast<std::int64_t>(found.features)},
          {"missed", found.missed},
          {"relaxed_steps", static_cast<std::int64_t>(found.relaxed_trace.size())}};
}

ReportFields relaxation_fields(const MmcAlternatingClustering& found, const SolveReport& report) {
  if (!found.relaxation) return {{"lower_bound", 0.0}, {"bound", std::string("vacuous")}};
  const MmcRelaxation& relaxation = *found.relaxation;
  return {{"value", relaxation.value},
          {"lower_bound", relaxation.lower_bound},
          {"relative_gap", relaxation.relative_gap},
          {"rank", static_cast<std::int64_t>(relaxation.rank)},
          {"winner", relaxation.winner},
          {"bound", bound_word(relaxation.lower_bound, report)},
          {"status", std::string(to_string(relaxation.status))}};
}

Clustering run_alternating_mmc(const Dataset& rows,
                               const KernelChoice& choice,
                               const MmcAlternatingOptions& options,
                               const Context& context) {
  const Kernel kernel = kernel_of_points(choice, rows.examples, context);
  MmcAlternatingClustering found = cluster_mmc_alternating(rows, kernel, options);
  Clustering clustering{.labels = std::move(found.labels), .report = std::move(found.report)};
  clustering.objects = {{"relaxation", relaxation_fields(found, clustering.report)},
                        {"alternation", alternation_fields(found)}};
  clustering.used = kernel_as_used(kernel);
  clustering.used.emplace_back("restarts", static_cast<std::int64_t>(options.restarts));
  clustering.used.emplace_back("max_iterations", static_cast<std::int64_t>(options.max_iterations));
  clustering.used.emplace_back("steps", std::string(to_string(options.steps)));
  clustering.used.emplace_back("bound", std::string(options.relaxation ? "relaxation" : "none"));
  clustering.kernel = kernel;
  ModelDocument model = mmc_document(rows, options, found.objective);
  if (found.relaxation) {
    model.set_number("lower_bound", found.relaxation->lower_bound);
    model.set_numbers("certificate.weights", std::move(found.certificate));
    if (!found.landmark_rows.empty()) {
      model.set_numbers("certificate.landmarks",
                        {found.landmark_rows.begin(), found.landmark_rows.end()});
    }
  }
  keep_labels(model, clustering.labels);
  add_expansion(model, std::move(found.model.functions));
  clustering.model = std::move(model);
  clustering.trace = {{"objective", std::move(found.trace)}};
  return clustering;
}

Clustering run_alternating(const Dataset& rows,
                           const AlternatingChoice& choice,
                           const Context& context) {
  return run_alternating_mmc(rows, choice.kernel, in_context(choice.options, context), context);
}

Clustering run_cutting_plane(const Dataset& rows,
                             const CuttingPlaneChoice& choice,
                             const Context& context) {
  const MmcCuttingPlaneOptions options = in_context(choice.options, context);
  MmcCuttingPlaneClustering found = cluster_mmc_cutting_plane(rows, options);
  Clustering clustering{.labels = std::move(found.labels), .report = std::move(found.report)};
  clustering.objects = {
      {"relaxation", {{"lower_bound", 0.0}, {"bound", bound_word(0, clustering.report)}}},
      {"cutting_plane",
       {{"starts", static_cast<std::int64_t>(found.starts)},
        {"winner", found.winner},
        {"cuts", static_cast<std::int64_t>(found.cuts)},
        {"steps", static_cast<std::int64_t>(found.trace.size())},
        {"step_gap", found.step_gap},
        {"search_objective", found.trace.empty() ? found.objective : found.trace.back()},
        {"training_bound", found.training_bound}}}};
  clustering.kernel = Linear{};
  ModelDocument model = mmc_document(rows, options, found.objective);
  keep_labels(model, clustering.labels);
  add_expansion(model, std::move(found.model.functions));
  clustering.model = std::move(model);
  clustering.trace = {{"objective", std::move(found.trace)}};
  return clustering;
}

template <class Choice>
ClusterFunctions<Choice> functions_of(Clustering (*run)(const Dataset&,
                                                        const Choice&,
                                                        const Context&)) {
  return {.run = run,
          .objective = mmc_machine_objective,
          .features = mmc_features,
          .answer = mmc_answer,
          .training_labels = kept_labels,
          .records_steps = always_records,
          .doubt = mmc_machine_doubt,
          .proved_bound = mmc_bound};
}

}  // namespace

double mmc_machine_doubt(const Dataset& rows, const ModelDocument& model, double objective) {
  return at_most_visible(rounding_of(expansion_of(model), rows, model.number("C"), objective),
                         objective);
}

Clustering run_mmc_on_features(const Dataset& rows,
                               const MmcChoice& choice,
                               const Context& context) {
  MmcAlternatingOptions options = in_context(MmcAlternatingOptions{.k = choice.k,
                                                                   .c = choice.c,
                                                                   .balance = choice.balance,
                                                                   .bias = choice.bias,
                                                                   .landmarks = choice.landmarks,
                                                                   .relaxation = true,
                                                                   .tolerance = choice.tolerance,
                                                                   .method = "mmc"},
                                             context);
  options.restarts = choice.restarts.value_or(options.restarts);
  options.max_iterations = choice.max_iterations.value_or(options.max_iterations);
  return run_alternating_mmc(rows, choice.kernel, options, context);
}

void add_scalable_mmc(LearnerList& list) {
  list.push_back(std::make_unique<ClusterEntry<AlternatingChoice>>(
      LearnerInfo{.name = "mmc-alternating",
                  .summary = "maximum-margin clusters of many points: train, relabel",
                  .task = Task::cluster,
                  .formula = "min over labels y, w of 1/2 |w|^2 + C sum_i loss(w, x_i, y_i)",
                  .page = "docs/algorithms/mmc-alternating.md",
                  .example = "builtin:circles,n=100",
                  .class_name = "MMCAlternating",
                  .ending = Ending::search},
      functions_of(run_alternating),
      AlternatingChoice{.options = {.k = 0}}));
  list.push_back(std::make_unique<ClusterEntry<CuttingPlaneChoice>>(
      LearnerInfo{
          .name = "mmc-cutting-plane",
          .summary = "two maximum-margin clusters of very many points, linear",
          .task = Task::cluster,
          .formula = "min 1/2 |w|^2 + C sum_i max(0, 1 - |w.x_i|) s.t. |mean of w.x_i| <= F",
          .page = "docs/algorithms/mmc-cutting-plane.md",
          .example = "builtin:gaussians",
          .class_name = "MMCCuttingPlane",
          .ending = Ending::search},
      functions_of(run_cutting_plane),
      CuttingPlaneChoice{.options = {.k = 0}}));
}

}  // namespace maxmargin::learning
