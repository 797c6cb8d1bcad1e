// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maxmargin/data/examples.hpp"
#include "maxmargin/kernel/combine.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// Machines whose linear kernel has an origin (kernel/near_origin.hpp), seen as plain linear ones.
namespace maxmargin {

/// The rule of K(x - o, z - o) with a linear K; nullptr for every other kernel.
[[nodiscard]] const InputScalingRule* moved_linear(const Kernel& kernel);

/// The same functions of the moved examples x - o: with the linear kernel and moved vectors.
[[nodiscard]] KernelExpansion with_moved_vectors(const KernelExpansion& expansion,
                                                 const InputScalingRule& rule);
/// The same functions of the examples as they are, with the linear kernel: for formats without an
/// origin. Far data loses digits there. Not for spheres (minus_self).
[[nodiscard]] KernelExpansion around_zero(const KernelExpansion& expansion,
                                          const InputScalingRule& rule);

}  // namespace maxmargin
