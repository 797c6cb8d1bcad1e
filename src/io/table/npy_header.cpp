// SPDX-License-Identifier: Apache-2.0
#include "io/table/npy_header.hpp"

#include <bit>
#include <charconv>

#include "io/quote.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin::detail {

namespace {

class HeaderParser {
 public:
  HeaderParser(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!skip('}')) {
      read_entry();
      if (skip(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (at_ < text_.size()) fail("expected nothing after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      fail("the header must have the keys descr, fortran_order and shape");
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ParseError(
        file_, {}, "NPY header, character " + std::to_string(at_ + 1) + ": " + problem);
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool skip(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!skip(c)) fail(std::string("expected '") + c + "'");
  }
  /// Takes `word` if it comes next.
  bool skip_word(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view read_string() {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a string in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string without its closing quote");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  void read_entry() {
    const std::string_view key = read_string();
    expect(':');
    if (key == "descr" && !has_descr_) {
      has_descr_ = true;
      read_descr();
    } else if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      header_.fortran_order = skip_word("True");
      if (!header_.fortran_order && !skip_word("False")) fail("expected True or False");
    } else if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      read_shape();
    } else {
      fail("the key " + quote(key, "\"\"") + " is unknown or occurs twice");
    }
  }

  /// A type such as <f8: byte order, kind, size.
  void read_descr() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '[') fail("structured arrays are not data matrices");
    const std::string_view descr = read_string();
    if (descr.find('O') != std::string_view::npos) {
      fail("arrays of Python objects (" + quote(descr, "\"\"") + ") cannot be read");
    }
    if (!set_type(descr)) {
      fail("element type " + quote(descr, "\"\"") +
           ", expected b1, f4, f8, or i or u with 1, 2, 4 or 8, after <, >, | or =");
    }
  }

  bool set_type(std::string_view descr) {
    if (descr.size() != 3) return false;
    const char order = descr[0];
    const char kind = descr[1];
    const auto bytes = static_cast<std::size_t>(descr[2] - '0');
    const bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (order == '<' || order == '>') {
      header_.type.big_endian = order == '>';
    } else if (order == '=') {
      header_.type.big_endian = std::endian::native == std::endian::big;
    } else if (order != '|' || bytes != 1) {
      return false;
    }
    header_.type.bytes = bytes;
    if (kind == 'f') {
      header_.type.kind = ElementKind::floating;
      return bytes == 4 || bytes == 8;
    }
    if (kind == 'i' || kind == 'u') {
      header_.type.kind = kind == 'i' ? ElementKind::signed_integer : ElementKind::unsigned_integer;
      return power;
    }
    header_.type.kind = ElementKind::boolean;
    return kind == 'b' && bytes == 1;
  }

  void read_shape() {
    expect('(');
    while (!skip(')')) {
      skip_spaces();
      std::size_t length = 0;
      const char* first = text_.data() + at_;
      const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), length);
      if (error != std::errc{}) fail("expected a length that fits 64 bits");
      at_ += static_cast<std::size_t>(end - first);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote some lengths as 5L
      header_.shape.push_back(length);
      if (skip(',')) continue;
      // (5) is a number in Python, not a tuple.
      if (header_.shape.size() == 1) fail("expected ',' after the only length of a shape");
      expect(')');
      break;
    }
    if (header_.shape.empty() || header_.shape.size() > 2) {
      fail("an array of " + std::to_string(header_.shape.size()) + " dimensions, expected 1 or 2");
    }
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& file, std::string_view text) {
  return HeaderParser(file, text).parse();
}

}  // namespace maxmargin::detail
