// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "maxmargin/data/label.hpp"
#include "maxmargin/io/stream/input.hpp"

/// Sets of labels as text, a set a line (docs/guide/data-formats.md): labels with commas between,
/// an empty line for the empty set.
namespace maxmargin {

/// Reads such lines, or the sets of an svmlight file, whose lines have `index:value`. Each set is
/// sorted and has every label once. Throws ParseError with the line for a list with an empty label,
/// and what read_svmlight throws; FileError without a line.
[[nodiscard]] std::vector<std::vector<Label>> read_label_sets(
    Input& input, std::optional<std::size_t> threads = std::nullopt);

/// A set as such a line, without its end.
[[nodiscard]] std::string to_text(const std::vector<Label>& set);

}  // namespace maxmargin
