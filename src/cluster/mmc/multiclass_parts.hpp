// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "maxmargin/cluster/mmc/multiclass.hpp"

namespace maxmargin {

/// Throws InvalidArgument, saying what to do instead, when the relaxation of n points does not fit
/// the limit in bytes (unset: half of the machine's memory).
void require_multiclass_mmc_memory(std::size_t n, std::optional<std::size_t> memory_limit);

/// cluster_multiclass_mmc of a Gram matrix, which may not be known to be semidefinite: then the
/// bound is the trivial one.
[[nodiscard]] MulticlassMmc cluster_multiclass_gram(DenseView gram,
                                                    bool semidefinite,
                                                    const MulticlassMmcOptions& options,
                                                    std::span<const ClassCandidate> candidates);

}  // namespace maxmargin
