// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"

/// Semi-supervised machines with the symmetric ramp, by the concave-convex procedure:
/// docs/algorithms/s3vm.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT S3vmCccpOptions {
  /// Cost of a labelled row's loss; finite and > 0.
  double c = 100;
  /// Cost of an unlabelled row's loss, finite and >= 0; unset: c.
  std::optional<double> unlabelled_c = std::nullopt;
  KernelChoice kernel = Linear{};
  SemiSolver solver = SemiSolver::automatic;
  /// Where the ramp ends, in (-1, 0]: an unlabelled row costs min(1 + ramp, max(0, 1 - |f|)). Below
  /// 0 rows near the boundary belong to neither side; 0 is the plain hat.
  double ramp = -0.3;
  /// Holds the mean of f over the unlabelled rows at the mean sign of the labelled ones.
  bool balance = true;
  /// Annealing of the unlabelled rows' cost: it doubles from 2^-10 of its value.
  bool continuation = false;
  /// Of labelled rows.
  ClassWeights class_weights = {};
  bool allow_indefinite = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Minimises
///
///   1/2 |w|^2 + C sum over labelled rows of the hinge
///             + C* sum over unlabelled rows of min(1 + ramp, max(0, 1 - |f|))
///
/// from the supervised machine down to a stationary point: every convex step lowers it. Classes,
/// weights and exceptions as in train_tsvm.
[[nodiscard]] MAXMARGIN_EXPORT TrainedSemiSupervised
train_s3vm_cccp(const Dataset& data, const S3vmCccpOptions& options = {});

}  // namespace maxmargin
