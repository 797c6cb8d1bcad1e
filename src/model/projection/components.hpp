// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "maxmargin/core/option.hpp"

namespace maxmargin {

/// Option components of all projections; unset: all of them.
inline void describe_components(OptionVisitor& visit, std::optional<std::size_t>& components) {
  visit.whole({.name = "components", .help = "principal components to keep", .fallback = "all"},
              components,
              {.least = 1});
}

}  // namespace maxmargin
