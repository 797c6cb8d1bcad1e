// SPDX-License-Identifier: Apache-2.0
//
// Machines that learn from unlabelled rows too, by sequences of trainings: tsvm and s3vm-cccp.
#include <string>

#include "learner/supervised/semi_answer.hpp"
#include "learner/supervised/semi_options.hpp"
#include "learner/supervised/supervised.hpp"
#include "maxmargin/model/semi/s3vm_cccp.hpp"
#include "maxmargin/model/semi/tsvm.hpp"
#include "model/verify/semi.hpp"

namespace maxmargin::learning {

namespace {

using TsvmLearnerOptions = SafeOptions<TsvmOptions>;
using S3vmCccpLearnerOptions = SafeOptions<S3vmCccpOptions>;

/// Trains by `train`; what was left to the data stands in `used`.
template <class Options, class Machine>
Fit fit_sequence(const Dataset& data,
                 const SafeOptions<Options>& options,
                 const FitInput& input,
                 const Machine& train) {
  Options machine = options;
  // Folds are trained as all rows are.
  machine.solver = resolve_solver(options.solver, options.kernel.kernel(), data.size());
  Fit fit = fit_semi(data,
                     input,
                     options.control,
                     options.safe,
                     [&](const Dataset& rows, const TrainingControl& control) {
                       Options here = machine;
                       here.control = control;
                       return train(rows, here);
                     });
  fit.used = {{"multiclass", std::string(to_string(MulticlassKind::one_vs_rest))},
              {"unlabeled_cost", options.unlabelled_c.value_or(options.c)},
              {"solver", std::string(to_string(machine.solver))}};
  return fit;
}

/// The options that state the problem; the supervised machine, which --safe may return, pays
/// nothing for unlabelled rows.
template <class Options>
Options stated(const KeptMachine& kept, const SafeOptions<Options>& options) {
  Options machine = options;
  if (is_supervised(kept)) machine.unlabelled_c = 0;
  return machine;
}

Fit fit_tsvm(const Dataset& data, const TsvmLearnerOptions& options, const FitInput& input) {
  return fit_sequence(data, options, input, train_tsvm);
}

Certificate certify_tsvm(const KeptMachine& kept,
                         const Dataset& data,
                         const TsvmLearnerOptions& options) {
  TsvmOptions machine = stated(kept, options);
  read_kept_balance(kept, machine);
  return verify_tsvm(kept.classifier(), kept.dual(data), data, machine);
}

Fit fit_s3vm_cccp(const Dataset& data,
                  const S3vmCccpLearnerOptions& options,
                  const FitInput& input) {
  return fit_sequence(data, options, input, train_s3vm_cccp);
}

Certificate certify_s3vm_cccp(const KeptMachine& kept,
                              const Dataset& data,
                              const S3vmCccpLearnerOptions& options) {
  return verify_s3vm_cccp(kept.classifier(), kept.dual(data), data, stated(kept, options));
}

constexpr std::string_view page = "docs/algorithms/s3vm.md";

}  // namespace

void add_semi_supervised(LearnerList& list) {
  list.push_back(std::make_unique<SupervisedEntry<TsvmLearnerOptions>>(
      LearnerInfo{
          .name = "tsvm",
          .summary = "transductive: labels the rows without (?) by exchanges",
          .task = Task::classify,
          .formula =
              "min 1/2 |w|^2 + C sum_i max(0, 1 - y_i f_i) + C* min_s sum_j max(0, 1 - s_j f_j)",
          .page = page,
          .example = "builtin:few-labels",
          .class_name = "TSVM",
          .learns_from_unlabelled = true,
          .ending = Ending::search},
      SupervisedFunctions<TsvmLearnerOptions>{fit_tsvm, nullptr, certify_tsvm},
      false));
  list.push_back(std::make_unique<SupervisedEntry<S3vmCccpLearnerOptions>>(
      LearnerInfo{
          .name = "s3vm-cccp",
          .summary = "semi-supervised: symmetric ramp on rows ?, convex steps",
          .task = Task::classify,
          .formula = "min 1/2 |w|^2 + C sum_i max(0, 1 - y_i f_i) + C* sum_j min(1 + r, max(0, 1 - "
                     "|f_j|))",
          .page = page,
          .example = "builtin:few-labels",
          .class_name = "S3VMCCCP",
          .learns_from_unlabelled = true,
          .ending = Ending::search},
      SupervisedFunctions<S3vmCccpLearnerOptions>{fit_s3vm_cccp, nullptr, certify_s3vm_cccp},
      false));
}

}  // namespace maxmargin::learning
