// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/feature_templates.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "data/text/cell_functions.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view blanks = " \t\r";
/// Windows wider than this are slips of the pen.
constexpr std::int64_t farthest_row = 100;
constexpr std::int64_t last_column = 1000;
constexpr std::int64_t longest_affix = 100;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Turns one line into a template.
class LineParser {
 public:
  LineParser(const std::string& source, std::size_t line, std::string_view text)
      : source_(source), line_(line), text_(text) {}

  FeatureTemplate parse() {
    FeatureTemplate result{.text = std::string(text_), .line = line_};
    while (at_ < text_.size()) {
      const std::size_t percent = std::min(text_.find('%', at_), text_.size());
      append_text(result, text_.substr(at_, percent - at_));
      at_ = percent;
      if (at_ == text_.size()) break;
      if (text_.substr(at_).starts_with("%%")) {
        append_text(result, "%");
        at_ += 2;
      } else {
        result.parts.push_back(macro());
      }
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& problem) const {
    throw ParseError(source_, {.line = line_, .column = at + 1}, problem);
  }

  static void append_text(FeatureTemplate& to, std::string_view text) {
    if (text.empty()) return;
    if (to.parts.empty() || to.parts.back().is_macro) to.parts.emplace_back();
    to.parts.back().text += text;
  }

  /// At a percent sign: %function[row,column] or %function[row,column,length].
  TemplatePart macro() {
    const std::size_t begin = at_;
    const std::size_t open = std::min(text_.find_first_not_of(letters, at_ + 1), text_.size());
    const std::string_view name = text_.substr(at_ + 1, open - at_ - 1);
    TemplatePart part{.is_macro = true, .function = function_of(name, begin)};
    if (open == text_.size() || text_[open] != '[') {
      fail(open, "expected [row,column] behind %" + std::string(name));
    }
    at_ = open + 1;
    part.row = static_cast<int>(argument("row", -farthest_row, farthest_row, ','));
    const bool has_length = takes_length(part.function);
    part.column =
        static_cast<std::size_t>(argument("column", 0, last_column, has_length ? ',' : ']'));
    if (has_length) {
      part.length = static_cast<std::size_t>(argument("length", 1, longest_affix, ']'));
    }
    return part;
  }

  CellFunction function_of(std::string_view name, std::size_t begin) const {
    std::vector<std::string_view> known;
    for (const CellFunctionName& entry : cell_function_names()) {
      if (entry.name == name) return entry.function;
      known.push_back(entry.name);
    }
    fail(begin,
         "%" + std::string(name) + " is no function of templates (%% is a percent sign)" +
             suggest_names(name, known));
  }

  /// A whole number from `least` to `most`, and the sign behind it.
  std::int64_t argument(std::string_view what, std::int64_t least, std::int64_t most, char end) {
    const std::size_t close = std::min(text_.find_first_of(",]", at_), text_.size());
    const std::string_view digits = without_blanks(text_.substr(at_, close - at_));
    const auto value = parse_integer(digits);
    if (!value || *value < least || *value > most) {
      fail(at_,
           "expected a " + std::string(what) + ", a whole number from " + std::to_string(least) +
               " to " + std::to_string(most));
    }
    if (close == text_.size() || text_[close] != end) {
      fail(close,
           std::string("expected '") + end + "' behind the " + std::string(what) +
               (end == ']' ? "" : ", then another number"));
    }
    at_ = close + 1;
    return *value;
  }

  static constexpr std::string_view letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  const std::string& source_;
  std::size_t line_;
  std::string_view text_;
  std::size_t at_ = 0;
};

bool has_macro(const FeatureTemplate& pattern) {
  return std::ranges::any_of(pattern.parts, &TemplatePart::is_macro);
}

void add_line(FeatureTemplates& templates, std::size_t number, std::string_view line) {
  if (line.empty() || line.front() == '#') return;
  if (line.front() != 'U' && line.front() != 'B') {
    throw ParseError(
        templates.source,
        {.line = number, .column = 1},
        "expected a line that begins with U (features), B (label pairs) or # (comment)");
  }
  FeatureTemplate pattern = LineParser(templates.source, number, line).parse();
  if (line.front() == 'U') {
    templates.positions.push_back(std::move(pattern));
  } else if (has_macro(pattern)) {
    templates.steps.push_back(std::move(pattern));
  } else {
    templates.transitions = true;
  }
}

/// What stands where the sentence has ended: _B-1 and _B-2 before its first token, _B+1 and so on
/// behind its last.
void append_border(std::ptrdiff_t steps_outside, std::string& to) {
  to += steps_outside < 0 ? "_B" : "_B+";
  to += std::to_string(steps_outside);
}

}  // namespace

void FeatureTemplates::require_columns(std::size_t columns, const std::string& text_source) const {
  for (const auto* patterns : {&positions, &steps}) {
    for (const FeatureTemplate& pattern : *patterns) {
      for (const TemplatePart& part : pattern.parts) {
        if (!part.is_macro || part.column < columns) continue;
        throw ParseError(source,
                         {.line = pattern.line},
                         pattern.text + " wants column " + std::to_string(part.column) +
                             ", counted from 0; " + text_source + " has " +
                             std::to_string(columns) + " beside the tag");
      }
    }
  }
}

FeatureTemplates parse_templates(std::string_view text, std::string source) {
  FeatureTemplates templates{.source = std::move(source)};
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find('\0') != line.npos) {
      throw ParseError(templates.source, {.line = number}, "a NUL byte (binary data?)");
    }
    add_line(templates, number, without_blanks(line));
  }
  if (templates.positions.empty() && templates.steps.empty() && !templates.transitions) {
    throw ParseError(templates.source, {}, "holds no template");
  }
  return templates;
}

std::string to_text(const FeatureTemplates& templates) {
  std::string text;
  for (const auto* patterns : {&templates.positions, &templates.steps}) {
    for (const FeatureTemplate& pattern : *patterns) text += pattern.text + "\n";
  }
  if (templates.transitions) text += "B\n";
  return text;
}

bool expand_template(const FeatureTemplate& pattern,
                     const TaggedText& text,
                     std::size_t sentence,
                     std::size_t token,
                     std::string& feature) {
  const auto begin = static_cast<std::ptrdiff_t>(text.begin(sentence));
  const auto end = static_cast<std::ptrdiff_t>(text.begin(sentence + 1));
  feature.clear();
  for (const TemplatePart& part : pattern.parts) {
    if (!part.is_macro) {
      feature += part.text;
      continue;
    }
    const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(token) + part.row;
    if (row >= begin && row < end) {
      const std::string_view cell = text.cell(static_cast<std::size_t>(row), part.column);
      if (!append_function_of(part.function, part.length, cell, feature)) return false;
    } else if (is_flag(part.function)) {
      return false;
    } else {
      append_border(row < begin ? row - begin : row - end + 1, feature);
    }
  }
  return true;
}

}  // namespace maxmargin
