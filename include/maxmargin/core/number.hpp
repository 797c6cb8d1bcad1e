// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "maxmargin/core/export.hpp"

/// Numbers to text and back, free of the locale.
namespace maxmargin {

/// The shortest text that reads back as exactly `value` ("1", "0.1", "-inf", "nan").
[[nodiscard]] MAXMARGIN_EXPORT std::string format_number(double value);

/// `value` with at most `digits` significant digits, for tables read by people.
[[nodiscard]] MAXMARGIN_EXPORT std::string format_number(double value, int digits);

/// Reads a decimal number that fills all of `text`: an optional sign (`+` too), digits, a fraction,
/// an exponent; or inf, infinity, nan in any case. Empty when `text` is anything else. Values too
/// large become +-inf and too small become +-0, as a correctly rounding reader has it.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<double> parse_number(std::string_view text) noexcept;

/// Reads a whole number that fills all of `text`; empty when it is not one or does not fit.
[[nodiscard]] MAXMARGIN_EXPORT std::optional<std::int64_t> parse_integer(
    std::string_view text) noexcept;

/// Reads the number at the front of [first, last) and returns where it ends; returns `first` when
/// there is none. The fast inner step of the readers; same grammar as parse_number.
MAXMARGIN_EXPORT const char* scan_number(const char* first,
                                         const char* last,
                                         double& value) noexcept;

/// Reads a size such as 4096, 64K, 300M, 4G or 1T (powers of 1024, with or without a final B).
[[nodiscard]] MAXMARGIN_EXPORT std::optional<std::uint64_t> parse_byte_size(
    std::string_view text) noexcept;

}  // namespace maxmargin
