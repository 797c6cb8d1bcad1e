// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

/// Checks of arguments and data. Options have rules instead, in their descriptions
/// (core/option.hpp).
namespace maxmargin {

/// Throws InvalidArgument(message) unless `holds`.
inline void require(bool holds, std::string_view message) {
  if (!holds) throw InvalidArgument(std::string(message));
}

/// Throws InvalidArgument("field = value, must be rule") unless `holds`.
inline void require_field(bool holds,
                          std::string_view field,
                          std::string_view value,
                          std::string_view rule) {
  if (holds) return;
  throw InvalidArgument(std::string(field) + " = " + std::string(value) + ", must be " +
                        std::string(rule));
}
inline void require_field(bool holds, std::string_view field, double value, std::string_view rule) {
  if (!holds) require_field(false, field, format_number(value), rule);
}

/// In builds for debugging alone (MAXMARGIN_DEBUG_CHECKS): throws InvalidArgument unless
/// index < size. For accesses in hot loops.
inline void debug_require_index([[maybe_unused]] std::string_view what,
                                [[maybe_unused]] std::size_t index,
                                [[maybe_unused]] std::size_t size) {
#ifdef MAXMARGIN_DEBUG_CHECKS
  if (index < size) return;
  throw InvalidArgument("no " + std::string(what) + " " + std::to_string(index) + ", there are " +
                        std::to_string(size));
#endif
}

}  // namespace maxmargin
