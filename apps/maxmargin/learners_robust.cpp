// SPDX-License-Identifier: Apache-2.0
//
// Classifiers for data with outliers: ramp-svc, linear-ramp-svc, trimmed-svc, centroid-svc and
// loo-svc.
#include <array>
#include <cmath>

#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/model/robust/centroid_svc.hpp"
#include "maxmargin/model/robust/loo_svc.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "option_names.hpp"
#include "robust_answer.hpp"
#include "robust_certificates.hpp"

namespace maxmargin::tool {

namespace {

const std::vector<std::string> reductions = {"ovo", "ovr", "ecoc"};

double ramp_of(const TrainingInput& input) {
  return number_of(
      input.arguments,
      "ramp",
      0,
      [](double s) { return std::isfinite(s) && s < 1; },
      "a finite number < 1");
}

double lambda_of(const TrainingInput& input, double fallback) {
  return number_of(
      input.arguments,
      "lambda",
      fallback,
      [](double lambda) { return std::isfinite(lambda) && lambda >= 0; },
      "a finite number >= 0");
}

/// The options that all of these read alike. `starts` only where the learner has it.
template <class Options>
void read_common(const Dataset& data, const TrainingInput& input, Options& options) {
  options.bias = !input.arguments.has("no-bias");
  options.class_weights = class_weights_of(input);
  options.code = code_of(input, data);
  options.allow_one_class = input.arguments.has("allow-one-class");
  options.control = control_of(input);
  if constexpr (requires { options.starts; }) {
    if (const auto starts = input.arguments.whole("restarts", 1)) options.starts = *starts;
  }
  if constexpr (requires { options.bound_rounds; }) {
    if (const auto rounds = input.arguments.whole("bound-rounds", 0))
      options.bound_rounds = *rounds;
  }
  if constexpr (requires { options.allow_indefinite; }) {
    options.allow_indefinite = input.arguments.has("allow-indefinite");
  }
}

TrainingAnswer run_ramp_svc(const Dataset& data, const TrainingInput& input) {
  RampSvcOptions options;
  options.multiclass = multiclass_of(input, "ovo", {"ovo", "ovr", "ecoc", "direct"});
  const bool direct = options.multiclass == MulticlassKind::direct;
  const std::string solver =
      input.arguments.choice_or("solver", direct ? "alternating" : "cccp", {"cccp", "alternating"});
  if (direct && solver == "cccp") {
    throw UsageError("--solver cccp: --multiclass direct takes alternating steps");
  }
  options.c = cost_of(input, false);
  options.kernel =
      direct ? kernel_of(input, data.examples) : definite_kernel_of(input, data.examples);
  if (direct) refuse_indefinite(options.kernel, input, ", --multiclass direct needs one that is");
  options.s = ramp_of(input);
  options.step = solver == "cccp" ? RampStep::cccp : RampStep::alternating;
  read_common(data, input, options);
  ReportFields used = {{"C", options.c}};
  show_kernel(options.kernel, used);
  used.emplace_back("ramp", options.s);
  used.emplace_back("solver", solver);
  used.emplace_back("bias", options.bias);
  used.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, used);
  TrainedRobustClassifier fit = train_ramp_svc(data, options);
  used.emplace_back("restarts", whole(fit.starts));
  used.emplace_back("bound_rounds", whole(fit.bound_rounds));
  return robust_answer(std::move(fit), std::move(used));
}

TrainingAnswer run_linear_ramp_svc(const Dataset& data, const TrainingInput& input) {
  LinearRampSvcOptions options;
  options.c = cost_of(input, false);
  options.s = ramp_of(input);
  options.multiclass = multiclass_of(input, "ovr", reductions);
  read_common(data, input, options);
  ReportFields used = {{"C", options.c},
                       {"ramp", options.s},
                       {"bias", options.bias},
                       {"multiclass", std::string(to_string(options.multiclass))}};
  show_control(options.control, input, used);
  TrainedRobustClassifier fit = train_linear_ramp_svc(data, options);
  used.emplace_back("restarts", whole(fit.starts));
  used.emplace_back("bound_rounds", whole(fit.bound_rounds));
  return robust_answer(std::move(fit), std::move(used));
}

TrainingAnswer run_trimmed_svc(const Dataset& data, const TrainingInput& input) {
  TrimmedSvcOptions options;
  options.c = cost_of(input, false);
  options.kernel = definite_kernel_of(input, data.examples);
  options.rho = number_of(
      input.arguments,
      "rho",
      options.rho,
      [](double rho) { return rho > 0 && rho <= 1; },
      "in (0, 1]");
  options.multiclass = multiclass_of(input, "ovo", reductions);
  read_common(data, input, options);
  ReportFields used = {{"C", options.c}};
  show_kernel(options.kernel, used);
  used.emplace_back("rho", options.rho);
  used.emplace_back("bias", options.bias);
  used.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, used);
  TrainedRobustClassifier fit = train_trimmed_svc(data, options);
  used.emplace_back("restarts", whole(fit.starts));
  return robust_answer(std::move(fit), std::move(used));
}

