// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/cluster/mmc/multiclass.hpp"

namespace maxmargin {

/// Throws InvalidArgument, saying what to do instead, when the relaxation of n points does not fit
/// the limit in bytes (unset: half of the machine's memory).
void require_multiclass_mmc_memory(std::size_t n, std::optional<std::size_t> memory_limit);

/// The same sizes for all clusters.
[[nodiscard]] ClassRules equal_rules(std::size_t n, std::size_t k, std::optional<double> balance);

}  // namespace maxmargin
