// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "maxmargin/core/context.hpp"
#include "maxmargin/model/kernel/bias.hpp"
#include "model/verify/replay.hpp"

/// What stands in for the bias of relaxed machines (KernelBias), again by plain loops.
namespace maxmargin {

/// Can a machine of such a bias have this offset, as far as rounding tells? w.phi (none) has none,
/// w.(phi - mean of phi) (center) has a sum of 0 over the training points. With `constant` the
/// offset is the weight of a feature and may be any. `values` are w.phi of all training points;
/// `size` is the sum of the machine's absolute coefficients times the largest K(x, x). By plain
/// loops that no training uses.
[[nodiscard]] bool is_offset_of_bias(KernelBias bias,
                                     double offset,
                                     std::span<const double> values,
                                     double size);

/// The Gram matrix of the biased feature space, pair by pair.
[[nodiscard]] DenseMatrix plain_biased_gram(const Kernel& kernel,
                                            const TrainingReplay& replay,
                                            KernelBias bias,
                                            const Context& context);

/// A bound is for machines w.phi (none) and w.(phi - mean of phi) (center): complains of an offset
/// that these do not have. With `constant` it is the weight of a feature and may be any.
/// `values` are expansion_values.
void check_offsets(const KernelExpansion& expansion,
                   DenseView values,
                   KernelBias bias,
                   TrainingReplay& replay);

}  // namespace maxmargin
