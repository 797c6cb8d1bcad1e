// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "learner/supervised/semi_answer.hpp"
#include "maxmargin/model/semi/multiclass_s3vm.hpp"
#include "maxmargin/model/semi/s3vm.hpp"

/// Options of learners from unlabelled rows: those of the machines and what is done with them.
namespace maxmargin::learning {

/// Options of a machine, and `safe`.
template <class Options>
struct SafeOptions : Options {
  /// Return the supervised machine if cross-validation says that unlabelled rows do not help.
  bool safe = false;

  void describe(OptionVisitor& visit) {
    Options::describe(visit);
    describe_safe(visit, safe);
  }
};

/// s3vm: one machine a class against the rest, or all classes at once.
struct S3vmLearnerOptions {
  double c = 100;
  KernelChoice kernel = Linear{};
  std::optional<double> balance = 0.1;
  /// Unset: total, of `direct` rows.
  std::optional<LabelBalance> balance_form = std::nullopt;
  KernelBias bias = KernelBias::center;
  std::size_t restarts = 20;
  /// One_vs_rest or direct.
  MulticlassKind multiclass = MulticlassKind::one_vs_rest;
  bool safe = false;
  TrainingControl control = {};

  void describe(OptionVisitor& visit);
  [[nodiscard]] bool is_direct() const { return multiclass == MulticlassKind::direct; }
  [[nodiscard]] LabelBalance balance_form_used() const {
    return balance_form.value_or(is_direct() ? LabelBalance::rows : LabelBalance::total);
  }
  /// Of either form.
  [[nodiscard]] S3vmOptions one_vs_rest() const;
  [[nodiscard]] MulticlassS3vmOptions direct() const;
};

}  // namespace maxmargin::learning
