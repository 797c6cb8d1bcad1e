// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "maxmargin/cluster/mmc/alternating.hpp"
#include "maxmargin/core/parallel.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

std::string_view to_string(MmcSteps steps) noexcept {
  return steps == MmcSteps::sdp ? "sdp" : "relabel";
}

void MmcAlternatingOptions::validate() const {
  require_field(k >= 2, "MmcAlternatingOptions.k", static_cast<double>(k), ">= 2");
  require_field(c > 0 && std::isfinite(c), "MmcAlternatingOptions.c", c, "finite and > 0");
  if (balance) {
    require_field(
        *balance >= 0 && *balance < 1, "MmcAlternatingOptions.balance", *balance, "in [0, 1)");
  }
  if (landmarks) {
    require_field(*landmarks >= 1,
                  "MmcAlternatingOptions.landmarks",
                  static_cast<double>(*landmarks),
                  ">= 1");
  }
  require_field(!relaxation || k == 2,
                "MmcAlternatingOptions.k",
                static_cast<double>(k),
                "2 with the relaxation");
  require_field(steps == MmcSteps::relabel || k == 2,
                "MmcAlternatingOptions.k",
                static_cast<double>(k),
                "2 with sdp steps");
  require_field(tolerance > 0, "MmcAlternatingOptions.tolerance", tolerance, "> 0");
  require_field(
      restarts >= 1, "MmcAlternatingOptions.restarts", static_cast<double>(restarts), ">= 1");
  require_field(max_iterations >= 1,
                "MmcAlternatingOptions.max_iterations",
                static_cast<double>(max_iterations),
                ">= 1");
  (void)thread_count(threads);
}

MmcSizes mmc_sizes(std::size_t n, std::size_t k, std::optional<double> balance) {
  if (k == 2) {
    const std::size_t least = mmc_least_size(n, balance);
    return {least, n - least};
  }
  if (!balance) return {1, n - (k - 1)};
  const double share = static_cast<double>(n) / static_cast<double>(k);
  // Whole but for rounding.
  const double low = (1 - *balance) * share * (1 + 1e-12);
  const double high = (1 + *balance) * share * (1 - 1e-12);
  const auto least = std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(low)));
  return {std::min(least, n / k), static_cast<std::size_t>(std::ceil(high))};
}

}  // namespace maxmargin
