// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "maxmargin/core/export.hpp"
#include "maxmargin/data/dataset.hpp"
#include "maxmargin/kernel/choice.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "maxmargin/model/semi/semi_supervised.hpp"
#include "maxmargin/model/training.hpp"
#include "maxmargin/problem/saddle/label_saddle.hpp"
#include "maxmargin/relax/label_relaxation.hpp"

/// Semi-supervised machines by convex relaxation, with a bound on what any labels of the unlabelled
/// rows could reach: docs/algorithms/s3vm-sdp.md.
namespace maxmargin {

struct MAXMARGIN_EXPORT S3vmOptions {
  /// Cost of every row's loss, labelled or not; finite and > 0.
  double c = 100;
  KernelChoice kernel = Linear{};
  /// F: of all n rows between (1-F) p n and (1+F) p n, rounded outwards, get a sign, p being its
  /// share of the labelled rows; this for both signs. In [0, 1). Unset: any number may.
  std::optional<double> balance = 0.1;
  /// How the relaxation says so: `total` or `rows`.
  LabelBalance balance_form = LabelBalance::total;
  KernelBias bias = KernelBias::center;
  /// Random roundings of the relaxed labels, >= 1.
  std::size_t restarts = 20;
  /// `tolerance` is the relative gap of the relaxation, `max_iterations` its Newton steps. The
  /// supervised machine has a gap of 1e-3 (or `tolerance`, if that is less) and no limit on steps.
  TrainingControl control = {};
  void describe(OptionVisitor& visit);
};

/// The balance of S3vmOptions for these signs, +1 or -1 where given and 0 elsewhere; where it
/// contradicts them, what they allow that is nearest. Requires a sign of either kind.
[[nodiscard]] MAXMARGIN_EXPORT SignWindow sign_window(std::span<const std::int8_t> given,
                                                      const std::optional<double>& balance);

/// The relaxation of one function: K is the biased Gram matrix; both arguments must outlive it.
[[nodiscard]] MAXMARGIN_EXPORT LabelSaddle s3vm_saddle(DenseView gram,
                                                       std::span<const std::int8_t> given,
                                                       const S3vmOptions& options);

struct TrainedS3vm {
  /// `semi_supervised` is the machine on the best labels found. Its report's primal_objective is
  /// 1/2 |w|^2 + C sum of hinges on these labels, summed over functions, lower_bound that of the
  /// relaxations: no labels that keep the ones given and the balance have a smaller objective. The
  /// status is the relaxation's; a stop while rounding is one, too. With TrainingControl::keep_dual
  /// dual_coefficients hold four vectors a function, one number a row each: the certificate's
  /// lambda; its diagonal, at the first labelled row that of all of them and at unlabelled rows
  /// their own; its balance, from the first row on; the signs.
  ///
  /// `supervised` is train_tsvm's. `signs` are the labels; there are no steps, and no
  /// stationary_gap.
  TrainedSemiSupervised machines = {};
  /// One a function.
  std::vector<LabelRelaxation> relaxations = {};
};

/// Trains by the relaxation, rounding and polishing. Several classes: one machine a class against
/// the rest. Throws InvalidArgument as train_tsvm does, for example weights, a kernel that is not
/// positive semidefinite, and more rows than the memory limit lets in, naming what to use instead.
[[nodiscard]] MAXMARGIN_EXPORT TrainedS3vm train_s3vm(const Dataset& data,
                                                      const S3vmOptions& options = {});

}  // namespace maxmargin
