// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/solver/structural/solution.hpp"

#include <cmath>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

void StructuralOptions::validate() const {
  require_field(c > 0 && std::isfinite(c), "StructuralOptions.c", c, "finite and > 0");
  require_field(tolerance > 0, "StructuralOptions.tolerance", tolerance, "> 0");
  require_field(
      max_passes >= 1, "StructuralOptions.max_passes", static_cast<double>(max_passes), ">= 1");
  require_field(
      idle_turns >= 1, "StructuralOptions.idle_turns", static_cast<double>(idle_turns), ">= 1");
  (void)thread_count(threads);
}

}  // namespace maxmargin
