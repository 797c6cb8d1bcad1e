// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/io/table/read_labels.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "io/table/label_lines.hpp"
#include "io/table/read_data_format.hpp"
#include "io/table/side_files.hpp"
#include "maxmargin/core/error.hpp"
#include "maxmargin/io/table/builtin.hpp"

namespace maxmargin {

namespace {

/// How much of a file is looked at to tell labels from data.
constexpr std::size_t looked_at = 1 << 16;

/// Text in which every line that is whole has at most one word, and no mark of a table, as a quote
/// is where a line begins. A first line that goes beyond what is looked at is no label.
bool holds_one_word_a_line(Input& input) {
  std::string_view text = input.peek(looked_at);
  if (text.size() == looked_at) text = text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0
  if (text.empty()) return false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    if (line.starts_with('"')) return false;
    if (line.find_first_of(std::string_view(" \t,:#\0", 6)) != line.npos) return false;
  }
  return true;
}

LabelColumn read_labels_of_file(Input& input, const ReadOptions& options) {
  const bool by_contents = options.format == DataFormat::automatic;
  if (by_contents && holds_one_word_a_line(input)) {
    return read_label_lines(input, options.unlabeled);
  }
  const DataFormat format = by_contents ? detect_format(input) : options.format;
  if (format == DataFormat::idx && !options.labels_file) {
    return read_idx_labels(input, options.unlabeled);
  }
  return read_data_of(input, options, Features::not_needed).labels;
}

}  // namespace

std::vector<double> read_number_lines(Input& input) {
  return read_numbers(input, "a number", [](double number) { return !std::isnan(number); });
}

LabelColumn read_labels(const std::string& path, const ReadOptions& options) {
  LabelColumn labels;
  if (is_builtin(path)) {
    labels = read_data(path, options).labels;
  } else {
    Input input = Input::open(path);
    labels = read_labels_of_file(input, options);
  }
  if (labels.empty()) throw FileError(path, "holds no labels");
  return labels;
}

std::vector<double> read_scores(const std::string& path, const ReadOptions& options) {
  LabelColumn labels;
  if (is_builtin(path)) {
    labels = read_data(path, options).labels;
  } else {
    Input input = Input::open(path);
    if (holds_one_word_a_line(input)) return read_number_lines(input);
    labels = read_labels_of_file(input, options);
  }
  if (labels.empty() || !labels.all_numbers() || labels.labelled_count() != labels.size()) {
    throw FileError(path, "must hold a score, a number, on every line");
  }
  const std::span<const double> numbers = labels.numbers();
  return {numbers.begin(), numbers.end()};
}

}  // namespace maxmargin
