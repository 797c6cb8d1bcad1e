// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// Counts what a program allocates, through malloc and what is built on it.
namespace maxmargin::test {

/// Bytes that are in use now.
[[nodiscard]] std::size_t bytes_in_use();
/// The most bytes that were in use since forget_peak().
[[nodiscard]] std::size_t peak_bytes();
/// The largest block that was asked for since forget_peak().
[[nodiscard]] std::size_t largest_block();
void forget_peak();

}  // namespace maxmargin::test
