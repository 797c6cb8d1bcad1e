// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "maxmargin/cluster/mmc.hpp"

namespace maxmargin {

/// Throws InvalidArgument ("`what` needs ... MiB, more than the limit of ... MiB: `advice`") when
/// `bytes` are above the limit (unset: half of the machine's memory).
void require_within_limit(std::size_t bytes,
                          std::optional<std::size_t> memory_limit,
                          const std::string& what,
                          const std::string& advice);

/// Throws InvalidArgument, naming the methods that need less, when n points do not fit the limit.
void require_mmc_memory(std::size_t n, const MmcOptions& options);

}  // namespace maxmargin
