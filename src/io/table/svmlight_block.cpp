// SPDX-License-Identifier: Apache-2.0
#include "io/table/svmlight_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/quote.hpp"
#include "io/table/missing_label.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
/// Ends the entries of a line.
constexpr bool is_end(char c) { return c == '\n' || c == '#'; }
constexpr bool ends_token(char c) { return is_blank(c) || is_end(c); }

/// Something wrong at a place in the text.
struct Wrong {
  const char* at;
  std::string message;
};

/// Walks over the text with a pointer. Every line has its line end, so that loops over digits,
/// blanks and tokens stop there by themselves and need not watch for the end of the text.
class BlockParser {
 public:
  BlockParser(std::string_view text, const SvmlightRules& rules, SvmlightBlock& block)
      : p_(text.data()), end_(text.data() + text.size()), rules_(rules), block_(block) {
    // The shortest entry is "1:1" and a blank or line end: room for all there can be. Pages that
    // are never written to cost nothing.
    const std::size_t most_entries = text.size() / 4;
    block.columns.resize(most_entries);
    block.values.resize(most_entries);
  }

  void parse_all() {
    try {
      while (p_ != end_) {
        line_ = p_;
        ++block_.lines;
        parse_line();
      }
    } catch (const Wrong& wrong) {
      block_.problem = {.place = place_of(wrong.at), .message = wrong.message};
    }
    block_.columns.resize(entries_);
    block_.values.resize(entries_);
  }

 private:
  [[nodiscard]] FilePlace place_of(const char* at) const {
    return {.line = block_.lines, .column = static_cast<std::size_t>(at - line_) + 1};
  }
  void skip_blanks() {
    while (is_blank(*p_)) ++p_;
  }
  [[nodiscard]] std::string_view token_at(const char* begin) const {
    const char* end = begin;
    while (!ends_token(*end)) ++end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  void parse_line() {
    skip_blanks();
    if (!is_end(*p_)) {
      const char* row = p_;
      parse_label();
      parse_prefix(row);
      if (rules_.precomputed) parse_serial();
      parse_entries();
      block_.row_ends.push_back(static_cast<std::int64_t>(entries_));
    }
    if (*p_ != '\n') p_ = static_cast<const char*>(std::memchr(p_, '\n', bytes_left()));
    ++p_;
  }
  [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - p_); }

  void parse_label() {
    double number = 0;
    const char* after = scan_number(p_, end_, number);
    if (after != p_ && ends_token(*after) && std::isfinite(number)) {
      if (rules_.unlabeled && *rules_.unlabeled == Label(number)) {
        push_unlabelled();
      } else {
        block_.labels.push_back_number(number);
      }
      p_ = after;
      return;
    }
    const std::string_view token = token_at(p_);
    const bool is_list = token.find(',') != token.npos && !rules_.plain_labels;
    const bool is_entry =
        rules_.plain_labels ? token.starts_with("qid:") : token.find(':') != token.npos;
    if (is_entry) {  // already: the line has no label
      if (!block_.first_without_label) block_.first_without_label = place_of(p_);
      ++block_.rows_without_label;
      block_.labels.push_back_unlabelled();
      return;
    }
    if (is_list) {
      push_list(token);
    } else {
      push_label(one_label(token));
    }
    p_ += token.size();
  }

  void push_unlabelled() {
    if (!block_.first_unlabelled) block_.first_unlabelled = place_of(p_);
    block_.labels.push_back_unlabelled();
  }
  void push_label(const Label& label) {
    const bool is_missing = rules_.plain_labels ? label == Label("?") : names_nothing(label);
    if (is_missing || label == rules_.unlabeled) {
      push_unlabelled();
    } else {
      block_.labels.push_back(label);
    }
  }
  [[nodiscard]] static bool names_nothing(const Label& label) {
    return !label.is_number() && is_missing_label(label.text());
  }
  [[nodiscard]] static Label one_label(std::string_view text) {
    for (const char& c : text) {
      if (static_cast<unsigned char>(c) < ' ') {
        throw Wrong{&c, "expected a label, found the byte " + quote({&c, 1}) + " (binary data?)"};
      }
    }
    return Label::parse(text);
  }

  void push_list(std::string_view list) {
    LabelList row = {.row = block_.rows()};
    const char* begin = list.data();
    const char* end = begin + list.size();
    for (;;) {
      const char* comma = std::find(begin, end, ',');
      if (comma == begin) throw Wrong{begin, "expected a label in the list " + quote(list)};
      const std::string_view item(begin, static_cast<std::size_t>(comma - begin));
      if (is_missing_label(item)) {
        throw Wrong{begin,
                    std::string(item) + " (unlabelled) in the list of labels " + quote(list)};
      }
      row.labels.push_back(one_label(item));
      if (comma == end) break;
      begin = comma + 1;
    }
    std::sort(row.labels.begin(), row.labels.end());
    row.labels.erase(std::unique(row.labels.begin(), row.labels.end()), row.labels.end());
    block_.lists.push_back(std::move(row));
    block_.labels.push_back_unlabelled();
  }

