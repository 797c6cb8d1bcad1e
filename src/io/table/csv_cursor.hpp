// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "maxmargin/core/error.hpp"

namespace maxmargin {

/// May `c` separate cells?
[[nodiscard]] bool is_csv_delimiter(char c) noexcept;

/// One cell of a table. `text` is without quotes and, when it had none, without spaces around; it
/// is valid until the next cell is read.
struct CsvCell {
  std::string_view text = {};
  FilePlace place = {};
};

/// Goes through the cells of a table one after the other, across records, and knows line and
/// column. Everything that breaks the rules of quoting ends in a ParseError.
///
/// A quote is allowed at the start of a cell, at its end and doubled within such a cell, and
/// nowhere else. So in a table without errors a place is within quotes exactly when an odd number
/// of quotes comes before it, and the reader may begin in the middle of a file.
class CsvCursor {
 public:
  /// Starts at byte `offset` of `text`, the beginning of a record in the given line (from 1).
  CsvCursor(const std::string& file,
            std::string_view text,
            char delimiter,
            std::size_t offset,
            std::size_t line)
      : file_(file),
        begin_(text.data()),
        end_(text.data() + text.size()),
        at_(begin_ + offset),
        line_begin_(at_),
        line_(line),
        delimiter_(delimiter) {}

  /// A place to come back to.
  struct Mark {
    const char* at = nullptr;
    const char* line_begin = nullptr;
    std::size_t line = 0;
  };
  [[nodiscard]] Mark mark() const noexcept { return {at_, line_begin_, line_}; }
  void return_to(const Mark& mark) noexcept {
    at_ = mark.at;
    line_begin_ = mark.line_begin;
    line_ = mark.line;
  }

  [[nodiscard]] bool at_end() const noexcept { return at_ == end_; }
  [[nodiscard]] std::size_t offset() const noexcept {
    return static_cast<std::size_t>(at_ - begin_);
  }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

  /// Goes to the next line that is neither empty nor all spaces, or that begins at `stop` or
  /// beyond, or to the end. Requires to be at the beginning of a record.
  void skip_blank_lines(std::size_t stop);

  /// Reads a cell and what ends it. Returns true when another cell of the same record follows.
  bool next_cell(CsvCell& cell);

  /// The same for a cell that should hold a number, without looking at its characters twice. When
  /// it does, returns true, sets `value` (which may be NaN or infinite) and `more` (another cell
  /// follows); otherwise returns false and has not moved.
  bool next_number(double& value, bool& more);

  [[noreturn]] void fail(FilePlace place, const std::string& problem) const {
    throw ParseError(file_, place, problem);
  }

 private:
  [[nodiscard]] bool is_blank(char c) const noexcept {
    return (c == ' ' || c == '\t') && c != delimiter_;
  }
  [[nodiscard]] const char* skip_blanks(const char* p) const noexcept {
    while (p != end_ && is_blank(*p)) ++p;
    return p;
  }
  [[nodiscard]] FilePlace place_of(const char* p) const noexcept {
    return {.line = line_, .column = static_cast<std::size_t>(p - line_begin_) + 1};
  }
  /// Length of the line end at p (LF, CR LF, or CR at the end of the file), 0 when there is none.
  [[nodiscard]] std::size_t line_end_at(const char* p) const noexcept {
    if (*p == '\n') return 1;
    if (*p != '\r') return 0;
    if (p + 1 == end_) return 1;
    return p[1] == '\n' ? 2 : 0;
  }
  void start_line(const char* p) noexcept {
    at_ = p;
    line_begin_ = p;
    ++line_;
  }
  /// Moves behind the delimiter, line end or end of file at p. Returns whether it was a delimiter;
  /// `ends` is false, and nothing moves, when there is something else at p.
  bool finish_cell(const char* p, bool& ends) noexcept;
  void read_quoted(const char* quote, CsvCell& cell);

  const std::string& file_;
  const char* begin_;
  const char* end_;
  const char* at_;
  const char* line_begin_;
  std::size_t line_;
  char delimiter_;
  std::string unescaped_;
};

}  // namespace maxmargin
