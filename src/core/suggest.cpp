// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/core/suggest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace maxmargin {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  // Rows of the table for prefixes of a of length i-2, i-1 and i.
  std::vector<std::size_t> two_before(b.size() + 1);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_before, before);
    std::swap(before, current);
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = before[j - 1] + (same(i - 1, j - 1) ? 0 : 1);
      current[j] = std::min({before[j] + 1, current[j - 1] + 1, changed});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        current[j] = std::min(current[j], two_before[j - 2] + 1);
      }
    }
  }
  return current[b.size()];
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(word, name);
    const std::size_t limit = std::max<std::size_t>(1, std::max(word.size(), name.size()) / 3);
    if (distance > limit || distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string suggest_names(std::string_view word, std::span<const std::string_view> known) {
  std::string text;
  if (const std::string_view nearest = nearest_name(word, known); !nearest.empty()) {
    text += "; did you mean " + std::string(nearest) + "? Known: ";
  } else {
    text += "; known: ";
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) text += ", ";
    text += known[i];
  }
  return text;
}

}  // namespace maxmargin
