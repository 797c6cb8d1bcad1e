// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

/// A lower bound as a report may show it, at most the value itself. Where bound and value meet, the
/// value's own rounding may bring it below by `rounding`; more says that one of them is wrong, and
/// that must not be hidden: throws InternalError.
[[nodiscard]] inline double checked_bound(double bound, double value, double rounding) {
  if (bound - value > rounding) {
    throw InternalError("the lower bound " + format_number(bound) + " is above the value " +
                        format_number(value) + " it bounds");
  }
  return std::min(bound, value);
}

}  // namespace maxmargin
