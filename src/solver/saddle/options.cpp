// SPDX-License-Identifier: Apache-2.0
// docs/algorithms/saddle.md, "Options and defaults"
#include "solver/saddle/options.hpp"

#include <cmath>

#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

void SaddleOptions::validate() const {
  require_field(tolerance > 0, "SaddleOptions.tolerance", tolerance, "> 0");
  if (columns) {
    require_field(*columns >= 1, "SaddleOptions.columns", static_cast<double>(*columns), ">= 1");
  }
  require_field(max_iterations >= 1,
                "SaddleOptions.max_iterations",
                static_cast<double>(max_iterations),
                ">= 1");
  (void)thread_count(threads);
}

void SmoothSaddleOptions::validate() const {
  require_field(barrier > 0 && std::isfinite(barrier),
                "SmoothSaddleOptions.barrier",
                barrier,
                "finite and > 0");
  require_field(penalty > 0 && std::isfinite(penalty),
                "SmoothSaddleOptions.penalty",
                penalty,
                "finite and > 0");
  (void)thread_count(threads);
}

}  // namespace maxmargin
