// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "maxmargin/core/progress.hpp"

namespace maxmargin::interior {

/// Factors by `attempt(relax)`, whose diagonal grows by the share `relax` of itself where rounding
/// leaves no positive definite matrix: 2^-50, 2^-43, ... 2^-20. What was needed once is tried first
/// the next time. False when nothing helps, or when the callback says to stop.
template <class Attempt>
[[nodiscard]] bool factor_relaxed(double& relax,
                                  const ProgressCallback& on_progress,
                                  const Attempt& attempt) {
  constexpr double least = 0x1p-50;
  constexpr double growth = 0x1p7;
  constexpr double most = 0x1p-20;
  for (;; relax = std::max(relax * growth, least)) {
    if (attempt(relax)) return true;
    if (relax > most || ask(on_progress, {}) != Continue::yes) return false;
  }
}

}  // namespace maxmargin::interior
