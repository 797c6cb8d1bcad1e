// SPDX-License-Identifier: Apache-2.0
#include "kernel/normalisation.hpp"

#include <cmath>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

double normalising_factor(double self_value) {
  require_field(self_value >= 0 && std::isfinite(self_value),
                "normalised kernel: K(x, x)",
                self_value,
                "finite and >= 0");
  return self_value == 0 ? 0.0 : 1.0 / std::sqrt(self_value);
}

}  // namespace maxmargin
