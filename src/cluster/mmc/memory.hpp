// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "maxmargin/cluster/mmc/mmc.hpp"

namespace maxmargin {

/// Throws InvalidArgument, naming the methods that need less, when n points do not fit the limit.
void require_mmc_memory(std::size_t n, const MmcOptions& options);

}  // namespace maxmargin
