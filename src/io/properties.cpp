// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/properties.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "io/stream/whole_input.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::string_view without_leading_blanks(std::string_view text) {
  const auto first = std::ranges::find_if_not(text, is_blank);
  return text.substr(static_cast<std::size_t>(first - text.begin()));
}

/// A character as UTF-8. Requires a code point below 2^16 that is no surrogate, or one above.
void append_utf8(std::uint32_t code, std::string& text) {
  const auto tail = [&](int shift) {
    text += static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0U | (code >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Reader {
 public:
  Reader(std::string source, std::string_view bytes) : rest_(bytes) {
    properties_.source = std::move(source);
  }

  Properties read() {
    while (!rest_.empty()) {
      const std::size_t first = line_ + 1;
      const std::optional<std::string> line = logical_line();
      if (line) add(*line, first);
    }
    return std::move(properties_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    throw ParseError(properties_.source, {.line = line}, problem);
  }

  /// The next line of the file, its end (\n, \r or both) taken off.
  std::string_view natural_line() {
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    const bool both = rest_.substr(end).starts_with("\r\n");
    rest_.remove_prefix(std::min(rest_.size(), end + (both ? 2 : 1)));
    ++line_;
    if (line.find('\0') != line.npos) fail(line_, "a NUL byte: this is no property file");
    return line;
  }

  /// A line with those it goes on in; unset for a comment or an empty one.
  std::optional<std::string> logical_line() {
    const std::string_view first = without_leading_blanks(natural_line());
    if (first.empty() || first.front() == '#' || first.front() == '!') return std::nullopt;
    std::string line(first);
    while (goes_on(line)) {
      line.pop_back();
      if (rest_.empty()) break;
      line += without_leading_blanks(natural_line());
    }
    return line;
  }
  static bool goes_on(std::string_view line) {
    const std::size_t last = line.find_last_not_of('\\');
    return (line.size() - (last == line.npos ? 0 : last + 1)) % 2 == 1;
  }

  void add(std::string_view line, std::size_t number) {
    Property property{.line = number};
    std::size_t at = 0;
    while (at < line.size() && line[at] != '=' && line[at] != ':' && !is_blank(line[at])) {
      unescape(line, at, number, property.key);
    }
    line = without_leading_blanks(line.substr(at));
    if (!line.empty() && (line.front() == '=' || line.front() == ':')) {
      line = without_leading_blanks(line.substr(1));
    }
    while (!line.empty() && is_blank(line.back()) && !is_escaped_end(line)) line.remove_suffix(1);
    at = 0;
    while (at < line.size()) unescape(line, at, number, property.value);
    if (property.key.empty()) fail(number, "a key is missing before '=' or ':'");
    const auto [place, fresh] = line_of_key_.emplace(property.key, number);
    if (!fresh) {
      fail(number,
           "the key " + property.key + " is there already, in line " +
               std::to_string(place->second));
    }
    properties_.entries.push_back(std::move(property));
  }
  /// Is the last character behind a backslash of its own?
  static bool is_escaped_end(std::string_view line) {
    return goes_on(line.substr(0, line.size() - 1));
  }

  /// Appends the character at `at`, which may be several, and moves on.
  void unescape(std::string_view line, std::size_t& at, std::size_t number, std::string& text) {
    const char c = line[at++];
    if (c != '\\') {
      text += c;
      return;
    }
    if (at == line.size()) return;
    const char escaped = line[at++];
    switch (escaped) {
      case 't':
        text += '\t';
        return;
      case 'n':
        text += '\n';
        return;
      case 'r':
        text += '\r';
        return;
      case 'f':
        text += '\f';
        return;
      case 'u':
        append_utf8(character(line, at, number), text);
        return;
      default:
        text += escaped;
    }
  }

  std::uint32_t code_unit(std::string_view line, std::size_t& at, std::size_t number) const {
    std::uint32_t code = 0;
    const std::size_t end = at + 4;
    if (end > line.size()) fail(number, "\\u wants four hexadecimal digits");
    for (; at < end; ++at) {
      constexpr std::string_view digits = "0123456789abcdef";
      const char lower =
          static_cast<char>(line[at] >= 'A' && line[at] <= 'F' ? line[at] + 32 : line[at]);
      const std::size_t digit = digits.find(lower);
      if (digit == digits.npos) fail(number, "\\u wants four hexadecimal digits");
      code = 16 * code + static_cast<std::uint32_t>(digit);
    }
    return code;
  }

  std::uint32_t character(std::string_view line, std::size_t& at, std::size_t number) const {
    const std::uint32_t high = code_unit(line, at, number);
    if (high == 0) fail(number, "\\u0000 is not allowed");
    if (high < 0xD800 || high >= 0xE000) return high;
    // Two halves of a character beyond the first 65536.
    if (high < 0xDC00 && line.substr(at).starts_with("\\u")) {
      at += 2;
      const std::uint32_t low = code_unit(line, at, number);
      if (low >= 0xDC00 && low < 0xE000) {
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
      }
    }
    fail(number, "\\u with half a character");
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  Properties properties_;
  std::map<std::string, std::size_t, std::less<>> line_of_key_;
};

/// Escapes what the reader would take for something else.
std::string escaped(std::string_view text, bool is_key) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool at_an_end = i == 0 || i + 1 == text.size();
    switch (c) {
      case '\\':
        result += "\\\\";
        break;
      case '\t':
        result += "\\t";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\f':
        result += "\\f";
        break;
      case ' ':
        result += is_key || at_an_end ? "\\ " : " ";
        break;
      case '=':
      case ':':
      case '#':
      case '!':
        if (is_key) result += '\\';
        result += c;
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

const Property* Properties::find(std::string_view key) const noexcept {
  for (const Property& property : entries) {
    if (property.key == key) return &property;
  }
  return nullptr;
}

Properties read_properties(Input& input) {
  const WholeInput whole(input);
  return Reader(input.name(), whole.bytes()).read();
}

std::string to_text(const Properties& properties) {
  // Not a key at the very beginning: it might look like the mark of a compressed file.
  std::string text = "# properties\n";
  std::map<std::string_view, bool> seen;
  for (const Property& property : properties.entries) {
    require(!property.key.empty(), "Properties: a key is empty");
    require(seen.emplace(property.key, true).second,
            "Properties: the key " + property.key + " occurs twice");
    const bool has_nul = property.key.find('\0') != std::string::npos ||
                         property.value.find('\0') != std::string::npos;
    require(!has_nul, "Properties: " + property.key + " holds a NUL");
    text += escaped(property.key, true) + " = " + escaped(property.value, false) + "\n";
  }
  return text;
}

}  // namespace maxmargin
