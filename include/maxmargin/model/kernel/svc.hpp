// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/classifier.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/kernel_machines.hpp"
#include "maxmargin/solver/convex_method.hpp"

/// Kernel machines that classify: docs/algorithms/smo.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT SvcOptions {
  /// > 0; infinity is the hard margin.
  double c = 1;
  KernelChoice kernel = {};
  SlackPower slacks = SlackPower::one;
  bool bias = true;
  ClassWeights class_weights = {};
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  /// Of `ecoc`.
  CodeChoice code = {};
  bool shrinking = true;
  /// Stop at this KKT violation (LIBSVM's eps) instead of the relative gap.
  std::optional<double> kkt_tolerance = std::nullopt;
  ConvexMethod solver = ConvexMethod::automatic;
  /// Accept kernels that are known not to be positive semidefinite.
  bool allow_indefinite = false;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// C-SVC. Class weights and example weights scale C.
[[nodiscard]] MAXMARGIN_EXPORT TrainedClassifier train_svc(const Dataset& data,
                                                           const SvcOptions& options = {});

/// The same for several values of C in rising order; options.c is ignored. Kernel rows are shared
/// and every problem starts from the one before.
[[nodiscard]] MAXMARGIN_EXPORT std::vector<TrainedClassifier> train_svc_path(
    const Dataset& data, const SvcOptions& options, std::span<const double> c_values);

struct MAXMARGIN_EXPORT NuSvcOptions {
  /// In (0, 1]: at most this share of margin errors, at least this share of support vectors.
  double nu = 0.5;
  KernelChoice kernel = {};
  ClassWeights class_weights = {};
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  CodeChoice code = {};
  bool shrinking = true;
  std::optional<double> kkt_tolerance = std::nullopt;
  ConvexMethod solver = ConvexMethod::automatic;
  bool allow_indefinite = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// nu-SVC. Throws InvalidArgument when nu is too large for the balance of the classes, with the
/// largest nu that is not.
[[nodiscard]] MAXMARGIN_EXPORT TrainedClassifier train_nu_svc(const Dataset& data,
                                                              const NuSvcOptions& options = {});

}  // namespace maxmargin
