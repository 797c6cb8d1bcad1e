// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "cluster/mmc/machine.hpp"
#include "kernel/gram/nystroem.hpp"
#include "maxmargin/cluster/mmc/mmc.hpp"
#include "maxmargin/kernel/gram/centring.hpp"
#include "maxmargin/model/kernel/decision_function.hpp"

/// Trained machines as functions of new points. `order` holds the old number of every cluster: one
/// function is turned when cluster 0 was label 1, several change places.
namespace maxmargin {

/// Of a machine on the points themselves: an expansion in its own weights.
[[nodiscard]] KernelExpansion functions_of_weights(const MmcFit& fit,
                                                   std::span<const std::size_t> order);

/// Of a machine on the features of landmarks.
[[nodiscard]] KernelExpansion functions_of_landmarks(const MmcFit& fit,
                                                     std::span<const std::size_t> order,
                                                     const NystroemMap& map);

/// Of a machine on the Gram matrix of the points; `centring` is that of the matrix without bias.
[[nodiscard]] KernelExpansion functions_of_points(const MmcFit& fit,
                                                  std::span<const std::size_t> order,
                                                  const Dataset& data,
                                                  const Kernel& kernel,
                                                  MmcBias bias,
                                                  const FeatureCentring& centring);

}  // namespace maxmargin
