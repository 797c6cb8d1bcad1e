// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "maxmargin/core/options.hpp"

/// Options as they were given, later ones over earlier ones.
namespace maxmargin::learning {

/// The value that counts; empty: none was given.
[[nodiscard]] inline std::optional<std::string> last_of(const OptionTexts& options,
                                                        std::string_view name,
                                                        std::string_view alias = {}) {
  std::optional<std::string> found;
  for (const auto& [given, text] : options) {
    if (given == name || (!alias.empty() && given == alias)) found = text;
  }
  return found;
}

/// Leaves of all values of an option the last alone. The values before are not looked at again.
inline void drop_overridden(OptionTexts& options, std::string_view name) {
  OptionTexts kept;
  for (std::size_t i = options.size(); i-- > 0;) {
    const bool is_overridden = options[i].first == name && last_of(kept, name).has_value();
    if (!is_overridden) kept.push_back(std::move(options[i]));
  }
  options.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace maxmargin::learning
