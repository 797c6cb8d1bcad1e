// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/tagged_text.hpp"

#include <algorithm>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

void require_storable(std::string_view text) {
  require(!text.empty(), "a cell is empty");
  require(text.find_first_of(std::string_view("\n\r\0", 3)) == text.npos,
          "a cell holds a line end or a NUL");
}

}  // namespace

TaggedText::TaggedText(std::size_t columns, bool has_tags)
    : columns_(columns), has_tags_(has_tags) {}

void TaggedText::add_token(std::span<const std::string_view> cells,
                           std::optional<std::string_view> tag) {
  require(cells.size() == columns_,
          std::to_string(cells.size()) + " cells for " + std::to_string(columns_) + " columns");
  require(tag.has_value() == has_tags_, has_tags_ ? "a token without a tag" : "a token with a tag");
  std::ranges::for_each(cells, require_storable);
  if (tag) require_storable(*tag);
  for (const std::string_view cell : cells) cells_.push_back(strings_.add(cell));
  if (tag) tag_of_token_.push_back(tags_.add(*tag));
  ++open_tokens_;
}

void TaggedText::end_sentence() {
  if (open_tokens_ == 0) return;
  begins_.push_back(begins_.back() + open_tokens_);
  open_tokens_ = 0;
}

void TaggedText::set_tags(std::span<const std::uint32_t> tag_of_token,
                          std::span<const std::string> names) {
  require(tag_of_token.size() == tokens(), "one tag a token");
  for (const std::string& name : names) require_storable(name);
  StringTable tags;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(tag_of_token.size());
  for (const std::uint32_t tag : tag_of_token) {
    require(tag < names.size(), "a tag without a name");
    numbers.push_back(tags.add(names[tag]));
  }
  has_tags_ = true;
  tags_ = std::move(tags);
  tag_of_token_ = std::move(numbers);
}

std::size_t TaggedText::memory_bytes() const noexcept {
  return strings_.memory_bytes() + tags_.memory_bytes() +
         (cells_.size() + tag_of_token_.size()) * sizeof(std::uint32_t) +
         begins_.size() * sizeof(std::size_t);
}

}  // namespace maxmargin
