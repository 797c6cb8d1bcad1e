// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/linear_risk.hpp"
#include "maxmargin/solver/convex_method.hpp"

/// Linear machines that classify: docs/algorithms/dual-coordinate-descent.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT LinearSvcOptions {
  /// > 0 and finite.
  double c = 1;
  /// hinge, squared_hinge or logistic.
  LinearLoss loss = LinearLoss::hinge;
  /// l1 with squared_hinge alone.
  LinearPenalty penalty = LinearPenalty::l2;
  /// A feature of the value `bias_scale` in every row, its weight penalised like the others. The
  /// larger the value, the less the penalty holds the offset back and the slower the training.
  bool bias = true;
  double bias_scale = 1;  ///< > 0 and finite
  ClassWeights class_weights = {};
  MulticlassKind multiclass = MulticlassKind::one_vs_rest;
  /// The code of `ecoc`; unset: random_code.
  CodeChoice code = {};
  /// Stop at LIBLINEAR's eps instead of the relative gap; see LinearOptions.
  std::optional<double> kkt_tolerance = std::nullopt;
  ConvexMethod solver = ConvexMethod::automatic;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Trains the two-class machines of the code, several at a time; each is solved on one thread, so
/// the answer is the same for any number. Class weights and example weights scale C.
[[nodiscard]] MAXMARGIN_EXPORT TrainedClassifier
train_linear_svc(const Dataset& data, const LinearSvcOptions& options = {});

/// The same for several values of C (`options.c` is ignored), each machine begun from the value
/// before: cheapest when they ascend. One classifier a value, in their order; fewer when the
/// callback ended the run, but at least one. Throws InvalidArgument without values.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<TrainedClassifier> train_linear_path(
    const Dataset& data, const LinearSvcOptions& options, std::span<const double> cs);

}  // namespace maxmargin
