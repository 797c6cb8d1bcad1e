// SPDX-License-Identifier: Apache-2.0
//
// Classifiers for data with outliers by convex relaxation: robust-svc and outlier-svc.
#include <string>
#include <utility>

#include "learner/supervised/robust_answer.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/model/robust/robust_svc.hpp"
#include "model/verify/robust.hpp"

namespace maxmargin::learning {

namespace {

constexpr const char* kernel_advice =
    ", the relaxation needs a kernel that is; ramp-svc and trimmed-svc take it with "
    "--allow-indefinite";

Fit fit_robust_svc(const Dataset& data, const RobustSvcOptions& options, const FitInput& input) {
  refuse_negative_eigenvalue(options.kernel, input, kernel_advice);
  return relaxed_fit(train_robust_svc(data, options), data, input);
}

Certificate certify_robust_svc(const KeptMachine& kept,
                               const Dataset& data,
                               const RobustSvcOptions& options) {
  const DualPoint dual = kept.dual(data, relaxation_vectors);
  return verify_robust_svc(kept.classifier(), dual, data, options);
}

Fit fit_outlier_svc(const Dataset& data, const OutlierSvcOptions& options, const FitInput& input) {
  refuse_negative_eigenvalue(options.kernel, input, kernel_advice);
  TrainedRelaxedClassifier trained = train_outlier_svc(data, options);
  const double rho = trained.rho;
  if (!options.rho && !input.is_part && rho < 1) {
    trained.report.warnings.push_back(
        "--rho auto: " + format_number(rho) +
        " is the least that the data let keep, often far less than what is right; compare with "
        "tune --grid rho=...");
  }
  Fit fit = relaxed_fit(std::move(trained), data, input);
  fit.used = {{"rho", rho}};
  fit.facts = {{"rho_rule", options.rho ? "given" : "auto"}};
  return fit;
}

Certificate certify_outlier_svc(const KeptMachine& kept,
                                const Dataset& data,
                                const OutlierSvcOptions& options) {
  const DualPoint dual = kept.dual(data, relaxation_vectors);
  return verify_outlier_svc(kept.classifier(), dual, data, options);
}

constexpr std::string_view page = "docs/algorithms/robust.md";
constexpr std::string_view example = "builtin:ring-outliers";

}  // namespace

void add_relaxed_machines(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<RobustSvcOptions>>(
      LearnerInfo{.name = "robust-svc",
                  .summary = "ramp-svc's loss by convex relaxation (REH), with a bound",
                  .task = Task::classify,
                  .formula = "min 1/2 |w|^2 + C sum_i min(1, max(0, 1 - y_i w.phi(x_i)))",
                  .page = page,
                  .example = example,
                  .class_name = "RobustSVC",
                  .weighs_rows = true,
                  .ending = Ending::search},
      SupervisedFunctions<RobustSvcOptions>{fit_robust_svc, nullptr, certify_robust_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<OutlierSvcOptions>>(
      LearnerInfo{
          .name = "outlier-svc",
          .summary = "trimmed-svc's loss by convex relaxation (ROD), with a bound",
          .task = Task::classify,
          .formula =
              "min 1/2 |w|^2 + C sum_i eta_i max(0, 1 - y_i w.phi(x_i)), sum_i eta_i >= rho n",
          .page = page,
          .example = example,
          .class_name = "OutlierSVC",
          .weighs_rows = true,
          .ending = Ending::search},
      SupervisedFunctions<OutlierSvcOptions>{fit_outlier_svc, nullptr, certify_outlier_svc},
      true));
}

}  // namespace maxmargin::learning
