// SPDX-License-Identifier: Apache-2.0
//
// Machines solved on the features, and all classes in one problem: linear-svc, linear-svr, cs-svc.
#include <array>

#include "kept_dual.hpp"
#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/model/kernel/cs_svc.hpp"
#include "maxmargin/model/linear/svc.hpp"
#include "maxmargin/model/linear/svr.hpp"
#include "option_names.hpp"

namespace maxmargin::tool {

namespace {

LinearSvcOptions linear_svc_options(const Dataset& data, const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  LinearSvcOptions options;
  options.c = cost_of(input, false);
  const std::string penalty = arguments.choice_or("penalty", "l2", {"l2", "l1"});
  options.penalty = penalty == "l1" ? LinearPenalty::l1 : LinearPenalty::l2;
  const std::string loss = arguments.choice_or(
      "loss", penalty == "l1" ? "squared-hinge" : "hinge", {"hinge", "squared-hinge", "logistic"});
  options.loss = loss == "hinge"           ? LinearLoss::hinge
                 : loss == "squared-hinge" ? LinearLoss::squared_hinge
                                           : LinearLoss::logistic;
  if (options.penalty == LinearPenalty::l1 && options.loss != LinearLoss::squared_hinge) {
    throw UsageError("--penalty l1 goes with --loss squared-hinge alone");
  }
  options.bias = !arguments.has("no-bias");
  options.class_weights = class_weights_of(input);
  options.multiclass = multiclass_of(input, "ovr", {"ovo", "ovr", "ecoc"});
  options.code = code_of(input, data);
  options.allow_one_class = arguments.has("allow-one-class");
  options.control = control_of(input);
  return options;
}

std::string loss_name(LinearLoss loss) {
  switch (loss) {
    case LinearLoss::hinge:
      return "hinge";
    case LinearLoss::squared_hinge:
      return "squared-hinge";
    case LinearLoss::logistic:
      return "logistic";
    case LinearLoss::epsilon_insensitive:
      return "epsilon";
    case LinearLoss::squared_epsilon_insensitive:
      return "squared-epsilon";
  }
  return "unknown";
}

TrainingAnswer linear_svc_answer(TrainedClassifier fit,
                                 const LinearSvcOptions& options,
                                 const TrainingInput& input) {
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines),
                        .dual_coefficients = std::move(fit.dual_coefficients)};
  answer.options = {{"C", options.c},
                    {"loss", loss_name(options.loss)},
                    {"penalty", std::string(options.penalty == LinearPenalty::l1 ? "l1" : "l2")},
                    {"bias", options.bias},
                    {"multiclass", std::string(to_string(options.multiclass))}};
  show_control(options.control, input, answer.options);
  return answer;
}

TrainingAnswer run_linear_svc(const Dataset& data, const TrainingInput& input) {
  const LinearSvcOptions options = linear_svc_options(data, input);
  return linear_svc_answer(train_linear_svc(data, options), options, input);
}

std::vector<TrainingAnswer> run_linear_path(const Dataset& data,
                                            const TrainingInput& input,
                                            std::span<const double> c_values) {
  LinearSvcOptions options = linear_svc_options(data, input);
  std::vector<TrainedClassifier> fits = train_linear_path(data, options, c_values);
  std::vector<TrainingAnswer> answers;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    options.c = c_values[i];
    answers.push_back(linear_svc_answer(std::move(fits[i]), options, input));
  }
  return answers;
}

TrainingAnswer run_linear_svr(const Dataset& data, const TrainingInput& input) {
  LinearSvrOptions options;
  options.c = cost_of(input, false);
  options.epsilon = epsilon_of(input);
  const std::string loss =
      input.arguments.choice_or("loss", "epsilon", {"epsilon", "squared-epsilon"});
  options.loss =
      loss == "epsilon" ? LinearLoss::epsilon_insensitive : LinearLoss::squared_epsilon_insensitive;
  options.bias = !input.arguments.has("no-bias");
  options.control = control_of(input);
  TrainedRegressor fit = train_linear_svr(data, options);
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines),
                        .dual_coefficients = std::move(fit.dual_coefficients)};
  answer.options = {{"C", options.c},
                    {"epsilon", options.epsilon},
                    {"loss", loss_name(options.loss)},
                    {"bias", options.bias}};
  show_control(options.control, input, answer.options);
  return answer;
}

TrainingAnswer run_cs_svc(const Dataset& data, const TrainingInput& input) {
  CsSvcOptions options;
  options.c = cost_of(input, false);
  (void)multiclass_of(input, "direct", {"direct"});
  // linear-svc with --multiclass direct comes here too.
  const bool linear = input.arguments.text("learner") == "linear-svc";
  options.kernel = kernel_of(input, data.examples, linear ? "linear" : "rbf");
  refuse_indefinite(options.kernel, input, ", cs-svc needs a kernel that is");
  options.bias = input.arguments.has("no-bias") ? 0 : 1;
  options.class_weights = class_weights_of(input);
  options.allow_one_class = input.arguments.has("allow-one-class");
  options.control = control_of(input);
  TrainedClassifier fit = train_cs_svc(data, options);
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines),
                        .dual_coefficients = std::move(fit.dual_coefficients)};
  answer.options.emplace_back("C", options.c);
  show_kernel(options.kernel, answer.options);
  answer.options.emplace_back("bias", options.bias != 0);
  answer.options.emplace_back("multiclass", std::string(to_string(MulticlassKind::direct)));
  show_control(options.control, input, answer.options);
  return answer;
}

constexpr std::array cs_svc_takes =
    joined(names("C"),
           kernel_names,
           names("no-bias", "class-weight", "multiclass", "probabilities"),
           one_class_names);
constexpr std::array linear_svc_takes =
    joined(names("C", "loss", "penalty"), classifier_names, one_class_names);
constexpr std::array linear_svr_takes = names("C", "epsilon", "loss", "no-bias", "memory-limit");

constexpr std::array family = {
    LearnerSpec{"linear-svc",
                "linear machine on the features: hinge, squared hinge or logistic loss",
                TaskKind::classification,
                linear_svc_takes,
                run_linear_svc,
                run_linear_path,
                nullptr,
                check_linear_svc},
    LearnerSpec{"linear-svr",
                "linear regression with an insensitive tube",
                TaskKind::regression,
                linear_svr_takes,
                run_linear_svr,
                nullptr,
                nullptr,
                check_linear_svr},
    LearnerSpec{"cs-svc",
                "all classes in one problem (Crammer and Singer)",
                TaskKind::classification,
                cs_svc_takes,
                run_cs_svc,
                nullptr,
                nullptr,
                check_cs_svc}};

}  // namespace

std::span<const LearnerSpec> linear_learners() { return family; }

}  // namespace maxmargin::tool
