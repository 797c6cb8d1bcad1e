// SPDX-License-Identifier: Apache-2.0
#include "learner/csv_table.hpp"

#include "maxmargin/core/number.hpp"

namespace maxmargin::learning {

namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string csv_table(const std::vector<std::string>& header, DenseView values) {
  std::string text;
  for (std::size_t j = 0; j < header.size(); ++j) text += (j > 0 ? "," : "") + csv_cell(header[j]);
  text += '\n';
  for (std::size_t i = 0; i < values.rows; ++i) {
    for (std::size_t j = 0; j < values.cols; ++j) {
      if (j > 0) text += ',';
      text += format_number(values(i, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace maxmargin::learning
