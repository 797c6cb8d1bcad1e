// SPDX-License-Identifier: Apache-2.0
#include "io/foreign/parts.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/quote.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

void ForeignText::fail(const std::string& problem) const {
  throw ModelFormatError(name_, {.line = line_number_, .column = at_ + 1}, problem);
}

bool ForeignText::next_line() {
  while (next_ < bytes_.size()) {
    const std::size_t end = std::min(bytes_.find('\n', next_), bytes_.size());
    line_ = bytes_.substr(next_, end - next_);
    next_ = std::min(end + 1, bytes_.size());
    ++line_number_;
    at_ = 0;
    if (!at_line_end()) return true;
  }
  return false;
}

void ForeignText::next_line(std::string_view expected) {
  if (next_line()) return;
  at_ = line_.size();
  fail("the file is cut short, expected " + std::string(expected));
}

void ForeignText::skip_blanks() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}

bool ForeignText::at_word_end() const { return at_ >= line_.size() || is_blank(line_[at_]); }

bool ForeignText::at_line_end() {
  skip_blanks();
  return at_ >= line_.size();
}

void ForeignText::end_line() {
  if (!at_line_end()) fail("expected the end of the line, found " + quote(line_.substr(at_)));
}

std::string_view ForeignText::word(std::string_view what) {
  if (at_line_end()) fail("expected " + std::string(what) + ", found the end of the line");
  const std::size_t begin = at_;
  while (!at_word_end()) ++at_;
  return line_.substr(begin, at_ - begin);
}

double ForeignText::finite(std::string_view what) {
  skip_blanks();
  const char* first = line_.data() + at_;
  double value = 0;
  const char* end = scan_number(first, line_.data() + line_.size(), value);
  const std::size_t begin = at_;
  at_ += static_cast<std::size_t>(end - first);
  if (end == first || !at_word_end() || !std::isfinite(value)) {
    at_ = begin;
    fail("expected " + std::string(what) + ", a finite number, found " +
         quote(line_.substr(begin)));
  }
  return value;
}

std::int64_t ForeignText::whole(std::string_view what, std::int64_t least, std::int64_t most) {
  const std::string_view text = word(what);
  const auto value = parse_integer(text);
  if (!value || *value < least || *value > most) {
    at_ -= text.size();
    fail("expected " + std::string(what) + ", a whole number from " + std::to_string(least) +
         " to " + std::to_string(most) + ", found " + quote(text));
  }
  return *value;
}

std::vector<double> ForeignText::numbers(std::string_view what) {
  std::vector<double> values;
  while (!at_line_end()) values.push_back(finite(what));
  return values;
}

std::int64_t ForeignText::entry_index(std::int64_t after, std::int64_t most) {
  skip_blanks();
  const char* first = line_.data() + at_;
  const char* last = line_.data() + line_.size();
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(first, last, index);
  if (error != std::errc{} || end == last || *end != ':' || index <= after || index > most) {
    fail("expected index:value with an index above " + std::to_string(after) + " and at most " +
         std::to_string(most) + ", found " + quote(line_.substr(at_)));
  }
  at_ += static_cast<std::size_t>(end - first) + 1;
  return index;
}

double ForeignText::entry_value() { return finite("a value after the colon"); }

}  // namespace maxmargin
