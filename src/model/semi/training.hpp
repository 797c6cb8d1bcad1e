// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/kernel.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"
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
/// Throws InvalidArgument naming the field of the options type `type`.
void validate_semi_fields(std::string_view type,
                          double c,
                          const std::optional<double>& unlabelled_c,
                          const Kernel& kernel,
                          bool allow_indefinite,
                          SemiSolver solver,
                          const TrainingControl& control);

/// The rule for a function whose labelled rows are positive to this share.
using RuleOfFunction = std::function<SemiRule(double positive_share, std::size_t unlabelled)>;

[[nodiscard]] TrainedSemiSupervised train_semi_supervised(const Dataset& data,
                                                          const SemiTerms& terms,
                                                          const RuleOfFunction& rule_of);

}  // namespace maxmargin
