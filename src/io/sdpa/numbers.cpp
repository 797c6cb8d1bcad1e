// SPDX-License-Identifier: Apache-2.0
#include "io/sdpa/numbers.hpp"

#include <cmath>

#include "io/quote.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin::detail {

namespace {

bool is_separator(char c) {
  return std::string_view(" \t\r\n\v\f,(){}").find(c) != std::string_view::npos;
}

}  // namespace

void SdpaNumbers::fail(const std::string& problem) const { fail(place_, problem); }

void SdpaNumbers::fail(FilePlace place, const std::string& problem) const {
  throw ParseError(name_, place, problem);
}

void SdpaNumbers::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  if (at_ == text_.size()) return;
  ++at_;
  ++line_;
  line_start_ = at_;
}

void SdpaNumbers::skip_remark(std::string_view what, std::size_t count) {
  while (at_ < text_.size() && text_[at_] != '\n' && is_separator(text_[at_])) ++at_;
  if (at_ < text_.size() && text_[at_] != '\n') {
    const std::string_view text = word();
    if (parse_number(text)) {
      fail("another number, " + quote(text, "") + ", behind the last of the " + std::string(what) +
           ": there must be " + std::to_string(count));
    }
  }
  skip_line();
}

void SdpaNumbers::skip_comments() {
  while (at_ < text_.size()) {
    std::size_t first = at_;
    while (first < text_.size() && (text_[first] == ' ' || text_[first] == '\t')) ++first;
    if (first == text_.size()) return;
    const char c = text_[first];
    if (c != '"' && c != '*' && c != '\n' && c != '\r') return;
    skip_line();
  }
}

bool SdpaNumbers::at_end() {
  while (at_ < text_.size() && is_separator(text_[at_])) {
    if (text_[at_++] != '\n') continue;
    ++line_;
    line_start_ = at_;
  }
  return at_ == text_.size();
}

std::string_view SdpaNumbers::word() {
  const bool end = at_end();
  place_ = {line_, at_ - line_start_ + 1};
  if (end) return {};
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_separator(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::int64_t SdpaNumbers::whole(std::string_view what, std::int64_t least, std::int64_t most) {
  const std::string_view text = word();
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value || *value < least || *value > most) {
    fail("expected " + std::string(what) + ", a whole number from " + std::to_string(least) +
         " to " + std::to_string(most) + ", found " + quote(text, "the end of the file"));
  }
  return *value;
}

double SdpaNumbers::real(std::string_view what) {
  const std::string_view text = word();
  const std::optional<double> value = parse_number(text);
  if (!value || !std::isfinite(*value)) {
    fail("expected " + std::string(what) + ", a finite number, found " +
         quote(text, "the end of the file"));
  }
  return *value;
}

}  // namespace maxmargin::detail
