// SPDX-License-Identifier: Apache-2.0
#include "io/table/fasta_strings.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "io/quote.hpp"
#include "io/stream/whole_input.hpp"
#include "io/table/missing_label.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/data/text/encoded_strings.hpp"

namespace maxmargin {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_printable(char c) { return c > ' ' && c <= '~'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

class FastaReader {
 public:
  FastaReader(const std::string& source,
              bool last_word_is_label,
              const std::optional<std::string>& unlabeled)
      : source_(source), has_labels_(last_word_is_label) {
    if (unlabeled) unlabelled_ = Label::parse(*unlabeled);
  }

  Dataset read(std::string_view text) {
    while (!text.empty()) take_line(text);
    end_sequence();
    Dataset data;
    data.examples = encode_strings(strings_);
    data.labels = std::move(labels_);
    data.holds_strings = true;
    data.source = source_;
    return data;
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::size_t column, const std::string& problem) const {
    throw ParseError(source_, {.line = line, .column = column}, problem);
  }

  void take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    const bool both = text.substr(end).starts_with("\r\n");
    text.remove_prefix(std::min(text.size(), end + (both ? 2 : 1)));
    ++line_;
    if (line.starts_with('>')) {
      end_sequence();
      header_line_ = line_;
      strings_.emplace_back();
      if (has_labels_) take_label(trimmed(line.substr(1)));
    } else if (std::ranges::all_of(line, is_blank)) {
      return;
    } else if (strings_.empty()) {
      fail(line_, 1, quote(line) + " stands before the first header, which must begin with >");
    } else {
      take_letters(line);
    }
  }

  void take_letters(std::string_view line) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (is_blank(line[k])) continue;
      if (!is_printable(line[k])) {
        fail(line_, k + 1, quote(line.substr(k, 1)) + " in a sequence, must be a letter");
      }
      strings_.back() += line[k];
    }
  }

  void take_label(std::string_view header) {
    const auto blank = std::find_if(header.rbegin(), header.rend(), is_blank);
    if (blank == header.rend()) {
      fail(line_,
           1,
           "the header " + quote(header, "empty") +
               " must have a name and behind it the label (--label last-word)");
    }
    const auto begin = static_cast<std::size_t>(header.rend() - blank);
    const std::string_view word = header.substr(begin);
    const Label label = Label::parse(word);
    if (is_missing_label(word) || label == unlabelled_) {
      labels_.push_back_unlabelled();
    } else {
      labels_.push_back(label);
    }
  }

  void end_sequence() const {
    if (strings_.empty() || !strings_.back().empty()) return;
    fail(header_line_, 1, "the sequence of this header is empty, must have a letter");
  }

  const std::string& source_;
  bool has_labels_;
  std::optional<Label> unlabelled_ = std::nullopt;
  std::size_t line_ = 0;
  std::size_t header_line_ = 0;
  std::vector<std::string> strings_ = {};
  LabelColumn labels_ = {};
};

}  // namespace

Dataset read_fasta(Input& input,
                   bool last_word_is_label,
                   const std::optional<std::string>& unlabeled) {
  const WholeInput whole(input);
  return FastaReader(input.name(), last_word_is_label, unlabeled).read(whole.bytes());
}

}  // namespace maxmargin
