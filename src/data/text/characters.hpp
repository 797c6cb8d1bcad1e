// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Characters of UTF-8 text, as far as features of words need them. Independent of the locale.
namespace maxmargin {

struct Character {
  /// Its number in Unicode; `broken` for a byte that is no part of a character.
  std::uint32_t code = 0;
  /// Bytes it takes.
  std::size_t size = 1;

  static constexpr std::uint32_t broken = 0xffffffffu;
};

/// The character that begins at the front of `text`. Requires text not to be empty.
[[nodiscard]] Character first_character(std::string_view text) noexcept;

/// Latin (up to U+017F), Greek and Cyrillic capitals without rare ones.
[[nodiscard]] bool is_capital(std::uint32_t code) noexcept;
[[nodiscard]] bool is_letter(std::uint32_t code) noexcept;
[[nodiscard]] constexpr bool is_digit(std::uint32_t code) noexcept {
  return code >= '0' && code <= '9';
}
/// The small letter of a capital, anything else as it is.
[[nodiscard]] std::uint32_t to_small(std::uint32_t code) noexcept;

/// Requires a number of Unicode.
void append_character(std::uint32_t code, std::string& to);

}  // namespace maxmargin
