// SPDX-License-Identifier: Apache-2.0
//
// Classifiers to compare with: lp-svc, lda and perceptron.
#include <array>
#include <cmath>

#include "kept_dual.hpp"
#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/model/kernel/lp_svc.hpp"
#include "maxmargin/model/linear/perceptron.hpp"
#include "maxmargin/model/projection/lda.hpp"
#include "option_names.hpp"

namespace maxmargin::tool {

namespace {

const std::vector<std::string> reductions = {"ovo", "ovr", "ecoc"};

TrainingAnswer answer_of(TrainedClassifier fit, ReportFields options) {
  return {.machine = std::move(fit.model),
          .report = std::move(fit.report),
          .machines = std::move(fit.machines),
          .options = std::move(options),
          .dual_coefficients = std::move(fit.dual_coefficients)};
}

TrainingAnswer run_lp_svc(const Dataset& data, const TrainingInput& input) {
  LpSvcOptions options;
  options.c = cost_of(input, true);
  options.kernel = kernel_of(input, data.examples);
  const std::string form = input.arguments.choice_or("form", "slides", {"slides", "l1-norm"});
  options.form = form == "slides" ? LpSvmForm::slides : LpSvmForm::l1_norm;
  options.bias = !input.arguments.has("no-bias");
  options.class_weights = class_weights_of(input);
  options.multiclass = multiclass_of(input, "ovo", reductions);
  options.code = code_of(input, data);
  options.allow_one_class = input.arguments.has("allow-one-class");
  options.control = control_of(input);
  ReportFields used = {{"C", options.c}};
  show_kernel(options.kernel, used);
  used.emplace_back("form", form);
  used.emplace_back("bias", options.bias);
  used.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, used);
  return answer_of(train_lp_svc(data, options), std::move(used));
}

TrainingAnswer run_lda(const Dataset& data, const TrainingInput& input) {
  LdaOptions options;
  options.shrinkage = number_of(
      input.arguments, "shrinkage", 0, [](double x) { return x >= 0 && x <= 1; }, "in [0, 1]");
  options.class_weights = class_weights_of(input);
  options.allow_one_class = input.arguments.has("allow-one-class");
  options.control = control_of(input);
  ReportFields used = {{"shrinkage", options.shrinkage}};
  show_control(options.control, input, used);
  TrainingAnswer answer = answer_of(train_lda(data, options), std::move(used));
  const LdaProjection projection = lda_projection(data, options);
  if (!projection.ratios.empty()) answer.metrics = {{"fisher_ratio", projection.ratios.front()}};
  return answer;
}

TrainingAnswer run_perceptron(const Dataset& data, const TrainingInput& input) {
  PerceptronOptions options;
  options.bias = !input.arguments.has("no-bias");
  options.class_weights = class_weights_of(input);
  options.multiclass = multiclass_of(input, "ovr", reductions);
  options.code = code_of(input, data);
  options.allow_one_class = input.arguments.has("allow-one-class");
  options.control = control_of(input);
  options.passes = options.control.max_iterations.value_or(options.passes);
  ReportFields used = {{"bias", options.bias},
                       {"multiclass", std::string(to_string(options.multiclass))}};
  show_control(options.control, input, used);
  return answer_of(train_perceptron(data, options), std::move(used));
}

constexpr std::array lp_svc_takes =
    joined(names("C"), kernel_names, names("form"), classifier_names, one_class_names);
constexpr std::array lda_takes =
    joined(names("shrinkage", "class-weight", "probabilities"), one_class_names);
constexpr std::array perceptron_takes = joined(classifier_names, names("allow-one-class"));

constexpr std::array family = {
    LearnerSpec{"lp-svc",
                "machine of least absolute coefficients, by linear programming; any kernel",
                TaskKind::classification,
                lp_svc_takes,
                run_lp_svc,
                nullptr,
                nullptr,
                check_lp_svc,
                true},
    LearnerSpec{"lda",
                "Fisher's linear discriminant: Gaussian classes of one covariance",
                TaskKind::classification,
                lda_takes,
                run_lda},
    LearnerSpec{"perceptron",
                "Rosenblatt's perceptron, a baseline",
                TaskKind::classification,
                perceptron_takes,
                run_perceptron}};

}  // namespace

std::span<const LearnerSpec> baseline_learners() { return family; }

}  // namespace maxmargin::tool
