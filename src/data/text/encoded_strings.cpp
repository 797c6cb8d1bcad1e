// SPDX-License-Identifier: Apache-2.0
#include "maxmargin/data/text/encoded_strings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "maxmargin/core/error.hpp"
#include "maxmargin/core/number.hpp"
#include "maxmargin/core/sizes.hpp"

namespace maxmargin {

namespace {

constexpr double largest_code = 256;

}  // namespace

Examples encode_strings(std::span<const std::string> strings) {
  Buffer<std::int64_t> offsets(1, 0);
  Buffer<std::int32_t> columns;
  Buffer<double> values;
  std::size_t longest = 0;
  for (const std::string& text : strings) {
    for (std::size_t j = 0; j < text.size(); ++j) {
      columns.push_back(narrow<std::int32_t>(j));
      values.push_back(static_cast<double>(static_cast<unsigned char>(text[j])) + 1);
    }
    longest = std::max(longest, text.size());
    offsets.push_back(narrow<std::int64_t>(values.size()));
  }
  return SparseMatrix(longest, std::move(offsets), std::move(columns), std::move(values));
}

std::string decode_string(const Row& row) {
  std::string text;
  bool ended = false;
  row.for_each([&](std::size_t column, double value) {
    // Dense rows are filled up with zeros.
    ended = ended || value == 0;
    if (ended && value == 0) return;
    if (ended || column != text.size() || !(value >= 1 && value <= largest_code) ||
        value != std::floor(value)) {
      throw InvalidArgument("spectrum kernel: the value in column " + std::to_string(column) +
                            " (from 0) is " + format_number(value) +
                            ", must be the code of a string's byte; this row holds no string");
    }
    text += static_cast<char>(static_cast<unsigned char>(value - 1));
  });
  return text;
}

}  // namespace maxmargin
