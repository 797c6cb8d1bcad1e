// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maxmargin/data/label.hpp"
#include "maxmargin/io/stream/input.hpp"

/// The files that go beside a data file: weights, group sizes, row numbers, labels in IDX (those in
/// text: io/table/label_lines.hpp). All are text
/// but for IDX labels; blank lines at the end are ignored. All throw FileError, and ParseError with
/// line and column.
namespace maxmargin {

/// An IDX array of one dimension, whose numbers are the labels.
[[nodiscard]] LabelColumn read_idx_labels(Input& input,
                                          const std::optional<std::string>& unlabeled);
/// One number a line that `holds`; the message of another says what was `expected`.
[[nodiscard]] std::vector<double> read_numbers(Input& input,
                                               const std::string& expected,
                                               bool (*holds)(double number));
/// One number >= 0 a line.
[[nodiscard]] std::vector<double> read_weight_lines(Input& input);
/// One group size (>= 1) a line: the group of each row, numbered from 1. Throws FileError unless
/// the sizes add up to `rows`.
[[nodiscard]] std::vector<std::int64_t> read_group_sizes(Input& input, std::size_t rows);
/// `spec` is "FILE" or "FILE:LINE": the numbers below `rows` on that line, sorted, each once.
[[nodiscard]] std::vector<std::size_t> read_row_numbers(const std::string& spec, std::size_t rows);

}  // namespace maxmargin
