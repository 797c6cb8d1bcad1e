// SPDX-License-Identifier: Apache-2.0
#include "plot/text.hpp"

#include <algorithm>
#include <cmath>

#include "maxmargin/core/number.hpp"

namespace maxmargin::svg {

namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

/// Bytes of the UTF-8 character that begins at `i`, 0 when there is none or XML forbids it.
std::size_t character_bytes(std::string_view text, std::size_t i) {
  const unsigned first = byte_at(text, i);
  if (first < 0x80) {
    const bool allowed = first >= 0x20 || first == '\t' || first == '\n' || first == '\r';
    return allowed && first != 0x7f ? 1 : 0;
  }
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || i + bytes > text.size()) return 0;
  unsigned code = first & (0x7fu >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    const unsigned next = byte_at(text, i + k);
    if ((next & 0xc0u) != 0x80u) return 0;
    code = code << 6 | (next & 0x3fu);
  }
  const bool too_long = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool forbidden = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return too_long || surrogate || forbidden ? 0 : bytes;
}

/// Calls visit(character) for every character; bad bytes come as an empty view.
template <class Visit>
void for_each_character(std::string_view text, Visit&& visit) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t bytes = character_bytes(text, i);
    visit(text.substr(i, bytes));
    i += std::max<std::size_t>(bytes, 1);
  }
}

/// The one of 1, 2, 5 and 10 times a power of ten that is nearest to `value` as a ratio.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  const double factor = value / power;
  return power * (factor < 1.4 ? 1.0 : factor < 3.2 ? 2.0 : factor < 7.1 ? 5.0 : 10.0);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for_each_character(text, [&](std::string_view character) {
    if (character.empty()) {
      result += '?';
    } else if (character == "&") {
      result += "&amp;";
    } else if (character == "<") {
      result += "&lt;";
    } else if (character == ">") {
      result += "&gt;";
    } else if (character == "\"") {
      result += "&quot;";
    } else {
      result += character;
    }
  });
  return result;
}

std::size_t length(std::string_view text) {
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view) { ++count; });
  return count;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (length(text) <= limit) return std::string(text);
  std::string result;
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view character) {
    if (count++ + 3 < limit) result += character.empty() ? std::string_view("?") : character;
  });
  return result + "...";
}

std::string pixels(double value) {
  const double rounded = std::round(100 * value) / 100;
  return format_number(rounded == 0 ? 0.0 : rounded);
}

std::vector<Tick> round_ticks(double low, double high, std::size_t wanted) {
  const double step = round_step((high - low) / static_cast<double>(wanted));
  // Digits that tell neighbouring marks apart, also far from 0.
  const double magnitude = std::max(std::abs(low), std::abs(high));
  const int apart = static_cast<int>(std::floor(std::log10(magnitude / step))) + 2;
  // And all digits of numbers up to a million: 200, not 2e+02.
  const int whole = magnitude < 1e6 ? static_cast<int>(std::floor(std::log10(magnitude))) + 1 : 2;
  const int digits = std::clamp(std::max(apart, whole), 2, 15);
  std::vector<Tick> ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (std::size_t t = 0; t <= 2 * wanted + 2; ++t) {
    const double value = (first + static_cast<double>(t)) * step;
    if (value > high + 1e-9 * step) break;
    ticks.push_back({value, format_number(value == 0 ? 0.0 : value, digits)});
  }
  return ticks;
}

}  // namespace maxmargin::svg
