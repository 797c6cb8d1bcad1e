// SPDX-License-Identifier: Apache-2.0
#include "data/text/cell_functions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace maxmargin {

namespace {

struct Character {
  /// Its number in Unicode; `broken` for a byte that is no part of a character.
  std::uint32_t code = 0;
  /// Bytes it takes.
  std::size_t size = 1;

  static constexpr std::uint32_t broken = 0xffffffffu;
};

[[nodiscard]] constexpr bool is_digit(std::uint32_t code) noexcept {
  return code >= '0' && code <= '9';
}

constexpr bool is_between(std::uint32_t code, std::uint32_t low, std::uint32_t high) {
  return code >= low && code <= high;
}

/// The character that begins at the front of `text`. Requires text not to be empty.
[[nodiscard]] Character first_character(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {.code = first, .size = 1};
  const std::size_t size = is_between(first, 0xC2, 0xDF)   ? 2
                           : is_between(first, 0xE0, 0xEF) ? 3
                           : is_between(first, 0xF0, 0xF4) ? 4
                                                           : 1;
  constexpr Character broken = {.code = Character::broken, .size = 1};
  if (size == 1 || size > text.size()) return broken;
  std::uint32_t code = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return broken;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_half = is_between(code, 0xD800, 0xDFFF);
  if (code < least[size] || code > 0x10FFFF || is_half) return broken;
  return {.code = code, .size = size};
}

/// Latin (up to U+017F), Greek and Cyrillic capitals without rare ones.
[[nodiscard]] bool is_capital(std::uint32_t code) noexcept {
  if (code < 0x80) return is_between(code, 'A', 'Z');
  if (code < 0x100) return is_between(code, 0xC0, 0xDE) && code != 0xD7;
  // In Latin Extended-A capitals and small letters take turns.
  if (is_between(code, 0x100, 0x137) || is_between(code, 0x14A, 0x177)) return code % 2 == 0;
  if (is_between(code, 0x139, 0x148) || is_between(code, 0x179, 0x17E)) return code % 2 == 1;
  return code == 0x178 || is_between(code, 0x391, 0x3A9) || is_between(code, 0x400, 0x42F);
}

[[nodiscard]] bool is_letter(std::uint32_t code) noexcept {
  if (code < 0x80) return is_between(code | 0x20u, 'a', 'z');
  const bool is_sign = code < 0xC0 || code == 0xD7 || code == 0xF7 ||
                       is_between(code, 0x2000, 0x2BFF) ||  // punctuation, arrows, symbols
                       is_between(code, 0x3000, 0x303F) ||  // punctuation of Chinese
                       is_between(code, 0xE000, 0xF8FF) ||  // private use
                       is_between(code, 0xFE00, 0xFE6F) || is_between(code, 0xFFF0, 0xFFFF) ||
                       code >= 0x1F000;  // pictures; and what is no character
  return !is_sign;
}

/// The small letter of a capital, anything else as it is.
[[nodiscard]] std::uint32_t to_small(std::uint32_t code) noexcept {
  if (!is_capital(code)) return code;
  if (code < 0x100) return code + 0x20;
  if (code == 0x130) return 'i';
  if (code == 0x178) return 0xFF;
  if (code < 0x180) return code + 1;
  return is_between(code, 0x400, 0x40F) ? code + 0x50 : code + 0x20;
}

/// Requires a number of Unicode.
void append_character(std::uint32_t code, std::string& to) {
  const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

constexpr std::array<CellFunctionName, 10> names = {{
    {"x", CellFunction::whole},
    {"lower", CellFunction::lower},
    {"shape", CellFunction::shape},
    {"short", CellFunction::short_shape},
    {"prefix", CellFunction::prefix},
    {"suffix", CellFunction::suffix},
    {"digit", CellFunction::has_digit},
    {"hyphen", CellFunction::has_hyphen},
    {"capital", CellFunction::is_capital},
    {"capitals", CellFunction::all_capitals},
}};

/// visit(character, its bytes) for every character of the text.
template <class Visit>
void for_each_character(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const Character character = first_character(text);
    visit(character.code, text.substr(0, character.size));
    text.remove_prefix(character.size);
  }
}

void append_lower(std::string_view cell, std::string& to) {
  for_each_character(cell, [&](std::uint32_t code, std::string_view bytes) {
    if (is_capital(code)) {
      append_character(to_small(code), to);
    } else {
      to += bytes;
    }
  });
}

void append_shape(std::string_view cell, bool runs_once, std::string& to) {
  std::string_view last;
  for_each_character(cell, [&](std::uint32_t code, std::string_view bytes) {
    const std::string_view sign = is_digit(code)     ? "0"
                                  : is_capital(code) ? "X"
                                  : is_letter(code)  ? "x"
                                                     : bytes;
    if (!runs_once || sign != last) to += sign;
    last = sign;
  });
}

bool append_prefix(std::string_view cell, std::size_t length, std::string& to) {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < length; ++k) {
    if (bytes == cell.size()) return false;
    bytes += first_character(cell.substr(bytes)).size;
  }
  to += cell.substr(0, bytes);
  return true;
}

bool append_suffix(std::string_view cell, std::size_t length, std::string& to) {
  // Characters are found from the front alone; words are short.
  std::size_t characters = 0;
  for_each_character(cell, [&](std::uint32_t, std::string_view) { ++characters; });
  if (characters < length) return false;
  while (characters-- > length) cell.remove_prefix(first_character(cell).size);
  to += cell;
  return true;
}

bool holds(CellFunction flag, std::string_view cell) {
  if (flag == CellFunction::is_capital) {
    return !cell.empty() && is_capital(first_character(cell).code);
  }
  bool digit = false;
  bool hyphen = false;
  bool capital = false;
  bool small = false;
  for_each_character(cell, [&](std::uint32_t code, std::string_view) {
    digit = digit || is_digit(code);
    hyphen = hyphen || code == '-' || code == 0x2010 || code == 0x2011;
    capital = capital || is_capital(code);
    small = small || (is_letter(code) && !is_capital(code));
  });
  if (flag == CellFunction::has_digit) return digit;
  if (flag == CellFunction::has_hyphen) return hyphen;
  return capital && !small;
}

}  // namespace

std::span<const CellFunctionName> cell_function_names() { return names; }

bool append_function_of(CellFunction function,
                        std::size_t length,
                        std::string_view cell,
                        std::string& to) {
  switch (function) {
    case CellFunction::whole:
      to += cell;
      return true;
    case CellFunction::lower:
      append_lower(cell, to);
      return true;
    case CellFunction::shape:
    case CellFunction::short_shape:
      append_shape(cell, function == CellFunction::short_shape, to);
      return true;
    case CellFunction::prefix:
      return append_prefix(cell, length, to);
    case CellFunction::suffix:
      return append_suffix(cell, length, to);
    case CellFunction::has_digit:
    case CellFunction::has_hyphen:
    case CellFunction::is_capital:
    case CellFunction::all_capitals:
      break;
  }
  if (!holds(function, cell)) return false;
  to += std::ranges::find(names, function, &CellFunctionName::function)->name;
  return true;
}

}  // namespace maxmargin