TrainingAnswer run_centroid_svc(const Dataset& data, const TrainingInput& input) {
  CentroidSvcOptions options;
  options.c = cost_of(input, false);
  options.kernel = definite_kernel_of(input, data.examples);
  if (input.arguments.has("lambda")) options.lambda = lambda_of(input, 0);
  options.multiclass = multiclass_of(input, "ovo", reductions);
  read_common(data, input, options);
  TrainedCentroidClassifier fit = train_centroid_svc(data, options);
  ReportFields used = {{"C", options.c}};
  show_kernel(options.kernel, used);
  used.emplace_back("lambda", fit.lambda);
  used.emplace_back("bias", options.bias);
  used.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, used);
  return {.machine = std::move(fit.model),
          .report = std::move(fit.report),
          .machines = std::move(fit.machines),
          .options = std::move(used),
          .training_values = std::move(fit.training_values)};
}

TrainingAnswer run_loo_svc(const Dataset& data, const TrainingInput& input) {
  LooSvcOptions options;
  options.c = cost_of(input, true);
  options.kernel = kernel_of(input, data.examples);
  options.lambda = lambda_of(input, options.lambda);
  options.multiclass = multiclass_of(input, "ovo", reductions);
  read_common(data, input, options);
  ReportFields used = {{"C", options.c}};
  show_kernel(options.kernel, used);
  used.emplace_back("lambda", options.lambda);
  used.emplace_back("bias", options.bias);
  used.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  show_control(options.control, input, used);
  TrainedLooClassifier fit = train_loo_svc(data, options);
  return {.machine = std::move(fit.model),
          .report = std::move(fit.report),
          .machines = std::move(fit.machines),
          .metrics = {{"left_out_error", fit.left_out_error}},
          .options = std::move(used),
          .dual_coefficients = std::move(fit.dual_coefficients)};
}

constexpr std::array ramp_takes = joined(names("C"),
                                         kernel_names,
                                         names("ramp", "solver", "restarts", "bound-rounds"),
                                         classifier_names,
                                         kernel_machine_names);
constexpr std::array linear_ramp_takes =
    joined(names("C", "ramp", "restarts", "bound-rounds"), classifier_names, one_class_names);
constexpr std::array trimmed_takes = joined(
    names("C"), kernel_names, names("rho", "restarts"), classifier_names, kernel_machine_names);
constexpr std::array centroid_takes =
    joined(names("C"), kernel_names, names("lambda"), classifier_names, kernel_machine_names);
constexpr std::array loo_takes =
    joined(names("C"), kernel_names, names("lambda"), classifier_names, one_class_names);

constexpr std::array family = {
    LearnerSpec{"ramp-svc",
                "kernel machine whose loss stops growing; names the outliers",
                TaskKind::classification,
                ramp_takes,
                run_ramp_svc,
                nullptr,
                nullptr,
                check_ramp_svc},
    LearnerSpec{"linear-ramp-svc",
                "the same for linear functions of many examples",
                TaskKind::classification,
                linear_ramp_takes,
                run_linear_ramp_svc,
                nullptr,
                nullptr,
                check_linear_ramp_svc},
    LearnerSpec{"trimmed-svc",
                "kernel machine of the share rho of the examples that fits best, alternating",
                TaskKind::classification,
                trimmed_takes,
                run_trimmed_svc,
                nullptr,
                nullptr,
                check_trimmed_svc},
    LearnerSpec{"centroid-svc",
                "kernel machine that asks less of examples far from their class's centre",
                TaskKind::classification,
                centroid_takes,
                run_centroid_svc,
                nullptr,
                nullptr,
                check_centroid_svc},
    LearnerSpec{"loo-svc",
                "leave-one-out and adaptive margins, by linear programming; any kernel",
                TaskKind::classification,
                loo_takes,
                run_loo_svc,
                nullptr,
                nullptr,
                check_loo_svc,
                true}};

}  // namespace

std::span<const LearnerSpec> robust_learners() { return family; }

}  // namespace maxmargin::tool
