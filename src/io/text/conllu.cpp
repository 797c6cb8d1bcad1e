// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/text/conllu.hpp"

#include <algorithm>
#include <array>

#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/core/suggest.hpp"

namespace maxmargin {

namespace {

constexpr std::array<std::string_view, 10> names = {
    "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"};

std::size_t column_of(const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InvalidArgument("CoNLL-U has no column " + name + suggest_names(name, names));
  }
  return static_cast<std::size_t>(found - names.begin());
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
    detail::split_at_tabs(line, cells_);
    if (cells_.size() != names.size()) {
      lines_.fail(std::to_string(cells_.size()) + " columns separated by tabs; expected 10");
    }
    for (const std::string_view cell : cells_) lines_.require_cell(cell);
    const Node node = node_of(cells_[0]);
    if (node == Node::unknown) {
      lines_.fail(
          "expected the number of a word (3, 3-4 or 3.1), found " + detail::quote(cells_[0]), 1);
    }
    if (node != Node::word) return;
    ++words_;
    if (parse_integer(cells_[0]) != words_) {
      lines_.fail("the word " + detail::quote(cells_[0]) + "; expected number " +
                      std::to_string(words_) + " of the sentence",
                  1);
    }
    observed_.clear();
    for (const std::size_t column : columns_) observed_.push_back(cells_[column]);
    text_.add_token(observed_, tag_ ? std::optional(cells_[*tag_]) : std::nullopt);
  }

  detail::TextLines lines_;
  std::vector<std::size_t> columns_;
  std::optional<std::size_t> tag_;
  TaggedText text_;
  std::vector<std::string_view> cells_;
  std::vector<std::string_view> observed_;
  std::int64_t words_ = 0;
};

}  // namespace

void ConlluOptions::validate() const {
  std::vector<std::string> used = columns;
  if (!tag.empty()) used.push_back(tag);
  require(!columns.empty(), "ConlluOptions.columns = none, must be one at least");
  for (std::size_t k = 0; k < used.size(); ++k) {
    static_cast<void>(column_of(used[k]));
    require_field(std::find(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(k), used[k]) ==
                      used.begin() + static_cast<std::ptrdiff_t>(k),
                  "ConlluOptions.columns",
                  used[k],
                  "each once, and not the tag");
  }
}

TaggedText read_conllu(Input& input, const ConlluOptions& options) {
  options.validate();
  TaggedText text = ConlluReader(input, options).read();
  text.source = input.name();
  return text;
}

}  // namespace maxmargin
