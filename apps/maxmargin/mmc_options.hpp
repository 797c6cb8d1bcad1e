// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "arguments.hpp"
#include "maxmargin/cluster/mmc.hpp"
#include "registry.hpp"

/// What the methods of maximum-margin clustering read alike.
namespace maxmargin::tool {

/// -C, finite and > 0.
[[nodiscard]] double mmc_cost(const Arguments& arguments, double fallback);

/// --bias.
[[nodiscard]] MmcBias mmc_bias(const Arguments& arguments);

/// --features nystroem:M: the landmarks; empty when it is not given.
[[nodiscard]] std::optional<std::size_t> mmc_landmarks(const Arguments& arguments);

/// The method mmc on features: the relaxation and its roundings where the kernel matrix would be
/// too large. The model is one of mmc-alternating.
[[nodiscard]] ClusterAnswer run_mmc_on_features(const Dataset& data,
                                                const Arguments& arguments,
                                                ProgressCallback progress);
/// The objective of a model of mmc-alternating or mmc-cutting-plane: 1/2 |w|^2 + C sum of losses
/// from model and data. Not a number, so that nothing agrees with it, when the certificate does not
/// prove the bound that the model claims.
[[nodiscard]] double mmc_machine_objective(const Dataset& data,
                                           std::span<const std::int32_t> labels,
                                           const ModelDocument& model);

}  // namespace maxmargin::tool
