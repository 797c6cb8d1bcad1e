// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/export.hpp"
#include "maxmargin/core/names.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/output_code.hpp"
#include "maxmargin/model/robust/robust.hpp"
#include "maxmargin/model/training.hpp"

/// Machines whose loss stops growing, so that a far outlier costs no more than a near one:
/// docs/algorithms/robust.md.
namespace maxmargin {

/// The convex problem that stands for the loss of an example beyond the ramp.
enum class RampStep {
  cccp,        ///< the tangent of the concave part: such an example may not pull, only push back
  alternating  ///< such an example is left out until the next round
};
template <>
inline constexpr auto names_of<RampStep> =
    name_table<RampStep>({{"cccp", RampStep::cccp}, {"alternating", RampStep::alternating}});

struct MAXMARGIN_EXPORT RampSvcOptions {
  /// Finite and > 0.
  double c = 1;
  KernelChoice kernel = {};
  /// The loss is min(1 - s, hinge): flat at margins below s. Finite and < 1.
  double s = 0;
  /// Unset: cccp, of `direct` alternating.
  std::optional<RampStep> step = std::nullopt;
  bool bias = true;
  ClassWeights class_weights = {};
  /// `direct` caps the loss of Crammer and Singer; its steps are `alternating` and its bias, a
  /// constant feature, is regularised. It takes no indefinite kernel.
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  /// The code of `ecoc`; unset: random_code.
  CodeChoice code = {};
  /// Descents, the best of which is kept: the first begins at the plain machine, the others at the
  /// machine of a random half of the examples. >= 1; unset: 10 up to 1,000 rows, else 1.
  std::optional<std::size_t> restarts = std::nullopt;
  /// Convex problems of one descent at most, >= 1.
  std::size_t max_rounds = 100;
  /// Rounds that tighten the lower bound, each a convex problem; unset: 5 up to 2,000 rows, else 0,
  /// which leaves the bound that comes with the plain machine (`direct`: 0).
  std::optional<std::size_t> bound_rounds = std::nullopt;
  bool allow_indefinite = false;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
  /// The step as used.
  [[nodiscard]] RampStep step_used() const;
};

/// Minimises 1/2 |w|^2 + C sum_i weight_i min(1 - s, max(0, 1 - y_i f(x_i))) to a stationary point.
/// The objective never rises from round to round. Class weights and example weights scale C.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRobustClassifier
train_ramp_svc(const Dataset& data, const RampSvcOptions& options = {});

struct MAXMARGIN_EXPORT LinearRampSvcOptions {
  /// Finite and > 0.
  double c = 1;
  double s = 0;
  /// A constant feature of this value, its weight penalised like the others.
  bool bias = true;
  double bias_scale = 1;  ///< > 0 and finite
  ClassWeights class_weights = {};
  MulticlassKind multiclass = MulticlassKind::one_vs_rest;
  CodeChoice code = {};
  /// As in RampSvcOptions.
  std::optional<std::size_t> restarts = std::nullopt;
  std::size_t max_rounds = 100;
  std::optional<std::size_t> bound_rounds = std::nullopt;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// The same loss for linear functions of many examples: alternating steps by dual coordinate
/// descent on the features, each begun at the coefficients of the one before. O(entries of the
/// data) a pass.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRobustClassifier
train_linear_ramp_svc(const Dataset& data, const LinearRampSvcOptions& options = {});

struct MAXMARGIN_EXPORT TrimmedSvcOptions {
  /// Finite and > 0.
  double c = 1;
  KernelChoice kernel = {};
  /// Share of the examples (by weight) that counts, in (0, 1]; 1 is the plain machine.
  double rho = 0.9;
  bool bias = true;
  ClassWeights class_weights = {};
  MulticlassKind multiclass = MulticlassKind::one_vs_one;
  CodeChoice code = {};
  std::optional<std::size_t> restarts = std::nullopt;
  std::size_t max_rounds = 100;
  bool allow_indefinite = false;
  bool allow_one_class = false;
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// Minimises 1/2 |w|^2 + C sum_i weight_i eta_i max(0, 1 - y_i f(x_i)) over w and 0 <= eta <= 1
/// with sum_i weight_i eta_i >= rho sum_i weight_i, by alternating between the two: the baseline of
/// outlier detection, which stops at the first choice of examples that repeats. Its lower bound is
/// 0, but with rho = 1, where the problem is convex, the dual objective; one start is enough then.
[[nodiscard]] MAXMARGIN_EXPORT TrainedRobustClassifier
train_trimmed_svc(const Dataset& data, const TrimmedSvcOptions& options = {});

}  // namespace maxmargin
