// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"

/// Rosenblatt's perceptron, a baseline: docs/algorithms/perceptron.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT PerceptronOptions {
  /// Passes over the data, >= 1. TrainingControl::max_iterations counts passes too; the smaller
  /// one holds.
  std::size_t passes = 1000;
  /// A constant feature of 1, so that the offset is learnt like a weight.
  bool bias = true;
  ClassWeights class_weights = {};
  /// Not `direct`.
  MulticlassKind multiclass = MulticlassKind::one_vs_rest;
  /// The code of `ecoc`; unset: random_code.
  CodeChoice code = {};
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Visits the examples in a new random order in each pass and adds weight x sign x example wherever
/// the sign is wrong or the value 0, until a pass is free of mistakes.
///
/// Such a pass separates the data (status solved) and proves bounds on the best margin, which the
/// report gives as objectives of the hard-margin machine, 1/2 |w|^2 with the offset among the
/// weights: `primal_objective` from the least margin of the answer, `dual_objective` from the
/// mistakes made on the way (Novikoff's theorem). The gap is not driven to 0. Without such a pass
/// the status is iteration_limit, the primal objective is empty, and `dual_objective` still bounds
/// that of any separating machine. MachineReport::support_vectors counts the examples that were
/// ever mistaken.
[[nodiscard]] MAXMARGIN_EXPORT TrainedClassifier
train_perceptron(const Dataset& data, const PerceptronOptions& options = {});

}  // namespace maxmargin
