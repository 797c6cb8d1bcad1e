// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/conll_columns.hpp"

#include <algorithm>
#include <vector>

#include "io/stream/text_lines.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view document_mark = "-DOCSTART-";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Would the reader take this start of a file for a byte order mark or for compressed data?
bool passes_for_a_mark(std::string_view start) {
  return start.starts_with(byte_order_mark) || start.starts_with("BZh") ||
         start.starts_with("\x1f\x8b");
}

class ColumnReader {
 public:
  ColumnReader(Input& input, const ConllOptions& options)
      : lines_(input), options_(options), text_(0, options.has_tags) {}

  TaggedText read() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (!options_.comment.empty() && line.starts_with(options_.comment)) continue;
      if (is_empty(line)) {
        text_.end_sentence();
        continue;
      }
      if (options_.skip_document_marks && is_document_mark(line)) {
        text_.end_sentence();
        continue;
      }
      split(line);
      add_token();
    }
    text_.end_sentence();
    return std::move(text_);
  }

 private:
  /// Files that were glued together have byte order marks on lines of their own.
  static bool is_empty(std::string_view line) {
    return line.find_first_not_of(" \t\r\v\f") == line.npos || line == byte_order_mark;
  }

  static bool is_document_mark(std::string_view line) {
    if (!line.starts_with(document_mark)) return false;
    return line.size() == document_mark.size() || line.find_first_of(" \t") == document_mark.size();
  }

  void split(std::string_view line) {
    if (options_.tabs_only) {
      split_at_tabs(line, cells_);
    } else {
      split_at_blanks(line, cells_);
    }
  }

  void add_token() {
    if (columns_ == 0) begin_text();
    if (cells_.size() != columns_) {
      lines_.fail("a token of " + count(cells_.size()) + "; expected " + count(columns_) +
                  ", as in line " + std::to_string(first_line_));
    }
    for (const std::string_view cell : cells_) {
      lines_.require_cell(cell);
    }
    if (!options_.has_tags) {
      text_.add_token(cells_);
      return;
    }
    const std::string_view tag = cells_[tag_column_];
    cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(tag_column_));
    text_.add_token(cells_, tag);
  }

  static std::string count(std::size_t columns) {
    return std::to_string(columns) + (columns == 1 ? " column" : " columns");
  }

  /// The first token says how many columns there are.
  void begin_text() {
    columns_ = cells_.size();
    first_line_ = lines_.number();
    if (options_.has_tags) {
      if (columns_ < 2 && !options_.tags_alone) {
        lines_.fail("a token of 1 column; expected a word and a tag at least");
      }
      if (options_.tag_column > columns_) {
        lines_.fail("a token of " + count(columns_) + "; the tag should be in column " +
                    std::to_string(options_.tag_column));
      }
      tag_column_ = (options_.tag_column == 0 ? columns_ : options_.tag_column) - 1;
    }
    text_ = TaggedText(columns_ - (options_.has_tags ? 1 : 0), options_.has_tags);
  }

  TextLines lines_;
  const ConllOptions& options_;
  TaggedText text_;
  std::vector<std::string_view> cells_;
  std::size_t columns_ = 0;
  std::size_t first_line_ = 0;
  std::size_t tag_column_ = 0;
};

/// Which column is the tag, and whether there is one, as one text.
class TagColumnValue final : public OptionValue {
 public:
  explicit TagColumnValue(ConllOptions& options) : options_(options) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "the number of a column from 1, or none";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    const bool has_tags = text != "none";
    const std::optional<std::int64_t> number =
        has_tags ? parse_integer(text) : std::optional<std::int64_t>(0);
    if (!number || *number < (has_tags ? 1 : 0)) return false;
    options_.has_tags = has_tags;
    options_.tag_column = static_cast<std::size_t>(*number);
    return true;
  }
  [[nodiscard]] bool holds() const override {
    return options_.has_tags || options_.tag_column == 0;
  }
  [[nodiscard]] OptionScalar scalar() const override {
    if (options_.tag_column > 0) return std::to_string(options_.tag_column);
    return options_.has_tags ? OptionScalar{} : OptionScalar("none");
  }

 private:
  ConllOptions& options_;
};

}  // namespace

void ConllOptions::describe(OptionVisitor& visit) {
  TagColumnValue tag(*this);
  visit.option({.name = "label",
                .help = "column of the tag: a number from 1, or none",
                .value = "COLUMN",
                .fallback = "the last"},
               tag);
  visit.yes_no({.name = "tags-alone", .help = "a file of one column is tags alone"}, tags_alone);
  visit.yes_no({.name = "tabs-only", .help = "tabs alone separate columns"}, tabs_only);
  visit.text({.name = "comment", .help = "lines that begin so are comments", .fallback = "none"},
             comment);
  visit.yes_no({.name = "skip-document-marks", .help = "lines of -DOCSTART- are no tokens"},
               skip_document_marks);
}

TaggedText read_conll_columns(Input& input, const ConllOptions& options) {
  validate(options);
  TaggedText text = ColumnReader(input, options).read();
  text.source = input.name();
  return text;
}

void write_conll_columns(const TaggedText& text, OutputFile& output) {
  std::string sentence;
  for (std::size_t s = 0; s < text.size(); ++s) {
    sentence.clear();
    for (std::size_t token = text.begin(s); token < text.begin(s + 1); ++token) {
      for (std::size_t column = 0; column < text.columns(); ++column) {
        if (column > 0) sentence += '\t';
        sentence += text.cell(token, column);
      }
      if (text.has_tags()) {
        if (text.columns() > 0) sentence += '\t';
        sentence += text.tags()[text.tag(token)];
      }
      sentence += '\n';
    }
    sentence += '\n';
    if (s == 0 && passes_for_a_mark(sentence)) sentence.insert(0, 1, '\n');
    output.write(sentence);
  }
}

}  // namespace maxmargin
