// SPDX-License-Identifier: Apache-2.0
//
// Classifiers for data with outliers by convex relaxation: robust-svc and outlier-svc.
#include <array>

#include "bias_names.hpp"
#include "learner_options.hpp"
#include "learners.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"
#include "option_names.hpp"
#include "robust_answer.hpp"
#include "robust_certificates.hpp"

namespace maxmargin::tool {

namespace {

/// The options that both have.
template <class Options>
void read_common(const Dataset& data, const TrainingInput& input, Options& options) {
  const Arguments& arguments = input.arguments;
  options.c = cost_of(input, false);
  options.kernel = kernel_of(input, data.examples);
  refuse_indefinite(
      options.kernel,
      input,
      ", the relaxation needs a kernel that is; ramp-svc and trimmed-svc take it with "
      "--allow-indefinite");
  options.bias = bias_of(arguments, options.bias);
  options.multiclass = multiclass_of(input, "ovo", {"ovo", "ovr", "ecoc"});
  options.code = code_of(input, data);
  options.hyperplanes = arguments.whole("restarts", 1).value_or(options.hyperplanes);
  options.control = control_of(input);
}

template <class Options>
ReportFields used_options(const Options& options, const TrainingInput& input) {
  ReportFields used = {{"C", options.c}};
  show_kernel(options.kernel, used);
  used.emplace_back("bias", std::string(to_string(options.bias)));
  used.emplace_back("multiclass", std::string(to_string(options.multiclass)));
  used.emplace_back("restarts", whole(options.hyperplanes));
  show_control(options.control, input, used);
  return used;
}

TrainingAnswer run_robust_svc(const Dataset& data, const TrainingInput& input) {
  RobustSvcOptions options;
  read_common(data, input, options);
  return relaxed_answer(train_robust_svc(data, options), used_options(options, input), data, input);
}

TrainingAnswer run_outlier_svc(const Dataset& data, const TrainingInput& input) {
  OutlierSvcOptions options;
  read_common(data, input, options);
  const bool chosen = input.arguments.text("rho") == "auto";
  options.rho = std::nullopt;
  if (!chosen) {
    options.rho = number_of(
        input.arguments,
        "rho",
        OutlierSvcOptions{}.rho.value(),
        [](double rho) { return rho > 0 && rho <= 1; },
        "in (0, 1], or auto");
  }
  TrainedRelaxedClassifier fit = train_outlier_svc(data, options);
  ReportFields used = used_options(options, input);
  used.emplace_back("rho", fit.rho);
  used.emplace_back("rho_rule", std::string(chosen ? "auto" : "given"));
  if (chosen && !input.is_part && fit.rho < 1) {
    fit.report.warnings.push_back(
        "--rho auto: " + format_number(fit.rho) +
        " is the least that the data let keep, often far less than what is right; compare with "
        "tune --grid rho=...");
  }
  return relaxed_answer(std::move(fit), std::move(used), data, input);
}

constexpr std::array common_takes =
    joined(names("bias", "weights-output", "restarts"), code_names, names("memory-limit"));
constexpr std::array robust_takes = joined(names("C"), kernel_names, common_takes);
constexpr std::array outlier_takes = joined(names("C"), kernel_names, names("rho"), common_takes);

constexpr std::array family = {
    LearnerSpec{"robust-svc",
                "ramp-svc's loss by convex relaxation (REH), with a bound on every machine",
                TaskKind::classification,
                robust_takes,
                run_robust_svc,
                nullptr,
                nullptr,
                check_robust_svc},
    LearnerSpec{"outlier-svc",
                "trimmed-svc's objective by convex relaxation (ROD), with a bound on every machine",
                TaskKind::classification,
                outlier_takes,
                run_outlier_svc,
                nullptr,
                nullptr,
                check_outlier_svc}};

}  // namespace

std::span<const LearnerSpec> relaxed_learners() { return family; }

}  // namespace maxmargin::tool
