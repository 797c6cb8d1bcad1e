// SPDX-License-Identifier: Apache-2.0
//
// The semi-supervised machine by convex relaxation: s3vm, one against the rest or all classes at
// once.
#include <algorithm>
#include <array>
#include <utility>

#include "bias_names.hpp"
#include "kept_dual.hpp"
#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/model/semi/multiclass_s3vm.hpp"
#include "maxmargin/model/semi/s3vm.hpp"
#include "option_names.hpp"
#include "semi_answer.hpp"

namespace maxmargin::tool {

namespace {

Kernel semidefinite_kernel(const Dataset& data, const TrainingInput& input) {
  Kernel kernel = kernel_of(input, data.examples, "linear");
  refuse_indefinite(kernel,
                    input,
                    ", the relaxation needs a kernel that is; tsvm and s3vm-cccp take it with "
                    "--allow-indefinite");
  return kernel;
}

S3vmOptions s3vm_options(const Dataset& data, const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  S3vmOptions options;
  options.c = cost_or_100(input);
  options.kernel = semidefinite_kernel(data, input);
  options.balance = balance_of(arguments, options.balance);
  if (arguments.choice_or("balance-form", "total", {"total", "rows"}) == "rows") {
    options.balance_form = LabelBalance::rows;
  }
  options.bias = bias_of(arguments, options.bias);
  options.hyperplanes = arguments.whole("restarts", 1).value_or(options.hyperplanes);
  options.control = control_of(input);
  return options;
}

/// What a report shows of the options.
template <class Options>
ReportFields used_options(const Options& options,
                          std::string_view balance_form,
                          std::size_t restarts,
                          std::string_view multiclass) {
  ReportFields fields = {{"C", options.c}};
  show_kernel(options.kernel, fields);
  fields.emplace_back("balance", shown_balance(options.balance));
  fields.emplace_back("balance_form", std::string(balance_form));
  fields.emplace_back("bias", std::string(to_string(options.bias)));
  fields.emplace_back("restarts", whole(restarts));
  fields.emplace_back("multiclass", std::string(multiclass));
  return fields;
}

template <class Relaxation>
ReportFields relaxation_fields(const Relaxation& relaxation) {
  return {{"value", relaxation.value},
          {"lower_bound", relaxation.lower_bound},
          {"relative_gap", relaxation.relative_gap},
          {"rank", whole(relaxation.rank)},
          {"roundings", whole(relaxation.roundings)},
          {"winner", relaxation.winner},
          {"bound", std::string(relaxation.lower_bound > 0 ? "certified" : "vacuous")}};
}

/// Sums over the functions, as objectives add up; the largest rank, and the winner of the first.
LabelRelaxation sum_of(const std::vector<LabelRelaxation>& relaxations) {
  LabelRelaxation sum = relaxations.front();
  for (std::size_t f = 1; f < relaxations.size(); ++f) {
    sum.value += relaxations[f].value;
    sum.lower_bound += relaxations[f].lower_bound;
    sum.rank = std::max(sum.rank, relaxations[f].rank);
    sum.roundings += relaxations[f].roundings;
  }
  sum.relative_gap = relative_gap(sum.value, sum.lower_bound);
  return sum;
}

/// Is it the supervised machine, which --safe may return? The relaxation says nothing about it.
bool is_supervised(const TrainingAnswer& answer) {
  const ReportFields::value_type supervised = {"machine", std::string("supervised")};
  return std::ranges::find(answer.options, supervised) != answer.options.end();
}

/// The relaxation trains no sequence of machines.
void drop_sequence_metrics(TrainingAnswer& answer) {
  std::erase_if(answer.metrics, [](const auto& metric) {
    return metric.first == "trainings" || metric.first == "stationary_gap";
  });
}

MulticlassS3vmOptions direct_s3vm_options(const Dataset& data, const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  if (arguments.choice_or("balance-form", "rows", {"total", "rows"}) != "rows") {
    throw UsageError("--balance-form total: --multiclass direct has the form rows");
  }
  MulticlassS3vmOptions options;
  options.c = cost_or_100(input);
  options.kernel = semidefinite_kernel(data, input);
  options.balance = balance_of(arguments, options.balance);
  options.bias = bias_of(arguments, options.bias);
  options.gaussians = arguments.whole("restarts", 1).value_or(options.gaussians);
  options.control = control_of(input);
  return options;
}

/// For the folds of the comparison: each is a whole training, but it is asked for labels and not
/// for a bound.
void make_coarse(MulticlassS3vmOptions& options) {
  constexpr double tolerance = 1e-2;
  constexpr std::size_t gaussians = 5;
  options.control.tolerance = std::max(options.control.tolerance, tolerance);
  options.gaussians = std::min(options.gaussians, gaussians);
}

/// All classes in one relaxation and one machine of Crammer and Singer.
TrainingAnswer run_direct_s3vm(const Dataset& data, const TrainingInput& input) {
  const MulticlassS3vmOptions options = direct_s3vm_options(data, input);
  std::optional<MulticlassS3vmRelaxation> relaxation;  // of the first training, that of all rows
  TrainingAnswer answer = run_semi(data,
                                   input,
                                   options.control,
                                   used_options(options, "rows", options.gaussians, "direct"),
                                   [&](const Dataset& rows, const TrainingControl& control) {
                                     MulticlassS3vmOptions here = options;
                                     here.control = control;
                                     if (relaxation) make_coarse(here);
                                     TrainedMulticlassS3vm trained =
                                         train_multiclass_s3vm(rows, here);
                                     if (!relaxation) relaxation = trained.relaxation;
                                     return std::move(trained.machines);
                                   });
  if (!is_supervised(answer)) {
    ReportFields fields = relaxation_fields(*relaxation);
    fields.emplace_back("bound_from", std::string(to_string(relaxation->bound)));
    answer.objects = {{"relaxation", std::move(fields)}};
    // --verify asks which certificate the model keeps.
    answer.options.emplace_back("bound_from", std::string(to_string(relaxation->bound)));
  }
  drop_sequence_metrics(answer);
  return answer;
}

TrainingAnswer run_s3vm(const Dataset& data, const TrainingInput& input) {
  if (input.arguments.choice_or("multiclass", "ovr", {"ovr", "direct"}) == "direct") {
    return run_direct_s3vm(data, input);
  }
  const S3vmOptions options = s3vm_options(data, input);
  std::vector<LabelRelaxation> relaxations;  // of the first training, that of all rows
  TrainingAnswer answer =
      run_semi(data,
               input,
               options.control,
               used_options(options, to_string(options.balance_form), options.hyperplanes, "ovr"),
               [&](const Dataset& rows, const TrainingControl& control) {
                 S3vmOptions here = options;
                 here.control = control;
                 TrainedS3vm trained = train_s3vm(rows, here);
                 if (relaxations.empty()) relaxations = trained.relaxations;
                 return std::move(trained.machines);
               });
  drop_sequence_metrics(answer);
  if (is_supervised(answer)) return answer;
  answer.objects = {{"relaxation", relaxation_fields(sum_of(relaxations))}};
  if (relaxations.size() > 1) {
    std::vector<ReportFields> rows;
    for (const LabelRelaxation& each : relaxations) rows.push_back(relaxation_fields(each));
    answer.tables.emplace_back("relaxations", std::move(rows));
  }
  return answer;
}

constexpr std::array s3vm_takes =
    joined(names("C", "multiclass"),
           kernel_names,
           names("balance", "balance-form", "bias", "restarts", "safe", "memory-limit"));

constexpr std::array family = {
    LearnerSpec{"s3vm",
                "semi-supervised machine by convex relaxation (rows ? have no label), with a bound",
                TaskKind::classification,
                s3vm_takes,
                run_s3vm,
                nullptr,
                nullptr,
                check_s3vm}};

}  // namespace

std::span<const LearnerSpec> s3vm_learners() { return family; }

}  // namespace maxmargin::tool
