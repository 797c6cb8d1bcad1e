// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/training.hpp"

/// The direct multi-class machine of Crammer and Singer: docs/algorithms/crammer-singer.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT CsSvcOptions {
  /// Finite and > 0.
  double c = 1;
  /// The linear kernel is solved on the features, all others on the kernel matrix.
  KernelChoice kernel = Linear{};
  /// Value of a constant feature, finite and >= 0; 0: no bias. The bias is regularised.
  double bias = 1;
  ClassWeights class_weights = {};
  bool shrinking = true;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Minimises 1/2 sum_r |w_r|^2 + C sum_i max(0, max_r (1 - [r = y_i] + w_r.x_i) - w_(y_i).x_i).
/// Class weights and example weights scale C. One function a class, trained together; the report's
/// objectives are those of the model that is returned, with kernels in double. Throws
/// InvalidArgument for a kernel that is known not to be positive semidefinite.
[[nodiscard]] MAXMARGIN_EXPORT TrainedClassifier train_cs_svc(const Dataset& data,
                                                              const CsSvcOptions& options = {});

}  // namespace maxmargin
