// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "io/append_number.hpp"
#include "io/quote.hpp"
#include "io/table/missing_label.hpp"
#include "io/table/svmlight.hpp"
#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// True when the reader gives this label back.
bool reads_back(const Label& label) {
  if (label.is_number()) return true;
  const std::string text = label.text();
  if (is_missing_label(text) || Label::parse(text).is_number()) return false;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ' || c == ',' || c == ':' || c == '#') return false;
  }
  return true;
}

void require_readable(const Label& label) {
  if (reads_back(label)) return;
  throw InvalidArgument("the label " + quote(label.text()) +
                        " cannot stand in this format; number the classes, or write CSV");
}

/// Before the first byte is written, as what went to a pipe cannot be taken back.
void check_labels(const Dataset& data) {
  for (const std::vector<Label>& set : data.label_sets) {
    for (const Label& label : set) require_readable(label);
  }
  if (data.labels.all_numbers()) return;
  for (std::size_t row = 0; row < data.labels.size(); ++row) {
    if (const auto label = data.labels.at(row)) require_readable(*label);
  }
}

void append_label(std::string& line, const Label& label) {
  if (label.is_number()) {
    append_number(line, label.number());
  } else {
    line += label.text();
  }
}

/// The row whose only label is written twice, because no list would tell sets from plain labels
/// otherwise; repeated labels count once. `size()` when there is a list, or nothing to repeat.
std::size_t row_to_repeat(const Dataset& data) {
  std::size_t first_single = data.size();
  for (std::size_t row = data.label_sets.size(); row-- > 0;) {
    if (data.label_sets[row].size() > 1) return data.size();
    if (data.label_sets[row].size() == 1) first_single = row;
  }
  return first_single;
}

void append_set(std::string& line, const std::vector<Label>& set, bool repeat) {
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (k > 0) line += ',';
    append_label(line, set[k]);
  }
  if (repeat) {
    line += ',';
    append_label(line, set.front());
  }
}

void append_label_of_row(std::string& line, const Dataset& data, std::size_t row) {
  if (!data.has_labels()) return;
  if (const auto label = data.labels.at(row)) {
    append_label(line, *label);
  } else {
    line += '?';
  }
}

}  // namespace

void write_svmlight(const Dataset& data, OutputFile& output, const SvmlightOptions& options) {
  data.validate();
  check_labels(data);
  const std::size_t repeated = row_to_repeat(data);
  const std::size_t first_index = options.precomputed ? 0 : 1;
  std::string line;
  for (std::size_t row = 0; row < data.size(); ++row) {
    line.clear();
    if (data.label_sets.empty()) {
      append_label_of_row(line, data, row);
    } else {
      append_set(line, data.label_sets[row], row == repeated);
    }
    // At the start of a file these would pass for a byte order mark or for compressed data.
    if (row == 0 && (line.starts_with("\xef\xbb\xbf") || line.starts_with("BZh"))) {
      line.insert(0, 1, ' ');
    }
    const auto separate = [&line] {
      if (!line.empty()) line += ' ';
    };
    if (!data.groups.empty()) {
      separate();
      line += "qid:";
      append_number(line, data.groups[row]);
    }
    if (!data.weights.empty()) {
      separate();
      line += "cost:";
      append_number(line, data.weights[row]);
    }
    data.examples.row(row).for_each([&](std::size_t column, double value) {
      if (data.examples.is_dense() && value == 0) return;
      separate();
      append_number(line, column + first_index);
      line += ':';
      append_number(line, value);
    });
    if (line.empty()) line = "1:0";
    line += '\n';
    output.write(line);
  }
}

}  // namespace maxmargin
