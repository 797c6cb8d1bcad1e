// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/lp_svm.hpp"

/// Classifiers by linear programming: docs/algorithms/lp-svm.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT LpSvcOptions {
  /// > 0, at most 1e15; infinity asks for a margin of 1 on every example.
  double c = 1;
  /// Any kernel: it need not be positive semidefinite.
  KernelChoice kernel = {};
  LpSvmForm form = LpSvmForm::slides;
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

/// Trains one linear program a function of the code, one after the other. Weights of classes and
/// examples scale C; an example of weight 0 is as good as absent. The report carries primal and
/// dual objective, recomputed from the function and from multipliers made feasible. A function
/// whose classes no expansion separates with C = infinity is the constant of its heavier side and
/// has the status primal_infeasible. MachineReport::bounded stays 0: coefficients have no upper
/// bound.
///
/// Memory: about 8 n^2 bytes and 64 bytes times the square of the largest problem; throws
/// InvalidArgument when that is above the memory limit.
[[nodiscard]] MAXMARGIN_EXPORT TrainedClassifier train_lp_svc(const Dataset& data,
                                                              const LpSvcOptions& options = {});

}  // namespace maxmargin
