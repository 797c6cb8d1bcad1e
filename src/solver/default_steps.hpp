// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace maxmargin {

/// How many steps a solve may take when nobody says: as many as 2e12 operations allow, which is
/// more than ten minutes of any processor's work. Counted, so that it is the same everywhere.
[[nodiscard]] constexpr std::uint64_t default_steps(double operations_a_step) noexcept {
  constexpr double operations = 2e12;
  constexpr double fewest = 1000;
  return static_cast<std::uint64_t>(
      std::max(fewest, operations / std::max(1.0, operations_a_step)));
}

}  // namespace maxmargin
