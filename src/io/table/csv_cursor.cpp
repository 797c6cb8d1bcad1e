// SPDX-License-Identifier: Apache-2.0
#include "io/table/csv_cursor.hpp"

#include <cstring>

#include "maxmargin/core/number.hpp"

namespace maxmargin {

bool is_csv_delimiter(char c) noexcept {
  if (c == '\t' || c == ' ') return true;
  constexpr std::string_view refused = "\"'+-.?_";
  const bool letter_or_digit =
      (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c > ' ' && c < 127 && !letter_or_digit && refused.find(c) == std::string_view::npos;
}

void CsvCursor::skip_blank_lines(std::size_t stop) {
  while (at_ != end_ && offset() < stop) {
    const char* p = skip_blanks(at_);
    if (p == end_) {
      at_ = end_;
      return;
    }
    const std::size_t length = line_end_at(p);
    if (length == 0) return;
    start_line(p + length);
  }
}

bool CsvCursor::finish_cell(const char* p, bool& ends) noexcept {
  ends = true;
  if (p == end_) {
    at_ = end_;
    return false;
  }
  if (*p == delimiter_) {
    at_ = p + 1;
    return true;
  }
  const std::size_t length = line_end_at(p);
  ends = length > 0;
  if (ends) start_line(p + length);
  return false;
}

bool CsvCursor::next_number(double& value, bool& more) {
  const char* first = skip_blanks(at_);
  const char* last = scan_number(first, end_, value);
  if (last == first) return false;
  bool ends = false;
  more = finish_cell(skip_blanks(last), ends);
  return ends;
}

void CsvCursor::read_quoted(const char* quote, CsvCell& cell) {
  const char* from = quote + 1;
  unescaped_.clear();
  while (true) {
    const void* found = std::memchr(from, '"', static_cast<std::size_t>(end_ - from));
    if (found == nullptr) fail(cell.place, "the quote that opens this cell is never closed");
    const char* close = static_cast<const char*>(found);
    const bool doubled = close + 1 != end_ && close[1] == '"';
    if (!doubled && unescaped_.empty()) {
      cell.text = {from, static_cast<std::size_t>(close - from)};
    } else {
      unescaped_.append(from, doubled ? close + 1 : close);
      cell.text = unescaped_;
    }
    from = close + (doubled ? 2 : 1);
    if (!doubled) break;
  }
  for (const char* p = quote; p != from; ++p) {
    if (*p == '\n') start_line(p + 1);
  }
  at_ = from;
}

bool CsvCursor::next_cell(CsvCell& cell) {
  bool ends = false;
  const char* first = skip_blanks(at_);
  cell.place = place_of(first);
  if (first != end_ && *first == '"') {
    read_quoted(first, cell);
    const char* after = skip_blanks(at_);
    const bool more = finish_cell(after, ends);
    if (!ends) fail(place_of(after), "expected the end of the cell after its closing quote");
    return more;
  }
  const char* p = first;
  while (p != end_ && *p != delimiter_ && *p != '\n' && *p != '\r' && *p != '"') ++p;
  if (p != end_ && *p == '"') {
    fail(place_of(p), "a quote within a cell that does not begin with one");
  }
  const char* last = p;
  while (last != first && is_blank(last[-1])) --last;
  cell.text = {first, static_cast<std::size_t>(last - first)};
  const bool more = finish_cell(p, ends);
  if (!ends) fail(place_of(p), "a carriage return without a line feed");
  return more;
}

}  // namespace maxmargin
