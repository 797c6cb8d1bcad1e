// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

/// Throws InvalidArgument, naming the field, unless there is none or one finite weight >= 0 for
/// every query.
inline void require_query_weights(const std::string& field,
                                  std::span<const double> weights,
                                  std::size_t queries) {
  if (weights.empty()) return;
  require(weights.size() == queries,
          field + ": " + std::to_string(weights.size()) + " weights for " +
              std::to_string(queries) + " queries");
  for (std::size_t q = 0; q < queries; ++q) {
    require_field(std::isfinite(weights[q]) && weights[q] >= 0,
                  field + "[" + std::to_string(q) + "]",
                  weights[q],
                  "finite and >= 0");
  }
}

}  // namespace maxmargin
