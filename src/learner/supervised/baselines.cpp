// SPDX-License-Identifier: Apache-2.0
//
// Classifiers to compare with: lp-svc, lda and perceptron.
#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/kernel/lp_svc.hpp"
#include "maxmargin/model/linear/perceptron.hpp"
#include "maxmargin/model/projection/lda.hpp"
#include "model/verify/linear.hpp"

namespace maxmargin::learning {

namespace {

Fit fit_lp_svc(const Dataset& data, const LpSvcOptions& options, const FitInput& /*input*/) {
  return fit_of(train_lp_svc(data, options));
}

Certificate certify_lp_svc(const KeptMachine& kept,
                           const Dataset& data,
                           const LpSvcOptions& options) {
  return verify_lp_svc(kept.classifier(), kept.dual(data), data, options);
}

Fit fit_lda(const Dataset& data, const LdaOptions& options, const FitInput& /*input*/) {
  TrainedLda trained = train_lda(data, options);
  const std::vector<double> ratios = std::move(trained.ratios);
  Fit fit = fit_of(std::move(trained));
  if (!ratios.empty()) fit.metrics = {{"fisher_ratio", ratios.front()}};
  return fit;
}

Fit fit_perceptron(const Dataset& data,
                   const PerceptronOptions& options,
                   const FitInput& /*input*/) {
  // Its steps are passes: what was asked for stands over the default, larger or not.
  PerceptronOptions used = options;
  used.passes = options.control.max_iterations.value_or(options.passes);
  return fit_of(train_perceptron(data, used));
}

}  // namespace

void add_baselines(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<LpSvcOptions>>(
      LearnerInfo{
          .name = "lp-svc",
          .summary = "machine of least absolute coefficients, a linear program",
          .task = Task::classify,
          .formula = "min sum_j |u_j| + C sum_i max(0, 1 - y_i (sum_j u_j K(x_i, x_j) + b))",
          .page = "docs/algorithms/lp-svm.md",
          .example = "builtin:iris",
          .class_name = "LPSVC"},
      SupervisedFunctions<LpSvcOptions>{fit_lp_svc, nullptr, certify_lp_svc},
      true));
  list.push_back(std::make_unique<SupervisedEntry<LdaOptions>>(
      LearnerInfo{.name = "lda",
                  .summary = "Fisher's discriminant: Gaussian classes of one covariance",
                  .task = Task::classify,
                  .formula = "max over c of m_c' W^-1 (x - m_c / 2) + log(share of class c)",
                  .page = "docs/algorithms/lda.md",
                  .example = "builtin:iris",
                  .class_name = "LDA",
                  .ending = Ending::procedure},
      SupervisedFunctions<LdaOptions>{fit_lda},
      true));
  list.push_back(std::make_unique<SupervisedEntry<PerceptronOptions>>(
      LearnerInfo{.name = "perceptron",
                  .summary = "Rosenblatt's perceptron, a baseline",
                  .task = Task::classify,
                  .formula = "w <- w + y_i x_i wherever y_i w.x_i <= 0, until no row is wrong",
                  .page = "docs/algorithms/perceptron.md",
                  .example = "builtin:iris",
                  .class_name = "Perceptron",
                  .ending = Ending::procedure},
      SupervisedFunctions<PerceptronOptions>{fit_perceptron},
      true));
}

}  // namespace maxmargin::learning
