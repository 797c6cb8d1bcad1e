// SPDX-License-Identifier: Apache-2.0
#include "printable.hpp"

#include <cstddef>

namespace maxmargin::tool {

namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

/// Bytes of the UTF-8 character at `at`; 0 when there is none.
std::size_t character_at(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, at + k) & 0xc0U) != 0x80) return 0;
  }
  return length;
}

bool is_obeyed(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  const bool is_second_set = first == 0xc2 && byte_at(character, 1) < 0xa0;
  return first < 0x20 || first == 0x7f || is_second_set;
}

}  // namespace

std::string printable(std::string_view text, bool one_line) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text, at);
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    at += character.size();
    const bool is_layout = character == "\n" || character == "\t";
    if (length > 0 && (!is_obeyed(character) || (is_layout && !one_line))) {
      shown += character;
      continue;
    }
    for (const char c : character) {
      const auto byte = static_cast<unsigned char>(c);
      shown += "\\x";
      shown += hex[byte >> 4U];
      shown += hex[byte & 15U];
    }
  }
  return shown;
}

PrintableStream::PrintableStream(std::ostream& stream)
    : stream_(stream), target_(stream.rdbuf(this)) {}

PrintableStream::~PrintableStream() { stream_.rdbuf(target_); }

PrintableStream::int_type PrintableStream::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char letter = traits_type::to_char_type(c);
  return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::xsputn(const char* text, std::streamsize count) {
  const std::string shown = printable({text, static_cast<std::size_t>(count)});
  const auto size = static_cast<std::streamsize>(shown.size());
  return target_->sputn(shown.data(), size) == size ? count : 0;
}

int PrintableStream::sync() { return target_->pubsync(); }

}  // namespace maxmargin::tool
