// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"
#include "model/describe.hpp"
#include "model/semi/search.hpp"

/// From data with unlabelled rows to machines, for every learner that searches signs.
namespace maxmargin {

/// The data after its checks.
struct SemiTask {
  /// Of the labelled rows; -1 for unlabelled ones.
  Classes classes = {};
  /// Example weight, of labelled rows times the class weight. One a row.
  std::vector<double> weights = {};
  std::vector<std::size_t> labelled = {};
  std::vector<std::size_t> unlabelled = {};
};
/// Throws InvalidArgument as train_tsvm says.
[[nodiscard]] SemiTask semi_task(const Dataset& data, const ClassWeights& class_weights);

/// What the learners have in common.
struct SemiTerms {
  double c = 1;
  const Kernel& kernel;
  SemiSolver solver = SemiSolver::automatic;
  const ClassWeights& class_weights;
  /// Hold the mean of f over the unlabelled rows at the mean sign of the labelled ones.
  bool hold_mean = false;
  const TrainingControl& control;
};
/// Options C, unlabeled-cost, those of the kernel, and solver.
void describe_semi(OptionVisitor& visit,
                   double& c,
                   std::optional<double>& unlabelled_c,
                   KernelChoice& kernel,
                   bool& allow_indefinite,
                   SemiSolver& solver);
/// Option balance, how far class sizes may be from the shares of the labelled rows.
void describe_balance(OptionVisitor& visit, std::optional<double>& balance);
/// Of both relaxations: C, those of the kernel and balance; then bias, restarts and those of the
/// control.
template <class Options>
void describe_relaxed_first(OptionVisitor& visit, Options& options) {
  describe_cost(visit, options.c);
  describe_semidefinite_kernel(visit, options.kernel, "tsvm and s3vm-cccp");
  describe_balance(visit, options.balance);
}
template <class Options>
void describe_relaxed_last(OptionVisitor& visit, Options& options) {
  describe_bias(visit, options.bias);
  describe_roundings(visit, options.restarts);
  options.control.describe(visit, "2000");
}

/// The rule for a function whose labelled rows are positive to this share.
using RuleOfFunction = std::function<SemiRule(double positive_share, std::size_t unlabelled)>;

[[nodiscard]] TrainedSemiSupervised train_semi_supervised(const Dataset& data,
                                                          const SemiTerms& terms,
                                                          const RuleOfFunction& rule_of);

}  // namespace maxmargin
