// SPDX-License-Identifier: Apache-2.0
#include "io/structured/dna_fasta.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/append_number.hpp"
#include "io/quote.hpp"
#include "io/stream/text_lines.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"

namespace maxmargin {

namespace {

constexpr std::string_view label_word = "label=";
constexpr std::string_view weight_word = "weight=";
constexpr std::string_view label_rule = ", must be 1, -1, 0, +, -, positive, negative or ?";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_word(char c) { return is_blank(c) || c == ','; }

std::string_view without_blanks_around(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

class Reader {
 public:
  explicit Reader(Input& input) : lines_(input) { data_.source = input.name(); }

  DnaData read() {
    while (lines_.next()) take_line(lines_.line());
    end_sequence();
    if (!some_labels_) data_.labels.clear();
    if (!some_weights_) data_.weights.clear();
    return std::move(data_);
  }

 private:
  void take_line(std::string_view line) {
    if (line.starts_with('>')) {
      take_header(line.substr(1));
    } else if (std::ranges::all_of(line, is_blank)) {
      return;
    } else if (data_.sequences.empty()) {
      lines_.fail(quote(line) + " stands before the first header, which must begin with >", 1);
    } else {
      take_bases(line);
    }
  }

  void take_header(std::string_view header) {
    end_sequence();
    header_line_ = lines_.number();
    data_.sequences.emplace_back();
    data_.names.emplace_back();
    data_.labels.push_back(0);
    data_.weights.push_back(1);
    bool is_first = true;
    while (!header.empty()) {
      const auto end =
          static_cast<std::size_t>(std::ranges::find_if(header, ends_word) - header.begin());
      const std::string_view word = header.substr(0, end);
      header.remove_prefix(std::min(header.size(), end + 1));
      if (word.empty()) {
        // A blank at the front is a name of no letters.
        is_first = false;
        continue;
      }
      if (!take_word(word) && is_first) data_.names.back() = word;
      is_first = false;
    }
  }

  /// Is it a label or a weight?
  bool take_word(std::string_view word) {
    if (word.starts_with(label_word)) {
      const std::string_view text = word.substr(label_word.size());
      const std::optional<std::int8_t> label = dna_label(text);
      if (!label) {
        lines_.fail("the label " + quote(text, "of no letters") + std::string(label_rule),
                    lines_.column_of(word));
      }
      data_.labels.back() = *label;
      some_labels_ = true;
      return true;
    }
    if (!word.starts_with(weight_word)) return false;
    const std::string_view text = word.substr(weight_word.size());
    const std::optional<double> weight = parse_number(text);
    if (!weight || !std::isfinite(*weight) || *weight < 0) {
      lines_.fail("the weight " + quote(text, "of no letters") + ", must be a finite number >= 0",
                  lines_.column_of(word));
    }
    data_.weights.back() = *weight;
    some_weights_ = true;
    return true;
  }

  void take_bases(std::string_view line) {
    std::string& sequence = data_.sequences.back();
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (is_blank(line[k])) continue;
      const std::uint8_t code = base_code(line[k]);
      if (code == no_base) {
        lines_.fail(quote(line.substr(k, 1)) +
                        " is no base, must be A, C, G, T, or N and the other letters for several",
                    k + 1);
      }
      sequence += base_letter(code);
    }
  }

  void end_sequence() const {
    if (data_.sequences.empty() || !data_.sequences.back().empty()) return;
    throw ParseError(data_.source,
                     {.line = header_line_, .column = 1},
                     "the sequence of this header is empty, must have a base");
  }

  TextLines lines_;
  DnaData data_ = {};
  std::size_t header_line_ = 0;
  bool some_labels_ = false;
  bool some_weights_ = false;
};

}  // namespace

std::optional<std::int8_t> dna_label(std::string_view text) {
  constexpr std::array<std::string_view, 4> positive = {"1", "+1", "+", "positive"};
  constexpr std::array<std::string_view, 4> negative = {"-1", "0", "-", "negative"};
  if (std::ranges::find(positive, text) != positive.end()) return std::int8_t{1};
  if (std::ranges::find(negative, text) != negative.end()) return std::int8_t{-1};
  if (text == "?") return std::int8_t{0};
  return std::nullopt;
}

DnaData read_dna(Input& input) { return Reader(input).read(); }

std::vector<std::int8_t> read_dna_labels(Input& input) {
  std::vector<std::int8_t> labels;
  for (TextLines lines(input); lines.next();) {
    const std::string_view text = without_blanks_around(lines.line());
    const std::optional<std::int8_t> label = dna_label(text);
    if (!label) lines.fail("the label " + quote(text, "of no letters") + std::string(label_rule));
    labels.push_back(*label);
  }
  return labels;
}

std::vector<double> read_dna_weights(Input& input) {
  std::vector<double> weights;
  for (TextLines lines(input); lines.next();) {
    const std::string_view text = without_blanks_around(lines.line());
    const std::optional<double> weight = parse_number(text);
    if (!weight || !std::isfinite(*weight) || *weight < 0) {
      lines.fail("the weight " + quote(text, "of no letters") + ", must be a finite number >= 0");
    }
    weights.push_back(*weight);
  }
  return weights;
}

std::string to_fasta(const DnaData& data) {
  std::string text;
  for (std::size_t i = 0; i < data.size(); ++i) {
    text += '>';
    if (!data.names.empty()) text += data.names[i];
    if (!data.labels.empty()) {
      text += " label=";
      text += data.labels[i] == 0 ? "?" : std::to_string(data.labels[i]);
    }
    if (!data.weights.empty()) {
      text += " weight=";
      append_number(text, data.weights[i]);
    }
    text += '\n';
    text += data.sequences[i];
    text += '\n';
  }
  return text;
}

}  // namespace maxmargin
