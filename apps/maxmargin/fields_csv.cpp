// SPDX-License-Identifier: Apache-2.0
#include "fields_csv.hpp"

#include <cmath>

#include "maxmargin/core/number.hpp"

namespace maxmargin::tool {

namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    result += c;
    if (c == '"') result += c;
  }
  return result + "\"";
}

std::string cell(const ReportValue& value) {
  struct Visitor {
    std::string operator()(std::monostate /*nothing*/) const { return {}; }
    std::string operator()(bool truth) const { return truth ? "1" : "0"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double real) const {
      return std::isnan(real) ? std::string() : format_number(real);
    }
    std::string operator()(const std::string& text) const { return quoted(text); }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace

std::string csv_of(const std::vector<ReportFields>& rows) {
  std::string csv;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string header;
    std::string line;
    for (std::size_t f = 0; f < rows[i].size(); ++f) {
      const auto& [name, value] = rows[i][f];
      header += (f == 0 ? "" : ",") + quoted(name);
      line += (f == 0 ? "" : ",") + cell(value);
    }
    if (i == 0) csv += header + "\n";
    csv += line + "\n";
  }
  return csv;
}

}  // namespace maxmargin::tool
