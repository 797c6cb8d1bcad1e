// SPDX-License-Identifier: Apache-2.0
//
// Kernel machines that classify: svc and nu-svc.
#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/kernel/svc.hpp"

namespace maxmargin::learning {

namespace {

Fit fit_svc(const Dataset& data, const SvcOptions& options, const FitInput& /*input*/) {
  return fit_of(train_svc(data, options));
}

std::vector<Fit> fit_svc_path(const Dataset& data,
                              const SvcOptions& options,
                              const FitInput& /*input*/,
                              std::span<const double> c_values) {
  std::vector<Fit> fits;
  for (TrainedClassifier& trained : train_svc_path(data, options, c_values)) {
    fits.push_back(fit_of(std::move(trained)));
  }
  return fits;
}

Certificate certify_svc(const KeptMachine& kept, const Dataset& data, const SvcOptions& options) {
  if (std::holds_alternative<LinearFunctions>(kept.classifier().functions)) {
    return verify_hard_margin(
        kept.classifier(),
        kept.dual(data),
        data,
        {.c = options.c, .bias = options.bias, .class_weights = options.class_weights},
        options.control.context);
  }
  return verify_svc(kept.classifier(),
                    data,
                    {.c = options.c,
                     .slacks = options.slacks,
                     .bias = options.bias,
                     .class_weights = options.class_weights},
                    options.control.context);
}

Fit fit_nu_svc(const Dataset& data, const NuSvcOptions& options, const FitInput& /*input*/) {
  return fit_of(train_nu_svc(data, options));
}

Certificate certify_nu_svc(const KeptMachine& kept,
                           const Dataset& data,
                           const NuSvcOptions& options) {
  return verify_nu_svc(kept.classifier(),
                       data,
                       {.nu = options.nu, .class_weights = options.class_weights},
                       options.control.context);
}

}  // namespace

void add_kernel_classifiers(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<SvcOptions>>(
      LearnerInfo{.name = "svc",
                  .summary = "support vector machine: (squared) hinge loss, any kernel",
                  .task = Task::classify,
                  .formula = "min 1/2 |w|^2 + C sum_i max(0, 1 - y_i (w.phi(x_i) + b))^p",
                  .page = "docs/algorithms/smo.md",
                  .example = "builtin:iris",
                  .class_name = "SVC",
                  .has_margin_bounds = true},
      SupervisedFunctions<SvcOptions>{fit_svc, fit_svc_path, certify_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<NuSvcOptions>>(
      LearnerInfo{
          .name = "nu-svc",
          .summary = "kernel machine by the share of margin errors, without C",
          .task = Task::classify,
          .formula = "min 1/2 |w|^2 - nu rho + 1/n sum_i max(0, rho - y_i (w.phi(x_i) + b))",
          .page = "docs/algorithms/smo.md",
          .example = "builtin:iris",
          .class_name = "NuSVC"},
      SupervisedFunctions<NuSvcOptions>{fit_nu_svc, nullptr, certify_nu_svc},
      true));
}

}  // namespace maxmargin::learning
