// SPDX-License-Identifier: Apache-2.0
#include "io/table/label_lines.hpp"

#include <algorithm>
#include <string_view>

#include "io/quote.hpp"
#include "io/stream/line_blocks.hpp"
#include "io/table/missing_label.hpp"
#include "maxmargin/core/error.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view blanks_and_ends = " \t\r\n";

bool is_control(char c) { return static_cast<unsigned char>(c) < ' '; }

/// Walks over the text record by record: a line, or a cell in quotes to the end of its last line.
class LabelLines {
 public:
  LabelLines(const Input& input, std::string_view text) : name_(input.name()), rest_(text) {}

  /// The next label in text(); false at the end.
  bool next() {
    if (rest_.empty()) return false;
    line_ += ends_taken_;
    ends_taken_ = 1;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    const std::size_t first = std::min(line.find_first_not_of(blanks), end);
    column_ = first + 1;
    if (line.substr(first).starts_with('"') && take_quoted(first)) return true;
    const std::size_t last = std::max(line.find_last_not_of(blanks) + 1, first);  // npos + 1 is 0
    text_ = line.substr(first, last - first);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (text_.empty()) fail("expected a label (or ?)");
    const bool has_control =
        std::ranges::any_of(text_, [](char c) { return is_control(c) && c != '\t'; });
    if (has_control) fail("expected a label, found " + quote(text_) + " (binary data?)");
    return true;
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw ParseError(name_, {.line = line_, .column = column_}, problem);
  }

  /// Takes the cell that begins with the quote at `begin`. False, and nothing taken, when it does
  /// not end with a quote and a line end: then the quotes are part of the label.
  bool take_quoted(std::size_t begin) {
    std::string text;
    std::size_t at = begin + 1;
    for (;; ++at) {
      if (at >= rest_.size()) return false;
      if (rest_[at] == '"' && !rest_.substr(at + 1).starts_with('"')) break;
      if (rest_[at] == '"') ++at;
      text += rest_[at];
    }
    const std::size_t end = std::min(rest_.find('\n', at), rest_.size());
    if (rest_.substr(at + 1, end - at - 1).find_first_not_of(blanks) != rest_.npos) return false;
    if (text.find('\0') != text.npos) fail("expected a label, found a zero byte (binary data?)");
    ends_taken_ = 1 + static_cast<std::size_t>(std::ranges::count(rest_.substr(0, at), '\n'));
    text_ = std::move(text);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return true;
  }

  std::string name_;
  std::string_view rest_;
  std::string text_;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  std::size_t ends_taken_ = 0;
};

}  // namespace

std::string label_line(const Label& label) {
  std::string text = label.text();
  const bool is_plain = !text.empty() && blanks.find(text.front()) == blanks.npos &&
                        blanks.find(text.back()) == blanks.npos &&
                        std::ranges::none_of(text, [](char c) {
                          return is_control(c) || c == '"' || c == ',' || c == ';';
                        });
  if (label.is_number() || is_plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

LabelColumn read_label_lines(Input& input, const std::optional<std::string>& unlabeled) {
  const std::optional<Label> mark =
      unlabeled ? std::optional(Label::parse(*unlabeled)) : std::nullopt;
  skip_byte_order_mark(input);
  std::string all = input.read_all();
  all.resize(all.find_last_not_of(blanks_and_ends) + 1);  // npos + 1 is 0
  LabelColumn labels;
  for (LabelLines lines(input, all); lines.next();) {
    const Label label = Label::parse(lines.text());
    if (is_missing_label(lines.text()) || label == mark) {
      labels.push_back_unlabelled();
    } else {
      labels.push_back(label);
    }
  }
  return labels;
}

}  // namespace maxmargin
