// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

/// Messages about a --memory-limit, the same from all learners and methods.
namespace maxmargin {

/// "needs 3 MiB, more than the memory limit of 20 KiB": what is needed rounded up, the limit down,
/// so that the numbers always differ.
[[nodiscard]] std::string over_limit_text(std::size_t bytes, std::size_t limit);

/// Throws InvalidArgument ("`what` needs ..., more than the memory limit of ...: `advice`") when
/// `bytes` are above the limit (unset: half of the machine's memory).
void require_within_limit(std::size_t bytes,
                          std::optional<std::size_t> memory_limit,
                          const std::string& what,
                          const std::string& advice);

}  // namespace maxmargin
