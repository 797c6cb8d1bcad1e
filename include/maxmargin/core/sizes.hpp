// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "maxmargin/core/error.hpp"

/// Sizes that cannot silently wrap around. Everything that multiplies counts given by a caller or
/// a file goes through these.
namespace maxmargin {

[[nodiscard]] inline std::size_t checked_add(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw InvalidArgument("size " + std::to_string(a) + " + " + std::to_string(b) +
                          " does not fit the address space");
  }
  return sum;
}

[[nodiscard]] inline std::size_t checked_multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw InvalidArgument("size " + std::to_string(a) + " x " + std::to_string(b) +
                          " does not fit the address space");
  }
  return product;
}

/// Converts between integer types; throws InternalError when the value does not fit.
template <class To, class From>
[[nodiscard]] constexpr To narrow(From value) {
  const To result = static_cast<To>(value);
  if (static_cast<From>(result) != value || ((result < To{}) != (value < From{}))) {
    throw InternalError("a size does not fit its type: " + std::to_string(value));
  }
  return result;
}

}  // namespace maxmargin
