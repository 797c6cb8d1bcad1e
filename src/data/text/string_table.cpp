// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/string_table.hpp"

#include <algorithm>
#include <cstring>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t least_places = 16;

std::uint8_t mark_of(std::uint64_t hash) { return static_cast<std::uint8_t>(hash >> 56); }

/// At most 70 % of the places are taken.
bool is_full(std::size_t strings, std::size_t places) { return strings >= places / 10 * 7; }

}  // namespace

std::size_t StringTable::place_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = table_.size() - 1;  // the number of places is a power of 2
  const std::uint8_t mark = mark_of(hash);
  for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
    if (table_[place] == none) return place;
    if (marks_[place] == mark && (*this)[table_[place]] == text) return place;
  }
}

std::uint32_t StringTable::find(std::string_view text, std::uint64_t hash) const noexcept {
  return table_.empty() ? none : table_[place_of(text, hash)];
}

std::uint32_t StringTable::add(std::string_view text, std::uint64_t hash) {
  if (is_full(size(), table_.size())) fill_table(std::max(least_places, 2 * table_.size()));
  const std::size_t place = place_of(text, hash);
  if (table_[place] != none) return table_[place];
  require(size() < none, "a table of strings holds at most 4294967295 of them");
  const auto number = static_cast<std::uint32_t>(size());
  characters_.append(text);
  ends_.push_back(characters_.size());
  table_[place] = number;
  marks_[place] = mark_of(hash);
  return number;
}

void StringTable::fill_table(std::size_t places) {
  table_ = Buffer<std::uint32_t>(places, none);
  marks_ = Buffer<std::uint8_t>(places);
  const std::size_t mask = places - 1;
  for (std::size_t number = 0; number < size(); ++number) {
    const std::uint64_t hash = hash_text((*this)[number]);
    std::size_t place = hash & mask;
    while (table_[place] != none) place = (place + 1) & mask;
    table_[place] = static_cast<std::uint32_t>(number);
    marks_[place] = mark_of(hash);
  }
}

void StringTable::keep(const std::vector<bool>& kept) {
  require(kept.size() == size(), "one answer a string");
  std::size_t strings = 0;
  std::size_t end = 0;
  std::size_t begin_of_next = 0;
  for (std::size_t number = 0; number < kept.size(); ++number) {
    const std::size_t begin = begin_of_next;
    begin_of_next = static_cast<std::size_t>(ends_[number]);
    if (!kept[number]) continue;
    const std::size_t length = begin_of_next - begin;
    if (length > 0) std::memmove(characters_.data() + end, characters_.data() + begin, length);
    end += length;
    ends_[strings++] = end;
  }
  characters_.resize(end);
  ends_.resize(strings);
  characters_.shrink_to_fit();
  ends_.shrink_to_fit();
  std::size_t places = least_places;
  while (is_full(strings, places)) places *= 2;
  fill_table(places);
}

std::size_t StringTable::memory_bytes() const noexcept {
  return characters_.size() + ends_.size() * sizeof(std::uint64_t) +
         table_.size() * (sizeof(std::uint32_t) + sizeof(std::uint8_t));
}

}  // namespace maxmargin
