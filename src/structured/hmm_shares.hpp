// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace maxmargin {

/// Shares of `numbers` and, if there is one, of `last` in their sum, with `smoothing` added to
/// each. A sum of 0 leaves `row` as it is.
inline void to_shares(std::span<const double> numbers,
                      const double* last,
                      double smoothing,
                      std::span<double> row,
                      double* last_share) {
  double sum = last != nullptr ? *last + smoothing : 0.0;
  for (const double x : numbers) sum += x + smoothing;
  if (!(sum > 0)) return;
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = (numbers[j] + smoothing) / sum;
  if (last != nullptr) *last_share = (*last + smoothing) / sum;
}

}  // namespace maxmargin
