// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "maxmargin/core/export.hpp"

/// Sizes that no machine has. A sparse row of 24 bytes may claim two thousand million columns; work
/// that is dense in them asks here first, because the system grants the memory and ends the process
/// once it is used.
namespace maxmargin {

/// Bytes of memory that this machine has in all; the largest number when it does not say.
[[nodiscard]] MAXMARGIN_EXPORT std::size_t machine_memory() noexcept;

/// Throws InvalidArgument ("what needs ..., more than the ... of memory of this machine") when
/// `bytes` is more than machine_memory().
MAXMARGIN_EXPORT void require_memory(std::size_t bytes, std::string_view what);

/// The same for `rows` x `cols` numbers of 8 bytes: "what of 1000 x 2147483646 numbers needs ...".
MAXMARGIN_EXPORT void require_memory_for_numbers(std::size_t rows,
                                                 std::size_t cols,
                                                 std::string_view what);

}  // namespace maxmargin
