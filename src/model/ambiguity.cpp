// SPDX-License-Identifier: Apache-2.0
#include "model/ambiguity.hpp"

#include <string>

#include "maxmargin/core/require.hpp"

namespace maxmargin {

namespace {

/// True when every machine that uses the class is on its side.
bool agrees(const OutputCode& code, std::size_t cls, std::span<const double> values) {
  for (std::size_t f = 0; f < code.functions; ++f) {
    const std::int8_t sign = code.sign(cls, f);
    if (sign != 0 && (values[f] >= 0) != (sign > 0)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> ambiguous_rows(const OutputCode& code, DenseView values) {
  require(values.cols == code.functions,
          "there are " + std::to_string(values.cols) + " values a row for the " +
              std::to_string(code.functions) + " functions of the code");
  std::vector<std::size_t> rows;
  if (code.kind == MulticlassKind::direct || code.classes < 2) return rows;
  for (std::size_t i = 0; i < values.rows; ++i) {
    std::size_t winners = 0;
    for (std::size_t cls = 0; cls < code.classes; ++cls) {
      if (agrees(code, cls, values.row(i))) ++winners;
    }
    if (winners != 1) rows.push_back(i);
  }
  return rows;
}

}  // namespace maxmargin
