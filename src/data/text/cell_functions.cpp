// SPDX-License-Identifier: Apache-2.0
#include "data/text/cell_functions.hpp"

#include <algorithm>
#include <array>

#include "data/text/characters.hpp"

namespace maxmargin {

namespace {

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
