// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/cluster/mmc/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// A number of points that is whole but for rounding, as the whole number.
double nearly_whole(double x) {
  const double rounded = std::round(x);
  return std::abs(x - rounded) <= 1e-9 * std::max(1.0, std::abs(x)) ? rounded : x;
}

}  // namespace

ClusterSizes balanced_sizes(std::size_t n, std::size_t k, std::optional<double> balance) {
  require(k >= 1 && n >= k,
          std::to_string(k) + " clusters of " + std::to_string(n) +
              " points, must be from 1 to the number of points");
  ClusterSizes sizes{.least = 1, .most = n - (k - 1)};
  if (!balance) return sizes;
  const double share = static_cast<double>(n) / static_cast<double>(k);
  const double low = std::floor(nearly_whole((1 - *balance) * share));
  const double high = std::ceil(nearly_whole((1 + *balance) * share));
  sizes.least = std::max<std::size_t>(1, static_cast<std::size_t>(std::max(0.0, low)));
  sizes.most = std::min(n - (k - 1) * sizes.least, static_cast<std::size_t>(high));
  return sizes;
}

}  // namespace maxmargin
