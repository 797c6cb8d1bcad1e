// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/conllu.hpp"

#include <algorithm>
#include <array>

#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/options.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin {

namespace {

constexpr std::array<std::string_view, 10> names = {
    "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

bool is_column(std::string_view name) { return std::ranges::find(names, name) != names.end(); }

/// Requires is_column(name).
std::size_t column_of(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// What the first column says a line is.
enum class Node { word, multiword_token, empty_node, unknown };

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

Node node_of(std::string_view id) {
  if (is_number(id)) return Node::word;
  const std::size_t sign = id.find_first_of("-.");
  if (sign == id.npos || !is_number(id.substr(0, sign)) || !is_number(id.substr(sign + 1))) {
    return Node::unknown;
  }
  return id[sign] == '-' ? Node::multiword_token : Node::empty_node;
}

class ConlluReader {
 public:
  ConlluReader(Input& input, const ConlluOptions& options)
      : lines_(input), text_(options.columns.size(), !options.tag.empty()) {
    for (const std::string& name : options.columns) columns_.push_back(column_of(name));
    if (!options.tag.empty()) tag_ = column_of(options.tag);
    text_.column_names = options.columns;
  }

  TaggedText read() {
    while (lines_.next()) {
      const std::string_view line = lines_.line();
      if (line.find_first_not_of(" \t\r") == line.npos) {
        end_sentence();
      } else if (line.front() != '#') {
        add_line(line);
      }
    }
    end_sentence();
    return std::move(text_);
  }

 private:
  void end_sentence() {
    text_.end_sentence();
    words_ = 0;
  }

  void add_line(std::string_view line) {
    split_at_tabs(line, cells_);
    if (cells_.size() != names.size()) {
      lines_.fail(std::to_string(cells_.size()) + " columns separated by tabs; expected 10");
    }
    for (const std::string_view cell : cells_) lines_.require_cell(cell);
    const Node node = node_of(cells_[0]);
    if (node == Node::unknown) {
      lines_.fail("expected the number of a word (3, 3-4 or 3.1), found " + quote(cells_[0]), 1);
    }
    if (node != Node::word) return;
    ++words_;
    if (parse_integer(cells_[0]) != words_) {
      lines_.fail("the word " + quote(cells_[0]) + "; expected number " + std::to_string(words_) +
                      " of the sentence",
                  1);
    }
    observed_.clear();
    for (const std::size_t column : columns_) observed_.push_back(cells_[column]);
    text_.add_token(observed_, tag_ ? std::optional(cells_[*tag_]) : std::nullopt);
  }

  TextLines lines_;
  std::vector<std::size_t> columns_;
  std::optional<std::size_t> tag_;
  TaggedText text_;
  std::vector<std::string_view> cells_;
  std::vector<std::string_view> observed_;
  std::int64_t words_ = 0;
};

/// Of an option that names a column that there is not.
std::string no_such_column(std::string_view option, std::string_view name) {
  return flag_of(option) + " " + std::string(name) + ": CoNLL-U has no such column" +
         suggest_names(name, names);
}

class ColumnsValue final : public OptionValue {
 public:
  explicit ColumnsValue(std::vector<std::string>& columns) : columns_(columns) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override {
    return "names of columns with commas between them";
  }
  [[nodiscard]] bool set(std::string_view text) override {
    std::vector<std::string> read;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      read.emplace_back(text.substr(begin, end - begin));
      if (!is_column(read.back())) throw InvalidArgument(no_such_column("columns", read.back()));
      begin = end + 1;
    }
    columns_ = std::move(read);
    return true;
  }
  [[nodiscard]] bool holds() const override { return !columns_.empty(); }
  [[nodiscard]] OptionScalar scalar() const override {
    std::string list;
    for (const std::string& name : columns_) list += (list.empty() ? "" : ",") + name;
    return list;
  }

 private:
  std::vector<std::string>& columns_;
};

class TagValue final : public OptionValue {
 public:
  explicit TagValue(std::string& tag) : tag_(tag) {}
  [[nodiscard]] OptionKind kind() const override { return OptionKind::text; }
  [[nodiscard]] std::string rule() const override { return "the name of a column, or none"; }
  [[nodiscard]] bool set(std::string_view text) override {
    if (text != "none" && !is_column(text)) throw InvalidArgument(no_such_column("label", text));
    tag_ = text == "none" ? "" : text;
    return true;
  }
  [[nodiscard]] bool holds() const override { return true; }
  [[nodiscard]] OptionScalar scalar() const override { return tag_.empty() ? "none" : tag_; }

 private:
  std::string& tag_;
};

}  // namespace

void ConlluOptions::describe(OptionVisitor& visit) {
  ColumnsValue observed(columns);
  visit.option({.name = "columns", .help = "observed columns of CoNLL-U", .value = "NAME,..."},
               observed);
  TagValue tag_column(tag);
  visit.option({.name = "label", .help = "column of the tag: its name, or none", .value = "COLUMN"},
               tag_column);
  visit.rule(tag.empty() || is_column(tag), no_such_column("label", tag));
  for (auto name = columns.begin(); name != columns.end(); ++name) {
    visit.rule(is_column(*name), no_such_column("columns", *name));
    const bool again = std::find(columns.begin(), name, *name) != name;
    visit.rule(!again && *name != tag,
               "--columns: must name each column once and not the tag, but there is " + *name);
  }
}

TaggedText read_conllu(Input& input, const ConlluOptions& options) {
  validate(options);
  TaggedText text = ConlluReader(input, options).read();
  text.source = input.name();
  return text;
}

}  // namespace maxmargin
