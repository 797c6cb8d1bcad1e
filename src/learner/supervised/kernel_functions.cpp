// SPDX-License-Identifier: Apache-2.0
//
// Kernel machines with a real answer: svr, nu-svr, one-class and svdd.
#include <algorithm>
#include <cmath>

#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/kernel/svr.hpp"
#include "model/verify/verify.hpp"

namespace maxmargin::learning {

namespace {

Fit fit_svr(const Dataset& data, const SvrOptions& options, const FitInput& /*input*/) {
  return fit_of(train_svr(data, options));
}

Certificate certify_svr(const KeptMachine& kept, const Dataset& data, const SvrOptions& options) {
  return verify_svr(kept.regressor(),
                    data,
                    {.c = options.c, .bias = options.bias, .epsilon = options.epsilon},
                    options.machine.control.context);
}

Fit fit_nu_svr(const Dataset& data, const NuSvrOptions& options, const FitInput& /*input*/) {
  TrainedNuSvr trained = train_nu_svr(data, options);
  Fit fit = fit_of(std::move(trained.fit));
  fit.metrics = {{"tube", trained.epsilon}};
  return fit;
}

Certificate certify_nu_svr(const KeptMachine& kept,
                           const Dataset& data,
                           const NuSvrOptions& options) {
  MachineTerms terms{.c = options.c, .nu = options.nu};
  terms.epsilon = kept.found("tube").value_or(terms.epsilon);
  return verify_nu_svr(kept.regressor(), data, terms, options.machine.control.context);
}

Fit fit_one_class(const Dataset& data, const OneClassOptions& options, const FitInput& /*input*/) {
  return fit_of(train_one_class(data, options));
}

Certificate certify_one_class(const KeptMachine& kept,
                              const Dataset& data,
                              const OneClassOptions& options) {
  return verify_one_class(
      kept.regressor(), data, {.nu = options.nu}, options.machine.control.context);
}

Fit fit_svdd(const Dataset& data, const SvddOptions& options, const FitInput& /*input*/) {
  TrainedSvdd trained = train_svdd(data, options);
  Fit fit = fit_of(std::move(trained.fit));
  fit.metrics = {{"radius", std::sqrt(std::max(0.0, trained.squared_radius))}};
  return fit;
}

Certificate certify_svdd(const KeptMachine& kept, const Dataset& data, const SvddOptions& options) {
  return verify_svdd(kept.regressor(), data, {.nu = options.nu}, options.machine.control.context);
}

constexpr std::string_view page = "docs/algorithms/smo.md";

}  // namespace

void add_kernel_functions(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<SvrOptions>>(
      LearnerInfo{.name = "svr",
                  .summary = "kernel regression with a tube of half width epsilon",
                  .task = Task::regress,
                  .formula = "min 1/2 |w|^2 + C sum_i max(0, |w.phi(x_i) + b - y_i| - epsilon)",
                  .page = page,
                  .example = "builtin:moons",
                  .class_name = "SVR"},
      SupervisedFunctions<SvrOptions>{fit_svr, nullptr, certify_svr},
      false));
  list.push_back(std::make_unique<SupervisedEntry<NuSvrOptions>>(
      LearnerInfo{.name = "nu-svr",
                  .summary = "kernel regression whose tube leaves a share nu outside",
                  .task = Task::regress,
                  .formula = "min 1/2 |w|^2 + C (nu n e + sum_i max(0, |w.phi(x_i) + b - y_i| - "
                             "e)) over e >= 0",
                  .page = page,
                  .example = "builtin:moons",
                  .class_name = "NuSVR"},
      SupervisedFunctions<NuSvrOptions>{fit_nu_svr, nullptr, certify_nu_svr},
      false));
  list.push_back(std::make_unique<SupervisedEntry<OneClassOptions>>(
      LearnerInfo{.name = "one-class",
                  .summary = "where the data lie: 1 inside, -1 for a share nu outside",
                  .task = Task::detect,
                  .formula = "min 1/2 |w|^2 - rho + 1/(nu n) sum_i max(0, rho - w.phi(x_i))",
                  .page = page,
                  .example = "builtin:iris",
                  .class_name = "OneClassSVM"},
      SupervisedFunctions<OneClassOptions>{fit_one_class, nullptr, certify_one_class},
      false));
  list.push_back(std::make_unique<SupervisedEntry<SvddOptions>>(
      LearnerInfo{.name = "svdd",
                  .summary = "least sphere in feature space, a share nu outside",
                  .task = Task::detect,
                  .formula = "min r^2 + 1/(nu n) sum_i max(0, |phi(x_i) - a|^2 - r^2)",
                  .page = page,
                  .example = "builtin:iris",
                  .class_name = "SVDD"},
      SupervisedFunctions<SvddOptions>{fit_svdd, nullptr, certify_svdd},
      false));
}

}  // namespace maxmargin::learning
