// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "io/table/csv_cursor.hpp"
#include "io/table/missing_label.hpp"
#include "maxmargin/core/memory.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/require.hpp"
#include "maxmargin/io/table/csv.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t write_bytes = std::size_t{1} << 20;

/// Would the reader, without quotes, take `text` for anything else than one cell of that text?
/// Names may stand first in a file, where "BZh" or a byte that is no ASCII character would pass for
/// compressed data or a byte order mark.
bool needs_quotes(std::string_view text, char delimiter) {
  if (text.empty() || text.starts_with("BZh")) return true;
  if (text.front() <= ' ' || text.front() >= 127 || text.back() == ' ' || text.back() == '\t') {
    return true;
  }
  return std::ranges::any_of(
      text, [&](char c) { return c == delimiter || c == '"' || c == '\n' || c == '\r'; });
}

void append_cell(std::string& to, std::string_view text, char delimiter) {
  if (!needs_quotes(text, delimiter)) {
    to += text;
    return;
  }
  to += '"';
  for (const char c : text) {
    if (c == '"') to += '"';
    to += c;
  }
  to += '"';
}

/// Before the first byte is written, as what went to a pipe cannot be taken back.
void check_labels(const LabelColumn& labels) {
  if (labels.all_numbers()) return;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::optional<Label> label = labels.at(row);
    if (!label || label->is_number()) continue;
    const std::string text = label->text();
    if (!is_missing_label(text) && !Label::parse(text).is_number() &&
        text.find('\0') == std::string::npos) {
      continue;
    }
    require_field(false,
                  "the label of row " + std::to_string(row + 1),
                  text,
                  "a number, or text that does not read as a number or as unlabelled");
  }
}

std::string label_text(const LabelColumn& labels, std::size_t row) {
  const std::optional<Label> label = labels.at(row);
  return label ? label->text() : "?";
}

void require_table(const Dataset& data, char delimiter) {
  require_field(is_csv_delimiter(delimiter),
                "the delimiter",
                std::string(1, delimiter),
                "one byte, no quote, letter, digit, sign, point or line end");
  data.validate();
  require(data.groups.empty(), "a table has no place for groups (qid)");
  require(data.label_sets.empty(), "a table has no place for sets of labels");
  require(data.features() > 0 || data.has_labels() || !data.weights.empty(),
          "a table needs at least one column");
  for (const std::string& name : data.feature_names) {
    require(name.find('\0') == std::string::npos, "a feature name holds a zero byte");
  }
  check_labels(data.labels);
  // Reading it back takes that much memory.
  require_memory_for_numbers(data.size(), data.features(), "a table");
}

}  // namespace

void write_csv(const Dataset& data, OutputFile& output, char delimiter) {
  require_table(data, delimiter);
  const std::size_t d = data.features();
  std::string buffer;
  const auto separate = [&](bool first) {
    if (!first) buffer += delimiter;
  };
  const auto write_if_full = [&] {
    if (buffer.size() < write_bytes) return;
    output.write(buffer);
    buffer.clear();
  };
  for (std::size_t j = 0; j < d; ++j) {
    write_if_full();
    separate(j == 0);
    append_cell(buffer,
                data.feature_names.empty() ? "x" + std::to_string(j + 1) : data.feature_names[j],
                delimiter);
  }
  const bool weighted = !data.weights.empty();
  if (weighted) {
    separate(d == 0);
    buffer += "weight";
  }
  if (data.has_labels()) {
    separate(d == 0 && !weighted);
    buffer += "label";
  }
  buffer += '\n';
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::size_t column = 0;
    const auto append_zeros_before = [&](std::size_t end) {
      for (; column < end; ++column) {
        write_if_full();
        separate(column == 0);
        buffer += '0';
      }
    };
    data.examples.row(i).for_each([&](std::size_t j, double value) {
      append_zeros_before(j);
      separate(column == 0);
      buffer += format_number(value);
      ++column;
    });
    append_zeros_before(d);
    if (weighted) {
      separate(d == 0);
      buffer += format_number(data.weights[i]);
    }
    if (data.has_labels()) {
      separate(d == 0 && !weighted);
      append_cell(buffer, label_text(data.labels, i), delimiter);
    }
    buffer += '\n';
    write_if_full();
  }
  output.write(buffer);
}

}  // namespace maxmargin