  void parse_prefix(const char* row) {
    SvmlightPrefix prefix;
    const char* weight_place = row;
    for (;;) {
      skip_blanks();
      // Digits are what comes next nearly always.
      if (is_digit(*p_) || is_end(*p_)) break;
      const std::string_view token = token_at(p_);
      if (!prefix.group && token.starts_with("qid:")) {
        const auto group = parse_integer(token.substr(4));
        if (!group) throw Wrong{p_ + 4, "expected a whole number, found " + quote(token.substr(4))};
        if (block_.groups.empty() || block_.groups.back() != *group) {
          block_.group_starts.push_back({.group = *group, .place = place_of(p_)});
        }
        block_.groups.push_back(*group);
        prefix.group = true;
      } else if (!prefix.weight && token.starts_with("cost:")) {
        const auto weight = parse_number(token.substr(5));
        if (!weight || !(*weight >= 0) || std::isinf(*weight)) {
          throw Wrong{p_ + 5, "expected a finite number >= 0, found " + quote(token.substr(5))};
        }
        block_.weights.push_back(*weight);
        weight_place = p_;
        prefix.weight = true;
      } else {
        break;
      }
      p_ += token.size();
    }
    if (!block_.prefix) {
      block_.first_row = place_of(row);
      block_.prefix = prefix;
    } else if (*block_.prefix != prefix) {
      throw Wrong{row, prefix_mismatch(*block_.prefix, prefix)};
    }
    if (prefix.weight && !block_.uneven_weight && !keeps_weight()) {
      block_.uneven_weight = place_of(weight_place);
    }
  }

  /// Whether the row has the weight of the row before, if that is of its group.
  [[nodiscard]] bool keeps_weight() const {
    const std::size_t row = block_.weights.size() - 1;
    if (row == 0 || block_.weights[row] == block_.weights[row - 1]) return true;
    return !block_.groups.empty() && block_.groups[row] != block_.groups[row - 1];
  }

  void parse_serial() {
    const std::string_view token = token_at(p_);
    const auto serial =
        token.starts_with("0:") ? parse_integer(token.substr(2)) : std::optional<std::int64_t>();
    if (!serial) {
      throw Wrong{p_, "expected the serial number 0:NUMBER first, found " + quote(token)};
    }
    push_entry(0, static_cast<double>(*serial));
    p_ += token.size();
  }

  void push_entry(std::int64_t column, double value) {
    block_.columns[entries_] = static_cast<std::int32_t>(column);
    block_.values[entries_] = value;
    ++entries_;
  }

  void parse_entries() {
    const std::int64_t column_of_index_0 = rules_.precomputed || rules_.zero_based ? 0 : -1;
    std::int64_t last = rules_.zero_based ? -1 : 0;
    for (;;) {
      skip_blanks();
      if (is_end(*p_)) break;
      const char* token = p_;
      std::int64_t index = 0;
      while (is_digit(*p_) && p_ - token < 10) index = index * 10 + (*p_++ - '0');
      if (*p_ != ':' || p_ == token || index <= last || index > largest_svmlight_index) {
        index = parse_odd_index(token, last);
      }
      last = index;
      const char* text = ++p_;
      double value = 0;
      p_ = scan_number(text, end_, value);
      if (p_ == text || !ends_token(*p_) ||
          !(std::abs(value) <= std::numeric_limits<double>::max())) {
        const std::string_view found = token_at(text);
        throw Wrong{text,
                    "expected a finite number after \"" + std::to_string(index) + ":\", found " +
                        quote(found)};
      }
      push_entry(index + column_of_index_0, value);
    }
    block_.columns_needed =
        std::max(block_.columns_needed,
                 entries_ == 0 ? 0 : static_cast<std::size_t>(block_.columns[entries_ - 1]) + 1);
  }

  /// Says what is wrong with the index at `token`, or gets it right when it has leading zeros.
  std::int64_t parse_odd_index(const char* token, std::int64_t last) {
    p_ = token;
    std::int64_t index = 0;
    for (; is_digit(*p_); ++p_) {
      index = std::min(index * 10 + (*p_ - '0'), largest_svmlight_index + 1);
    }
    const std::string_view digits(token, static_cast<std::size_t>(p_ - token));
    if (digits.empty() || *p_ != ':') {
      throw Wrong{token, "expected index:value, found " + quote(token_at(token))};
    }
    if (index > largest_svmlight_index) {
      throw Wrong{token,
                  "the index " + quote(digits) +
                      " is too large, must be <= " + std::to_string(largest_svmlight_index)};
    }
    if (index == 0 && last == 0 && !rules_.zero_based) {
      throw Wrong{token,
                  rules_.precomputed
                      ? "the index 0 (the serial number) comes twice"
                      : "the index 0, must be >= 1 (or, with --zero-based, all count from 0)"};
    }
    if (index <= last) {
      throw Wrong{token,
                  "the index " + std::to_string(index) + " comes after " + std::to_string(last) +
                      ", must increase"};
    }
    return index;
  }

  const char* p_;
  const char* end_;
  const char* line_ = nullptr;
  std::size_t entries_ = 0;
  const SvmlightRules& rules_;
  SvmlightBlock& block_;
};

}  // namespace

std::string prefix_mismatch(const SvmlightPrefix& before, const SvmlightPrefix& here) {
  const bool group = before.group != here.group;
  const std::string part = group ? "qid:" : "cost:";
  return (group ? here.group : here.weight)
             ? "a line with \"" + part + "\" after lines without it; expected it in all or none"
             : "a line without \"" + part + "\" after lines with it; expected it in all or none";
}

void SvmlightBlock::clear() {
  columns.clear();
  values.clear();
  row_ends.clear();
  labels = {};
  lists.clear();
  groups.clear();
  group_starts.clear();
  weights.clear();
  uneven_weight.reset();
  columns_needed = 0;
  lines = 0;
  rows_without_label = 0;
  first_row = {};
  prefix.reset();
  first_unlabelled.reset();
  first_without_label.reset();
  problem.reset();
}

void parse_svmlight_block(std::string_view text, const SvmlightRules& rules, SvmlightBlock& block) {
  block.clear();
  BlockParser(text, rules, block).parse_all();
}

}  // namespace maxmargin
