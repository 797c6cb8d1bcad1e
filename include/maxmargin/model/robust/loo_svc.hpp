// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"

/// The leave-one-out machine and the adaptive margin machine: docs/algorithms/robust.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT LooSvcOptions {
  /// > 0, at most 1e15, or infinity. From some value on the answer minimises the slacks alone, and
  /// among all that do, the penalty.
  double c = 1;
  /// Any kernel: it need not be positive semidefinite.
  KernelChoice kernel = {};
  /// The share of an example's own kernel value that its margin must do without, finite and >= 0.
  /// 1: leave-one-out. Others: the adaptive margin machine; 0 asks for plain margins.
  double lambda = 1;
  bool bias = true;
  ClassWeights class_weights = {};
  /// Not `direct`.
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  /// The code of `ecoc`; unset: random_code.
  CodeChoice code = {};
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

struct TrainedLooClassifier : TrainedClassifier {
  /// Share of the training rows that are classified wrongly once their own terms are taken out of
  /// the functions.
  double left_out_error = 0;
};

/// Minimises sum_j a_j |K_jj| + C sum_i weight_i xi_i over a, xi >= 0 and the offset b subject to
/// y_i (sum_j a_j y_j K_ij + b) - lambda a_i K_ii >= 1 - xi_i, by linear programming (a K_jj of 0
/// counts 1 in the penalty). The function is sum_j a_j y_j K(x_j, .) + b. The report carries primal
/// and dual objective as that of train_lp_svc does, and the memory is the same. An example of
/// weight 0 is as good as absent.
[[nodiscard]] MAXMARGIN_EXPORT TrainedLooClassifier
train_loo_svc(const Dataset& data, const LooSvcOptions& options = {});

}  // namespace maxmargin
