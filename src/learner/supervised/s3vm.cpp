// SPDX-License-Identifier: Apache-2.0
//
// The semi-supervised machine by convex relaxation: s3vm, one against the rest or all classes at
// once.
#include <algorithm>
#include <utility>

#include "learner/supervised/report_values.hpp"
#include "learner/supervised/semi_answer.hpp"
#include "learner/supervised/semi_options.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "model/semi/training.hpp"
#include "model/verify/semi.hpp"

namespace maxmargin::learning {

void S3vmLearnerOptions::describe(OptionVisitor& visit) {
  describe_relaxed_first(visit, *this);
  visit.name({.name = "balance-form",
              .help = "how the relaxation has the balance: total, or rows as published",
              .fallback = "total; rows for --multiclass direct"},
             balance_form,
             {},
             {LabelBalance::total, LabelBalance::rows});
  describe_relaxed_last(visit, *this);
  visit.name({.name = "multiclass",
              .help = "several classes: each against the rest (ovr), or all at once (direct)",
              .value = "KIND"},
             multiclass,
             {MulticlassKind::one_vs_rest, MulticlassKind::direct});
  visit.rule(!is_direct() || balance_form != LabelBalance::total,
             "--balance-form total: --multiclass direct has the form rows");
  visit.rule(balance || !balance_form, "--balance-form: needs a balance, and --balance is none");
  describe_safe(visit, safe);
}

S3vmOptions S3vmLearnerOptions::one_vs_rest() const {
  return {.c = c,
          .kernel = kernel,
          .balance = balance,
          .balance_form = balance_form_used(),
          .bias = bias,
          .restarts = restarts,
          .control = control};
}

MulticlassS3vmOptions S3vmLearnerOptions::direct() const {
  return {.c = c,
          .kernel = kernel,
          .balance = balance,
          .bias = bias,
          .restarts = restarts,
          .control = control};
}

namespace {

constexpr const char* bound_fact = "bound_from";

/// Sums over the functions, as objectives add up; the largest rank, and the winner of the first.
LabelRelaxation sum_of(const std::vector<LabelRelaxation>& relaxations) {
  LabelRelaxation sum = relaxations.front();
  for (std::size_t f = 1; f < relaxations.size(); ++f) {
    sum.value += relaxations[f].value;
    sum.lower_bound += relaxations[f].lower_bound;
    sum.rank = std::max(sum.rank, relaxations[f].rank);
    sum.roundings += relaxations[f].roundings;
    sum.status = worse(sum.status, relaxations[f].status);
  }
  sum.relative_gap = relative_gap(sum.value, sum.lower_bound);
  return sum;
}

/// For the folds of the comparison: each is a whole training, but it is asked for labels and not
/// for a bound.
void make_coarse(MulticlassS3vmOptions& options) {
  constexpr double tolerance = 1e-2;
  constexpr std::size_t restarts = 5;
  options.control.tolerance = std::max(options.control.tolerance, tolerance);
  options.restarts = std::min(options.restarts, restarts);
}

/// A relaxation costs as much as many searches: the rows are parted once.
constexpr std::size_t comparison_repeats = 1;

/// All classes in one relaxation and one machine of Crammer and Singer. The relaxation says nothing
/// about the supervised machine.
Fit fit_direct(const Dataset& data, const S3vmLearnerOptions& options, const FitInput& input) {
  const MulticlassS3vmOptions machine = options.direct();
  std::optional<MulticlassS3vmRelaxation> relaxation;  // of the first training, that of all rows
  Fit fit = fit_semi(data,
                     input,
                     options.control,
                     options.safe,
                     comparison_repeats,
                     [&](const Dataset& rows, const TrainingControl& control) {
                       MulticlassS3vmOptions here = machine;
                       here.control = control;
                       if (relaxation) make_coarse(here);
                       TrainedMulticlassS3vm trained = train_multiclass_s3vm(rows, here);
                       if (!relaxation) relaxation = trained.relaxation;
                       return std::move(trained.machines);
                     });
  if (is_supervised(fit)) return fit;
  const std::string bound(to_string(relaxation->bound));
  ReportFields fields =
      relaxation_fields(*relaxation, fit.report.primal_objective, relaxation->winner);
  fields.emplace_back(bound_fact, bound);
  fit.objects = {{"relaxation", std::move(fields)}};
  // Verifying asks which certificate the model keeps.
  fit.facts.emplace_back(bound_fact, bound);
  return fit;
}

Fit fit_one_vs_rest(const Dataset& data, const S3vmLearnerOptions& options, const FitInput& input) {
  const S3vmOptions machine = options.one_vs_rest();
  std::vector<LabelRelaxation> relaxations;  // of the first training, that of all rows
  Fit fit = fit_semi(data,
                     input,
                     options.control,
                     options.safe,
                     comparison_repeats,
                     [&](const Dataset& rows, const TrainingControl& control) {
                       S3vmOptions here = machine;
                       here.control = control;
                       TrainedS3vm trained = train_s3vm(rows, here);
                       if (relaxations.empty()) relaxations = trained.relaxations;
                       return std::move(trained.machines);
                     });
  if (is_supervised(fit)) return fit;
  const LabelRelaxation sum = sum_of(relaxations);
  fit.objects = {{"relaxation", relaxation_fields(sum, fit.report.primal_objective, sum.winner)}};
  if (relaxations.size() > 1) {
    std::vector<ReportFields> rows;
    rows.reserve(relaxations.size());
    for (const LabelRelaxation& each : relaxations) {
      rows.push_back(relaxation_fields(each, fit.report.primal_objective, each.winner));
    }
    fit.tables.emplace_back("relaxations", std::move(rows));
  }
  return fit;
}

Fit fit_s3vm(const Dataset& data, const S3vmLearnerOptions& options, const FitInput& input) {
  refuse_negative_eigenvalue(
      options.kernel,
      input,
      ", the relaxation needs a kernel that is; tsvm and s3vm-cccp take it with "
      "--allow-indefinite");
  Fit fit = options.is_direct() ? fit_direct(data, options, input)
                                : fit_one_vs_rest(data, options, input);
  // The relaxation trains no sequence of machines.
  std::erase_if(fit.metrics, [](const auto& metric) {
    return metric.first == "trainings" || metric.first == "stationary_gap";
  });
  fit.used = {{"balance_form", std::string(to_string(options.balance_form_used()))}};
  return fit;
}

Certificate certify_direct(const KeptMachine& kept,
                           const Dataset& data,
                           const S3vmLearnerOptions& options) {
  MulticlassS3vmClaim claim{.is_supervised = is_supervised(kept)};
  std::size_t vectors = 1;
  if (!claim.is_supervised) {
    const std::string name = kept.fact(bound_fact);
    const std::optional<SemiBound> bound = value_named<SemiBound>(name);
    if (!bound) {
      throw ModelFormatError(
          kept.document.source(), {}, "the model's 'bound_from' is unknown: " + name);
    }
    claim.bound = *bound;
    vectors = kept_class_vectors(claim.bound,
                                 kept.classifier().classes.size(),
                                 data.size(),
                                 data.size() - data.labels.labelled_count());
  }
  return verify_multiclass_s3vm(
      kept.classifier(), kept.dual(data, vectors), data, options.direct(), claim);
}

Certificate certify_s3vm(const KeptMachine& kept,
                         const Dataset& data,
                         const S3vmLearnerOptions& given) {
  S3vmLearnerOptions options = given;
  read_kept_balance(kept, options);
  if (options.is_direct()) return certify_direct(kept, data, options);
  if (is_supervised(kept)) {
    const TsvmOptions supervised{
        .c = options.c, .unlabelled_c = 0, .balance = std::nullopt, .control = options.control};
    return verify_tsvm(kept.classifier(), kept.dual(data), data, supervised);
  }
  // Lambda, diagonal and balance of the certificate, and the signs.
  return verify_s3vm(kept.classifier(), kept.dual(data, 4), data, options.one_vs_rest());
}

}  // namespace

void add_s3vm(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<S3vmLearnerOptions>>(
      LearnerInfo{
          .name = "s3vm",
          .summary = "semi-supervised (label ? is none): relaxed, with a bound",
          .task = Task::classify,
          .formula =
              "min over w and labels y of rows ?: 1/2 |w|^2 + C sum_i max(0, 1 - y_i f(x_i))",
          .page = "docs/algorithms/s3vm-sdp.md",
          .example = "builtin:few-labels",
          .class_name = "S3VM",
          .learns_from_unlabelled = true,
          .ending = Ending::search},
      SupervisedFunctions<S3vmLearnerOptions>{fit_s3vm, nullptr, certify_s3vm},
      false));
}

}  // namespace maxmargin::learning
