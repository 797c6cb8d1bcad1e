// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string_view>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/io/stream/input.hpp"
#include "maxmargin/learner/cluster.hpp"

namespace maxmargin {

namespace {

/// The cells between commas.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == line.npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// The next line without its end; `rest` moves behind it.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<ReportFields> recorded_rows(const Training& training, bool numbered) {
  std::vector<ReportFields> rows;
  if (!training.trace.empty()) rows.resize(training.trace.front().second.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (numbered) rows[i].emplace_back("iteration", static_cast<double>(i));
    for (const auto& [name, values] : training.trace) rows[i].emplace_back(name, values[i]);
  }
  return rows;
}

TraceTable read_trace(const std::string& path) {
  Input input = Input::open(path);
  const std::string bytes = input.read_all();
  std::string_view rest = bytes;
  TraceTable table;
  for (const std::string_view name : cells_of(next_line(rest))) table.names.emplace_back(name);
  table.columns.resize(table.names.size());
  for (std::size_t line = 2; !rest.empty(); ++line) {
    const std::vector<std::string_view> cells = cells_of(next_line(rest));
    if (cells.size() != table.names.size()) {
      throw ParseError(input.name(),
                       {.line = line},
                       std::to_string(cells.size()) + " cells, the header has " +
                           std::to_string(table.names.size()));
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::optional<double> value =
          cells[c].empty() ? std::numeric_limits<double>::quiet_NaN() : parse_number(cells[c]);
      if (!value) {
        const auto column = static_cast<std::size_t>(cells[c].data() - cells[0].data()) + 1;
        throw ParseError(input.name(),
                         {.line = line, .column = column},
                         "expected a number, found " + std::string(cells[c]));
      }
      table.columns[c].push_back(*value);
    }
  }
  return table;
}

}  // namespace maxmargin
