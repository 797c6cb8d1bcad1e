// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/stream/line_blocks.hpp"
#include "maxmargin/io/stream/input.hpp"

namespace maxmargin {

/// The lines of a text file one after the other, without their ends (LF or CR LF) and without a
/// byte order mark at the start of the file. Reads as a stream.
class TextLines {
 public:
  /// `input` must outlive the object.
  explicit TextLines(Input& input);

  /// The next line in line(), valid until the next call; false at the end. Throws ParseError for a
  /// line with a NUL: the file is not text.
  bool next();
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  /// From 1.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// Throws ParseError about this line; `column` counts from 1, and 0 is the line as a whole.
  [[noreturn]] void fail(const std::string& problem, std::size_t column = 0) const;
  /// The column of a part of the line.
  [[nodiscard]] std::size_t column_of(std::string_view part) const noexcept {
    return static_cast<std::size_t>(part.data() - line_.data()) + 1;
  }
  /// Throws ParseError for a column that is empty or holds a carriage return.
  void require_cell(std::string_view cell) const;

 private:
  const Input& input_;
  LineBlocks blocks_;
  std::span<const std::string_view> waiting_;  ///< blocks that came with this one
  std::string_view block_;                     ///< what is left of it
  std::string_view line_;
  std::size_t number_ = 0;
};

/// Cuts a line at runs of blanks, tabs and other white space; pieces are not empty.
void split_at_blanks(std::string_view line, std::vector<std::string_view>& pieces);
/// Cuts a line at every tab; pieces may be empty.
void split_at_tabs(std::string_view line, std::vector<std::string_view>& pieces);

}  // namespace maxmargin
