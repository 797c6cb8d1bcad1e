// SPDX-License-Identifier: Apache-2.0
//
// Machines that learn from unlabelled rows too: s3vm, tsvm and s3vm-cccp.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "kept_dual.hpp"
#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/timer.hpp"
#include "maxmargin/eval/semi_comparison.hpp"
#include "maxmargin/model/multiclass_s3vm.hpp"
#include "maxmargin/model/s3vm.hpp"
#include "maxmargin/model/s3vm_cccp.hpp"
#include "maxmargin/model/tsvm.hpp"

namespace maxmargin::tool {

namespace {

using Names = std::string_view;
using TrainSemi = std::function<TrainedSemiSupervised(const Dataset&, const TrainingControl&)>;

double cost_or_100(const TrainingInput& input) {
  return parse_cost(input.arguments.text_or("C", "100"), false);
}

std::optional<double> unlabelled_cost(const TrainingInput& input) {
  if (!input.arguments.has("unlabeled-cost")) return std::nullopt;
  return number_of(
      input.arguments,
      "unlabeled-cost",
      0,
      [](double cost) { return std::isfinite(cost) && cost >= 0; },
      "a finite number >= 0");
}

double ramp_of(const TrainingInput& input, double fallback) {
  return number_of(
      input.arguments,
      "ramp",
      fallback,
      [](double s) { return s > -1 && s <= 0; },
      "a number in (-1, 0]");
}

/// --solver, decided for the kernel and the number of rows.
SemiSolver solver_of(const TrainingInput& input, const Kernel& kernel, std::size_t rows) {
  const std::string name =
      input.arguments.choice_or("solver", "automatic", {"automatic", "kernel", "features"});
  if (name == "features" && !std::holds_alternative<Linear>(kernel)) {
    throw UsageError("--solver features: the kernel " + kernel_name(kernel) + " is not linear");
  }
  return resolve_solver(parse_semi_solver(name), kernel, rows);
}

/// The options that both learners have.
template <class Options>
void take_common_options(Options& options, const Dataset& data, const TrainingInput& input) {
  options.c = cost_or_100(input);
  options.unlabelled_c = unlabelled_cost(input);
  options.kernel = definite_kernel_of(input, data.examples, "linear");
  options.solver = solver_of(input, options.kernel, data.size());
  options.class_weights = class_weights_of(input);
  options.allow_indefinite = input.arguments.has("allow-indefinite");
  options.control = control_of(input);
}

template <class Options>
ReportFields common_fields(const Options& options) {
  ReportFields fields = {{"C", options.c},
                         {"unlabeled_cost", options.unlabelled_c.value_or(options.c)}};
  show_kernel(options.kernel, fields);
  fields.emplace_back("solver", std::string(to_string(options.solver)));
  fields.emplace_back("multiclass", std::string("ovr"));
  return fields;
}

/// What cross-validation says about the two machines, in words.
std::vector<std::string> remarks(const SemiComparison& compared, bool safe) {
  std::vector<std::string> said;
  if (compared.status != Status::solved && !was_stopped(compared.status)) {
    said.push_back("a machine of the cross-validation ended as " +
                   std::string(to_string(compared.status)));
  }
  if (!compared.reason.empty()) {
    said.push_back("whether the unlabelled rows help is not known: " + compared.reason);
  } else if (compared.labelled < labels_to_compare) {
    said.push_back("with " + std::to_string(compared.labelled) + " labelled rows (fewer than " +
                   std::to_string(labels_to_compare) +
                   ") cross-validation cannot tell whether the unlabelled rows help" +
                   (safe ? "; --safe keeps the semi-supervised machine" : ""));
  } else if (compared.supervised_is_better()) {
    said.push_back("the unlabelled rows do not help: cross-validated accuracy " +
                   format_number(*compared.semi_supervised, 4) + " with them, " +
                   format_number(*compared.supervised, 4) + " without; " +
                   (safe ? "--safe returns the supervised machine"
                         : "--safe would return the supervised machine"));
  }
  return said;
}

/// Trains, compares both machines by cross-validation unless this is part of a larger run, and
/// takes the one that --safe asks for.
TrainingAnswer run_semi(const Dataset& data,
                        const TrainingInput& input,
                        const TrainingControl& control,
                        ReportFields fields,
                        const TrainSemi& train) {
  const bool safe = input.arguments.has("safe");
  TrainedSemiSupervised trained = train(data, control);
  SemiComparison compared;
  TrainingAnswer answer;
  const Stopwatch watch;
  if (!input.is_part) {
    TrainingControl of_fold = control;
    of_fold.keep_dual = false;
    compared = compare_semi_supervised(data,
                                       [&](const Dataset& fold) { return train(fold, of_fold); },
                                       {.seed = control.seed, .on_progress = control.on_progress});
  }
  const bool take_supervised = safe && compared.supervised_is_better();
  TrainedClassifier& taken = take_supervised ? trained.supervised : trained.semi_supervised;
  answer = {
      .machine = std::move(taken.model),
      .report = std::move(taken.report),
      .machines = std::move(taken.machines),
      .metrics = {{"labelled", static_cast<double>(trained.labelled)},
                  {"unlabelled", static_cast<double>(trained.unlabelled)},
                  {"trainings", static_cast<double>(trained.steps.size())},
                  {"stationary_gap", take_supervised ? std::nullopt : trained.stationary_gap}},
      .options = std::move(fields),
      .dual_coefficients = std::move(taken.dual_coefficients)};
  answer.supervised_values = std::move(trained.supervised.training_values);
  answer.training_values = take_supervised ? answer.supervised_values
                                           : std::move(trained.semi_supervised.training_values);
  if (!input.is_part) {
    answer.metrics.emplace_back("cv_supervised", compared.supervised);
    answer.metrics.emplace_back("cv_semi_supervised", compared.semi_supervised);
    answer.report.seconds.emplace_back("compare", watch.seconds());
    for (std::string& remark : remarks(compared, safe)) {
      answer.report.warnings.push_back(std::move(remark));
    }
  }
  answer.options.emplace_back("safe", safe);
  answer.options.emplace_back("machine",
                              std::string(take_supervised ? "supervised" : "semi-supervised"));
  show_control(control, input, answer.options);
  return answer;
}

TrainingAnswer run_tsvm(const Dataset& data, const TrainingInput& input) {
  TsvmOptions options;
  take_common_options(options, data, input);
  options.balance = balance_of(input.arguments, 0.1);
  ReportFields fields = common_fields(options);
  fields.emplace_back(
      "balance", options.balance ? ReportValue(*options.balance) : ReportValue(std::monostate{}));
  return run_semi(data,
                  input,
                  options.control,
                  std::move(fields),
                  [&](const Dataset& rows, const TrainingControl& control) {
                    TsvmOptions here = options;
                    here.control = control;
                    return train_tsvm(rows, here);
                  });
}

TrainingAnswer run_s3vm_cccp(const Dataset& data, const TrainingInput& input) {
  S3vmCccpOptions options;
  take_common_options(options, data, input);
  options.balance = balance_of(input.arguments, 0.1).has_value();
  options.ramp = ramp_of(input, options.ramp);
  options.continuation = input.arguments.has("continuation");
  ReportFields fields = common_fields(options);
  fields.emplace_back("balance", std::string(options.balance ? "mean" : "none"));
  fields.emplace_back("ramp", options.ramp);
  fields.emplace_back("continuation", options.continuation);
  return run_semi(data,
                  input,
                  options.control,
                  std::move(fields),
                  [&](const Dataset& rows, const TrainingControl& control) {
                    S3vmCccpOptions here = options;
                    here.control = control;
                    return train_s3vm_cccp(rows, here);
                  });
}

KernelBias bias_of(const Arguments& arguments) {
  const std::string name = arguments.choice_or("bias", "center", {"center", "constant", "none"});
  for (const KernelBias bias : {KernelBias::center, KernelBias::constant}) {
    if (to_string(bias) == name) return bias;
  }
  return KernelBias::none;
}

S3vmOptions s3vm_options(const Dataset& data, const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  S3vmOptions options;
  options.c = cost_or_100(input);
  options.kernel = kernel_of(input, data.examples, "linear");
  refuse_indefinite(options.kernel,
                    input,
                    ", the relaxation needs a kernel that is; tsvm and s3vm-cccp take it with "
                    "--allow-indefinite");
  options.balance = balance_of(arguments, options.balance);
  if (arguments.choice_or("balance-form", "total", {"total", "rows"}) == "rows") {
    options.balance_form = LabelBalance::rows;
  }
  options.bias = bias_of(arguments);
  options.hyperplanes = arguments.whole("restarts", 1).value_or(options.hyperplanes);
  options.control = control_of(input);
  return options;
}

ReportFields s3vm_fields(const S3vmOptions& options) {
  ReportFields fields = {{"C", options.c}};
  show_kernel(options.kernel, fields);
  fields.emplace_back(
      "balance", options.balance ? ReportValue(*options.balance) : ReportValue(std::monostate{}));
  fields.emplace_back("balance_form", std::string(to_string(options.balance_form)));
  fields.emplace_back("bias", std::string(to_string(options.bias)));
  fields.emplace_back("restarts", whole(options.hyperplanes));
  fields.emplace_back("multiclass", std::string("ovr"));
  return fields;
}

ReportFields relaxation_fields(const LabelRelaxation& relaxation) {
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

MulticlassS3vmOptions direct_s3vm_options(const Dataset& data, const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  if (arguments.has("verify")) {
    throw UsageError("--verify: s3vm --multiclass direct keeps no certificate in its model");
  }
  if (arguments.choice_or("balance-form", "rows", {"total", "rows"}) != "rows") {
    throw UsageError("--balance-form total: --multiclass direct has the form rows");
  }
  MulticlassS3vmOptions options;
  options.c = cost_or_100(input);
  options.kernel = definite_kernel_of(input, data.examples, "linear");
  options.balance = balance_of(arguments, options.balance);
  options.bias = bias_of(arguments);
  options.gaussians = arguments.whole("restarts", 1).value_or(options.gaussians);
  options.control = control_of(input);
  return options;
}

/// All classes in one relaxation and one machine of Crammer and Singer.
TrainingAnswer run_direct_s3vm(const Dataset& data, const TrainingInput& input) {
  const MulticlassS3vmOptions options = direct_s3vm_options(data, input);
  ReportFields fields = {{"C", options.c}};
  show_kernel(options.kernel, fields);
  fields.emplace_back(
      "balance", options.balance ? ReportValue(*options.balance) : ReportValue(std::monostate{}));
  fields.emplace_back("balance_form", std::string("rows"));
  fields.emplace_back("bias", std::string(to_string(options.bias)));
  fields.emplace_back("restarts", whole(options.gaussians));
  fields.emplace_back("multiclass", std::string("direct"));
  std::optional<MulticlassS3vmRelaxation> relaxation;  // of the first training, that of all rows
  TrainingAnswer answer = run_semi(data,
                                   input,
                                   options.control,
                                   std::move(fields),
                                   [&](const Dataset& rows, const TrainingControl& control) {
                                     MulticlassS3vmOptions here = options;
                                     here.control = control;
                                     TrainedMulticlassS3vm trained =
                                         train_multiclass_s3vm(rows, here);
                                     if (!relaxation) relaxation = trained.relaxation;
                                     return std::move(trained.machines);
                                   });
  answer.objects = {{"relaxation",
                     {{"value", relaxation->value},
                      {"lower_bound", relaxation->lower_bound},
                      {"relative_gap", relaxation->relative_gap},
                      {"rank", whole(relaxation->rank)},
                      {"roundings", whole(relaxation->roundings)},
                      {"winner", relaxation->winner},
                      {"bound", std::string(relaxation->lower_bound > 0 ? "certified" : "vacuous")},
                      {"bound_from", std::string(to_string(relaxation->bound))}}}};
  // It says nothing about the supervised machine, which --safe may return.
  const ReportFields::value_type supervised = {"machine", std::string("supervised")};
  if (std::ranges::find(answer.options, supervised) != answer.options.end()) answer.objects.clear();
  // It trains no sequence of machines.
  std::erase_if(answer.metrics, [](const auto& metric) {
    return metric.first == "trainings" || metric.first == "stationary_gap";
  });
  return answer;
}

TrainingAnswer run_s3vm(const Dataset& data, const TrainingInput& input) {
  if (input.arguments.choice_or("multiclass", "ovr", {"ovr", "direct"}) == "direct") {
    return run_direct_s3vm(data, input);
  }
  const S3vmOptions options = s3vm_options(data, input);
  std::vector<LabelRelaxation> relaxations;  // of the first training, that of all rows
  TrainingAnswer answer = run_semi(data,
                                   input,
                                   options.control,
                                   s3vm_fields(options),
                                   [&](const Dataset& rows, const TrainingControl& control) {
                                     S3vmOptions here = options;
                                     here.control = control;
                                     TrainedS3vm trained = train_s3vm(rows, here);
                                     if (relaxations.empty()) relaxations = trained.relaxations;
                                     return std::move(trained.machines);
                                   });
  // It says nothing about the supervised machine, which --safe may return.
  const bool semi =
      std::ranges::find(answer.options,
                        ReportFields::value_type{"machine", std::string("supervised")}) ==
      answer.options.end();
  if (semi) answer.objects = {{"relaxation", relaxation_fields(sum_of(relaxations))}};
  if (semi && relaxations.size() > 1) {
    std::vector<ReportFields> rows;
    for (const LabelRelaxation& each : relaxations) rows.push_back(relaxation_fields(each));
    answer.tables.emplace_back("relaxations", std::move(rows));
  }
  // It trains no sequence of machines.
  std::erase_if(answer.metrics, [](const auto& metric) {
    return metric.first == "trainings" || metric.first == "stationary_gap";
  });
  return answer;
}

constexpr std::array s3vm_takes = {Names{"C"},
                                   Names{"multiclass"},
                                   Names{"kernel"},
                                   Names{"gamma"},
                                   Names{"degree"},
                                   Names{"coef0"},
                                   Names{"balance"},
                                   Names{"balance-form"},
                                   Names{"bias"},
                                   Names{"restarts"},
                                   Names{"safe"},
                                   Names{"memory-limit"}};
constexpr std::array tsvm_takes = {Names{"C"},
                                   Names{"unlabeled-cost"},
                                   Names{"kernel"},
                                   Names{"gamma"},
                                   Names{"degree"},
                                   Names{"coef0"},
                                   Names{"solver"},
                                   Names{"balance"},
                                   Names{"safe"},
                                   Names{"class-weight"},
                                   Names{"allow-indefinite"},
                                   Names{"memory-limit"}};
constexpr std::array s3vm_cccp_takes = {Names{"C"},
                                        Names{"unlabeled-cost"},
                                        Names{"kernel"},
                                        Names{"gamma"},
                                        Names{"degree"},
                                        Names{"coef0"},
                                        Names{"solver"},
                                        Names{"balance"},
                                        Names{"ramp"},
                                        Names{"continuation"},
                                        Names{"safe"},
                                        Names{"class-weight"},
                                        Names{"allow-indefinite"},
                                        Names{"memory-limit"}};

constexpr std::array family = {
    LearnerSpec{"s3vm",
                "semi-supervised machine by convex relaxation (rows ? have no label), with a bound",
                TaskKind::classification,
                s3vm_takes,
                run_s3vm,
                nullptr,
                nullptr,
                check_s3vm},
    LearnerSpec{"tsvm",
                "transductive machine: also labels the unlabelled rows (?), by exchanging labels",
                TaskKind::classification,
                tsvm_takes,
                run_tsvm,
                nullptr,
                nullptr,
                check_tsvm},
    LearnerSpec{"s3vm-cccp",
                "semi-supervised machine: symmetric ramp on unlabelled rows (?), convex steps",
                TaskKind::classification,
                s3vm_cccp_takes,
                run_s3vm_cccp,
                nullptr,
                nullptr,
                check_s3vm_cccp}};

}  // namespace

std::span<const LearnerSpec> semi_supervised_learners() { return family; }

}  // namespace maxmargin::tool
