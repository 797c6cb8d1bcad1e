// SPDX-License-Identifier: Apache-2.0
#include "data/text/characters.hpp"

namespace maxmargin {

namespace {

constexpr bool is_between(std::uint32_t code, std::uint32_t low, std::uint32_t high) {
  return code >= low && code <= high;
}

}  // namespace

Character first_character(std::string_view text) noexcept {
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

bool is_capital(std::uint32_t code) noexcept {
  if (code < 0x80) return is_between(code, 'A', 'Z');
  if (code < 0x100) return is_between(code, 0xC0, 0xDE) && code != 0xD7;
  // In Latin Extended-A capitals and small letters take turns.
  if (is_between(code, 0x100, 0x137) || is_between(code, 0x14A, 0x177)) return code % 2 == 0;
  if (is_between(code, 0x139, 0x148) || is_between(code, 0x179, 0x17E)) return code % 2 == 1;
  return code == 0x178 || is_between(code, 0x391, 0x3A9) || is_between(code, 0x400, 0x42F);
}

bool is_letter(std::uint32_t code) noexcept {
  if (code < 0x80) return is_between(code | 0x20u, 'a', 'z');
  const bool is_sign = code < 0xC0 || code == 0xD7 || code == 0xF7 ||
                       is_between(code, 0x2000, 0x2BFF) ||  // punctuation, arrows, symbols
                       is_between(code, 0x3000, 0x303F) ||  // punctuation of Chinese
                       is_between(code, 0xE000, 0xF8FF) ||  // private use
                       is_between(code, 0xFE00, 0xFE6F) || is_between(code, 0xFFF0, 0xFFFF) ||
                       code >= 0x1F000;  // pictures; and what is no character
  return !is_sign;
}

std::uint32_t to_small(std::uint32_t code) noexcept {
  if (!is_capital(code)) return code;
  if (code < 0x100) return code + 0x20;
  if (code == 0x130) return 'i';
  if (code == 0x178) return 0xFF;
  if (code < 0x180) return code + 1;
  return is_between(code, 0x400, 0x40F) ? code + 0x50 : code + 0x20;
}

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

}  // namespace maxmargin
