// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "maxmargin/data/label.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Files with one label a line. A label stands as it is, or in double quotes as a cell of a table
/// does: then it may hold line ends, and a quote in it is doubled.
namespace maxmargin {

/// A line for the label, without its end: in quotes only where it would be read back as something
/// else, from such a file or from a table of one column.
[[nodiscard]] std::string label_line(const Label& label);

/// Reads such a file; `?`, the words of is_missing_label and `unlabeled` mark unlabelled rows.
/// Throws ParseError with line and column.
[[nodiscard]] LabelColumn read_label_lines(Input& input,
                                           const std::optional<std::string>& unlabeled);

}  // namespace maxmargin
