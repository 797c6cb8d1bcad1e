// SPDX-License-Identifier: Apache-2.0
//
// Kernel machines that classify: svc and nu-svc.
#include <array>

#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/model/kernel/svc.hpp"
#include "option_names.hpp"

namespace maxmargin::tool {

namespace {

const std::vector<std::string> reductions = {"ovo", "ovr", "ecoc"};

/// The slacks that --loss names.
SlackPower slacks_of(const TrainingInput& input) {
  const std::string loss = input.arguments.choice_or("loss", "hinge", {"hinge", "squared-hinge"});
  return loss == "hinge" ? SlackPower::one : SlackPower::two;
}

SvcOptions svc_options(const Dataset& data, const TrainingInput& input) {
  const Arguments& arguments = input.arguments;
  SvcOptions options;
  options.c = cost_of(input, true);
  options.kernel = definite_kernel_of(input, data.examples);
  options.slacks = slacks_of(input);
  options.bias = !arguments.has("no-bias");
  options.class_weights = class_weights_of(input);
  options.multiclass = multiclass_of(input, "ovo", reductions);
  options.code = code_of(input, data);
  options.shrinking = input.shrinking;
  options.kkt_tolerance = input.kkt_tolerance;
  options.allow_indefinite = arguments.has("allow-indefinite");
  options.allow_one_class = arguments.has("allow-one-class");
  options.control = control_of(input);
  return options;
}

TrainingAnswer svc_answer(TrainedClassifier fit,
                          const SvcOptions& options,
                          const TrainingInput& input) {
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines),
                        .training_values = std::move(fit.training_values)};
  answer.options.emplace_back("C", options.c);
  show_kernel(options.kernel, answer.options);
  answer.options.emplace_back(
      "loss", std::string(options.slacks == SlackPower::one ? "hinge" : "squared-hinge"));
  answer.options.emplace_back("bias", options.bias);
  answer.options.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, answer.options);
  return answer;
}

TrainingAnswer run_svc(const Dataset& data, const TrainingInput& input) {
  const SvcOptions options = svc_options(data, input);
  return svc_answer(train_svc(data, options), options, input);
}

std::vector<TrainingAnswer> run_svc_path(const Dataset& data,
                                         const TrainingInput& input,
                                         std::span<const double> c_values) {
  SvcOptions options = svc_options(data, input);
  std::vector<TrainingAnswer> answers;
  std::vector<TrainedClassifier> fits = train_svc_path(data, options, c_values);
  for (std::size_t i = 0; i < fits.size(); ++i) {
    options.c = c_values[i];
    answers.push_back(svc_answer(std::move(fits[i]), options, input));
  }
  return answers;
}

TrainingAnswer run_nu_svc(const Dataset& data, const TrainingInput& input) {
  NuSvcOptions options;
  options.nu = nu_of(input);
  options.kernel = definite_kernel_of(input, data.examples);
  options.class_weights = class_weights_of(input);
  options.multiclass = multiclass_of(input, "ovo", reductions);
  options.code = code_of(input, data);
  options.shrinking = input.shrinking;
  options.kkt_tolerance = input.kkt_tolerance;
  options.allow_indefinite = input.arguments.has("allow-indefinite");
  options.control = control_of(input);
  TrainedClassifier fit = train_nu_svc(data, options);
  TrainingAnswer answer{.machine = std::move(fit.model),
                        .report = std::move(fit.report),
                        .machines = std::move(fit.machines),
                        .training_values = std::move(fit.training_values)};
  answer.options.emplace_back("nu", options.nu);
  show_kernel(options.kernel, answer.options);
  answer.options.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, answer.options);
  return answer;
}

Certificate check_svc(const Machine& machine,
                      const Dataset& data,
                      const MachineTerms& terms,
                      std::optional<std::size_t> threads) {
  return verify_svc(std::get<Classifier>(machine), data, terms, threads);
}

Certificate check_nu_svc(const Machine& machine,
                         const Dataset& data,
                         const MachineTerms& terms,
                         std::optional<std::size_t> threads) {
  return verify_nu_svc(std::get<Classifier>(machine), data, terms, threads);
}

constexpr std::array svc_takes =
    joined(names("C"), kernel_names, names("loss"), classifier_names, kernel_machine_names);
constexpr std::array nu_svc_takes = joined(names("nu"),
                                           kernel_names,
                                           names("class-weight"),
                                           code_names,
                                           names("allow-indefinite", "memory-limit"));

constexpr std::array family = {
    LearnerSpec{"svc",
                "kernel support vector machine: hinge or squared hinge, any kernel",
                TaskKind::classification,
                svc_takes,
                run_svc,
                run_svc_path,
                check_svc,
                nullptr,
                true},
    LearnerSpec{"nu-svc",
                "kernel machine with the share of margin errors in place of C",
                TaskKind::classification,
                nu_svc_takes,
                run_nu_svc,
                nullptr,
                check_nu_svc}};

}  // namespace

std::span<const LearnerSpec> kernel_classifiers() { return family; }

}  // namespace maxmargin::tool
