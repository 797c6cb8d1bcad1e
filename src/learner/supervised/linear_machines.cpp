// SPDX-License-Identifier: Apache-2.0
//
// Machines solved on the features, and all classes in one problem: linear-svc, linear-svr, cs-svc.
#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/kernel/cs_svc.hpp"
#include "maxmargin/model/linear/svc.hpp"
#include "maxmargin/model/linear/svr.hpp"
#include "model/verify/linear.hpp"

namespace maxmargin {

namespace learning {

namespace {

Fit fit_linear_svc(const Dataset& data,
                   const LinearSvcOptions& options,
                   const FitInput& /*input*/) {
  return fit_of(train_linear_svc(data, options));
}

std::vector<Fit> fit_linear_svc_path(const Dataset& data,
                                     const LinearSvcOptions& options,
                                     const FitInput& /*input*/,
                                     std::span<const double> c_values) {
  std::vector<Fit> fits;
  for (TrainedClassifier& trained : train_linear_path(data, options, c_values)) {
    fits.push_back(fit_of(std::move(trained)));
  }
  return fits;
}

Certificate certify_linear_svc(const KeptMachine& kept,
                               const Dataset& data,
                               const LinearSvcOptions& options) {
  return verify_linear_svc(kept.classifier(), kept.dual(data), data, options);
}

Fit fit_linear_svr(const Dataset& data,
                   const LinearSvrOptions& options,
                   const FitInput& /*input*/) {
  return fit_of(train_linear_svr(data, options));
}

Certificate certify_linear_svr(const KeptMachine& kept,
                               const Dataset& data,
                               const LinearSvrOptions& options) {
  return verify_linear_svr(kept.regressor(), kept.dual(data), data, options);
}

Fit fit_cs_svc(const Dataset& data, const CsSvcOptions& options, const FitInput& input) {
  refuse_negative_eigenvalue(options.kernel, input, ", cs-svc needs a kernel that is");
  return fit_of(train_cs_svc(data, options));
}

Certificate certify_cs_svc(const KeptMachine& kept,
                           const Dataset& data,
                           const CsSvcOptions& options) {
  // A kernel machine holds its dual point.
  const bool holds_dual = std::holds_alternative<KernelExpansion>(kept.classifier().functions);
  return verify_cs_svc(
      kept.classifier(), holds_dual ? DualPoint{} : kept.dual(data), data, options);
}

using CsSvcEntry = SupervisedEntry<CsSvcOptions>;

std::unique_ptr<const CsSvcEntry> cs_svc_with(KernelChoice kernel) {
  return std::make_unique<const CsSvcEntry>(
      LearnerInfo{.name = "cs-svc",
                  .summary = "all classes in one problem (Crammer and Singer)",
                  .task = Task::classify,
                  .formula = "min 1/2 sum_r |w_r|^2 + C sum_i max_r ([r != y_i] + (w_r - "
                             "w_(y_i)).phi(x_i))",
                  .page = "docs/algorithms/crammer-singer.md",
                  .example = "builtin:iris",
                  .class_name = "CrammerSingerSVC"},
      SupervisedFunctions<CsSvcOptions>{fit_cs_svc, nullptr, certify_cs_svc},
      true,
      CsSvcOptions{.kernel = std::move(kernel)});
}

}  // namespace

void add_linear_machines(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<LinearSvcOptions>>(
      LearnerInfo{.name = "linear-svc",
                  .summary = "linear machine: hinge, squared hinge or logistic loss",
                  .task = Task::classify,
                  .formula = "min 1/2 |w|^2 (or |w|_1) + C sum_i loss(y_i w.x_i)",
                  .page = "docs/algorithms/dual-coordinate-descent.md",
                  .example = "builtin:iris",
                  .class_name = "LinearSVC",
                  .has_margin_bounds = true},
      SupervisedFunctions<LinearSvcOptions>{
          fit_linear_svc, fit_linear_svc_path, certify_linear_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<LinearSvrOptions>>(
      LearnerInfo{.name = "linear-svr",
                  .summary = "linear regression with an insensitive tube",
                  .task = Task::regress,
                  .formula = "min 1/2 |w|^2 + C sum_i max(0, |w.x_i - y_i| - epsilon)^p",
                  .page = "docs/algorithms/dual-coordinate-descent.md",
                  .example = "builtin:moons",
                  .class_name = "LinearSVR"},
      SupervisedFunctions<LinearSvrOptions>{fit_linear_svr, nullptr, certify_linear_svr},
      false));
  list.push_back(cs_svc_with({}));
}

}  // namespace learning

const Learner& effective_learner(const Learner& learner, const OptionTexts& options) {
  const bool is_linear = learner.info().name == "linear-svc";
  if (!is_linear && learner.info().name != "svc") return learner;
  bool is_direct = false;
  for (const auto& [name, text] : options) {
    if (name == "multiclass") is_direct = text == "direct";
  }
  if (!is_direct) return learner;
  refuse_unknown_options(
      options, learner.options(), "the learner " + std::string(learner.info().name));
  static const std::unique_ptr<const Learner> on_kernels = learning::cs_svc_with({});
  static const std::unique_ptr<const Learner> on_features = learning::cs_svc_with(Linear{});
  const Learner& direct = is_linear ? *on_features : *on_kernels;
  // In the words that were typed: nobody asked for the other learner by its name.
  refuse_unknown_options(
      options, direct.options(), std::string(learner.info().name) + " with --multiclass direct");
  return direct;
}

}  // namespace maxmargin
