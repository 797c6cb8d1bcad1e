// SPDX-License-Identifier: Apache-2.0
#include "io/stream/text_lines.hpp"

#include <algorithm>

#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// The mark must go before the first block is cut.
Input& without_mark(Input& input) {
  skip_byte_order_mark(input);
  return input;
}

}  // namespace

TextLines::TextLines(Input& input) : input_(input), blocks_(without_mark(input), block_bytes) {}

bool TextLines::next() {
  if (block_.empty()) {
    if (waiting_.empty()) waiting_ = blocks_.next(1);
    if (waiting_.empty()) return false;
    block_ = waiting_.front();
    waiting_ = waiting_.subspan(1);
  }
  const std::size_t end = block_.find('\n');
  line_ = block_.substr(0, end);
  block_.remove_prefix(end + 1);
  ++number_;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  if (const std::size_t nul = line_.find('\0'); nul != line_.npos) {
    fail("a NUL byte (binary data?)", nul + 1);
  }
  return true;
}

void TextLines::fail(const std::string& problem, std::size_t column) const {
  throw ParseError(input_.name(), {.line = number_, .column = column}, problem);
}

void TextLines::require_cell(std::string_view cell) const {
  if (cell.empty()) fail("a column is empty", column_of(cell));
  if (cell.find('\r') != cell.npos) fail("a carriage return in a column", column_of(cell));
}

void split_at_blanks(std::string_view line, std::vector<std::string_view>& pieces) {
  constexpr std::string_view blanks = " \t\r\v\f";
  pieces.clear();
  std::size_t at = 0;
  while ((at = line.find_first_not_of(blanks, at)) != line.npos) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    pieces.push_back(line.substr(at, end - at));
    at = end;
  }
}

void split_at_tabs(std::string_view line, std::vector<std::string_view>& pieces) {
  pieces.clear();
  for (;;) {
    const std::size_t tab = std::min(line.find('\t'), line.size());
    pieces.push_back(line.substr(0, tab));
    if (tab == line.size()) return;
    line.remove_prefix(tab + 1);
  }
}

}  // namespace maxmargin
