// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"

/// The transductive machine of Joachims: docs/algorithms/s3vm.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT TsvmOptions {
  /// Cost of a labelled row's loss; finite and > 0.
  double c = 100;
  /// Cost of an unlabelled row's loss at the end, finite and >= 0; unset: c. 0 is the supervised
  /// machine.
  std::optional<double> unlabelled_c = std::nullopt;
  KernelChoice kernel = Linear{};
  SemiSolver solver = SemiSolver::automatic;
  /// F: of the u unlabelled rows between (1-F) p u and (1+F) p u, rounded outwards, get a sign, p
  /// being its share of the labelled rows; this for both signs. In [0, 1). Unset: any number may.
  std::optional<double> balance = 0.1;
  /// Of labelled rows.
  ClassWeights class_weights = {};
  bool allow_indefinite = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Looks for labels of the unlabelled rows and a machine that minimise
///
///   1/2 |w|^2 + C sum over labelled rows of the hinge + C* sum over unlabelled rows of the hinge
///
/// by exchanging labels and training again while C* doubles from 1e-5 of its value. Several
/// classes: one machine a class against the rest. Example weights scale both costs.
///
/// Throws InvalidArgument, naming the source, without rows, without a labelled or without an
/// unlabelled row, with one class among the labels, and as train_svc does.
[[nodiscard]] MAXMARGIN_EXPORT TrainedSemiSupervised train_tsvm(const Dataset& data,
                                                                const TsvmOptions& options = {});

}  // namespace maxmargin
