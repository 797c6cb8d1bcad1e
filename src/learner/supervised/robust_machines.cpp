// SPDX-License-Identifier: Apache-2.0
//
// Classifiers for data with outliers: ramp-svc, linear-ramp-svc, trimmed-svc, centroid-svc and
// loo-svc.
#include <algorithm>

#include "learner/supervised/report_values.hpp"
#include "learner/supervised/robust_answer.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/robust/centroid_svc.hpp"
#include "maxmargin/model/robust/loo_svc.hpp"
#include "maxmargin/model/robust/ramp_svc.hpp"
#include "model/verify/robust.hpp"

namespace maxmargin::learning {

/// Found in place of the template: --allow-indefinite does not help the direct machine, so it is
/// refused in words of its own.
static void prepare(RampSvcOptions& options, const Dataset& rows, const FitInput& input) {
  if (options.multiclass == MulticlassKind::direct) {
    refuse_negative_eigenvalue(options.kernel, input, ", --multiclass direct needs one that is");
  }
  prepare<RampSvcOptions>(options, rows, input);
}

namespace {

/// Dual points of a function: one of its outliers, and the stages of the lower bound.
std::size_t points_of(std::optional<std::size_t> bound_rounds) {
  return 1 + std::max<std::size_t>(1, bound_rounds.value_or(0));
}

Fit fit_ramp_svc(const Dataset& data, const RampSvcOptions& options, const FitInput& /*input*/) {
  TrainedRobustClassifier trained = train_ramp_svc(data, options);
  ReportFields used = {{"solver", std::string(to_string(options.step_used()))},
                       {"restarts", whole(trained.starts)},
                       {"bound_rounds", whole(trained.bound_rounds)}};
  Fit fit = robust_fit(std::move(trained));
  fit.used = std::move(used);
  return fit;
}

Certificate certify_ramp_svc(const KeptMachine& kept,
                             const Dataset& data,
                             const RampSvcOptions& options) {
  const DualPoint dual = kept.dual(data, points_of(options.bound_rounds));
  return verify_ramp_svc(kept.classifier(), dual, data, options);
}

Fit fit_linear_ramp_svc(const Dataset& data,
                        const LinearRampSvcOptions& options,
                        const FitInput& /*input*/) {
  TrainedRobustClassifier trained = train_linear_ramp_svc(data, options);
  ReportFields used = {{"restarts", whole(trained.starts)},
                       {"bound_rounds", whole(trained.bound_rounds)}};
  Fit fit = robust_fit(std::move(trained));
  fit.used = std::move(used);
  return fit;
}

Certificate certify_linear_ramp_svc(const KeptMachine& kept,
                                    const Dataset& data,
                                    const LinearRampSvcOptions& options) {
  const DualPoint dual = kept.dual(data, points_of(options.bound_rounds));
  return verify_linear_ramp_svc(kept.classifier(), dual, data, options);
}

Fit fit_trimmed_svc(const Dataset& data,
                    const TrimmedSvcOptions& options,
                    const FitInput& /*input*/) {
  TrainedRobustClassifier trained = train_trimmed_svc(data, options);
  ReportFields used = {{"restarts", whole(trained.starts)}};
  Fit fit = robust_fit(std::move(trained));
  fit.used = std::move(used);
  return fit;
}

Certificate certify_trimmed_svc(const KeptMachine& kept,
                                const Dataset& data,
                                const TrimmedSvcOptions& options) {
  return verify_trimmed_svc(kept.classifier(), kept.dual(data), data, options);
}

Fit fit_centroid_svc(const Dataset& data,
                     const CentroidSvcOptions& options,
                     const FitInput& /*input*/) {
  TrainedCentroidClassifier trained = train_centroid_svc(data, options);
  Fit fit = fit_of(std::move(static_cast<TrainedClassifier&>(trained)));
  fit.used = {{"lambda", trained.lambda}};
  return fit;
}

Certificate certify_centroid_svc(const KeptMachine& kept,
                                 const Dataset& data,
                                 const CentroidSvcOptions& options) {
  return verify_centroid_svc(kept.classifier(), data, options);
}

Fit fit_loo_svc(const Dataset& data, const LooSvcOptions& options, const FitInput& /*input*/) {
  TrainedLooClassifier trained = train_loo_svc(data, options);
  Fit fit = fit_of(std::move(static_cast<TrainedClassifier&>(trained)));
  fit.metrics = {{"left_out_error", trained.left_out_error}};
  return fit;
}

Certificate certify_loo_svc(const KeptMachine& kept,
                            const Dataset& data,
                            const LooSvcOptions& options) {
  return verify_loo_svc(kept.classifier(), kept.dual(data), data, options);
}

constexpr std::string_view page = "docs/algorithms/robust.md";
constexpr std::string_view example = "builtin:ring-outliers";

}  // namespace

void add_robust_machines(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<RampSvcOptions>>(
      LearnerInfo{.name = "ramp-svc",
                  .summary = "kernel machine whose loss stops growing; names the outliers",
                  .task = Task::classify,
                  .formula = "min 1/2 |w|^2 + C sum_i min(1 - s, max(0, 1 - y_i f(x_i)))",
                  .page = page,
                  .example = example,
                  .class_name = "RampSVC",
                  .ending = Ending::search},
      SupervisedFunctions<RampSvcOptions>{fit_ramp_svc, nullptr, certify_ramp_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<LinearRampSvcOptions>>(
      LearnerInfo{.name = "linear-ramp-svc",
                  .summary = "ramp-svc for linear functions of many examples",
                  .task = Task::classify,
                  .formula = "min 1/2 |w|^2 + C sum_i min(1 - s, max(0, 1 - y_i (w.x_i + b)))",
                  .page = page,
                  .example = example,
                  .class_name = "LinearRampSVC",
                  .ending = Ending::search},
      SupervisedFunctions<LinearRampSvcOptions>{
          fit_linear_ramp_svc, nullptr, certify_linear_ramp_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<TrimmedSvcOptions>>(
      LearnerInfo{
          .name = "trimmed-svc",
          .summary = "kernel machine of the share rho of the rows that fits best",
          .task = Task::classify,
          .formula = "min 1/2 |w|^2 + C sum_i eta_i max(0, 1 - y_i f(x_i)), sum_i eta_i >= rho n",
          .page = page,
          .example = example,
          .class_name = "TrimmedSVC",
          .ending = Ending::search},
      SupervisedFunctions<TrimmedSvcOptions>{fit_trimmed_svc, nullptr, certify_trimmed_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<CentroidSvcOptions>>(
      LearnerInfo{
          .name = "centroid-svc",
          .summary = "kernel machine that asks less of rows far from the centre",
          .task = Task::classify,
          .formula =
              "min 1/2 |w|^2 + C sum_i max(0, 1 - lambda |phi(x_i) - centre|^2 - y_i f(x_i))",
          .page = page,
          .example = example,
          .class_name = "CentroidSVC"},
      SupervisedFunctions<CentroidSvcOptions>{fit_centroid_svc, nullptr, certify_centroid_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<LooSvcOptions>>(
      LearnerInfo{
          .name = "loo-svc",
          .summary = "leave-one-out and adaptive margins, a linear program",
          .task = Task::classify,
          .formula = "min sum_j a_j |K_jj| + C sum_i max(0, 1 - y_i f(x_i) + lambda a_i K_ii)",
          .page = page,
          .example = example,
          .class_name = "LooSVC"},
      SupervisedFunctions<LooSvcOptions>{fit_loo_svc, nullptr, certify_loo_svc},
      true));
}

}  // namespace maxmargin::learning
